"""How large a result file becomes, its journal included."""

from runner.forecast.per_model import guessed_tokens
from runner.plan.plan import Plan

BYTES_PER_TRIAL = 2048
"""Rows and journal of one trial in the file, without its reply; rounded up."""
BYTES_PER_TOKEN = 4
FILE_BYTES = 1_500_000
"""Of a file without a trial."""


def disk_bytes(trials: int, output_tokens: float) -> float:
    """What the result file grows to, without prompts."""
    return FILE_BYTES + trials * BYTES_PER_TRIAL + output_tokens * BYTES_PER_TOKEN


def plan_bytes(plan: Plan) -> float:
    """The same for a whole plan before anything is known of it, with replies of usual length."""
    tokens = sum(guessed_tokens(cell) * cell.repeats for cell in plan.cells)
    return disk_bytes(plan.n_trials, tokens)
