"""The words of a prompt are data: our own templates, each replaceable by the user's.

Our templates lie in `prompts/FAMILY.toml`, one table per template::

    [user]
    fields = ["names", "context"]   # a template must mention each of these
    optional = ["count"]            # and may mention these
    text = '''Staff: {names}
    {context}'''

A user's file (`prompts = "FILE.toml"` in a sweep) has one table per benchmark family and one string
per template to replace; whatever it leaves out stays ours::

    [needlechain]
    system = "You add up salaries. End with `## Answer: $...`"
    user = "{context}\\n\\nWorkers in order: {names}\\n{question}"

`{name}` is a field, `{{` and `}}` are literal braces; text is used to the last blank and newline.
Values are never parsed, so a value may hold any braces.
"""

import string
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, cast

from tasks.identity import stable_hash
from tasks.plain_files import read_plain_text
from tasks.sample import TaskError, Text

FAMILIES = ("needle_threading", "flenqa", "niah", "needlechain")

_FOLDER = resources.files("tasks").joinpath("prompts")


@dataclass(frozen=True, slots=True)
class Field:
    """A place in a template where a value goes."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A text with named fields, and the fields it may and must have."""

    source: str
    """File and key, for messages."""
    pieces: tuple[str | Field, ...]
    required: frozenset[str]
    allowed: frozenset[str]

    def render(self, fields: Mapping[str, object]) -> str:
        """The pieces as one string."""
        self._check(fields)
        text = ""
        for piece in self.pieces:
            text += piece if isinstance(piece, str) else _spelt(fields[piece.name])
        return text

    def fill(self, fields: Mapping[str, object]) -> tuple[str | Text, ...]:
        """The pieces in order; shared Texts stay as they are, all else becomes strings."""
        self._check(fields)
        filled: list[str | Text] = []
        text = ""
        for piece in self.pieces:
            value = fields[piece.name] if isinstance(piece, Field) else piece
            if isinstance(value, Text):
                if text:
                    filled.append(text)
                filled.append(value)
                text = ""
            else:
                text += str(value)
        if text:
            filled.append(text)
        return tuple(filled)

    def _check(self, fields: Mapping[str, object]) -> None:
        if len(fields) != len(self.allowed) or not self.allowed.issuperset(fields):
            given, wanted = ", ".join(sorted(fields)), ", ".join(sorted(self.allowed))
            raise TaskError(f"{self.source}: filled with fields ({given}), it takes ({wanted})")


def _spelt(value: object) -> str:
    return value.text if isinstance(value, Text) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """All templates of one benchmark family."""

    family: str
    templates: Mapping[str, Template] = field(repr=False)
    hash: str
    """Of the replaced templates; empty when all are ours, which the task's version covers."""

    def render(self, name: str, /, **fields: object) -> str:
        """The template with its fields filled in."""
        return self.template(name).render(fields)

    def pieces(self, name: str, /, **fields: object) -> tuple[str | Text, ...]:
        """As `render`, in pieces for `user_prompt`: a Text is placed, never copied."""
        return self.template(name).fill(fields)

    def split(self, name: str, field: str, /, **fields: object) -> tuple[str, str]:
        """The text before and after the one place of `field`, with the other fields filled in."""
        mark = Text("")
        pieces = self.pieces(name, **{field: mark}, **fields)
        places = [index for index, piece in enumerate(pieces) if piece is mark]
        if len(places) != 1:
            source = self.template(name).source
            raise TaskError(f"{source}: {{{field}}} must stand exactly once")
        at = places[0]
        before, after = (
            "".join(piece.text if isinstance(piece, Text) else piece for piece in part)
            for part in (pieces[:at], pieces[at + 1 :])
        )
        return before, after

    def template(self, name: str) -> Template:
        """The template of a name."""
        template = self.templates.get(name)
        if template is None:
            known = ", ".join(self.templates)
            raise TaskError(f"{self.family}: no template {name!r}; there are {known}")
        return template


def load(family: str, override: Path | None = None) -> Wording:
    """Our wording of a family, with the templates that the user's file replaces.

    Raises TaskError naming the file, the key and what is allowed.
    """
    ours = _ours(family)
    theirs = {} if override is None else _theirs(family, ours, override)
    changed = {
        name: template.pieces
        for name, template in theirs.items()
        if template.pieces != ours[name].pieces
    }
    digest = stable_hash({name: _spell(pieces) for name, pieces in changed.items()})
    return Wording(family=family, templates={**ours, **theirs}, hash=digest if changed else "")


def _ours(family: str) -> dict[str, Template]:
    name = f"{family}.toml"
    tables: dict[str, Any] = tomllib.loads(_FOLDER.joinpath(name).read_text(encoding="utf-8"))
    templates: dict[str, Template] = {}
    for key, table in tables.items():
        required = frozenset(table["fields"])
        templates[key] = _template(
            f"{name}: {key}", table["text"], required, required | set(table.get("optional", ()))
        )
    return templates


def _theirs(family: str, ours: Mapping[str, Template], path: Path) -> dict[str, Template]:
    templates: dict[str, Template] = {}
    for name, text in _family_table(family, path).items():
        source = f"{path}: {family}.{name}"
        known = ours.get(name)
        if known is None:
            raise TaskError(f"{source}: no such template; there are {', '.join(ours)}")
        if not isinstance(text, str):
            raise TaskError(f"{source}: must be a string")
        templates[name] = _template(source, text, known.required, known.allowed)
    return templates


def _family_table(family: str, path: Path) -> dict[str, object]:
    tables = _read_toml(path)
    for name, table in tables.items():
        if name not in FAMILIES or not isinstance(table, dict):
            raise TaskError(f"{path}: {name}: must be a table, one of {', '.join(FAMILIES)}")
    return cast("dict[str, object]", tables.get(family, {}))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_plain_text(path))
    except OSError as error:
        raise TaskError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # not TOML, or not UTF-8
        raise TaskError(f"{path}: not a TOML file in UTF-8: {error}") from error


def _template(
    source: str, text: str, required: frozenset[str], allowed: frozenset[str]
) -> Template:
    pieces = _parse(source, text)
    used = {piece.name for piece in pieces if isinstance(piece, Field)}
    if unknown := used - allowed:
        may = ", ".join(f"{{{name}}}" for name in sorted(allowed)) or "no fields"
        raise TaskError(f"{source}: unknown field {{{min(unknown)}}}; it may use {may}")
    if missing := required - used:
        raise TaskError(f"{source}: must mention {{{min(missing)}}}")
    return Template(source=source, pieces=pieces, required=required, allowed=allowed)


def _parse(source: str, text: str) -> tuple[str | Field, ...]:
    pieces: list[str | Field] = []
    try:
        for literal, name, spec, conversion in string.Formatter().parse(text):
            if literal:
                pieces.append(literal)
            if name is None:
                continue
            if not name.isidentifier() or spec or conversion:
                raise TaskError(f"{source}: {{{name}}} is no field; write {{{{ for a literal brace")
            pieces.append(Field(name))
    except ValueError as error:
        raise TaskError(f"{source}: {error}; write {{{{ or }}}} for a literal brace") from error
    return _merged(pieces)


def _merged(pieces: list[str | Field]) -> tuple[str | Field, ...]:
    """Neighbouring literals become one, so that equal templates compare equal."""
    merged: list[str | Field] = []
    for piece in pieces:
        if merged and isinstance(piece, str) and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    return tuple(merged)


def _spell(pieces: tuple[str | Field, ...]) -> list[str | list[str]]:
    return [[piece.name] if isinstance(piece, Field) else piece for piece in pieces]
