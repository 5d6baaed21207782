"""`make release`: it refuses what would be no release, and makes one that can be installed and played with."""

import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from tests.conftest import needed
from tests.deploy.samples import ROOT

VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
AS_SOMEBODY = ("git", "-c", "user.name=somebody", "-c", "user.email=somebody@example.org")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of its own with what is in this one, all of it committed."""
    folder = tmp_path / "checkout"
    aside = shutil.ignore_patterns(".*", "__pycache__", "data", "dist", "pbmserv.toml")
    shutil.copytree(ROOT, folder, ignore=aside)
    shutil.copy(ROOT / "pyproject.toml", folder)
    shutil.copy(ROOT / ".gitignore", folder)
    shutil.copytree(ROOT / "deploy", folder / "deploy", dirs_exist_ok=True)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run([*AS_SOMEBODY, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


def release(folder: Path) -> subprocess.CompletedProcess[str]:
    """What the script behind `make release` comes to, in a checkout."""
    return subprocess.run(
        ["make", "--silent", f"VENV={sys.prefix}", "--assume-old", f"{sys.prefix}/.release", "release"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def refused(folder: Path) -> str:
    """The sentence with which it refuses; nothing is built."""
    done = release(folder)
    assert done.returncode != 0, done.stdout
    assert not (folder / "dist").exists()
    (told, *_) = done.stderr.splitlines()
    return told


@pytest.mark.slow
def test_not_from_a_dirty_work_tree(checkout: Path) -> None:
    """A file that is in no commit would be in a release that nobody can make again."""
    (checkout / "pbmserv" / "forgotten.py").touch()
    assert refused(checkout) == (
        "release: the work tree has changes that are not committed: commit them, or put them aside with "
        "`git stash -u`"
    )


@pytest.mark.slow
@pytest.mark.parametrize("row", ["", f"| {VERSION} | to come | `v{VERSION}` | | |"])
def test_not_without_a_row_of_changes(checkout: Path, row: str) -> None:
    changes = checkout / "docs" / "changes.md"
    lines = changes.read_text().splitlines()
    changes.write_text("\n".join(row if line.startswith(f"| {VERSION} |") else line for line in lines))
    commit(checkout)
    assert refused(checkout).startswith(f"release: docs/changes.md has no row with a date for {VERSION}: add ")


@pytest.mark.slow
def test_not_over_another_release(checkout: Path) -> None:
    git(checkout, "tag", f"v{VERSION}")
    (checkout / "README.md").write_text("more")
    commit(checkout)
    assert refused(checkout).startswith(f"release: the tag v{VERSION} is on another commit: ")


@pytest.mark.slow
def test_a_release(checkout: Path) -> None:
    """Both files, the wheel for every machine; the archive has what tests and operators need; the tag is told."""
    for module in ("build", "twine"):
        found = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False)
        if found.returncode:
            needed(f"{module} (`pip install '.[release]'`)")
    done = release(checkout)
    if "No matching distribution" in done.stderr:
        needed("a package index with what requirements.lock names")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(file.name for file in (checkout / "dist").iterdir()) == [
        f"pbmserv-{VERSION}-py3-none-any.whl",
        f"pbmserv-{VERSION}.tar.gz",
    ]
    assert "a whole game by mail, in " in done.stdout
    assert f"git tag -a v{VERSION} " in done.stdout.splitlines()[-1]
    with tarfile.open(checkout / "dist" / f"pbmserv-{VERSION}.tar.gz") as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("Makefile", "LICENSE", "deploy/requirements.lock", "tests/conftest.py", "docs/changes.md"):
        assert name in inside
