"""`runner rescore --judge MODEL`: a model judges free text that a sweep has stored.

Its calls are trials of a sweep of their own in the same file, so money, limits and resume are the
engine's. Its scores stand beside the earlier ones; the newest score of a trial is the one shown.
"""

import asyncio
from pathlib import Path

from runner.commands.sweeps.rescore_flags import RescoreFlags
from runner.commands.sweeps.sweep import run_plan
from runner.commands.sweeps.sweep_flags import parse_outcomes
from runner.judge.prepare import JudgeRequest, Judging, prepare
from runner.progress.display import choose
from runner.session.run import RunOptions
from runner.terminal.console import put
from state.sharing.reading import open_for_reading

_COUNT = "SELECT count(DISTINCT trial_id) FROM scores WHERE profile = $profile"


def run(db: Path, model: str, flags: RescoreFlags) -> int:
    """Judge what the model has not judged yet; the exit codes are those of a sweep."""
    retry = parse_outcomes(flags.retry_outcomes)
    asked = JudgeRequest(
        model=model,
        profile=flags.profile,
        switches=flags.switches,
        budget=flags.budget,
        config=flags.config,
    )
    judging = asyncio.run(prepare(db, asked))
    if judging.others:
        put(f"{judging.others:,} replies of exactly scored tasks are left as they are")
    if not judging.plan.n_trials:
        put("no reply is for a judge: Needle Threading's and niah.custom's are")
        return 0
    display = choose(plain=flags.plain, json=False)
    options = RunOptions(retry=retry, judge=judging.judge)
    code = run_plan(judging.config, judging.plan, db, display, options)
    put(_came_of_it(db, judging))
    return code


def _came_of_it(db: Path, judging: Judging) -> str:
    """How many replies the judge has scored by now, and what is true of the rest."""
    with open_for_reading(db) as reader:
        rows = reader.connection.execute(_COUNT, {"profile": judging.profile}).fetchall()
    planned = judging.plan.n_trials
    return (
        f"{rows[0][0]:,} of {planned:,} replies have a score under {judging.profile}, which is "
        "shown as the newest; the others keep theirs, and no earlier score is lost"
    )
