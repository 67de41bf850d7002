"""A seeded order over any number of things, without a list of them.

A sweep runs its trials in a shuffled order so that a provider's drift over the hours is not
mistaken for an effect of length or depth. A million trials need no shuffled list: a Feistel network
is a bijection on a power of two, and walking its cycle keeps it inside the range (Black & Rogaway,
Ciphers with Arbitrary Finite Domains, 2002).
"""

_MASK = (1 << 64) - 1
_ROUNDS = 4


def _mix(value: int) -> int:
    """The finaliser of splitmix64: every input bit reaches every output bit."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & _MASK
    return value ^ (value >> 31)


class Permutation:
    """A bijection of range(size), fixed by a seed; `permutation[i]` costs microseconds."""

    __slots__ = ("_half_bits", "_keys", "_mask", "size")

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self._half_bits = max(1, ((max(1, size - 1)).bit_length() + 1) // 2)
        self._mask = (1 << self._half_bits) - 1
        self._keys = tuple(
            _mix((seed + (round_ + 1) * 0x9E3779B97F4A7C15) & _MASK) for round_ in range(_ROUNDS)
        )

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self.size:
            raise IndexError(index)
        value = self._once(index)
        while value >= self.size:
            value = self._once(value)
        return value

    def _once(self, value: int) -> int:
        left, right = value >> self._half_bits, value & self._mask
        for key in self._keys:
            left, right = right, left ^ (_mix(right ^ key) & self._mask)
        return (left << self._half_bits) | right
