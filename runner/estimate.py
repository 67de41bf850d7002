"""How many tokens a prompt will be billed as: exactly where the vocabulary is known, else learned.

Two numbers, for two purposes: what to expect (limits, forecasts), and what it cannot exceed
(reservations). Without a known vocabulary the only true bound is one token per UTF-8 byte; usage
that comes back replaces it by what this model made of this kind of text.
"""

from dataclasses import dataclass

from tasks.sample import Prompt, Sample, TextKind, TokenCounter

ENVELOPE_TOKENS = 96
"""Upper bound of what chat templates add around the turns (Llama 3's system header is longest)."""
EXPECTED_ENVELOPE_TOKENS = 8
MARGIN = 1.10
"""On the largest ratio seen, once ratios are learned."""
TRUST_AFTER = 5
"""Replies of a kind of text before its ratio replaces the bound."""
TYPICAL_RATIO: dict[TextKind, float] = {"uuid": 0.80, "prose": 0.26, "names": 0.30, "mixed": 0.50}
"""Tokens per character to expect of an unknown vocabulary, before anything is learned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputEstimate:
    """Input tokens of one prompt."""

    expected: int
    worst: int


@dataclass(slots=True)
class _Ratio:
    replies: int = 0
    chars: int = 0
    tokens: int = 0
    largest: float = 0.0


class Estimator:
    """Input tokens of prompts for one model; learns from returned usage."""

    __slots__ = ("_counter", "_counter_ratio", "_ratios")

    def __init__(self, counter: TokenCounter | None) -> None:
        self._counter = counter
        self._ratios: dict[TextKind, _Ratio] = {}
        self._counter_ratio = 1.0

    def estimate(self, sample: Sample) -> InputEstimate:
        """Expected and largest possible input tokens; called in the threads that make prompts."""
        if self._counter is not None:
            counted = sample.prompt.tokens(self._counter)
            expected = round(counted * self._counter_ratio) + EXPECTED_ENVELOPE_TOKENS
            # A vocabulary named in the config may not be the server's own: what was seen counts.
            worst = int(counted * max(1.0, self._counter_ratio) * 1.01) + ENVELOPE_TOKENS
            return InputEstimate(expected=expected, worst=worst)
        return self._from_ratio(sample)

    def _from_ratio(self, sample: Sample) -> InputEstimate:
        chars = sample.prompt.chars
        seen = self._ratios.get(sample.kind)
        if seen is None or seen.replies < TRUST_AFTER:
            ratio = seen.tokens / seen.chars if seen else TYPICAL_RATIO[sample.kind]
            worst = utf8_bytes(sample.prompt)
        else:
            ratio = seen.tokens / seen.chars
            worst = min(utf8_bytes(sample.prompt), int(chars * seen.largest * MARGIN) + 1)
        return InputEstimate(
            expected=int(chars * ratio) + EXPECTED_ENVELOPE_TOKENS, worst=worst + ENVELOPE_TOKENS
        )

    def observe(self, sample: Sample, total_input: int) -> None:
        """Learn from the usage that came back for a prompt."""
        if self._counter is not None:
            counted = sample.prompt.tokens(self._counter)
            if counted > 256:  # below, the envelope would be mistaken for a ratio
                self._counter_ratio = max(self._counter_ratio, total_input / counted)
            return
        seen = self._ratios.setdefault(sample.kind, _Ratio())
        chars = sample.prompt.chars
        seen.replies += 1
        seen.chars += chars
        seen.tokens += total_input
        seen.largest = max(seen.largest, total_input / chars if chars else 0.0)


def utf8_bytes(prompt: Prompt) -> int:
    """Bytes of all turns in UTF-8: no byte-level vocabulary makes more tokens than that."""
    return sum(len(part.utf8) for message in prompt.messages for part in message.parts)
