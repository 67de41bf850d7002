import itertools

from hypothesis import given
from hypothesis import strategies as st

from runner.providers.formats.sse import Event, EventSplitter


def split(*chunks: bytes) -> list[Event]:
    splitter = EventSplitter()
    events = [event for chunk in chunks for event in splitter.feed(chunk)]
    return events + splitter.close()


def test_data_lines_are_joined_and_names_kept():
    stream = b": hello\nevent: ping\ndata: {}\n\nid: 7\ndata: a\ndata:b\n\n"
    assert split(stream) == [Event("ping", b"{}"), Event("", b"a\nb")]


def test_all_line_ends_and_a_byte_order_mark():
    for end in (b"\n", b"\r\n", b"\r"):
        stream = b"\xef\xbb\xbf" + end.join((b"data: a", b"", b"data: b", b"", b""))
        assert split(stream) == [Event("", b"a"), Event("", b"b")]


def test_last_event_counts_without_its_blank_line():
    assert split(b"data: a\n\ndata: b") == [Event("", b"a"), Event("", b"b")]
    assert split(b"data: a\n") == [Event("", b"a")]
    assert split(b"") == []


def test_event_without_data_is_none():
    assert split(b"event: ping\n\n\n\n") == []


STREAM = "\ufeffevent: é\r\ndata: ä\r\n\r\ndata: x\r\rdata:y\n\n: c\ndata: z\n\n".encode()
WHOLE = [Event("é", "ä".encode()), Event("", b"x"), Event("", b"y"), Event("", b"z")]


def test_every_single_cut_gives_the_same_events():
    for at in range(len(STREAM) + 1):
        assert split(STREAM[:at], STREAM[at:]) == WHOLE


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_any_cuts_give_the_same_events(cuts: list[int]):
    bounds = sorted({0, *cuts, len(STREAM)})
    chunks = [STREAM[start:end] for start, end in itertools.pairwise(bounds)]
    assert split(*chunks) == WHOLE


@given(st.lists(st.binary(max_size=30), max_size=10))
def test_any_bytes_are_welcome(chunks: list[bytes]):
    assert split(*chunks) == split(b"".join(chunks))
