from runner.simulator.spec.settings import Ability, ReaderSettings
from tests.unit.runner.simulator.reader.replies import judged, many, said


def test_chain_failures_are_of_the_kinds_that_were_asked_for():
    task, axes = "needlechain.mixed", {"k": 5, "question": "total", "val": 1600}
    lost = Ability(frontier_chars=1, sharpness=None)
    wanted = {
        "needle_omission": ReaderSettings(ability=lost, omission=1),
        "calculation_error": ReaderSettings(ability=lost, omission=0),
        "instruction_not_followed": ReaderSettings(no_marker=1),
    }
    for label, settings in wanted.items():
        for sample in many(task, axes, 10):
            assert judged(task, sample, said(sample, settings)).label == label
