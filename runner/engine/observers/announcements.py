"""What people should read at once, though the sweep goes on: an endpoint that is gone, or back."""

from collections.abc import Callable

from runner.engine.observers.events import Event, OutageBegun, OutageOver


class Announcements:
    """An observer of lanes that says one line for each thing worth one."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def take(self, event: Event) -> None:
        """Say what happened, if it is worth a line."""
        if isinstance(event, (OutageBegun, OutageOver)):
            self._say(f"{event.model}: {event.message}")
