"""Turns what a judge wrote into a score of the trial that it was asked about."""

from collections.abc import Mapping
from typing import Any

from runner.clock import Clock
from runner.engine.scoring import Judge, scoring_switches
from scoring.judge import VERDICT_SCORERS
from scoring.score import Reply
from state.records import ScoreRow
from tasks.identity import canonical_json
from tasks.judge import Judged
from tasks.profiles import Profile
from tasks.sample import Scalar


def judged_profile(profile: Profile, model: str) -> str:
    """What scores of this judge are stored under, like `default+judge:openai/gpt-4o-mini`."""
    return f"{profile}+judge:{model}"


def make_verdicts(
    judged: Mapping[str, Judged],
    model: str,
    profile: Profile,
    switches: Mapping[str, Scalar],
    clock: Clock,
) -> Judge:
    """A judge over the verdicts of a model: the row is of the judged trial, None for no verdict."""
    stored = canonical_json(scoring_switches(switches)).decode()

    def judge(trial_id: str, task: str, reply: Reply, target: Mapping[str, Any]) -> ScoreRow | None:
        about = judged[target["trial"]]
        scorer = VERDICT_SCORERS[task]
        score = scorer.score(reply, about.text, about.target, switches)
        if score is None:
            return None
        return ScoreRow(
            trial_id=about.trial_id,
            scorer=scorer.name,
            scorer_version=scorer.version,
            profile=judged_profile(profile, model),
            value=score.value,
            label=score.label,
            detail=canonical_json({**score.detail, "judge_trial": trial_id}).decode(),
            switches=stored,
            scored_at=clock.now_us(),
            again=True,
        )

    return judge
