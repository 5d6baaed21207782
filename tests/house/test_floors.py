"""The house keeps its floors: imports go down, siblings do not know each other, the core touches no world."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pbmserv"
FLOORS = {
    "games": 0,
    "matches": 1,
    "robots": 1,
    "commands": 2,
    "mail": 3,
    "rendering": 3,
    "store": 3,
    "services": 4,
    "entrypoints": 5,
}
WORLD = {
    *("asyncio", "io", "os", "pathlib", "random", "secrets", "shutil", "socket", "sqlite3", "subprocess", "sys"),
    *("tempfile", "threading", "time", "uuid", "aiosmtpd", "alembic", "argon2", "jinja2", "smtplib", "sqlalchemy"),
}
"""What the core, floors 0 to 2, must not import: clock, chance, secrets, files, sockets, databases, templates."""

CLOCKS = {"now", "utcnow", "today"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(tree: ast.AST) -> Iterator[str]:
    """The dotted names that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    """A module's path as a test is called."""
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_down(path: Path) -> None:
    """A room uses its own folder and the floors below, nothing above and no neighbour."""
    parts = path.relative_to(PACKAGE).parts
    if len(parts) == 1:
        return
    here = parts[0]
    for name in imports(ast.parse(path.read_text())):
        if name.startswith("pbmserv.") and name.split(".")[1] in FLOORS:
            there = name.split(".")[1]
            assert there == here or FLOORS[there] < FLOORS[here], f"{here} imports {name}"


@pytest.mark.parametrize(
    "path", [path for path in MODULES if name_of(path).startswith(("games", "matches", "robots", "commands"))]
)
def test_core_touches_no_world(path: Path) -> None:
    """Floors 0 to 2 decide from values alone."""
    tree = ast.parse(path.read_text())
    assert {name.split(".")[0] for name in imports(tree)} & WORLD == set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            assert called not in {"open", "print", "input"} | CLOCKS, f"{path}:{node.lineno} calls {called}"


@pytest.mark.parametrize("path", [path for path in MODULES if name_of(path).startswith("games")])
def test_games_need_the_standard_library_only(path: Path) -> None:
    """A game can be read, tried and tested with Python alone."""
    outside = {name.split(".")[0] for name in imports(ast.parse(path.read_text()))} - {"pbmserv"}
    assert outside <= sys.stdlib_module_names


def test_one_writer_of_matches() -> None:
    """Only store/matches.py writes matches, seats and entries."""
    for path in MODULES:
        if name_of(path) == "store/matches.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("insert", "update")
            ):
                table = ast.unparse(node.args[0])
                assert table not in ("matches", "match_table", "seats", "entries"), f"{path} writes {table}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_rooms_are_read_at_a_sitting(path: Path) -> None:
    """A file of more than 300 lines wants another room."""
    assert len(path.read_text().splitlines()) <= 300
