"""What is imported is declared, the lock file of a release holds it, and all recipes install from the lock file.

Each release is told in docs/changes.md.
"""

import ast
import re
import sys
import tomllib
from functools import cache
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

EXTRAS: dict[str, frozenset[str]] = {
    extra: frozenset(canonicalize_name(Requirement(line).name) for line in lines)
    for extra, lines in PROJECT["optional-dependencies"].items()
}
NAMED_OTHERWISE = {
    "argon2": "argon2-cffi",
    "dns": "dnspython",
    "draughts": "pydraughts",
    "pyspiel": "open-spiel",
}
"""Modules that have another name than what is installed for them."""

TOOLS = {"build", "hatchling", "mypy", "pbmserv", "pytest-xdist", "ruff", "twine", "types-jsonschema"}
"""What is run, or loaded by what is run, and imported by nobody."""

IMPORTERS = ("importorskip", "import_module")
"""Functions that import what they are given by name."""


@cache
def imported(folder: str) -> frozenset[str]:
    """What must be installed for all that is imported below a folder, at the top of a module or later."""
    names: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module or "")
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in IMPORTERS:
                names.update(str(each.value) for each in node.args if isinstance(each, ast.Constant))
    tops = (
        {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"pbmserv", "tests", "migrations"}
    )
    return frozenset(canonicalize_name(NAMED_OTHERWISE.get(name, name)) for name in tops)


def declared(*extras: str) -> set[str]:
    """What pbmserv needs, and these extras."""
    needed = {canonicalize_name(Requirement(line).name) for line in PROJECT["dependencies"]}
    return needed.union(*(EXTRAS[extra] for extra in extras))


def test_what_the_package_imports_is_declared() -> None:
    assert (imported("pbmserv") | imported("migrations")) - declared("postgresql", "train", "spiel") == set()


def test_what_tests_import_is_declared() -> None:
    assert imported("tests") - declared(*EXTRAS) == set()


def test_what_is_declared_is_imported() -> None:
    """Or a tool. SQLAlchemy imports the driver of PostgreSQL by the name in its URL."""
    assert declared() - imported("pbmserv") - imported("migrations") == set()
    assert declared(*EXTRAS) - imported("pbmserv") - imported("tests") - TOOLS == set()


@pytest.mark.parametrize("name", ["docs/operating.md", "deploy/container/Containerfile", "deploy/release"])
def test_recipes_install_from_the_lock_file(name: str) -> None:
    """The libraries with their hashes first; then pbmserv, which brings no others."""
    said = re.findall(r"(?m)^.*(?:\bpip install|\bpip\[@\]\}\").*$", (ROOT / name).read_text())
    assert said
    for libraries, package in zip(said[::2], said[1::2], strict=True):
        assert "--require-hashes -r deploy/requirements.lock" in libraries
        assert "--no-deps" in package


def test_no_other_recipe_installs_pbmserv() -> None:
    """Beside those, only the Makefile does, with the libraries locked before anything else comes."""
    known = {
        "operating.md",
        "Containerfile",
        "release",
        "requirements.lock",
        "changes.md",
        "decisions.md",
        "extending.md",
    }
    recipes = [path for top in ("deploy", "docs") for path in (ROOT / top).rglob("*") if path.is_file()]
    assert [path.name for path in recipes if path.name not in known and b"pip install" in path.read_bytes()] == []
    rules = re.findall(r"(?m)^(\$\(VENV\)/\.\w+): (.*)\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text())
    assert {target for target, _, _ in rules} >= {"$(VENV)/.locked", "$(VENV)/.serve", "$(VENV)/.test"}
    for target, needs, steps in rules:
        if target != "$(VENV)/.locked":
            assert "$(VENV)/.locked" in needs or "$(VENV)/.test" in needs, target
        assert ("--editable ." not in steps) or ("--no-deps" in steps), target


def test_files_that_the_project_file_names_are_there() -> None:
    """In its remarks as well."""
    named = re.findall(r"\bpbmserv/[\w./]*\.py\b", (ROOT / "pyproject.toml").read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


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
