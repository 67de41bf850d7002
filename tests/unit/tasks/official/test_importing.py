"""An import counts what it met, keeps every good row, and its tasks sweep like generated ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.commands.setup import import_data
from runner.errors import UsageError
from tasks.catalog import build
from tasks.identity import trial_seed
from tasks.official.datafile import DataFile
from tasks.official.importing import import_rows
from tasks.official.needle_threading_tasks import PublishedPairs
from tasks.options import TaskOptions
from tasks.sample import DoesNotFitError, TaskError
from tests.fakes.official_rows import (
    chain_row,
    conditional_row,
    flenqa_row,
    monorel_row,
    multi_row,
    needle_row,
    pairs,
    thread_row,
)
from tests.unit.tasks.official.files import write_json, write_jsonl


def test_a_line_whose_first_field_is_a_list_is_a_row(tmp_path: Path):
    rows = [{"facts": row["facts"], **row} for row in (monorel_row(), monorel_row(sample_id=1))]
    source = write_jsonl(tmp_path / "rows.json", rows)
    assert import_rows("flenqa", source, tmp_path / "out.data").samples == 2
    source.write_text(json.dumps(rows[0]))
    assert import_rows("flenqa", source, tmp_path / "out.data").samples == 1


def test_malformed_rows_are_counted_with_line_and_reason(tmp_path: Path):
    source = tmp_path / "k2.jsonl"
    good = json.dumps(chain_row())
    bad = json.dumps(chain_row(names="Cairo"))
    wrong = json.dumps(chain_row(idx=1, forward_single_val=5))
    source.write_text(f"{good}\nnot json\n{bad}\n[]\n\n{wrong}\n", encoding="utf-8")
    done = import_rows("needlechain", source, tmp_path / "out.data")
    assert (done.read, done.rejected.count, done.samples) == (5, 3, 8)
    assert done.rejected.count == 3
    assert done.rejected.first[0].startswith("k2.jsonl line 2: not JSON")
    assert done.rejected.first[1] == "k2.jsonl line 3: forward_chain: tells of others than names"
    assert done.disagreements.first == [
        "k2.jsonl line 6: forward_single_val is 5.0, the facts give 3200.0"
    ]


def test_only_the_first_problems_are_kept_and_all_are_counted(tmp_path: Path):
    source = tmp_path / "k2.jsonl"
    source.write_text("x\n" * 500 + json.dumps(chain_row()), encoding="utf-8")
    done = import_rows("needlechain", source, tmp_path / "out.data")
    assert done.rejected.count == 500
    assert len(done.rejected.first) == 20


def test_repeats_follow_the_published_numbers_without_gaps(tmp_path: Path):
    rows = [needle_row(repeat_number=number) for number in (4, 2, 0)]
    target = tmp_path / "out.data"
    import_rows("needle-threading", write_json(tmp_path / "Single_Needle.json", rows), target)
    task = build("needle_threading.single_needle", TaskOptions(data=target))
    (point,) = task.points({})
    texts = [task.generate(point.axes, repeat).prompt.messages[0].text for repeat in range(3)]
    for text, number in zip(texts, (0, 2, 4), strict=True):
        assert pairs(2000, number)[7][1] in text
    with pytest.raises(DoesNotFitError, match="has 3 repeats"):
        task.generate(point.axes, 3)
    prompts = [task.generate(point.axes, seed).prompt for seed in (2, trial_seed(9, 2))]
    assert prompts[0].hash() == prompts[1].hash()
    assert isinstance(task, PublishedPairs)
    assert task.repeats(point.axes) == 3


@pytest.fixture
def needle_data(tmp_path: Path) -> Path:
    rows = [
        *(needle_row(needle_depth=str(depth)) for depth in (100, 0, 50)),
        multi_row(),
        conditional_row(),
        thread_row(),
        thread_row(3),
    ]
    target = tmp_path / "nt.data"
    done = import_rows("needle-threading", write_json(tmp_path / "rows.json", rows), target)
    assert done.disagreements.count == 0
    return target


def test_points_are_the_files_and_can_be_chosen_from(needle_data: Path):
    task = build("needle_threading.single_needle", TaskOptions(data=needle_data))
    assert [point.axes["depth"] for point in task.points({})] == [0, 50, 100]
    assert [point.axes["depth"] for point in task.points({"depth": [50.0]})] == [50]
    (point,) = task.points({"depth": [50]})
    assert point.inputs == {"data": DataFile(needle_data).hash}
    with pytest.raises(TaskError, match=r"depth = 30 is not in .*; it has 0, 50, 100"):
        list(task.points({"depth": [30]}))
    with pytest.raises(TaskError, match="no axis 'needles'"):
        list(task.points({"needles": [1]}))


NEEDLE_TASKS = [
    ("single_needle", needle_row(), "single"),
    ("multi_needle", multi_row(), "list"),
    ("conditional_needle", conditional_row(), "list"),
    ("threading", thread_row(), "single"),
    ("multi_threading", thread_row(3), "list"),
]


@pytest.mark.parametrize(("name", "row", "mode"), NEEDLE_TASKS)
def test_needle_threading_prompts_and_targets(
    needle_data: Path, name: str, row: dict[str, Any], mode: str
):
    official = TaskOptions(data=needle_data, switches={"nt.order": "haystack_first"})
    task = build(f"needle_threading.{name}", official)
    sample = task.generate(list(task.points({}))[-1].axes, 0)
    assert sample.prompt.messages[0].text == f"{row['haystack']}\n{row['question']}"
    assert sample.target["mode"] == mode
    assert all(value in row["values"] for value in sample.target["expected"])
    ours = build(f"needle_threading.{name}", TaskOptions(data=needle_data))
    text = ours.generate(list(ours.points({}))[-1].axes, 0).prompt.messages[0].text
    assert row["haystack"] in text
    assert not text.startswith("{")
    assert row["question"] not in text


def test_questions_about_one_haystack_share_its_text(needle_data: Path):
    task = build("needle_threading.single_needle", TaskOptions(data=needle_data))
    samples = [task.generate(point.axes, 0) for point in task.points({})]
    shared = [
        next(part for part in sample.prompt.messages[0].parts if part.text.startswith("{"))
        for sample in samples
    ]
    assert shared[0] is shared[1] is shared[2]


def test_needlechain_prompts_are_ours_around_the_rows_facts(tmp_path: Path):
    target = tmp_path / "nc.data"
    import_rows("needlechain", write_jsonl(tmp_path / "k2.jsonl", [chain_row()]), target)
    task = build("needlechain.backward", TaskOptions(data=target))
    points = list(task.points({}))
    assert [point.axes for point in points] == [
        {"k": 2, "question": question, "val": 1600} for question in ("single", "total")
    ]
    sample = task.generate(points[0].axes, 0)
    assert chain_row()["backward_chain"] in sample.prompt.messages[1].text
    assert "Cairo, Ramon" in sample.prompt.messages[1].text
    assert sample.target["answer"] == 3200.0
    assert task.generate(points[1].axes, 0).target["answer"] == 4800.0
    assert task.decoding(points[0].axes)["temperature"] == 0.6
    with pytest.raises(TaskError, match="is not one of 'single', 'total'"):
        list(task.points({"question": ["both"]}))


def test_flenqa_prompts_are_ours_around_the_rows_text(tmp_path: Path):
    target = tmp_path / "fl.data"
    rows = [flenqa_row(), monorel_row(), monorel_row(sample_id=0, label="False")]
    import_rows("flenqa", write_jsonl(tmp_path / "fl.jsonl", rows), target)
    rule_taker = build("flenqa.ruletaker", TaskOptions(data=target))
    direct, cot = rule_taker.points({})
    assert (direct.axes["cot"], cot.axes["cot"]) == (False, True)
    text = rule_taker.generate(direct.axes, 0).prompt.messages[0].text
    assert rows[0]["mixin"] in text
    assert rows[0]["rule"] in text
    assert rows[0]["rule"] not in rows[0]["mixin"]
    mono_rel = build("flenqa.monorel", TaskOptions(data=target))
    (point,) = mono_rel.points({"cot": [True]})
    samples = [mono_rel.generate(point.axes, repeat) for repeat in range(2)]
    assert [sample.target["label"] for sample in samples] == ["False", "True"]
    assert samples[1].target["facts"] == rows[1]["facts"]
    assert point.inputs == {"data": DataFile(target).hash}
    with pytest.raises(DoesNotFitError, match="no row of the data file"):
        mono_rel.generate({**point.axes, "size": 500}, 0)


def test_wrong_data_options_are_named(tmp_path: Path, needle_data: Path):
    with pytest.raises(TaskError, match="data: no file"):
        build("needlechain.forward", TaskOptions(data=tmp_path / "none.data"))
    junk = write_jsonl(tmp_path / "k2.jsonl", [chain_row()])
    with pytest.raises(TaskError, match="not a data file; make one with `runner import"):
        build("needlechain.forward", TaskOptions(data=junk))
    with pytest.raises(TaskError, match=r"no rows of needlechain\.forward; it has needle_"):
        build("needlechain.forward", TaskOptions(data=needle_data))
    with pytest.raises(TaskError, match=r"niah\.magic_number: data: only for"):
        build("niah.magic_number", TaskOptions(data=needle_data))


def test_the_command_reports_and_prints_tasks_to_paste(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "fl.jsonl"
    rows = [flenqa_row(), monorel_row(), flenqa_row(mixin="gone")]
    write_jsonl(source, rows)
    source.write_text(source.read_text(encoding="utf-8") + "broken\n" * 30, encoding="utf-8")
    assert import_data.run("flenqa", source, None) == 0
    said = capsys.readouterr().out
    assert "33 rows read, 30 rejected, 2 disagreements" in said
    assert "rejected: fl.jsonl line 4: not JSON" in said
    assert "... and 10 more" in said
    assert 'name = "flenqa.ruletaker"\ndata = "fl.flenqa.data"' in said
    assert "`repeats = 2`" in said
    assert (tmp_path / "fl.flenqa.data").is_file()


def test_the_command_refuses_what_it_cannot_do(tmp_path: Path):
    with pytest.raises(UsageError, match="no kind 'niah'; there are needle-threading, flenqa"):
        import_data.run("niah", tmp_path, None)
    with pytest.raises(UsageError, match="no file"):
        import_data.run("flenqa", tmp_path / "none", None)
    source = write_jsonl(tmp_path / "k2.jsonl", [chain_row()])
    with pytest.raises(UsageError, match="has no row of flenqa; nothing was written"):
        import_data.run("flenqa", source, tmp_path / "out.data")
    assert not (tmp_path / "out.data").exists()
