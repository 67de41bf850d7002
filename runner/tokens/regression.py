"""What texts of one kind were billed as: a straight line of tokens over length.

A prompt is a frame of instructions and a haystack, and the two take different tokens per character:
a ratio learned on short prompts is wrong for long ones, a line is right for both. It is fitted to
relative errors, so that short prompts count as much as long ones.
"""

from typing import Self

from msgspec import Struct

SPREAD = 1.5
"""Longest over shortest length from which a slope can be told."""


class TokenRegression(Struct, frozen=True, kw_only=True, gc=False):
    """Sums over usage records; lengths are in bytes, characters or counted tokens, never mixed."""

    n: int = 0
    inverse: float = 0.0
    """Sum of 1 / length."""
    inverse_squared: float = 0.0
    ratio: float = 0.0
    """Sum of tokens / length."""
    ratio_inverse: float = 0.0
    """Sum of tokens / length ** 2."""
    length: float = 0.0
    tokens: float = 0.0
    shortest: float = float("inf")
    longest: float = 0.0
    largest: float = 0.0
    """The largest ratio of tokens to length."""

    def seen(self, length: float, tokens: float) -> Self:
        """The line with one more usage record."""
        # Field by field, and no `min` or `max`: this stands in the path of every call.
        share, inverse = tokens / length, 1 / length
        shortest, longest, largest = self.shortest, self.longest, self.largest
        return type(self)(
            n=self.n + 1,
            inverse=self.inverse + inverse,
            inverse_squared=self.inverse_squared + inverse * inverse,
            ratio=self.ratio + share,
            ratio_inverse=self.ratio_inverse + share * inverse,
            length=self.length + length,
            tokens=self.tokens + tokens,
            shortest=shortest if shortest < length else length,  # noqa: FURB136
            longest=longest if longest > length else length,  # noqa: FURB136
            largest=largest if largest > share else share,  # noqa: FURB136
        )

    def __add__(self, other: "TokenRegression") -> Self:
        return type(self)(
            n=self.n + other.n,
            inverse=self.inverse + other.inverse,
            inverse_squared=self.inverse_squared + other.inverse_squared,
            ratio=self.ratio + other.ratio,
            ratio_inverse=self.ratio_inverse + other.ratio_inverse,
            length=self.length + other.length,
            tokens=self.tokens + other.tokens,
            shortest=min(self.shortest, other.shortest),
            longest=max(self.longest, other.longest),
            largest=max(self.largest, other.largest),
        )

    @property
    def mean(self) -> float:
        """Tokens per unit of length over all usage records."""
        return self.tokens / self.length

    @property
    def sloped(self) -> bool:
        """Whether lengths differ enough to tell a slope."""
        return self.n > 1 and self.longest >= SPREAD * self.shortest

    def tokens_of(self, length: float) -> float:
        """Tokens to expect of a text of that length; there must be a usage record."""
        start, slope = self._fit() if self.sloped else (0.0, self.mean)
        # A falling line is noise; cut off at level, so that rounding around it changes nothing.
        return max(0.0, start + max(0.0, slope) * length)

    def _fit(self) -> tuple[float, float]:
        """Least squares of tokens / length over 1 / length: its slope is the line's start."""
        n, x, y = self.n, self.inverse, self.ratio
        spread = n * self.inverse_squared - x * x
        if spread <= 0:
            return 0.0, self.mean
        start = (n * self.ratio_inverse - x * y) / spread
        return start, (y - start * x) / n


NOTHING_SEEN = TokenRegression()
