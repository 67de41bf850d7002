"""How many tokens a prompt will be billed as: exactly where the tokenizer is known, else learned.

Three numbers, for three purposes: the least it can be and what to expect (limits, forecasts), and
what it cannot exceed (reservations). Without a known tokenizer the only true bound is one token
per UTF-8 byte; usage that comes back replaces it by what this model made of this kind of text, for
prompts of lengths that were seen.
"""

from collections.abc import Mapping
from typing import NamedTuple

from runner.tokens.regression import NOTHING_SEEN, TokenRegression
from tasks.facts import TextKind
from tasks.sample import Prompt, Sample, TokenCounter
from tasks.tokens import estimating_counter

ENVELOPE_TOKENS = 96
"""Upper bound of what chat templates add around the turns (Llama 3's system header is longest)."""
EXPECTED_ENVELOPE_TOKENS = 8
MARGIN = 1.10
"""On what was learned, where it is used as a bound."""
TRUST_AFTER = 5
"""Replies of a kind of text before what they teach replaces the bound."""
STILL_LEARNING = 500
"""Usage records of a kind of text until which estimates are made again before the send."""
SHORTEST_COUNTED = 256
"""In a shorter prompt the envelope would be mistaken for a property of the tokenizer."""
SLOPED_REACH, FLAT_REACH = 4.0, 1.25
"""How far beyond the longest prompt seen a bound is believed, with and without a known slope."""
OTHER_TOKENIZER = 0.03
"""Usage records this far from an exact count are of another tokenizer than ours."""
LEARNED_LOW = 0.97


class InputEstimate(NamedTuple):
    """Input tokens of one prompt."""

    low: int
    expected: int
    worst: int
    guessed: bool = False
    """Neither a known tokenizer nor this model's own bills stand behind it."""


class _Seen(NamedTuple):
    """Usage records of a kind of text, and the length of one prompt in the same unit."""

    line: TokenRegression
    length: float

    @property
    def expected(self) -> float:
        return self.line.tokens_of(self.length)

    @property
    def bounded(self) -> bool:
        """Whether enough was seen that is about so long."""
        line = self.line
        reach = SLOPED_REACH if line.sloped else FLAT_REACH
        return line.n >= TRUST_AFTER and self.length <= line.longest * reach

    def bound_over(self, expected: float) -> float:
        """What it will not exceed, where that is known."""
        return max(expected, self.length * self.line.largest) * MARGIN


class Estimator:
    """Input tokens of prompts for one model; learns from returned usage."""

    __slots__ = ("_counter", "_earlier", "_lines", "_model")

    def __init__(self, model: str, counter: TokenCounter | None) -> None:
        self._model = model
        self._counter = counter
        self._lines: dict[TextKind, TokenRegression] = {}
        self._earlier: dict[TextKind, TokenRegression] = {}

    def units(self, sample: Sample) -> int:
        """What usage is compared with: tokens of the known tokenizer, or bytes. Off the loop."""
        if self._counter is not None:
            return sample.prompt.tokens(self._counter)
        return utf8_bytes(sample.prompt)

    def estimate(self, sample: Sample, units: int | None = None) -> InputEstimate:
        """Input tokens to expect, from what is known and what was learned."""
        if units is None:
            units = self.units(sample)
        seen = self._seen(sample, units)
        guessed = self._counter is None and (seen is None or not seen.bounded)
        if self._counter is not None:
            low, expected, worst = _counted(units, seen)
        else:
            low, expected, worst = self._guessed(units, seen, sample.kind)
        expected = round(expected)
        return InputEstimate(
            low=min(int(low), expected),
            expected=expected,
            worst=max(int(worst), expected) + ENVELOPE_TOKENS,
            guessed=guessed,
        )

    def _guessed(
        self, units: int, seen: _Seen | None, kind: TextKind
    ) -> tuple[float, float, float]:
        if seen is not None and seen.bounded:
            expected = seen.expected
            bound = seen.bound_over(expected)
            return expected * LEARNED_LOW, expected, min(float(units), bound)
        guess = estimating_counter(self._model, kind).estimate(units)
        if seen is None:
            return guess.low, guess.expected + EXPECTED_ENVELOPE_TOKENS, guess.bound
        return min(guess.low, seen.expected), seen.expected, guess.bound

    def _seen(self, sample: Sample, units: int) -> _Seen | None:
        """The usage to go by: this run's, unless earlier runs saw more of such lengths."""
        earlier, now = self._earlier.get(sample.kind), self._lines.get(sample.kind)
        mine = None if now is None else _Seen(now, units)
        if earlier is None or (mine is not None and mine.bounded):
            return mine
        return _Seen(earlier, sample.prompt.chars)

    def is_new_to(self, kind: TextKind) -> bool:
        """Whether each usage record for this kind of text may still change what is expected."""
        return self._lines.get(kind, NOTHING_SEEN).n < STILL_LEARNING

    def observe(self, kind: TextKind, units: int, total_input: int) -> None:
        """Learn from the usage that came back for a prompt of so many units."""
        if units >= SHORTEST_COUNTED:
            # A new line each time: a thread that estimates meanwhile sees the old one or this one.
            self._lines[kind] = self._lines.get(kind, NOTHING_SEEN).seen(units, total_input)

    def learn_earlier(self, lines: Mapping[TextKind, TokenRegression]) -> None:
        """Begin with what earlier runs were billed, as lines of tokens over characters."""
        self._earlier = {kind: line for kind, line in lines.items() if line.n}


def _counted(units: int, seen: _Seen | None) -> tuple[float, float, float]:
    """Around an exact count; usage records that differ from it tell of another tokenizer."""
    plain = units + EXPECTED_ENVELOPE_TOKENS
    if seen is None or abs(seen.expected - plain) <= OTHER_TOKENIZER * plain:
        return units, plain, units * 1.01
    expected = seen.expected
    bound = seen.bound_over(expected) if seen.bounded else expected * MARGIN
    return min(float(units), expected), expected, max(units * 1.01, bound)


def utf8_bytes(prompt: Prompt) -> int:
    """Bytes of all turns in UTF-8: no byte-level tokenizer makes more tokens than that."""
    size = 0
    for message in prompt.messages:
        for part in message.parts:
            size += len(part.utf8)
    return size
