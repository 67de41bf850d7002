"""What a notebook needs: `from runner import open_results`; imported when it is asked for."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runner.report.notebook import open_results

__all__ = ["open_results"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        try:
            # Plotting takes a second to import, and every command imports this package.
            from runner.report.notebook import open_results  # noqa: PLC0415
        except ImportError as error:
            raise ImportError(_what_shadows() or str(error)) from error

        return open_results
    raise AttributeError(f"module 'runner' has no attribute {name!r}")


def _what_shadows() -> str | None:
    """The file of somebody else's that is imported in place of a package beside this one."""
    beside = Path(__file__).resolve().parent.parent
    for package in ("queries", "scoring", "state", "tasks"):
        spec = find_spec(package)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found and found != beside / package / "__init__.py":
            return f"{found} shadows runner's package {package!r}: rename it, or start elsewhere"
    return None
