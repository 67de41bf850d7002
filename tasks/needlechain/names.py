"""The given names that NeedleChain's workers bear."""

from importlib import resources


def _read() -> tuple[str, ...]:
    text = resources.files("tasks").joinpath("data", "names.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if not line.startswith("#"))


NAMES = _read()
"""Distinct, one word each, none contained in another one."""
