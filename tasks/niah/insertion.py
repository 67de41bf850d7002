"""Where a needle goes: how much haystack there is for it, and the token that it stands before."""

from tasks.niah.haystack import TokenHaystack


def context_length(size: int, buffer: int, needle_tokens: int) -> int:
    """Tokens of haystack in a context of that size.

    A negative end of a Python slice counts from the end of a `size` tokens long context: contexts
    shorter than the buffer are cut there by the published code, and so they are here.
    """
    end = size - buffer - needle_tokens
    return max(0, end if end >= 0 else size + end)


def insertion(haystack: TokenHaystack, length: int, depth: float) -> int:
    """The token before which the needle goes: after the last lone full stop up to that depth."""
    if depth == 100:
        return length
    return haystack.last_period(int(length * (depth / 100)))
