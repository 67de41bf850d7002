"""The most that one attempt can take: tokens of the limits, money, and time."""

from runner.engine.feeder import Ready
from runner.engine.lane import Lane
from runner.limits.demand import Demand
from runner.money.price import worst_case
from runner.wire import Deadlines


def demand_of(ready: Ready) -> Demand:
    """What one attempt takes from the limits."""
    return Demand(ready.estimate.expected, ready.trial.cell.output_cap)


def worst_case_pusd(lane: Lane, ready: Ready) -> int:
    """The most one attempt should cost; 0 where no price is known (a budget forbids that)."""
    price = lane.model.price
    if price is None:
        return 0
    return worst_case(price, ready.estimate.worst, ready.trial.cell.output_cap)


def deadlines(input_tokens: int, max_output: int, *, stream: bool) -> Deadlines:
    """Seconds for one attempt, from what it reads and may write.

    The rates are a slow self-hosted server's (200 tokens/s read, 10 tokens/s written): a deadline
    is there to end a hung call, not to punish a slow one, and a timeout may have been billed.
    """
    reading = 60.0 + input_tokens / 200
    total = reading + 60.0 + max_output / 10
    return Deadlines(first_byte_s=reading if stream else total, total_s=total)
