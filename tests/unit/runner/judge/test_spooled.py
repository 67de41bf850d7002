from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.judge.spooled import SpooledReplies

TEXTS = st.lists(st.text(st.characters(exclude_categories=("Cs",))), min_size=1, max_size=20)


@given(texts=TEXTS)
def test_every_reply_is_what_was_kept(tmp_path_factory: pytest.TempPathFactory, texts: list[str]):
    replies = SpooledReplies(tmp_path_factory.getbasetemp())
    for number, text in enumerate(texts):
        replies.add(str(number), "niah.custom", f'{{"k":{number}}}', text)
    assert len(replies) == len(texts)
    for number, (trial, reply) in enumerate(replies.items()):
        assert (trial, reply.trial_id, reply.text) == (str(number), str(number), texts[number])
        assert (reply.task, reply.target) == ("niah.custom", {"k": number})


def test_texts_are_on_disk_under_no_name_and_are_read_in_any_thread(tmp_path: Path):
    replies = SpooledReplies(tmp_path)
    for number in range(50):
        replies.add(str(number), "niah.custom", "{}", str(number) * 1000)
    assert list(tmp_path.iterdir()) == []
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda trial: replies[trial].text, map(str, range(50))))
    assert found == [str(number) * 1000 for number in range(50)]
    with pytest.raises(KeyError):
        replies["none"]


def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path):
    replies = SpooledReplies(tmp_path / "nowhere")
    replies.add("a", "niah.custom", "{}", "text")
    assert replies["a"].text == "text"
