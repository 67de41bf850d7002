"""Laws of storage: what is written is read back, and both stores answer alike."""

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from state.journal.journal import JournalEntry, decode, encode, grouped
from state.records import AttemptRow, CompletionRow, Outcome, Row
from state.store import Store
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.fakes.memory_store import MemoryStore

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
COUNT = st.none() | st.integers(0, 2**63 - 1)
SECONDS = st.none() | st.floats(0, 1e6)
ATTEMPTS = st.builds(
    AttemptRow,
    attempt_id=TEXT,
    trial_id=TEXT,
    n=st.integers(1, 1_000),
    started_at=st.integers(0, 2**52),
    finished_at=st.integers(0, 2**52),
    outcome=st.sampled_from(Outcome).map(str),
    http_status=st.none() | st.integers(100, 599),
    error=st.none() | TEXT,
    request_id=st.none() | TEXT,
    input_tokens=COUNT,
    cache_read_tokens=COUNT,
    cache_write_tokens=COUNT,
    output_tokens=COUNT,
    reasoning_tokens=COUNT,
    cost_pusd=COUNT,
    maybe_billed=st.booleans(),
    final=st.booleans(),
    queue_s=SECONDS,
    first_byte_s=SECONDS,
    latency_s=SECONDS,
)
COMPLETIONS = st.builds(
    CompletionRow,
    trial_id=TEXT,
    attempt_id=TEXT,
    text=TEXT,
    reasoning_text=st.none() | TEXT,
    finish_reason=st.none() | TEXT,
    model_reported=st.none() | TEXT,
)


@given(seq=st.integers(1, 2**53), appended=st.lists(ATTEMPTS | COMPLETIONS, max_size=4))
def test_a_line_of_the_journal_comes_back_as_it_was(seq: int, appended: list[Row]) -> None:
    assert decode(encode(seq, grouped(appended))) == JournalEntry(seq, grouped(appended))


@given(line=st.binary() | TEXT.map(str.encode))
def test_no_line_breaks_the_journal(line: bytes) -> None:
    assert decode(line) is None or decode(line) == decode(line)


def story(seeds: list[tuple[int, str, bool, int | None, bool]]) -> list[tuple[Row, ...]]:
    """Appends as an engine makes them: each number is a trial, met again for each retry."""
    appends: list[tuple[Row, ...]] = [(rows.sweep(), rows.cell("cell-0"), rows.cell("cell-1"))]
    tried: dict[int, int] = {}
    for number, outcome, final, cost, doubtful in seeds:
        n = tried[number] = tried.get(number, 0) + 1
        trial, attempt = f"t{number}", f"t{number}/{n}"
        begun = rows.trial(trial, cell_id=f"cell-{number % 2}", repeat=number)
        appends.append((begun, rows.start(attempt, trial_id=trial, n=n, reserved_pusd=10**n)))
        ended = rows.attempt(
            attempt,
            trial_id=trial,
            n=n,
            outcome=outcome,
            final=final,
            cost_pusd=cost,
            maybe_billed=doubtful,
        )
        appends.append((ended, rows.completion(trial_id=trial, attempt_id=attempt)))
    return appends


async def told(store: Store, appends: list[tuple[Row, ...]]) -> list[object]:
    for append in appends:
        await store.append(*append)
    retry = frozenset({Outcome.EMPTY.value})
    try:
        return [
            store.progress(["cell-0", "cell-1"], retry, seed=0),
            store.progress(["cell-1"], frozenset(), seed=0),
            store.committed_pusd("first"),
            list(store.replies()),
        ]
    finally:
        await store.aclose()


@settings(max_examples=10, deadline=None)
@given(
    seeds=st.lists(
        st.tuples(
            st.integers(0, 4),
            st.sampled_from(["answered", "truncated", "empty", "transient", "blocked_output:x"]),
            st.booleans(),
            st.none() | st.integers(0, 10**9),
            st.booleans(),
        ),
        max_size=14,
    )
)
def test_both_stores_answer_alike(seeds: list[tuple[int, str, bool, int | None, bool]]) -> None:
    appends = story(seeds)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.duckdb"
        duck = DuckStore.open(path, install_views=lambda _: None, create=True)
        assert asyncio.run(told(duck, appends)) == asyncio.run(told(MemoryStore(), appends))
