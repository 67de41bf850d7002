"""What goes wrong behind the calls: it stops what would be sent, never what is on its way back."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Trouble:
    """The first error that no row can tell of: in storage, or a bug of ours."""

    first: Exception | None = None
    stop: Callable[[], None] | None = None
    """Told once to send nothing more."""

    def met(self, error: Exception) -> None:
        """Remember it, and let everything that is in flight come back and be stored."""
        if self.first is not None:
            return
        self.first = error
        if self.stop is not None:
            self.stop()
