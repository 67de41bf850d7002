import json
import re
from pathlib import Path

import numpy as np
import pytest

from tasks.catalog import build
from tasks.ladders import linear, sigmoid_depths
from tasks.niah.haystack import TokenHaystack, prose_text
from tasks.niah.insertion import insertion
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError
from tasks.wording import load
from tests.unit.tasks.niah.contexts import COUNTER, MAGIC, context, magic

OFFICIAL = TaskOptions(switches={"niah.negative_slice": "official"})


def test_published_ladders() -> None:
    assert linear(100, 110_000, 10) == (
        *(100, 12311, 24522, 36733, 48944, 61156, 73367, 85578, 97789, 110000),
    )
    assert linear(0, 100, 10) == (0, 11, 22, 33, 44, 56, 67, 78, 89, 100)
    assert linear(0, 100, 9)[1::2] == (12, 38, 62, 88)
    assert linear(0, 100, 15) == (0, 7, 14, 21, 29, 36, 43, 50, 57, 64, 71, 79, 86, 93, 100)
    assert linear(1000, 128_000, 15)[:3] == (1000, 10071, 19143)
    assert linear(1000, 200_000, 35)[1:3] == (6853, 12706)


def test_ladders_are_those_of_the_stored_results() -> None:
    path = Path(__file__).resolve().parents[4].parent / "shared" / "golden" / "niah"
    path /= "openai_original_results.json"
    if not path.is_file():
        pytest.skip(f"the published results {path.name} are not beside the repository")
    rows = json.loads(path.read_text(encoding="utf-8"))
    cells = sorted((row["token_limit"], row["depth_percent"]) for row in rows)
    lengths, depths = linear(1000, 128_000, 15), linear(0, 100, 15)
    assert cells == [(length, depth) for length in lengths for depth in depths]


@pytest.mark.parametrize(("low", "high", "n"), [(0, 100, 35), (1000, 128_000, 35), (1, 7, 3)])
def test_ladder_is_numpys(low: int, high: int, n: int) -> None:
    assert linear(low, high, n) == tuple(np.round(np.linspace(low, high, n)).astype(int).tolist())


def test_published_sigmoids() -> None:
    assert sigmoid_depths(5) == (0, 7.586, 50, 92.414, 100)
    assert sigmoid_depths(10) == (
        *(0, 2.006, 5.854, 15.887, 36.458, 63.542, 84.113, 94.146, 97.994, 100),
    )
    assert sigmoid_depths(11) == (
        *(0, 1.799, 4.743, 11.92, 26.894, 50, 73.106, 88.08, 95.257, 98.201, 100),
    )
    assert sigmoid_depths(35) == (
        *(0, 0.896, 1.199, 1.602, 2.138, 2.849, 3.786, 5.016, 6.617, 8.683, 11.316, 14.62, 18.685),
        *(23.569, 29.269, 35.704, 42.7, 50, 57.3, 64.296, 70.731, 76.431, 81.315, 85.38, 88.684),
        *(91.317, 93.383, 94.984, 96.214, 97.151, 97.862, 98.398, 98.801, 99.104, 100),
    )


def test_default_depths_follow_the_switch() -> None:
    sigmoid = build("niah.magic_number", TaskOptions(switches={"niah.depth_dist": "sigmoid"}))
    depths = {point.axes["depth"] for point in sigmoid.points({"size": [1000]})}
    assert depths == set(sigmoid_depths(10))
    (given_depth,) = sigmoid.points({"size": [1000], "depth": [30]})
    assert given_depth.axes["depth"] == 30
    (same,) = MAGIC.points({"size": [1000], "depth": [30]})
    assert same.point_id == given_depth.point_id  # spacing alone is no other prompt


@pytest.mark.parametrize("depth", [0, 11, 50, 89, 99.104, 100])
def test_needle_stands_once_after_a_full_stop(depth: float) -> None:
    sample = MAGIC.generate(magic(12_311, depth), 4)
    text = context(sample)
    number, city = sample.target["number"], sample.target["city"]
    needle = f"\nThe special magic {city} number is: {number}\n"
    assert text.count(needle) == 1
    before, after = text.split(needle)
    assert before == "" or depth == 100 or before.endswith(".")
    assert (after == "") == (depth == 100)
    assert prose_text(4, 90_000).startswith(before + after)
    assert f"What is the special magic {city} number?" in sample.prompt.messages[0].text
    assert re.fullmatch(r"[1-9]\d{6}", number)


@pytest.mark.parametrize("size", [350, 1000, 12_311])
def test_tokens_are_size_less_buffer(size: int) -> None:
    sample = MAGIC.generate(magic(size), 2)
    assert sample.lengths["tokens"] == size - 200
    assert sample.lengths["nominal"] == size
    assert abs(COUNTER.count(context(sample)) - (size - 200)) <= 2


def test_lengths_without_buffer_are_the_context() -> None:
    for size in (150, 300, 600):
        sample = MAGIC.generate(magic(size, buffer=0), 0)
        assert sample.lengths["tokens"] == size


def test_actual_depth_never_passes_the_nominal_one() -> None:
    for depth in (0, 0.896, 3, 29, 50, 99.9):
        assert 0 <= MAGIC.generate(magic(5000, depth), 1).lengths["depth_actual"] <= depth
    assert MAGIC.generate(magic(5000, 100), 1).lengths["depth_actual"] == 100


def test_too_small_sizes_are_refused_or_cut_as_published() -> None:
    reason = MAGIC.infeasible(magic(100))
    assert reason is not None
    assert "niah.negative_slice = 'official'" in reason
    with pytest.raises(DoesNotFitError, match=r"niah.magic_number: size = 100 is less than"):
        MAGIC.generate(magic(100), 0)
    assert {point.axes["size"] for point in MAGIC.points({})} == set(linear(100, 110_000, 10)[1:])
    official = build("niah.magic_number", OFFICIAL)
    assert len(list(official.points({}))) == 100
    sample = official.generate(magic(100), 0)
    assert context(sample).strip().startswith("The special magic")
    assert sample.lengths["tokens"] == COUNTER.count(context(sample))


@pytest.mark.parametrize("size", range(320, 332))
@pytest.mark.parametrize("depth", [40, 100])
def test_context_is_decoded_as_the_published_code_does(
    tmp_path: Path, size: int, depth: float
) -> None:
    (tmp_path / "text.txt").write_text("🙂水é. 🙂🙂🙂 🙂 word. 水🙂 " * 200, encoding="utf-8")
    sample = build("niah.magic_number", TaskOptions(haystack=tmp_path)).generate(
        magic(size, depth), 0
    )
    reference = COUNTER._reference  # tiktoken over the tables at hand
    tokens = reference.encode((tmp_path / "text.txt").read_text(encoding="utf-8"))
    needle = load("niah", None).render(
        "needle", city=sample.target["city"], number=sample.target["number"]
    )
    needle_tokens = reference.encode(needle)
    kept = tokens[: size - 200 - len(needle_tokens)]
    at = len(kept) if depth == 100 else int(len(kept) * (depth / 100))
    while depth != 100 and at > 0 and kept[at - 1] != reference.encode(".")[0]:
        at -= 1
    theirs = reference.decode([*kept[:at], *needle_tokens, *kept[at:]])
    assert context(sample) == theirs


def test_the_needle_goes_where_the_published_product_says() -> None:
    # 29 % of 100 tokens: int(100 * 29 / 100) is 29, int(100 * (29 / 100)) is 28.
    haystack = TokenHaystack(utf8=b"." * 200, ends=np.arange(1, 201), periods=np.arange(200))
    assert insertion(haystack, 100, 29) == 28
