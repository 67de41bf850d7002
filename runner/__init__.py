"""What a notebook needs: `from runner import open_results`; imported when it is asked for."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runner.report.notebook import open_results

__all__ = ["open_results"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        # Plotting takes a second to import, and every command imports this package.
        from runner.report.notebook import open_results  # noqa: PLC0415

        return open_results
    raise AttributeError(f"module 'runner' has no attribute {name!r}")
