"""The user's own text files as a haystack, in place of our prose."""

import re
from fnmatch import fnmatch
from pathlib import Path

from tasks.identity import stable_hash
from tasks.plain_files import read_plain
from tasks.sample import TaskError

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),  # before UTF-16, whose mark it starts with
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
HAYSTACK_BYTES = 1 << 30
"""Of one file; a longer one is no prompt's, and its text would be held twice."""
_COMMONEST = "cp1252"
_NOT_TEXT = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text file holds; form feed, escape and white space are let through."""


def load_corpus(folder: Path) -> str:
    """All `*.txt` of the folder, sorted by name, joined with nothing between; newlines become LF.

    Other files are named: one file, or a pattern such as `essays/*.md`. Hidden files and folders
    inside are left out. Raises TaskError naming the folder or file.
    """
    text = "".join(_decoded(path) for path in _files(folder))
    if not text.strip():
        raise TaskError(f"haystack: {folder} holds no text")
    return text


def corpus_hash(text: str) -> str:
    """Stable hash of a corpus, for `TaskPoint.inputs`."""
    return stable_hash(text)


def _files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    is_pattern = is_glob(folder)
    inside, pattern = (folder.parent, folder.name) if is_pattern else (folder, "*.txt")
    try:
        entries = sorted(inside.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise TaskError(f"haystack: {inside} cannot be read: {error.strerror}") from error
    files = [path for path in entries if path.is_file() and not path.name.startswith(".")]
    chosen = [path for path in files if fnmatch(path.name.lower(), pattern.lower())]
    if files and not chosen:
        raise TaskError(
            f"haystack: {inside} has no {pattern}; name what to take, like "
            f'"{inside.name}/*{files[0].suffix or files[0].name}"'
        )
    return chosen


def is_glob(path: Path) -> bool:
    """Whether the last part is a pattern and no name."""
    return any(mark in path.name for mark in "*?[") and not path.exists()


def _decoded(path: Path) -> str:
    try:
        data = read_plain(path, HAYSTACK_BYTES)
    except OSError as error:
        raise TaskError(f"haystack: {path} cannot be read: {error.strerror}") from error
    text = _text(data)
    if text is None:
        raise TaskError(f"haystack: {path} is not a text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _text(data: bytes) -> str | None:
    """The text in whatever encoding it is; None for what is no text in any."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _strict(data[len(mark) :], encoding)
    text = _strict(data, "utf-8")
    if text is not None or b"\x00" in data:
        return text
    encoding = _guessed(data)
    return None if encoding is None else _strict(data, encoding)


def _guessed(data: bytes) -> str | None:
    """The likeliest encoding; the commonest one where several are as likely."""
    # Its tables take a tenth of a second to load, and nearly every corpus is UTF-8.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    guesses = from_bytes(data)
    best = guesses.best()
    if best is None:
        return None
    level = [guess.encoding for guess in guesses if guess.coherence == best.coherence]
    return _COMMONEST if _COMMONEST in level and best.chaos == 0 else best.encoding


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return None
    return None if _NOT_TEXT.search(text) else text
