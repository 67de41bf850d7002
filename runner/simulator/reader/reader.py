"""Finds out what a prompt asks, works out the answer from its text, and fails as it should."""

from collections.abc import Callable

from runner.simulator.reader.chains import read_chain
from runner.simulator.reader.events import read_events
from runner.simulator.reader.luck import Luck
from runner.simulator.reader.numbers import read_number
from runner.simulator.reader.pairs import read_pairs
from runner.simulator.reader.recall import read_next_word, read_sentence
from runner.simulator.reader.true_or_false import read_true_or_false
from runner.simulator.spec.settings import ReaderSettings

NOTHING = "I do not see what is asked here."
_READERS: tuple[Callable[[str, Luck], str | None], ...] = (
    read_pairs,
    read_events,
    read_number,
    read_true_or_false,
    read_next_word,
    read_sentence,
)


def read(text: str, system: str, settings: ReaderSettings, mark: str) -> str:
    """The reply to a prompt; the same for the same text, settings and mark."""
    luck = Luck(settings, mark)
    said = read_chain(text, system, luck)
    for reader in _READERS:
        if said is not None:
            return said
        said = reader(text, luck)
    return NOTHING if said is None else said
