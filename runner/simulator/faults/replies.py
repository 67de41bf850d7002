"""Faults that change what the model says, or what is told of its usage."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from runner.simulator.account.bill import Tally
from runner.simulator.formats.call import Finish, Format, Json, ModelReply
from runner.simulator.spec.faults import FaultName, InjectedFault

REFUSAL_TEXT = "I'm sorry, but I can't help with that request."


def _empty(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    return replace(reply, text=""), replace(tally, output=0)


def _truncated(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    text = reply.text[: max(1, len(reply.text) // 2)]
    return replace(reply, text=text, finish=Finish.LENGTH), tally


def _all_reasoning(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    thought = replace(tally, output=0, reasoning=tally.total_output)
    return replace(reply, text="", finish=Finish.LENGTH), thought


def _refusal(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    return replace(reply, text=REFUSAL_TEXT, finish=Finish.REFUSAL), tally


def _filtered(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    return replace(reply, text="", finish=Finish.FILTER), replace(tally, output=0)


def _recitation(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    return replace(reply, text="", finish=Finish.RECITATION), replace(tally, output=0)


def _no_choices(reply: ModelReply, tally: Tally) -> tuple[ModelReply, Tally]:
    return replace(reply, text="", no_choices=True), replace(tally, output=0)


_OF_THE_REPLY: dict[FaultName, Callable[[ModelReply, Tally], tuple[ModelReply, Tally]]] = {
    "empty": _empty,
    "truncated": _truncated,
    "truncated reasoning": _all_reasoning,
    "refusal": _refusal,
    "content filter": _filtered,
    "recitation": _recitation,
    "no choices": _no_choices,
}
_WRONG: dict[str, Callable[[int], Any]] = {
    "negative": lambda count: -count - 1,
    "text": lambda count: f"about {count}",
    "null": lambda _: None,
    "low": lambda count: count // 10,
    "high": lambda count: count * 10,
}


def distort(
    reply: ModelReply, tally: Tally, fault: InjectedFault, wire: Format
) -> tuple[ModelReply, Tally]:
    """The reply after the fault, with the usage it tells; and the tally that is billed."""
    change = _OF_THE_REPLY.get(fault.name)
    if change is not None:
        reply, tally = change(reply, tally)
    if fault.name == "no usage":
        return replace(reply, usage=None), tally
    if fault.name == "wrong usage":
        wrong = _WRONG.get(fault.form, _WRONG["negative"])
        return replace(reply, usage=_changed(wire.usage(tally), wrong)), tally
    return replace(reply, usage=tally), tally


def _changed(usage: Json, change: Callable[[int], Any]) -> Json:
    return {
        key: _changed(value, change)  # type: ignore[reportUnknown]
        if isinstance(value, dict)
        else change(value)
        if isinstance(value, int)
        else value
        for key, value in usage.items()
    }
