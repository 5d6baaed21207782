"""The lock file of a release holds what pyproject.toml asks for, and each release is told in docs/changes.md."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NEEDED = [
    Requirement(line) for line in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["postgresql"])
]
LOCKED = {
    found[1]: (found[2], found[0])
    for found in re.finditer(
        r"^([a-z0-9._-]+)==([^ ;]+).*\n(?:[ ]+.*\n)*",
        (ROOT / "deploy" / "requirements.lock").read_text(),
        re.MULTILINE,
    )
}
"""By name: the version, and all that the lock file says of it."""


@pytest.mark.parametrize("needed", NEEDED, ids=str)
def test_a_release_is_locked_within_its_bounds(needed: Requirement) -> None:
    version, _ = LOCKED[canonicalize_name(needed.name)]
    assert needed.specifier.contains(version)


def test_every_locked_file_has_a_hash() -> None:
    assert [name for name, (_, entry) in LOCKED.items() if "--hash=sha256:" not in entry] == []


def test_nothing_is_locked_that_is_no_longer_asked_for() -> None:
    asked = {name for name, (_, entry) in LOCKED.items() if "pbmserv (pyproject.toml)" in entry}
    assert asked == {canonicalize_name(needed.name) for needed in NEEDED}


def test_changes_begin_with_this_version() -> None:
    newest = re.search(
        r"^(?:\*|#+) +([0-9]+\.[0-9]+\.[0-9]+)\b", (ROOT / "docs" / "changes.md").read_text(), re.MULTILINE
    )
    assert newest is not None
    assert newest[1] == PROJECT["version"]
