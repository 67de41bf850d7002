"""Nothing stands in the product that only tests use: it would prove what does not run."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("runner", "state", "queries", "scoring", "tasks")
CALLED_BY_A_LIBRARY = {
    "Outlet.writable": "the io module asks streams for it",
    "InlineExecutor.submit": "asyncio calls executors so",
    "import_": "its decorator enters it as the command `import`",
}


def _sources() -> dict[Path, ast.Module]:
    files = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}


def _public_names(body: list[ast.stmt], owner: str = "") -> Iterator[str]:
    """Functions, classes, methods and constants, as `name` or `Class.name`."""
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield f"{owner}{name}"
                yield from _public_names(node.body, f"{name}.")
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield f"{owner}{name}"
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if not owner:
                    yield name
            case _:
                pass


def _used_words(module: ast.Module) -> Iterator[str]:
    """Names that are read, attributes, keywords, and words of short texts (annotations, keys)."""
    for node in ast.walk(module):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name):
                yield name
            case ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)) if len(text) < 60:
                yield from re.findall(r"\w+", text)
            case _:
                pass


def test_every_public_name_is_used_by_the_product() -> None:
    sources = _sources()
    used = Counter(word for module in sources.values() for word in _used_words(module))
    names = {name for module in sources.values() for name in _public_names(module.body)}
    unused = {name for name in names if not used[name.rpartition(".")[2]]}
    private = {name for name in unused if name.rpartition(".")[2].startswith("_")}
    assert unused - private == set(CALLED_BY_A_LIBRARY)
