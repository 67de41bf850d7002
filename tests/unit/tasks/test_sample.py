import hashlib

from hypothesis import given
from hypothesis import strategies as st

from tasks.sample import Message, Prompt, Text

LONG = Text("é" * 5000)
OTHER = Text("x" * 9000)
PIECES = st.one_of(st.sampled_from([LONG, OTHER]), st.text(max_size=5).map(Text))
TURNS = st.lists(
    st.builds(
        Message,
        role=st.sampled_from(["system", "user", "assistant"]),
        parts=st.lists(PIECES, max_size=4).map(tuple),
    ),
    max_size=3,
)


@given(TURNS)
def test_hash_is_that_of_all_text_in_order_whatever_was_remembered(turns: list[Message]):
    digest = hashlib.sha256()
    for turn in turns:
        digest.update(f"\x00{turn.role}\x00".encode())
        digest.update(turn.text.encode())
    prompt = Prompt(messages=tuple(turns))
    assert prompt.hash() == digest.hexdigest()[:32] == prompt.hash()
