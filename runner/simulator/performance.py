"""Makes a reply: what it says, how many tokens that is, and how long it takes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import orjson

from runner.simulator.account.bill import Tally
from runner.simulator.formats.call import Call, Finish, Format, ModelReply
from runner.simulator.reader.reader import read
from runner.simulator.spec.faults import InjectedFault, unit
from runner.simulator.spec.settings import LatencySettings, ModelSettings
from runner.simulator.spec.tokenizer import count_tokens
from runner.simulator.traffic.exchange import Piece

MAX_PIECES = 64
"""Events of one stream; finer cuts would only cost time."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """A reply before anything goes wrong with it, and its tokens."""

    text: str
    reasoning: str | None
    finish: Finish
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPace:
    """When the parts of a reply arrive."""

    first_s: float
    rest_s: float


def perform(
    call: Call, model: ModelSettings, prompt_hash: str, tally: Tally, seed: int
) -> Performance:
    """The model's reply to a call whose input is counted in `tally`."""
    mark = f"{seed}|{call.model}|{prompt_hash}"
    said = model.reply
    if said is None:
        said = read(call.user_text, call.system_text, model.reader, mark)
    output = max(1, count_tokens(said, model.tokenizer) - model.tokenizer.per_message)
    thought = round(model.reasoning.tokens * _factor(model.reasoning.sigma, mark, "reasoning"))
    whole = Performance(
        text=said,
        reasoning="(simulated reasoning)" if model.reasoning.visible and thought else None,
        finish=Finish.STOP,
        tally=replace(tally, output=output, reasoning=thought),
    )
    caps = [cap for cap in (call.max_tokens, model.max_output) if cap is not None]
    return _capped(whole, min(caps)) if caps else whole


def _capped(whole: Performance, cap: int) -> Performance:
    tally = whole.tally
    if tally.total_output <= cap:
        return whole
    room = max(0, cap - tally.reasoning)
    text = whole.text[: len(whole.text) * room // tally.output]
    cut = replace(tally, output=room, reasoning=min(cap, tally.reasoning))
    return replace(whole, text=text, finish=Finish.LENGTH, tally=cut)


def _factor(sigma: float, *parts: object) -> float:
    if sigma == 0:
        return 1.0
    return math.exp(sigma * _NORMAL.inv_cdf(min(max(unit(*parts), 1e-9), 1 - 1e-9)))


def pace(
    latency: LatencySettings, tally: Tally, fault: InjectedFault, *parts: object
) -> SimulatedPace:
    """How long a reply of these tokens takes; `parts` seed its luck."""
    factor = _factor(latency.sigma, "latency", *parts)
    first_s = latency.first_token_s + latency.per_input_token_s * tally.total_input
    rest_s = latency.per_token_s * tally.total_output
    return SimulatedPace(
        first_s=first_s * factor + fault.delay_s, rest_s=rest_s * factor + fault.body_delay_s
    )


def played(reply: ModelReply, call: Call, wire: Format, timing: SimulatedPace) -> tuple[Piece, ...]:
    """The body in pieces, each after its wait."""
    if not call.stream:
        delay_s = timing.first_s + timing.rest_s
        return (Piece(delay_s=delay_s, data=orjson.dumps(wire.whole(reply))),)
    events = wire.events(reply, split_text(reply.text), call)
    step_s = timing.rest_s / max(1, len(events) - 1)
    return tuple(
        Piece(delay_s=timing.first_s if n == 0 else step_s, data=data)
        for n, data in enumerate(events)
    )


def split_text(text: str) -> Sequence[str]:
    """A text in a bounded number of pieces of at least a few characters."""
    size = max(4, math.ceil(len(text) / MAX_PIECES))
    return [text[start : start + size] for start in range(0, len(text), size)]
