from runner.simulator.reader.reader import read
from tests.unit.runner.simulator.reader.replies import (
    PERFECT,
)


def test_marked_keys_in_an_object_that_is_not_written_the_usual_way():
    keys = [f"{n:08x}-0000-0000-0000-00000000000*" for n in range(3)]
    pairs = [f'"{key}": "{n:036d}"' for n, key in enumerate(keys)]
    text = 'Keys that contain "*"?\n{' + ",  ".join(pairs) + "}\nList:"
    assert read(text, "", PERFECT, "mark") == (
        '["' + '", "'.join(f"{n:036d}" for n in range(3)) + '"]'
    )
