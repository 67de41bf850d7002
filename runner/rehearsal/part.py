"""The part of a long sweep that is rehearsed, and how much of the whole it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from runner.config.models import LimitsConfig
from runner.forecast.forecast import Forecast, History, ModelForecast
from runner.plan.plan import ModelPlan, Plan, Repeats
from runner.plan.subset import ChosenTrials


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanShares:
    """What the forecast expects of the part, in parts of what it expects of the whole.

    A part of few long prompts and many short ones would mislead by its number of trials.
    """

    usd: float = 1.0
    seconds: float = 1.0
    usd_by_model: Mapping[str, float] = field(default_factory=dict[str, float])

    def usd_of(self, model: str) -> float:
        """The share of one model's dollars."""
        return self.usd_by_model.get(model, self.usd)


WHOLE = PlanShares()
"""Nothing is left out."""


def chosen_part(plan: Plan, share: float) -> Plan:
    """The first trials of each model, with daily limits to match."""
    if share >= 1:
        return plan
    return replace(plan, models=tuple(_first(model, share) for model in plan.models))


def _first(model: ModelPlan, share: float) -> ModelPlan:
    n = max(1, round(model.n_trials * share))
    spec = replace(model.model, limits=_scaled(model.model.limits, share))
    return ChosenTrials(model, list(islice(model.trials({}), n)), spec)


def _scaled(limits: LimitsConfig, share: float) -> LimitsConfig:
    if limits.rpd is None:
        return limits
    return limits.model_copy(update={"rpd": max(1, round(limits.rpd * share))})


def all_but(part: Plan) -> History:
    """A history in which everything is done but the part, so that a forecast foretells it alone."""
    done: dict[str, Repeats] = {}
    for model in part.models:
        chosen: dict[str, set[int]] = {}
        for trial in model.trials({}):
            chosen.setdefault(trial.cell.cell_id, set()).add(trial.repeat)
        for cell in model.cells:
            mine = chosen.get(cell.cell_id, frozenset[int]())
            done[cell.cell_id] = frozenset(range(cell.repeats)) - mine
    return History(done=done)


def shares_of(part: Forecast, whole: Forecast) -> PlanShares:
    """How much of the whole the part is expected to take."""
    trials = _ratio(part.total.to_send, whole.total.to_send, 1.0)
    pairs = list(zip(part.models, whole.models, strict=True))
    return PlanShares(
        usd=_ratio(sum(map(_usd, part.models)), sum(map(_usd, whole.models)), trials),
        seconds=_ratio(_seconds(part), _seconds(whole), trials),
        usd_by_model={mine.model: _ratio(_usd(mine), _usd(all_), trials) for mine, all_ in pairs},
    )


def _ratio(part: float, whole: float, otherwise: float) -> float:
    return part / whole if part > 0 and whole > 0 else otherwise


def _usd(model: ModelForecast) -> float:
    usd = model.total.usd
    return 0.0 if usd is None else usd.expected


def _seconds(forecast: Forecast) -> float:
    """Wall time under all limits but daily ones, which shrink with the part."""
    return max((model.wall.within_a_day for model in forecast.models), default=0.0)
