import re

from tests.unit.tasks.flenqa.texts import (
    INSTANCES,
    TASKS,
)


def test_monorel_labels_follow_from_the_key_sentences() -> None:
    for seed in range(INSTANCES):
        instance = TASKS["monorel"].instance(seed)
        pairs = [
            re.fullmatch(r"(\w+ \w+) is (.+) than (\w+ \w+)\.", key.key_sentence)
            for key in instance.paragraphs
        ]
        asked = re.fullmatch(r"Is (\w+ \w+) (.+) than (\w+ \w+)\?", instance.question)
        assert asked is not None
        (a, how, b), (b2, how2, c) = (match.groups() for match in pairs if match is not None)
        assert (b, how) == (b2, how2)
        assert (asked[1], asked[3]) == ((a, c) if instance.label else (c, a))
        assert asked[2] == how
