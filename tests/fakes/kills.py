"""Sweeps that are killed at every point, and twice more while they recover; then the books.

A round is one file: it is killed some times, each time twice more, resumed to its end, and checked
against the simulator's own bill. The seed says everything but what the system's scheduler does.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from state.database.migrate import migrations
from state.sharing.reading import open_for_reading
from tests.fakes.kill_points import AT_ANY_MOMENT, POINTS, Kind
from tests.fakes.sweep_process import Forker, Kill, Server, forker, server, write_config

SETTINGS = """
[default_model]
reply = "OK"
latency = { first_token_s = 0.05, sigma = 0.5 }
price = { input = 1.0, output = 2.0 }
faults = { reset = 0.01, "no usage" = 0.01, "503" = 0.01 }
"""
A_ROUND = 12
"""Kills of one file, each with two more."""
REPEATS = 300
CELLS = 4
SLOTS = 8
SENT = 40
"""Requests of a sweep that does not come to its point before."""
END_S = 60.0
LEFT = {"sweep.duckdb", "sweep.duckdb.log", "sweep.toml", "terminal.txt", "out"}


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was done, over all rounds."""

    kills: Counter[str] = field(default_factory=Counter[str])
    """Processes that died, by point."""
    missed: Counter[str] = field(default_factory=Counter[str])
    """Armed processes that never came to their point."""
    trials: int = 0
    requests: int = 0
    killed_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """The processes that outlive a round: the provider, and two that fork what is killed."""

    books: Server
    fork: Forker
    beside: Forker


class Round:
    """One file from its first kill to its books."""

    def __init__(self, folder: Path, luck: random.Random, tally: Tally, players: "Players") -> None:
        self.folder, self.luck, self.tally = folder, luck, tally
        self.db = folder / "sweep.duckdb"
        self.books = players.books
        self.fork, self.beside = players.fork.inside(folder), players.beside.inside(folder)
        self.before = len(self.books.log())

    def run(self, points: Sequence[str]) -> None:
        """Kill at each of the points, and check. Raises AssertionError."""
        self.config(SLOTS)
        for point in points:
            self.kill(point)
            for _ in range(2):
                self.kill(self.luck.choice(RECOVERY))
        self.to_the_end()
        self.check()

    def config(self, slots: int) -> None:
        write_config(self.folder, self.books.origin, repeats=REPEATS, concurrency=slots)

    def kill(self, name: str) -> None:
        kind, times = self.armed(name)
        if kind is Kind.MIGRATE:
            self.end_it(self.fork.begin())
            downgrade(self.db)
        if kind in (Kind.RESCORE, Kind.EXPORT) and self.db.exists():
            words = [str(kind), self.db.name, *(["out"] if kind is Kind.EXPORT else [])]
            self.fork.command(*words, kill=(name, times, False))
            code = self.fork.wait()
            assert code in {0, -signal.SIGKILL}, self.said()
        else:
            code = self.swept((name, times, kind is Kind.SALVAGE))
        (self.tally.kills if code == -signal.SIGKILL else self.tally.missed)[name] += 1

    def armed(self, name: str) -> tuple[Kind, int]:
        if name == AT_ANY_MOMENT:
            return self.luck.choice((Kind.SWEEP, Kind.SALVAGE, Kind.RESCORE)), self.luck.randint(
                1, 900
            )
        return POINTS[name].kind, self.luck.randint(1, POINTS[name].most)

    def swept(self, kill: Kill) -> int:
        """A sweep that dies there, beside a wish for a snapshot and a reader that dies too."""
        self.db.with_name("sweep.duckdb.snapshot-wanted").touch()
        pid = self.fork.begin(kill=kill)
        if self.luck.random() < 0.3:
            reader = self.beside.command("sql", self.db.name, "from trial_results")
            time.sleep(self.luck.random() * 0.5)
            self.end(reader, signal.SIGKILL)
            self.beside.wait()
        return self.end_it(pid)

    def end_it(self, pid: int) -> int:
        """Its exit code; once it has sent so much it is drained, as some points come at its end."""
        enough = self.books.bill()["requests"] + SENT
        until = time.monotonic() + END_S
        while _is_running(pid) and time.monotonic() < until:
            if self.books.bill()["requests"] >= enough:
                self.end(pid, signal.SIGINT)
                break
            time.sleep(0.02)
        code = self.fork.wait()
        assert code in {0, 5, 130, -signal.SIGKILL, -signal.SIGINT}, (code, self.said())
        return code

    def end(self, pid: int, how: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, how)

    def to_the_end(self) -> None:
        self.config(64)
        code = self.fork.run()
        assert code in {0, 5}, (code, self.said())
        requests = self.books.bill()["requests"]
        assert self.fork.run() == code, self.said()
        assert self.books.bill()["requests"] == requests, "nothing is missing any more"

    def check(self) -> None:
        """No row lost, nothing paid twice, books balanced."""
        assert "Traceback" not in self.said()
        assert "a bug in runner" not in self.said()
        kept = [file.name for file in self.folder.glob("sweep.duckdb.*-*")]
        left = {file.name for file in self.folder.iterdir()} - LEFT - set(kept)
        assert not left, left
        assert not [name for name in kept if ".unreadable-" in name or "journal" in name], kept
        for file in (self.folder / "out").glob("*.parquet"):
            duckdb.read_parquet(str(file)).count("*").fetchall()
        found = books_of(self.db)
        planned = REPEATS * CELLS
        calls = [entry for entry in self.books.log()[self.before :] if entry["outcome"] != "page"]
        billed = sum(entry["cost_pusd"] for entry in calls if entry["billed"])
        assert found["final"] == found["ended"] == found["trials"] == planned, found
        assert found["doubled"] == found["unscored"] == found["scored_twice"] == 0, found
        assert found["attempts"] == found["ids"] == found["reserved"] == found["matched"], found
        assert found["attempts"] - found["killed"] <= len(calls) <= found["attempts"], found
        assert found["known"] <= billed <= found["known"] + found["held"], (billed, found)
        self.tally.trials += planned
        self.tally.requests += len(calls)
        self.tally.killed_calls += found["killed"]

    def said(self) -> str:
        return self.fork.log.read_text()[-3000:] if self.fork.log.exists() else ""


