"""A prompt's wording with everything filled in but the haystack and the question.

All prompts of a task have it in common, so its pieces are made and encoded once.
"""

from collections.abc import Sequence

from tasks.sample import Text

HAYSTACK, QUESTION = Text(""), Text("")
"""What stands in the pieces of a frame where these two go."""


class Frame:
    """Pieces that stay as they are, and what stands around the question in those that do not."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: Sequence[str | Text]) -> None:
        self._pieces = _cut(pieces)

    def fill(self, haystack: Text, question: str) -> list[Text]:
        """The pieces of one prompt, in order."""
        filled: list[Text] = []
        for piece in self._pieces:
            if isinstance(piece, tuple):
                filled.append(Text(question.join(piece)))
            else:
                filled.append(haystack if piece is HAYSTACK else piece)
        return filled


def _cut(pieces: Sequence[str | Text]) -> tuple[Text | tuple[str, ...], ...]:
    """Between haystacks, the strings around each question; one string alone is a Text."""
    cut: list[Text | tuple[str, ...]] = []
    around = [""]
    for piece in (*pieces, HAYSTACK):
        if piece is QUESTION:
            around.append("")
        elif piece is HAYSTACK:
            if around != [""]:
                cut.append(tuple(around) if len(around) > 1 else Text(around[0]))
            cut.append(HAYSTACK)
            around = [""]
        else:
            around[-1] += str(piece)
    return tuple(cut[:-1])
