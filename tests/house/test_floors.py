"""The house keeps its floors: imports go down, siblings do not know each other, the core touches no world."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.every import every
from tests.house.imports import modules_of

PACKAGE = Path(__file__).parents[2] / "pbmserv"
FLOORS = {
    "games": 0,
    "matches": 1,
    "robots": 1,
    "commands": 2,
    "parser": 3,
    "mail": 4,
    "rendering": 4,
    "store": 4,
    "services": 5,
    "server": 6,
    "web": 7,
    "cli": 8,
}
WORLD = {
    *("asyncio", "io", "os", "pathlib", "random", "secrets", "shutil", "socket", "sqlite3", "subprocess", "sys"),
    *("tempfile", "threading", "time", "uuid", "aiosmtpd", "alembic", "argon2", "jinja2", "smtplib", "sqlalchemy"),
}
"""What the core, floors 0 to 3, must not import: clock, chance, secrets, files, sockets, databases, templates."""

CLOCKS = {"now", "utcnow", "today"}


@cache
def trees() -> dict[Path, ast.Module]:
    """Each module of the package, parsed."""
    return {PACKAGE.parent / path: tree for path, tree in modules_of(PACKAGE.parent).trees.items()}


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


def modules_in(*folders: str) -> list[Path]:
    """The modules of some folders of the package."""
    found = [path for path in trees() if path.relative_to(PACKAGE).parts[0] in folders]
    assert found
    return found


def test_imports_go_down() -> None:
    """A room uses its own folder and the floors below, nothing above and no neighbour."""

    def check(path: Path) -> None:
        here = path.relative_to(PACKAGE).parts[0]
        for name in imports(trees()[path]):
            if name.startswith("pbmserv.") and name.split(".")[1] in FLOORS:
                there = name.split(".")[1]
                assert there == here or FLOORS[there] < FLOORS[here], f"{here} imports {name}"

    every(modules_in(*FLOORS), check, name=name_of)


def test_every_folder_has_its_floor() -> None:
    """Nothing stands beside the floors but what marks the package."""
    assert {path.relative_to(PACKAGE).parts[0] for path in trees()} <= {*FLOORS, "__init__.py"}


def test_core_touches_no_world() -> None:
    """Floors 0 to 3 decide from values alone. The trainer is a program of its own."""

    def check(path: Path) -> None:
        if name_of(path) == "robots/cephalopod/train.py":
            return
        assert {name.split(".")[0] for name in imports(trees()[path])} & WORLD == set()
        for node in ast.walk(trees()[path]):
            if isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                assert called not in {"open", "print", "input"} | CLOCKS, f"line {node.lineno} calls {called}"

    every(modules_in("games", "matches", "robots", "commands", "parser"), check, name=name_of)


def test_games_need_the_standard_library_only() -> None:
    """A game can be read, tried and tested with Python alone."""

    def check(path: Path) -> None:
        outside = {name.split(".")[0] for name in imports(trees()[path])} - {"pbmserv"}
        assert outside <= sys.stdlib_module_names

    every(modules_in("games"), check, name=name_of)


def test_one_writer_of_matches() -> None:
    """Only store/matches.py writes matches, seats and entries."""

    def check(path: Path) -> None:
        for node in ast.walk(trees()[path]):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("insert", "update")
            ):
                table = ast.unparse(node.args[0])
                assert table not in ("matches", "match_table", "seats", "entries"), f"it writes {table}"

    every([path for path in trees() if name_of(path) != "store/matches.py"], check, name=name_of)
