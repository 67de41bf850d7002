import re
from collections import Counter

from tasks.flenqa.words import words
from tests.unit.tasks.flenqa.texts import (
    INSTANCES,
    TASKS,
)


def test_ruletaker_labels_follow_from_facts_and_rule() -> None:
    groups = {item: at for at, group in enumerate(words().attributes) for item in group}
    kinds: Counter[str] = Counter()
    for seed in range(INSTANCES):
        instance = TASKS["ruletaker"].instance(seed)
        facts = {key.key_sentence for key in instance.paragraphs}
        match = re.fullmatch(r"If X is (\w+) and X is (\w+) then X is (\w+)\.", instance.rule)
        assert match is not None
        (entity,) = instance.entities
        fires = {f"{entity} is {match[1]}.", f"{entity} is {match[2]}."} == facts
        known = facts | ({f"{entity} is {match[3]}."} if fires else set())
        assert (instance.question in known) is instance.label
        assert len({groups[match[at]] for at in (1, 2, 3)}) == 3
        kinds["derived" if instance.label else "wrong rule" if not fires else "other"] += 1
    assert min(kinds.values()) > 10
