from runner.simulator.spec.settings import Ability, ReaderSettings
from tests.unit.runner.simulator.reader.replies import judged, many, said

FLENQA = {"size": 250, "padding": "similar", "placement": "first"}


def test_false_bias_no_verdict_early_answers_and_skipped_facts_have_their_rates():
    rates = ReaderSettings(
        ability=Ability(frontier_chars=0.001, sharpness=None),
        false_bias=0.8,
        no_verdict=0.1,
        early_answer=0.3,
        skipped_fact=0.25,
    )
    task, count = "flenqa.monorel", 600
    replies = [
        (sample, said(sample, rates, str(n)))
        for n, sample in enumerate(many(task, FLENQA | {"cot": True}, count))
    ]
    scores = [judged(task, sample, reply) for sample, reply in replies]
    verdicts = [(sample, reply) for sample, reply in replies if "True" in reply or "False" in reply]
    said_false = sum("False" in reply for _, reply in verdicts) / len(verdicts)
    early = sum(reply.startswith(("True", "False")) for _, reply in verdicts) / len(verdicts)
    told = [key in reply for sample, reply in verdicts for key in sample.target["key_sentences"]]
    assert 0.06 < 1 - len(verdicts) / count < 0.14
    assert 0.75 < said_false < 0.85
    assert 0.24 < early < 0.36
    assert 0.70 < sum(told) / len(told) < 0.80
    assert 0 < sum(score.value for score in scores) < count
