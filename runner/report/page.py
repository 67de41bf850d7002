"""The report as one HTML file that opens anywhere and asks the network for nothing."""

import gzip
import html
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

import orjson
import vl_convert

from queries.catalog import shipped
from queries.split import plain_task
from runner import report
from runner.report import sections
from runner.report.answers import Answers, Row, simulated
from runner.report.figures import Picture, pictures
from runner.report.tables import REPORT, SIMULATED, grids
from runner.terminal import words
from runner.terminal.grid import Grid
from runner.terminal.literal import visible

_FILTERED_BY = frozenset({"who", "who_a", "who_b", "task", "n_answered", "n_not_evaluated"})


_EXPOSE = "window.vegaEmbed = vegaEmbed;"


def write_page(answers: Answers, path: Path) -> None:
    """Write the page, with everything it needs inside."""
    path.write_text(page(answers), "utf-8")


def page(answers: Answers) -> str:
    """The page's text."""
    drawn = list(pictures(answers))
    names = sorted({row["name"] for row in answers.rows("sweeps")})
    made_up = simulated(answers.rows("outcomes"))
    return Template(_web("page.html")).substitute(
        title=_text("runner: " + ", ".join(names) + answers.condition),
        style=_web("page.css"),
        banner=f'<p class="simulated">{_text(SIMULATED)}</p>' if made_up else "",
        headline="\n".join(f"<li>{_text(line)}</li>" for line in _headline(answers)),
        tables="\n".join(map(_table, grids(answers, REPORT))),
        methods="\n".join(_methods()),
        switches="\n".join(_switches(answers.rows("sweeps"))),
        data=_packed(_data(answers, drawn)),
        bundle=_script(vl_convert.javascript_bundle(_EXPOSE)),
        script=_web("page.js"),
    )


def _text(words: str) -> str:
    return html.escape(visible(words))


def _web(name: str) -> str:
    return files(report).joinpath("web", name).read_text("utf-8")


def _script(code: str) -> str:
    """Code that cannot end the script element it stands in."""
    return re.sub(r"</(?=script)", r"<\\/", code, flags=re.IGNORECASE)


def _packed(value: Any) -> str:
    """Compressed JSON, in letters that cannot end the element they stand in."""
    return b64encode(gzip.compress(orjson.dumps(value), mtime=0)).decode()


def _headline(answers: Answers) -> Iterator[str]:
    yield from sections.headline(answers)
    yield from sections.not_evaluated(answers)
    spent = [row["settled"] for row in answers.rows("spend") if row["settled"] is not None]
    if spent:
        yield f"billed: {words.money(sum(spent))}"


def _data(answers: Answers, drawn: Sequence[Picture]) -> Mapping[str, Any]:
    rows = answers.rows("outcomes")
    return {
        "models": sorted({row["who"] for row in rows}),
        "tasks": sorted({plain_task(row["task"]) for row in rows}),
        "figures": [_figure(answers, picture) for picture in drawn],
    }


def _figure(answers: Answers, picture: Picture) -> Mapping[str, Any]:
    spec = picture.spec()
    del spec["data"]
    used = set(re.findall(r"\w+", orjson.dumps(spec).decode())) | _FILTERED_BY
    rows = [{key: value for key, value in row.items() if key in used} for row in picture.rows]
    return {
        "name": picture.name,
        "sql": answers.query(picture.figure.source).sql,
        "spec": spec,
        "rows": rows,
        "not_evaluated": bool(rows) and "n_not_evaluated" in rows[0] and "n_answered" in rows[0],
    }


def _table(grid: Grid) -> str:
    task = re.search(r": ([a-z_]+\.[a-z_]+)\b", grid.title)
    head = "".join(f"<th{_kind(i, grid)}>{_text(name)}</th>" for i, name in enumerate(grid.header))
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{_kind(i, grid)}>{_text(cell)}</td>" for i, cell in enumerate(row))
        + "</tr>"
        for row in grid.rows
    )
    note = f'<p class="note">{_text(grid.note)}</p>' if grid.note else ""
    return (
        f'<div class="scroll" data-task="{task[1] if task else ""}"><table>'
        f"<caption>{_text(grid.title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}</div>"
    )


def _kind(index: int, grid: Grid) -> str:
    return ' class="name"' if index < grid.names else ""


def _methods() -> Iterator[str]:
    """What each view's own file says about it."""
    for view in shipped("marts"):
        said = [line.removeprefix("--").strip() for line in _comment(view.sql)]
        text = _text(" ".join(said[1:]))
        yield (
            f"<details><summary><code>{view.name}</code>: {_text(view.grain)}</summary>"
            f"<p>{text}</p><pre>{_text(view.sql)}</pre></details>"
        )


def _comment(sql: str) -> Iterator[str]:
    for line in sql.splitlines():
        if not line.startswith("--"):
            return
        yield line


def _switches(sweeps: Sequence[Row]) -> Iterator[str]:
    """Every start of a sweep with the switches it ran under."""
    for sweep in sweeps:
        values: Mapping[str, Any] = orjson.loads(sweep["switches"])
        shown = "\n".join(f"{name} = {value}" for name, value in sorted(values.items()))
        made_up = ", simulated" if sweep["simulated"] else ""
        line = (
            f"{sweep['name']}, started {sweep['started_at']:%Y-%m-%d %H:%M} UTC, "
            f"profile {sweep['shown_profile']}, seed {sweep['seed']}, {sweep['repeats']} repeats"
            f"{made_up}, runner {sweep['runner_version']}"
        )
        shown = _text(shown)
        yield f"<details><summary>{_text(line)}</summary><pre>{shown}</pre></details>"