RECOVERY = [
    *(name for name, point in POINTS.items() if point.kind in (Kind.RECOVER, Kind.SALVAGE)),
    AT_ANY_MOMENT,
]
_BOOKS = """
select
    count(*) filter (final) as final,
    count(distinct trial_id) filter (final) as ended,
    (select count(*) from trials) as trials,
    (select count(*) from (
        select trial_id from attempts where outcome like 'answered%' and cost_pusd > 0
        group by trial_id having count(*) > 1
    )) as doubled,
    (select count(*) from completions anti join scores using (trial_id)) as unscored,
    (select count(*) from (
        select trial_id from scores where not again group by trial_id having count(*) > 1
    )) as scored_twice,
    count(*) as attempts,
    count(distinct attempt_id) as ids,
    (select count(*) from reservations) as reserved,
    (select count(*) from reservations semi join attempts using (attempt_id)) as matched,
    count(*) filter (outcome = 'cancelled:killed') as killed,
    coalesce(sum(cost_pusd), 0) as known,
    (select coalesce(sum(r.reserved_pusd), 0) from reservations r join attempts a
        using (attempt_id) where a.maybe_billed) as held
from attempts
"""


def books_of(db: Path) -> dict[str, Any]:
    """What a file says of its trials and money."""
    with open_for_reading(db) as reader:
        result = reader.connection.execute(_BOOKS)
        names = [column[0] for column in result.description or ()]
        return dict(zip(names, result.fetchall()[0], strict=True))


def downgrade(db: Path) -> None:
    """Make a file at rest what an earlier runner wrote: without the last step of its schema."""
    last = migrations()[-1]
    columns = [line.split()[5] for line in last.sql.splitlines() if line.startswith("ALTER")]
    with duckdb.connect(str(db)) as connection:
        for name in columns:
            connection.execute(f"ALTER TABLE cells DROP COLUMN {name}")
        connection.execute("DELETE FROM migrations WHERE version = ?", [last.version])


def _is_running(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def points(count: int, luck: random.Random) -> Iterator[list[str]]:
    """So many kills in rounds: every point in its turn, in an order of luck's."""
    names: list[str] = []
    while len(names) < count:
        often = [name for name, point in POINTS.items() if point.kind is Kind.SWEEP]
        turn = [*POINTS, *often, *([AT_ANY_MOMENT] * 20)]
        luck.shuffle(turn)
        names += turn
    for first in range(0, count, A_ROUND):
        yield names[first : min(first + A_ROUND, count)]


def rounds(folder: Path, count: int, seed: int) -> Iterator[Tally]:
    """Kill so many times; what was done so far, after each round. Raises AssertionError."""
    tally = Tally()
    with ExitStack() as stack:
        players = Players(
            books=stack.enter_context(server(folder, SETTINGS)),
            fork=stack.enter_context(forker(folder)),
            beside=stack.enter_context(forker(folder)),
        )
        for number, names in enumerate(points(count, random.Random(seed))):
            place = folder / f"round-{number}"
            place.mkdir()
            try:
                Round(place, random.Random(f"{seed} {number}"), tally, players).run(names)
            except AssertionError as error:
                error.add_note(f"seed {seed}, round {number}, in {place}: {names}")
                raise
            yield tally
