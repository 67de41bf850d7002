"""A reader's seeded luck: the same prompt meets the same fate, whoever asks and when."""

from collections.abc import Sequence

from runner.simulator.reader.frontier import chance
from runner.simulator.spec.faults import unit
from runner.simulator.spec.settings import Ability, ReaderSettings


class Luck:
    """Decides what goes wrong with one prompt."""

    def __init__(self, settings: ReaderSettings, mark: str) -> None:
        self.settings = settings
        self._mark = mark

    def unit(self, *about: object) -> float:
        """A number in [0, 1), another one for everything it is drawn about."""
        return unit(self._mark, *about)

    def strikes(self, rate: float, *about: object) -> bool:
        """Draw whether something of this rate happens."""
        return rate > 0 and self.unit(*about) < rate

    def pick(self, items: Sequence[str], *about: object) -> str:
        """Draw one of some things."""
        return items[int(self.unit(*about) * len(items))]

    def ability(self, task: str) -> Ability:
        """The ability for a task, for its family, or for anything."""
        abilities = self.settings.abilities
        family = task.partition(".")[0]
        return abilities.get(task) or abilities.get(family) or self.settings.ability

    def succeeds(self, task: str, chars: int, steps: int, depth: float, *about: object) -> bool:
        """Draw whether one thing is found or worked out."""
        likely = chance(self.ability(task), chars, steps, depth)
        return likely >= 1.0 or self.unit("success", *about) < likely
