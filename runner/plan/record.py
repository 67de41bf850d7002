"""The rows that make a plan a fact before anything is sent."""

import uuid
from importlib.metadata import version

from runner.clock import Clock
from runner.config.sweep import SweepConfig
from runner.money.price import to_json
from runner.plan.plan import Plan
from state.records import ModelRow, SweepCellRow, SweepRow
from state.store import Store
from tasks.identity import canonical_json

ROWS_AT_ONCE = 500


def sweep_row(config: SweepConfig, plan: Plan, clock: Clock) -> SweepRow:
    """The `sweeps` row of a run that starts now."""
    return SweepRow(
        sweep_id=uuid.uuid4().hex,
        name=config.name,
        started_at=clock.now_us(),
        seed=config.seed,
        repeats=config.repeats,
        budget_pusd=config.budget_pusd,
        profile=config.profile,
        switches=canonical_json(config.switches).decode(),
        config=canonical_json(config.to_json()).decode(),
        simulated=any(model.model.simulated for model in plan.models),
        trials_planned=plan.n_trials,
        runner_version=version("runner"),
    )


async def record_plan(store: Store, row: SweepRow, plan: Plan) -> None:
    """Make the plan a fact before anything is sent, so that progress can be read from the file."""
    rows: list[object] = [row]
    for model in plan.models:
        spec = model.model
        rows.append(
            ModelRow(
                sweep_id=row.sweep_id,
                model=spec.id,
                context_window=spec.context_window,
                price=None if spec.price is None else canonical_json(to_json(spec.price)).decode(),
                price_source=spec.price_source,
                tokenizer=spec.tokenizer or "",
            )
        )
        for cell in model.cells:
            rows.append(cell.to_row())
            rows.append(
                SweepCellRow(sweep_id=row.sweep_id, cell_id=cell.cell_id, repeats=cell.repeats)
            )
            if len(rows) >= ROWS_AT_ONCE:
                await store.append(*rows)  # pyright: ignore[reportArgumentType]
                rows.clear()
    if rows:
        await store.append(*rows)  # pyright: ignore[reportArgumentType]
