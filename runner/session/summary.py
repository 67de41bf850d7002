"""Says in a few lines what a run is about to do, and how it ended."""

from collections.abc import Iterator

from runner.config.sweep import SweepConfig
from runner.engine.engine import SweepEnd
from runner.plan.plan import Plan
from runner.terminal.words import asking_again, money, outside_budget
from state.store import Progress
from state.stores.duck import DuckStore


def plan_lines(
    store: DuckStore, config: SweepConfig, plan: Plan, progress: Progress
) -> Iterator[str]:
    """What is planned, what is done, and what changed since the sweep of this name last ran."""
    pending = sum(model.n_pending(progress.done) for model in plan.models)
    failed = plan.standing_errors(progress.errors).total()
    done = plan.n_trials - pending - failed
    in_error = f"{failed:,} ended in an error, " if failed else ""
    yield (
        f"{config.name}: {plan.n_trials:,} trials planned, {done:,} done before, {in_error}"
        f"{pending:,} to send to {len(plan.models)} model(s)"
    )
    for reason, count in sorted(plan.skipped.items()):
        yield f"  skipped {count:,} infeasible: {reason}"
    for remark in plan.remarks:
        yield f"  {remark}"
    if config.budget_pusd is not None:
        for line in outside_budget(store.unpriced_calls(config.name)):
            yield f"  {line}"
    before = _cells_before(store, config.name)
    now = {cell.cell_id for cell in plan.cells}
    # A judge has no tasks in its config: its cells are the replies of the file, which come and go.
    if config.tasks and before and before != now:
        yield (
            f"  the config changed: {len(before & now):,} cells kept, {len(now - before):,} added, "
            f"{len(before - now):,} dropped (their results stay in the file)"
        )


def _cells_before(store: DuckStore, name: str) -> set[str]:
    with store.cursor() as cursor:
        rows = cursor.execute(
            "SELECT cell_id FROM sweep_cells WHERE sweep_id = (SELECT sweep_id FROM sweeps "
            "WHERE name = $name ORDER BY rowid DESC LIMIT 1)",
            {"name": name},
        ).fetchall()
    return {row[0] for row in rows}


def end_lines(end: SweepEnd) -> Iterator[str]:
    """How it ended, and what to do about it."""
    yield from end.messages
    yield from asking_again(end.errors)
    code = end.exit_code
    if code == 0:
        yield f"done; spent {money(end.view.spent_usd)}"
    elif code == 3:
        yield f"budget reached with {end.pending:,} trials pending; a larger --budget continues"
    elif code == 4:
        yield f"stopped with {end.pending:,} trials pending; the same command continues"
    elif code == 5:
        missing = end.errors.total()
        yield f"ended with {missing:,} trials not evaluated; spent {money(end.view.spent_usd)}"
    elif code == 130:
        yield f"interrupted with {end.pending:,} trials pending; the same command continues"
