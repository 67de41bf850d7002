from dataclasses import replace

from runner.models.counting import estimator_for, sampling_estimator_for
from tests.fakes.plans import plan_of, sweep_text

CELL = next(plan_of(sweep_text(id="openai/gpt-4o"))[1].cells)
SAMPLE = CELL.task.generate(CELL.point.axes, 0)


def test_a_published_tokenizer_counts_a_prompt_and_a_sample_of_prompts_alike():
    assert CELL.model.tokenizer
    tokens = estimator_for(CELL.model).units(SAMPLE)
    assert sampling_estimator_for(CELL.model).units(SAMPLE) == tokens
    assert tokens < estimator_for(replace(CELL.model, tokenizer=None)).units(SAMPLE)
