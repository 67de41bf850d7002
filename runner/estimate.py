"""How many tokens a prompt will be billed as: exactly where the vocabulary is known, else learned.

Three numbers, for three purposes: the least it can be and what to expect (limits, forecasts), and
what it cannot exceed (reservations). Without a known vocabulary the only true bound is one token
per UTF-8 byte; usage that comes back replaces it by what this model made of this kind of text.
"""

from dataclasses import dataclass

from tasks.sample import Prompt, Sample, TextKind, TokenCounter
from tasks.tokens import estimating_counter

ENVELOPE_TOKENS = 96
"""Upper bound of what chat templates add around the turns (Llama 3's system header is longest)."""
EXPECTED_ENVELOPE_TOKENS = 8
MARGIN = 1.10
"""On the largest ratio seen, once ratios are learned."""
TRUST_AFTER = 5
"""Replies of a kind of text before its ratio replaces the bound."""
SHORTEST_COUNTED = 256
"""In a shorter prompt the envelope would be mistaken for a property of the vocabulary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEstimate:
    """Input tokens of one prompt."""

    low: int
    expected: int
    worst: int


@dataclass(slots=True)
class Ratio:
    """What one kind of text was billed as: tokens per UTF-8 byte, or per counted token."""

    replies: int = 0
    units: int = 0
    tokens: int = 0
    largest: float = 0.0

    def observe(self, units: int, tokens: int) -> None:
        """One more bill."""
        self.replies += 1
        self.units += units
        self.tokens += tokens
        self.largest = max(self.largest, tokens / units)

    @property
    def mean(self) -> float:
        """Tokens per unit over all bills."""
        return self.tokens / self.units


class Estimator:
    """Input tokens of prompts for one model; learns from returned usage."""

    __slots__ = ("_counter", "_model", "_ratios")

    def __init__(self, model: str, counter: TokenCounter | None) -> None:
        self._model = model
        self._counter = counter
        self._ratios: dict[TextKind, Ratio] = {}

    def units(self, sample: Sample) -> int:
        """What ratios are per: tokens of the known vocabulary, or bytes. Called off the loop."""
        if self._counter is not None:
            return sample.prompt.tokens(self._counter)
        return utf8_bytes(sample.prompt)

    def estimate(self, sample: Sample) -> InputEstimate:
        """Input tokens to expect, from what is known and what was learned."""
        units = self.units(sample)
        seen = self._ratios.get(sample.kind)
        if self._counter is not None:
            # A vocabulary named in the config may not be the server's own: what was seen counts.
            ratio = 1.0 if seen is None else seen.mean
            largest = 1.0 if seen is None else max(1.0, seen.largest)
            low, expected, worst = units * min(1.0, ratio), units * ratio, units * largest * 1.01
        elif seen is not None and seen.replies >= TRUST_AFTER:
            low = expected = units * seen.mean
            worst = min(float(units), units * seen.largest * MARGIN)
        else:
            guess = estimating_counter(self._model, sample.kind).estimate(units)
            expected = guess.expected if seen is None else units * seen.mean
            low, worst = guess.low, guess.bound
        return InputEstimate(
            low=int(low),
            expected=round(expected) + EXPECTED_ENVELOPE_TOKENS,
            worst=int(worst) + ENVELOPE_TOKENS,
        )

    def observe(self, kind: TextKind, units: int, total_input: int) -> None:
        """Learn from the usage that came back for a prompt of so many units."""
        if units >= SHORTEST_COUNTED:
            self._ratios.setdefault(kind, Ratio()).observe(units, total_input)


def utf8_bytes(prompt: Prompt) -> int:
    """Bytes of all turns in UTF-8: no byte-level vocabulary makes more tokens than that."""
    return sum(len(part.utf8) for message in prompt.messages for part in message.parts)
