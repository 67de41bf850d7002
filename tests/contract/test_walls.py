"""The walls between rooms stand: a forbidden import and an unnamed child are found."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
PACKAGES: list[str] = SETTINGS["root_packages"]
CONTRACTS: list[dict[str, Any]] = SETTINGS["contracts"]
EXHAUSTIVE = [contract for contract in CONTRACTS if contract.get("exhaustive")]
LINT = Path(sys.executable).with_name("lint-imports")
A_CIRCLE = ("tasks.identity", "tasks.catalog")
"""The catalogue of tasks needs identity already, so the way back closes a circle."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product and of its contracts."""
    folder = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, folder / package, ignore=shutil.ignore_patterns("data", "__pycache__")
        )
    return folder


def broken(house: Path) -> set[str]:
    """The names of all contracts that do not hold, as the command that CI runs prints them."""
    command = [str(LINT), "--no-logo", "--cache-dir", str(house / "cache")]
    ended = subprocess.run(
        command,
        cwd=house,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    names = {line.removesuffix(" BROKEN") for line in ended.stdout.splitlines() if "BROKEN" in line}
    assert ended.returncode == bool(names), ended.stdout + ended.stderr
    return names


@contextmanager
def added(path: Path, text: str) -> Iterator[None]:
    before = path.read_text() if path.exists() else None
    path.write_text((before or "") + text)
    try:
        yield
    finally:
        path.unlink() if before is None else path.write_text(before)


def file_of(house: Path, module: str) -> Path:
    path = house.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def rooms_of(layer: str) -> list[str]:
    return [room.strip() for room in layer.split("|")]


def forbidden_import(contract: dict[str, Any]) -> tuple[str, str]:
    """Who may not import whom: the lowest room the highest, or one room the other beside it."""
    if contract["type"] == "acyclic_siblings":
        return A_CIRCLE
    container = f"{contract['containers'][0]}." if "containers" in contract else ""
    lowest, highest = rooms_of(contract["layers"][-1])[-1], rooms_of(contract["layers"][0])[0]
    return container + lowest, container + highest


def test_the_copy_holds(house: Path) -> None:
    assert broken(house) == set()


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract["name"])
def test_a_forbidden_import_breaks_its_contract(contract: dict[str, Any], house: Path) -> None:
    importer, imported = forbidden_import(contract)
    with added(file_of(house, importer), f"\nimport {imported}\n"):
        assert contract["name"] in broken(house)


def test_a_child_that_is_not_named_breaks_its_contract(house: Path) -> None:
    with ExitStack() as stack:
        for contract in EXHAUSTIVE:
            folder = file_of(house, contract["containers"][0]).parent
            stack.enter_context(added(folder / "newcomer.py", ""))
        assert broken(house) == {contract["name"] for contract in EXHAUSTIVE}


def product_modules() -> dict[str, Path]:
    paths = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths}
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


def test_no_module_is_named_in_a_string() -> None:
    # An import that is spelled as a string is one that no contract sees.
    modules = product_modules()
    dotted = {name for name in modules if "." in name}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for path in modules.values()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in dotted
    ]
    assert found == []


def test_what_is_imported_by_name_is_none_of_ours() -> None:
    for name, path in product_modules().items():
        tree = ast.parse(path.read_text())
        called = {
            node.attr if isinstance(node, ast.Attribute) else node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute | ast.Name)
        }
        if called & {"import_module", "__import__", "run_module"}:
            strings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
            assert not strings & set(PACKAGES), name
