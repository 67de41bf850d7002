"""What is released: the archives are built, and hold the listed files and nothing else."""

import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"runner", "tasks", "scoring", "queries", "state"}
# `PKG-INFO` and `.gitignore` are added by the build itself.
SOURCES = PACKAGES | {"tests", "docs", "pyproject.toml", ".gitignore", "PKG-INFO"}
TEXTS = {"CHANGELOG.md", "CONTRIBUTING.md", "README.md", "LICENSE"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source archive and the wheel that was made from it."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not installed")
    out = tmp_path_factory.mktemp("dist")
    command = [uv, "build", "--system-certs", "--out-dir", str(out), str(ROOT)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode and "Failed to fetch" in done.stderr:
        pytest.skip("the registry that has the build backend cannot be reached")
    assert done.returncode == 0, done.stderr
    return out


def test_the_source_archive_holds_listed_files_only(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert tops == SOURCES | TEXTS


def test_the_wheel_holds_the_packages_and_their_type_marker(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    assert {n.split("/")[0] for n in names if ".dist-info/" not in n} == PACKAGES
    assert "runner/py.typed" in names
