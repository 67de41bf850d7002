"""Scores replies as they come in, off the event loop."""

from collections.abc import Callable, Mapping
from typing import Any

from runner.clock import Clock
from scoring.catalog import scorer_for
from scoring.score import Reply, Scorer
from state.records import ScoreRow
from tasks.identity import canonical_json
from tasks.profiles import SWITCHES, Profile
from tasks.sample import Scalar

Judge = Callable[[str, str, Reply, Mapping[str, Any]], ScoreRow | None]
"""(trial_id, task, reply, target) -> score; None where the reply says nothing to score.

Called in the thread that stores, not on the event loop."""


def scoring_switches(switches: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Those that change how a reply is judged, and how judged replies are summed up.

    Those that change a prompt are stored with its cell: to judge again does not ask again.
    """
    return {name: value for name, value in switches.items() if SWITCHES[name].scope != "prompt"}


def make_judge(profile: Profile, switches: Mapping[str, Scalar], clock: Clock) -> Judge:
    """A judge that stamps its verdicts with the profile and the effective scoring switches."""
    stored = canonical_json(scoring_switches(switches)).decode()
    scorers: dict[str, Scorer] = {}

    def judge(trial_id: str, task: str, reply: Reply, target: Mapping[str, Any]) -> ScoreRow:
        scorer = scorers.get(task)
        if scorer is None:
            scorer = scorers[task] = scorer_for(task)
        score = scorer.score(reply, target, switches)
        return ScoreRow(
            trial_id=trial_id,
            scorer=scorer.name,
            scorer_version=scorer.version,
            profile=profile,
            value=score.value,
            label=score.label,
            detail=canonical_json(dict(score.detail)).decode(),
            switches=stored,
            scored_at=clock.now_us(),
        )

    return judge
