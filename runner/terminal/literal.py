"""Words of others as they are: what would drive a terminal is shown as an escape, like `\\u001b`.

Names, replies and errors come from outside. Control characters (C0, C1), characters that turn the
direction of a line, and invisible ones become escapes of JSON, so that JSON stays JSON.
"""

import codecs
import re
from typing import TextIO

_DRIVES = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""All but the line feed and the tab, and but the joiners that some scripts need."""
UNWRITABLE = "runner.visible"
"""The error handler of a stream whose encoding lacks a character."""


def visible(text: str) -> str:
    """The text with what would drive a terminal as escapes; lines stay lines."""
    return _DRIVES.sub(lambda found: escaped(found[0]), text)


def visible_word(text: str) -> str:
    """The same in one line, for a cell of a table or a name."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def escaped(text: str) -> str:
    """Each character as JSON escapes it."""
    units = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _unwritable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return escaped(error.object[error.start : error.end]), error.end


codecs.register_error(UNWRITABLE, _unwritable)


def take_any_text(stream: TextIO) -> None:
    """Let a stream of any encoding take any text: what it cannot write becomes an escape."""
    change = getattr(stream, "reconfigure", None)
    if change is not None:
        change(errors=UNWRITABLE)
