"""Each module has a test of its name in its room, or stands here with the tests that cover it."""

import ast
import re
import tomllib
from collections import defaultdict
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
    "root_packages"
]

RUNS = "tests/integration"
"""Whole runs: what puts others together, waits or sends has no decision to be tested alone."""
ELSEWHERE = {
    "runner/__main__.py": RUNS,
    "runner/clock.py": RUNS,
    "runner/errors.py": "tests/unit/runner/commands/test_failure.py",
    "runner/wire.py": "tests/contract/test_providers.py",
    "runner/commands/*": RUNS,
    "runner/config/*": "tests/unit/runner/config/test_sweep.py",
    "runner/endpoints/*": "tests/integration/test_check.py",
    "runner/engine/*": "tests/unit/runner/engine/test_engine.py",
    "runner/forecast/*": "tests/unit/runner/forecast/test_build.py",
    "runner/judge/*": "tests/integration/test_judge.py",
    "runner/plan/*": "tests/unit/runner/plan/test_plan.py",
    "runner/progress/*": "tests/unit/runner/progress/test_display.py",
    "runner/providers/*": "tests/contract/test_providers.py",
    "runner/rehearsal/*": "tests/integration/test_rehearsal.py",
    "runner/report/*": "tests/unit/runner/report/test_figures.py",
    "runner/session/*": RUNS,
    "runner/simulator/*": "tests/unit/runner/simulator/test_core.py",
    "runner/simulator/reader/*": "tests/unit/runner/simulator/reader/test_reader.py",
    "queries/*": "tests/sql",
    "scoring/*": "tests/contract/test_scorers.py",
    "state/*": "tests/contract/test_store.py",
    "tasks/*": "tests/contract/test_tasks.py",
    "tasks/official/*": "tests/unit/tasks/official/test_importing.py",
}
"""Modules without a test of their own, by name or by room, and what covers them instead."""
MOST = 121
"""So many modules have no test of their name: fewer is better, more is a step back."""
README_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
OF_MORE_THAN_ONE = {
    "tests/unit/runner/providers/formats/test_usage.py",
    "tests/unit/tasks/needle_threading/test_tasks.py",
}
"""Tests of what several modules of a room do alike."""


def modules() -> list[Path]:
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return sorted(path.relative_to(ROOT) for path in paths if path.name != "__init__.py")


def without_a_test_of_their_name() -> list[str]:
    unit = ROOT / "tests" / "unit"
    return [
        module.as_posix()
        for module in modules()
        if not (unit / module.parent / f"test_{module.name}").exists()
    ]


def test_each_module_without_a_test_of_its_name_is_covered_by_one_that_exists():
    untested = without_a_test_of_their_name()
    assert [name for name in untested if not any(fnmatch(name, key) for key in ELSEWHERE)] == []
    unused = [key for key in ELSEWHERE if not any(fnmatch(name, key) for name in untested)]
    assert unused == []
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).exists()] == []
    assert len(untested) <= MOST


def test_each_test_of_a_module_has_its_module():
    rooms = [ROOT / "tests" / "unit" / package for package in PACKAGES]
    tests = [path for room in rooms for path in room.rglob("test_*.py")]
    assert len(tests) > len(rooms)
    lost = [
        path.relative_to(ROOT).as_posix()
        for path in tests
        if not (
            ROOT
            / path.parent.relative_to(ROOT / "tests" / "unit")
            / path.name.removeprefix("test_")
        ).exists()
    ]
    assert set(lost) <= OF_MORE_THAN_ONE


@pytest.mark.parametrize(("page", "fewest"), [("README.md", 50), ("docs/promises.md", 25)])
def test_every_test_that_the_documentation_names_exists(page: str, fewest: int):
    named = README_TEST.findall((ROOT / page).read_text())
    assert len(named) > fewest
    for path, function in named:
        tree = ast.parse((ROOT / path).read_text())
        defined = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        assert not function or function in defined, f"{path}::{function}"


def test_no_two_classes_have_one_name():
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module in modules():
        for node in ast.walk(ast.parse((ROOT / module).read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module.as_posix())
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert twice == {}
