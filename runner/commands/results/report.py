"""`runner report`: tables in the terminal, pictures in a folder, one page in a file."""

from pathlib import Path

from rich.console import Console

from queries.catalog import QueryError, install, views
from queries.reading import open_with_views
from queries.split import Split
from runner.errors import UsageError
from runner.report.answers import Answers, Narrow
from runner.report.tables import BEHIND_REPORT, print_report
from runner.terminal.console import console
from state.sharing.reading import Reader, open_for_reading
from state.store import StoreError


def run(  # noqa: PLR0913, PLR0917  one parameter a flag
    db: Path,
    html: Path | None = None,
    png: Path | None = None,
    model: str | None = None,
    task: str | None = None,
    folder: Path | None = None,
    threshold: float | None = None,
    interval: str | None = None,
    split: Split | None = None,
    paper: Path | None = None,
) -> int:
    """Print every table; write what was asked for; 0."""
    if threshold is not None and not 0 < threshold < 1:
        raise UsageError(f"--threshold {threshold:g}: must be a share between 0 and 1, like 0.75")
    out = console()
    try:
        with _open(db, folder) as reader:
            if reader.notice:
                out.print(reader.notice, soft_wrap=True)
            narrow = Narrow(model=model, task=task)
            shown = views(folder, threshold, interval)
            answers = Answers(reader.connection, narrow, shown, split)
            drawn = any(path is not None for path in (html, png, paper))
            answers.read(answers.names if drawn else BEHIND_REPORT)
            refuse_nothing(answers, db, model, task)
            print_report(answers, out)
            _write(answers, out, html, png)
            _write_for_paper(answers, out, paper)
    except (StoreError, QueryError) as error:
        raise UsageError(str(error)) from error
    return 0


def _open(db: Path, folder: Path | None) -> Reader:
    """A report brings its own views; those of a folder are tried on the way, one by one."""
    if folder is not None:
        return open_with_views(db, folder)
    return open_for_reading(db, install_views=install)


def refuse_nothing(answers: Answers, db: Path, model: str | None, task: str | None) -> None:
    """Raise UsageError when the file, or what was asked for, has no cells."""
    if answers.rows("outcomes"):
        return
    if model is None and task is None:
        raise UsageError(f"{db}: the file holds no trials yet")
    wanted = " and ".join(
        f"--{name} {glob}" for name, glob in (("model", model), ("task", task)) if glob is not None
    )
    raise UsageError(f"{db}: nothing in the file matches {wanted}")


def _write_for_paper(answers: Answers, out: Console, folder: Path | None) -> None:
    if folder is None:
        return
    from runner.report.figures import pictures  # noqa: PLC0415  altair: slow to import
    from runner.report.files import write_for_paper  # noqa: PLC0415  as above

    try:
        drawn = list(write_for_paper(pictures(answers), folder))
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from error
    out.print(f"{len(drawn)} files in {folder}", soft_wrap=True)


def _write(answers: Answers, out: Console, html: Path | None, png: Path | None) -> None:
    try:
        if png is not None:
            from runner.report.figures import pictures  # noqa: PLC0415  altair: slow to import
            from runner.report.files import write_pngs  # noqa: PLC0415  as above

            drawn = list(write_pngs(pictures(answers), png))
            out.print(f"{len(drawn)} pictures in {png}", soft_wrap=True)
        if html is not None:
            from runner.report.page import write_page  # noqa: PLC0415  as above

            write_page(answers, html)
            out.print(f"page: {html}", soft_wrap=True)
    except OSError as error:
        raise UsageError(f"{error.filename}: cannot be written: {error.strerror}") from error
