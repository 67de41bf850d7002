from tasks.flenqa.words import words
from tests.unit.tasks.flenqa.texts import INSTANCES, TASKS


def test_pir_labels_follow_from_the_key_sentences() -> None:
    groups = [set(group) for group in words().properties]
    for seed in range(INSTANCES):
        instance = TASKS["pir"].instance(seed)
        where, what = (key.key_sentence for key in instance.paragraphs)
        person, room = where.removesuffix(".").split(" is in ")
        owner_room, has = what.removesuffix(".").split(" has ")
        asked = instance.question.removesuffix("?").split(" in a room with ")
        assert owner_room.lower() == room.lower()
        assert asked[0] == f"Is {person}"
        assert (asked[1] == has) is instance.label
        assert any({asked[1], has} <= group for group in groups)  # so that false is certain
