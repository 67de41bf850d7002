"""What every Store does: the same questions put to the one that users have and the one of tests."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from state.store import Progress, Store, StoreError
from state.stores.duck import DuckStore
from tests.fakes import rows
from tests.fakes.memory_store import MemoryStore
from tests.fakes.no_views import no_views

CELLS = ["cell-1", "cell-2"]
NONE: frozenset[str] = frozenset()


@pytest.fixture(params=["duck", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    made = (
        MemoryStore()
        if request.param == "memory"
        else DuckStore.open(tmp_path / "results.duckdb", install_views=no_views, create=True)
    )
    await made.append(rows.sweep(), *(rows.cell(cell) for cell in CELLS))
    yield made
    await made.aclose()


def _sets(progress: Progress) -> dict[str, set[int]]:
    return {cell_id: set(repeats) for cell_id, repeats in progress.done.items()}


async def test_nothing_is_done_at_first(store: Store) -> None:
    progress = store.progress(CELLS, NONE, seed=0)
    assert not progress.done
    assert not progress.attempts
    assert store.committed_pusd("first") == 0
    assert list(store.replies()) == []


async def test_a_final_attempt_makes_its_repeat_done(store: Store) -> None:
    await store.append(rows.trial(repeat=4), rows.start())
    await store.append(rows.attempt(), rows.completion())
    progress = store.progress(CELLS, NONE, seed=0)
    assert _sets(progress) == {"cell-1": {4}}
    assert not progress.attempts


async def test_attempts_that_do_not_end_the_trial_are_counted(store: Store) -> None:
    await store.append(rows.trial(), rows.start())
    await store.append(rows.attempt(outcome="rate_limited", final=False, cost_pusd=0))
    await store.append(rows.start("trial-1/2", n=2))
    await store.append(rows.attempt("trial-1/2", n=2, outcome="overloaded", final=False))
    progress = store.progress(CELLS, NONE, seed=0)
    assert not progress.done
    assert progress.attempts == {"trial-1": 2}


@pytest.mark.parametrize(
    ("outcome", "retry", "standing"),
    [
        ("transient", (), "transient"),
        ("invalid_request:prompt", (), "invalid_request"),
        ("transient", ("transient",), None),
        ("refused", (), None),
        ("answered", (), None),
    ],
)
async def test_errors_that_stand_are_told_of_trials_that_are_done(
    store: Store, outcome: str, retry: tuple[str, ...], standing: str | None
) -> None:
    await store.append(rows.trial(repeat=4), rows.start())
    await store.append(rows.attempt(outcome="timeout", final=False))
    await store.append(rows.start("trial-1/2", n=2))
    await store.append(rows.attempt("trial-1/2", n=2, outcome=outcome))
    errors = store.progress(CELLS, frozenset(retry), seed=0).errors
    assert errors == ({} if standing is None else {"cell-1": {4: standing}})


@pytest.mark.parametrize(
    ("outcome", "retry", "done"),
    [
        ("truncated", {"truncated"}, False),
        ("truncated", {"empty"}, True),
        ("blocked_output:recitation", {"blocked_output"}, False),
        ("blocked_output:recitation", {"blocked_output:recitation"}, False),
        ("blocked_output:recitation", {"blocked_output:safety"}, True),
    ],
)
async def test_outcomes_to_retry_are_not_done(
    store: Store, outcome: str, retry: set[str], done: bool
) -> None:
    await store.append(rows.trial(), rows.start())
    await store.append(rows.attempt(outcome=outcome))
    assert bool(store.progress(CELLS, frozenset(retry), seed=0).done) is done


async def test_trials_that_stand_in_an_error_are_told(store: Store) -> None:
    for n, outcome in enumerate(("transient:http_502", "answered", "empty", "invalid_request")):
        trial = f"trial-{n}"
        await store.append(rows.trial(trial, repeat=n), rows.start(f"{trial}/1", trial_id=trial))
        await store.append(rows.attempt(f"{trial}/1", trial_id=trial, outcome=outcome))
    progress = store.progress(CELLS, NONE, seed=0)
    assert progress.errors == {"cell-1": {0: "transient", 3: "invalid_request"}}
    asked_again = store.progress(CELLS, frozenset({"transient"}), seed=0)
    assert asked_again.errors == {"cell-1": {3: "invalid_request"}}


async def test_the_last_attempt_decides_whatever_order_they_came_in(store: Store) -> None:
    await store.append(rows.trial(), rows.start(), rows.start("trial-1/2", n=2))
    await store.append(rows.attempt("trial-1/2", n=2, outcome="answered"))
    await store.append(rows.attempt("trial-1/1", n=1, outcome="transient", final=False))
    assert _sets(store.progress(CELLS, NONE, seed=0)) == {"cell-1": {0}}


async def test_progress_is_of_the_cells_asked_for(store: Store) -> None:
    await store.append(rows.trial(), rows.start(), rows.attempt())
    assert not store.progress(["cell-2"], NONE, seed=0).done
    assert not store.progress([], NONE, seed=0).done


async def test_a_known_bill_counts_as_it_is_and_a_doubtful_one_as_reserved(store: Store) -> None:
    cases = {
        "known": (rows.start("known"), rows.attempt("known", cost_pusd=600)),
        "free": (rows.start("free"), rows.attempt("free", cost_pusd=0)),
        "doubtful": (rows.start("doubtful"), rows.attempt("doubtful", maybe_billed=True)),
        "unknown": (rows.start("unknown"), rows.attempt("unknown", cost_pusd=None)),
        "out": (rows.start("out"),),
        "unpriced": (rows.start("unpriced", reserved_pusd=None),),
    }
    await store.append(rows.trial(), *(row for case in cases.values() for row in case))
    assert store.committed_pusd("first") == 600 + 0 + 1_000 + 1_000 + 1_000
    assert store.committed_pusd("another") == 0


async def test_money_adds_up_over_the_runs_of_one_sweep(store: Store) -> None:
    await store.append(rows.sweep("sweep-2"), rows.sweep("sweep-3", name="another"))
    await store.append(rows.trial())
    for n, sweep_id in enumerate(["sweep-1", "sweep-2", "sweep-3"], start=1):
        await store.append(rows.start(f"a{n}", sweep_id=sweep_id, n=n))
        await store.append(rows.attempt(f"a{n}", n=n, cost_pusd=10**n))
    assert store.committed_pusd("first") == 110
    assert store.committed_pusd("another") == 1000


async def test_replies_are_those_of_last_attempts_that_may_be_scored(store: Store) -> None:
    for name, outcome in {"a": "answered", "b": "truncated", "c": "refused"}.items():
        await store.append(rows.trial(name), rows.start(name, trial_id=name))
        await store.append(
            rows.attempt(name, trial_id=name, outcome=outcome),
            rows.completion(trial_id=name, attempt_id=name, text=f"reply {name}"),
        )
    await store.append(rows.start("b2", trial_id="b", n=2))
    await store.append(
        rows.attempt("b2", trial_id="b", n=2),
        rows.completion(trial_id="b", attempt_id="b2", text="longer", reasoning_text="hm"),
    )
    replies = list(store.replies())
    assert [(r.trial_id, r.text, r.truncated) for r in replies] == [
        ("a", "reply a", False),
        ("b", "longer", False),
    ]
    assert replies[1].reasoning_text == "hm"
    assert replies[0].task == "needle_threading.single_needle"
    assert replies[0].target == '{"expected":["x"]}'
    assert list(store.replies()) == replies


async def test_a_trial_that_is_appended_again_is_there_once(store: Store) -> None:
    await store.append(rows.trial(), rows.cell())
    await store.append(rows.trial(), rows.cell(), rows.trial())
    await store.append(rows.start(), rows.attempt(), rows.completion())
    assert [reply.trial_id for reply in store.replies()] == ["trial-1"]


async def test_appends_at_once_are_all_kept(store: Store) -> None:
    async with asyncio.TaskGroup() as group:
        for n in range(500):
            group.create_task(
                store.append(
                    rows.trial(f"t{n}", repeat=n),
                    rows.start(f"a{n}", trial_id=f"t{n}"),
                    rows.attempt(f"a{n}", trial_id=f"t{n}", cost_pusd=1),
                )
            )
    assert _sets(store.progress(CELLS, NONE, seed=0)) == {"cell-1": set(range(500))}
    assert store.committed_pusd("first") == 500


async def test_text_of_any_kind_comes_back(store: Store) -> None:
    text = "nul \x00 tab \t \u2028 \U0001f600 'quoted' \"double\" \\ \ud800 half"
    await store.append(rows.trial(), rows.start())
    await store.append(rows.attempt(), rows.completion(text=text))
    reply = next(store.replies()).text
    assert reply.encode(errors="replace") == text.encode(errors="replace")


async def test_a_closed_store_takes_nothing(store: Store) -> None:
    await store.aclose()
    with pytest.raises(StoreError, match="closed"):
        await store.append(rows.trial())


async def test_what_was_taken_before_is_durable_with_what_is_waited_for(store: Store) -> None:
    for n in range(50):
        store.enqueue(rows.trial(f"t{n}", repeat=n), rows.attempt(f"a{n}", trial_id=f"t{n}"))
    await store.append()
    assert _sets(store.progress(CELLS, NONE, seed=0)) == {"cell-1": set(range(50))}


async def test_rows_made_late_are_there_with_those_of_the_same_call(store: Store) -> None:
    store.enqueue(rows.trial(), late=lambda: [rows.attempt(), rows.completion(text="late")])
    await store.append()
    assert _sets(store.progress(CELLS, NONE, seed=0)) == {"cell-1": {0}}
    assert [reply.text for reply in store.replies()] == ["late"]
