"""Whether a call is taken: account, parameters, context window, limits."""

from dataclasses import dataclass

from runner.simulator.account.accounts import SimulatedAccount
from runner.simulator.account.bill import PICO_PER_USD, Tally
from runner.simulator.account.limits import Dimension, Refusal
from runner.simulator.formats.call import Call, Format, Problem
from runner.simulator.spec.settings import ModelSettings
from runner.simulator.spec.tokenizer import count_tokens
from runner.simulator.traffic.audit import LogEntry

_DAILY = Refusal(kind="daily_limit", limit=200, used=200, requested=1, retry_s=3600.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A call that was understood, with all that it concerns."""

    entry: LogEntry
    wire: Format
    call: Call
    account: SimulatedAccount
    name: str
    """The model's name in the settings: caches and faults are kept under it."""
    model: ModelSettings
    prompt: bytes
    now_s: float

    @property
    def limited(self) -> str:
        """Under what its limits are kept: a group's name, which no model has, or the model's."""
        group = self.model.limits.group
        return self.name if group is None else f"group {group}"

    @property
    def input_tokens(self) -> int:
        """Tokens of the prompt in this model's hidden vocabulary."""
        return sum(count_tokens(text, self.model.tokenizer) for _, text in self.call.turns)


def account_problem(visit: Visit, owed_pusd: int) -> Problem | None:
    """Why this account gets nothing, if so."""
    settings = visit.account.settings
    spent = settings.credit_usd is not None and owed_pusd >= settings.credit_usd * PICO_PER_USD
    if settings.state == "no_credit" or spent:
        return Problem(kind="no_credit")
    if settings.state == "daily_limit":
        return Problem(kind="limit", refusal=_DAILY, model=visit.call.model)
    return None


def call_problem(visit: Visit, input_tokens: int) -> Problem | None:
    """Why this call can never be answered, if so."""
    call, model = visit.call, visit.model
    for param in model.rejects:
        if param in call.params:
            return Problem(kind="unsupported", param=param, model=call.model)
    window, cap = model.context_window, call.max_tokens or 0
    # OpenAI and Gemini look at the prompt alone; others keep room for the whole reply.
    room = cap if visit.wire.dialect == "anthropic" or model.wording == "vllm" else 0
    if window is None or input_tokens + room <= window:
        return None
    return Problem(
        kind="over_context",
        model=call.model,
        input_tokens=input_tokens,
        max_tokens=cap,
        window=window,
        wording=model.wording,
    )


def limit_problem(visit: Visit, tally: Tally) -> Problem | None:
    """Why this call must wait; when there is no reason, its tokens are taken."""
    limits = visit.model.limits
    counted = tally.total_input - (0 if limits.count_cached else tally.cache_read)
    output = tally.total_output
    if limits.count_max_tokens and visit.call.max_tokens:
        output = visit.call.max_tokens
    needs: dict[Dimension, int] = {
        "requests": 1,
        "input_tokens": counted,
        "output_tokens": output,
        "tokens": counted + output,
    }
    meter = visit.account.meter(visit.limited, visit.model, visit.now_s)
    refusal = meter.admit(needs, visit.now_s, visit.account.running(visit.limited))
    if refusal is None:
        return None
    return Problem(kind="limit", refusal=refusal, model=visit.call.model)


def limit_headers(visit: Visit, now_us: int) -> dict[str, str]:
    """What the headers tell of the account's limits after this call."""
    meter = visit.account.meter(visit.limited, visit.model, visit.now_s)
    return visit.wire.limit_headers(meter.states(visit.now_s), now_us)
