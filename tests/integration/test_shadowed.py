"""`from runner import open_results` in a folder that has a module of the same name as ours."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("package", ["queries", "state", "tasks"])
def test_a_file_that_shadows_a_package_is_named(tmp_path: Path, package: str) -> None:
    mine = tmp_path / f"{package}.py"
    mine.write_text("x = 1\n")
    code = "from runner import open_results"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, cwd=tmp_path, capture_output=True, text=True
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: {mine.resolve()} shadows runner's package {package!r}")
