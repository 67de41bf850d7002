"""The plan of a judge: one trial for each stored reply and question."""

from collections.abc import Mapping
from dataclasses import replace

from runner.judge.replies import JUDGE_TRIALS, Replies
from runner.models.spec import ModelSpec
from runner.plan.cell import Cell
from runner.plan.plan import Plan, PlannedTask, make_plan
from runner.plan.remarks import rooms
from state.store import Stored
from state.stores.duck import DuckStore
from tasks.judge import JUDGES, Judged, JudgeTask


def judge_plan(model: ModelSpec, judged: Mapping[str, Judged]) -> Plan:
    """One trial of the judge for each reply."""
    planned = [_planned(judge(judged), judged) for judge in JUDGES]
    plan = make_plan([model], planned, repeats=1, seed=0)
    return replace(plan, remarks=tuple(rooms(plan)))


def _planned(task: JudgeTask, judged: Mapping[str, Judged]) -> PlannedTask:
    skipped: dict[str, int] = {}
    for reply in judged.values():
        reason = task.unfit(reply) if task.judges(reply.task) else None
        if reason is not None:
            skipped[f"{task.name}: {reason}"] = skipped.get(f"{task.name}: {reason}", 0) + 1
    return PlannedTask(task=task, points=tuple(task.points({})), skipped=skipped)


def verdicts_of(store: DuckStore, plan: Plan, replies: Replies) -> list[Stored]:
    """The verdicts that this plan asks for and the file already holds."""
    wanted_cells = {_facts(cell) for cell in plan.cells}
    with store.cursor() as cursor:
        rows: list[tuple[str, ...]] = cursor.execute(JUDGE_TRIALS).fetchall()
    asked = {row[0] for row in rows if row[1:] in wanted_cells}
    return [stored for trial, stored in replies.verdicts.items() if trial in asked]


def _facts(cell: Cell) -> tuple[str, ...]:
    """What makes a judge's cell, but for whether its address turned out to be a simulator."""
    row = cell.to_row()
    return row.provider, row.base_url, row.model, row.task, row.point, row.params
