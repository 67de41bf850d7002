"""How the prompts of a model are counted in tokens."""

from collections.abc import Callable
from typing import cast

from runner.models.spec import ModelSpec
from runner.tokens.estimate import Estimator
from tasks.tokens import ExactCounter, TokenizerName, counter_at_hand, exact_counter


def estimator_for(spec: ModelSpec) -> Estimator:
    """An estimator that knows nothing yet but the model's tokenizer, where that is published."""
    return _estimator(spec, exact_counter)


def sampling_estimator_for(spec: ModelSpec) -> Estimator:
    """The same for a sample of prompts, where no sweep needs the whole tokenizer yet."""
    return _estimator(spec, counter_at_hand)


def _estimator(spec: ModelSpec, counter_of: Callable[[TokenizerName], ExactCounter]) -> Estimator:
    name = cast("TokenizerName", spec.tokenizer)
    return Estimator(spec.name, counter_of(name) if name else None)
