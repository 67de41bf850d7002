"""A moment of a running sweep, made from the counts of its lanes."""

from collections import deque
from collections.abc import Sequence

from runner.engine.lane import Lane
from runner.limits.limiter import Hindrance
from runner.money.ledger import Ledger
from runner.money.price import PUSD_PER_USD
from runner.progress.states import RunState, Wait
from runner.progress.view import LaneView, SweepView
from state.records import SCORED

RATE_WINDOW_S = 30.0

Rates = dict[str, tuple[float, float]]
"""Trials and tokens per second, by model."""


class Views:
    """Makes the views of one run; remembers the last half minute, to tell how fast it goes."""

    def __init__(self, name: str, lanes: Sequence[Lane], ledger: Ledger) -> None:
        self._name = name
        self._lanes = tuple(lanes)
        self._ledger = ledger
        self._history: deque[tuple[float, dict[str, tuple[int, int]]]] = deque()

    def at(self, now: float, started: float, state: RunState) -> SweepView:
        """This moment, for people."""
        rates = self._rates(now)
        money = self._ledger.statistics()
        return SweepView(
            name=self._name,
            elapsed_s=now - started,
            lanes=tuple(lane_view(lane, now, *rates[lane.model.id]) for lane in self._lanes),
            budget_usd=None if money.budget is None else money.budget / PUSD_PER_USD,
            spent_usd=money.committed / PUSD_PER_USD,
            held_usd=money.held / PUSD_PER_USD,
            state=state,
        )

    def _rates(self, now: float) -> Rates:
        """How fast each lane went over the last half minute."""
        counts = {
            lane.model.id: (lane.stats.done, lane.stats.input_tokens + lane.stats.output_tokens)
            for lane in self._lanes
        }
        self._history.append((now, counts))
        while now - self._history[0][0] > RATE_WINDOW_S:
            self._history.popleft()
        then, before = self._history[0]
        seconds = max(now - then, 1e-9)
        return {
            model: ((done - before[model][0]) / seconds, (tokens - before[model][1]) / seconds)
            for model, (done, tokens) in counts.items()
        }


def lane_view(lane: Lane, now: float, per_s: float, tokens_per_s: float) -> LaneView:
    """This moment of one lane, which goes at that speed."""
    stats, limits = lane.stats, lane.limiter.statistics()
    oldest = next(iter(stats.flying.values()), now)
    return LaneView(
        model=lane.model.id,
        planned=stats.planned,
        done=stats.done_before + stats.done,
        in_flight=len(stats.flying),
        oldest_s=now - oldest,
        waiting=waiting_of(lane, limits.binding),
        waiting_s=waiting_s(lane, now, limits.paused_s),
        backing_off=stats.waiting[Wait.BACKOFF],
        rate_limited=stats.rate_limited,
        errors={outcome: n for outcome, n in stats.outcomes.items() if outcome not in SCORED},
        tokens_per_s=tokens_per_s,
        per_s=per_s,
        spent_usd=stats.spent_pusd / PUSD_PER_USD,
        eta_s=None if per_s <= 0 or stats.ended or lane.outage.open else stats.left / per_s,
        ended=stats.ended,
        message=stats.message,
    )


def waiting_s(lane: Lane, now: float, paused_s: float) -> float:
    """How long nothing is sent from now on, as far as that is known."""
    if lane.outage.open:
        return max(paused_s, lane.outage.wait_s(now) or 0.0)
    return paused_s


def waiting_of(lane: Lane, binding: str | None) -> Wait | None:
    """What a lane waits for now; None where calls only wait for each other."""
    stats = lane.stats
    if stats.ended is not None:
        return None
    if lane.outage.open:
        return Wait.OUTAGE
    if stats.waiting[Wait.BUDGET]:
        return Wait.BUDGET
    if binding == Hindrance.RETRY_AFTER:
        return Wait.RETRY_AFTER
    if binding is not None:
        return None if binding == Hindrance.SLOTS else Wait.LIMITER
    return Wait.BACKOFF if stats.waiting[Wait.BACKOFF] and not stats.flying else None
