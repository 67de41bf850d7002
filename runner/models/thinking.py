"""Models that think before they answer, and pay for it from the same output cap.

The one answer to how large that cap must be, for config, check, dry run, rehearsal and sweep.
"""

from collections.abc import Iterable

from runner.errors import UsageError
from runner.models.spec import ModelSpec
from runner.providers.formats.capabilities import capability

LEAST_CAP = 1024
"""Fewer output tokens than this are mostly used up before an answer begins."""
ROOM = 4096
"""Output tokens for thinking, on top of the cap that a benchmark publishes for the answer."""


def thinks(model: ModelSpec) -> bool:
    """Whether the model is known to think, as it is asked to."""
    budget, effort = model.params.get("thinking_budget"), model.params.get("reasoning_effort")
    if budget == 0 or effort == "none":
        return False
    known = capability(model.provider, model.name)
    return bool(budget) or (known.reasoning and (bool(effort) or not known.only_when_asked))


def published_cap(model: ModelSpec, cap: int) -> int:
    """What a cap that was published for an answer is for this model, unless the config has one."""
    if not thinks(model):
        return cap
    # A cap that was published for models that think is large enough as it is.
    return max(cap, max(ROOM, _budget(model)) + min(cap, LEAST_CAP))


def given_room(model: ModelSpec) -> str:
    """What was done to the published caps of a model that thinks."""
    return (
        f"{model.id}: it thinks, and that is paid from the output cap: where a task publishes a "
        f"smaller one, {max(ROOM, _budget(model)):,} tokens are added (params.max_tokens sets it)"
    )


def refuse_starved(models: Iterable[ModelSpec], where: str) -> None:
    """Raise UsageError for the first model whose own cap leaves no room for an answer."""
    for model in models:
        cap, least = model.max_output, max(LEAST_CAP, _budget(model) + 1)
        if cap is not None and cap < least and thinks(model):
            raise UsageError(
                f"{where}: models[{model.id}].params.max_tokens: {starved(cap, least)}"
            )


def starved(cap: int, least: int) -> str:
    """What is wrong with a cap, and what to do about it."""
    return (
        f"the output cap is {cap:,} tokens and thinking is paid from it: "
        f"set params.max_tokens to {least:,} or more"
    )


def _budget(model: ModelSpec) -> int:
    """Tokens that the config gives to thinking; less than nothing leaves it to the model."""
    return max(0, int(model.params.get("thinking_budget") or 0))
