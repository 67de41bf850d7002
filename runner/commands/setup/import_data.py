"""`runner import KIND FILE`: published rows become a data file that a sweep asks about."""

from collections.abc import Sequence
from pathlib import Path

import typer

from runner.errors import UsageError
from tasks.identity import canonical_json
from tasks.official.datafile import DataFile
from tasks.official.importing import KINDS, SHOWN, Imported, Problems, import_rows
from tasks.sample import Scalar


def run(kind: str, file: Path, out: Path | None) -> int:
    """Import, say what was read and rejected, and print the `[[tasks]]` to paste."""
    if kind not in KINDS:
        raise UsageError(f"import: no kind {kind!r}; there are {', '.join(KINDS)}")
    if not file.exists():
        raise UsageError(f"import: no file {file}")
    target = out or Path(f"{file.stem}.{kind}.data")
    done = import_rows(kind, file, target)
    _report(done, file)
    if not done.samples:
        raise UsageError(f"import: {file} has no row of {kind}; nothing was written")
    typer.echo(f"wrote {target}: {done.samples} samples\n")
    typer.echo(_snippet(target))
    return 0


def _report(done: Imported, file: Path) -> None:
    typer.echo(
        f"{file}: {done.read} rows read, {done.rejected.count} rejected,"
        f" {done.disagreements.count} disagreements with the solver"
    )
    _list("rejected", done.rejected)
    _list("disagrees", done.disagreements)


def _list(word: str, problems: Problems) -> None:
    for line in problems.first:
        typer.echo(f"  {word}: {line}")
    if problems.count > SHOWN:
        typer.echo(f"  ... and {problems.count - SHOWN} more")


def _snippet(target: Path) -> str:
    """TOML for the config, with the values that can be chosen from as comments."""
    data = DataFile(target)
    lines: list[str] = []
    most = 0
    for task in data.tasks():
        points = data.axes(task)
        most = max(most, *(count for _, count in points))
        lines += ["[[tasks]]", f'name = "{task}"', f"data = {_toml(str(target))}"]
        for name in points[0][0]:
            values = list(dict.fromkeys(axes[name] for axes, _ in points))
            lines.append(f"# {name} = {_toml(values)}")
        lines.append("")
    head = f"# Paste into a config. `repeats = {most}` under [sweep] asks about every row.\n\n"
    return head + "\n".join(lines)


def _toml(value: str | Sequence[Scalar]) -> str:
    """JSON of texts and numbers is TOML too."""
    return canonical_json(value).decode()
