"""Changes the core in a hundred places, one at a time, and names the changes that no quick test notices.

`make mutants` (`python -m tests.mutants`) works in copies of the checkout. After each change it runs, until one
fails, the tests that import the changed module, the parser's corpus, the golden conversations and the tests of the
module's folder. What survives is a hole in the tests, dead code, or makes no difference. The same seed makes the
same changes of the same code.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Final

from rich.progress import track

from tests.conftest import SLOW
from tests.docs import ROOT

CORE: Final = (
    *("matches/*.py", "commands/*.py", "parser/*.py", "services/*.py", "store/outbox.py"),
    *("games/breakthrough.py", "games/cephalopod.py", "games/clobber.py", "games/draughts.py", "games/morris.py"),
)
COPIED: Final = ("pbmserv", "migrations", "templates", "tests", "deploy", "docs", "pyproject.toml", "README.md")
ALWAYS: Final = ("tests/parser/test_corpus.py", "tests/test_golden.py")
MOST_NEAR: Final = 8
"""Files of tests that import a changed module, which are run."""

TIME_LIMIT: Final = 900.0
"""Seconds; a change that makes the tests take longer is noticed."""

SIGNS: Final = (
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
    (ast.Lt, ast.LtE),
    (ast.Gt, ast.GtE),
)
OTHER_SIGN: Final = dict(SIGNS) | {other: sign for sign, other in SIGNS}
NO_CODE: Final = frozenset({"annotation", "returns", "decorator_list"})


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: str
    line: int
    before: str
    after: str
    source: str


def changed(node: ast.AST) -> ast.AST | None:
    """What stands in the place of a node after a change of it, where there is one for its kind."""
    match node:
        case ast.Compare(left, [sign], right):
            return ast.Compare(left, [OTHER_SIGN[type(sign)]()], right)
        case ast.Constant(bool() as value):
            return ast.Constant(not value)
        case ast.Constant(int() as value):
            return ast.Constant(value + 1)
        case ast.BoolOp(sign, values):
            return ast.BoolOp(ast.And() if isinstance(sign, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), operand):
            return operand
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            return ast.BinOp(left, ast.Sub() if isinstance(sign, ast.Add) else ast.Add(), right)
        case ast.IfExp(test, body, orelse):
            return ast.IfExp(test, orelse, body)
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            return ast.Pass()
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            return ast.Return(ast.Constant(None))
    return None


def places(tree: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.AST, str, int]]:
    """Where functions can be changed: a node, a field of it, and the place in its list, -1 if it is none."""
    in_function = in_function or isinstance(tree, ast.FunctionDef)
    for field, value in ast.iter_fields(tree):
        for index, child in enumerate(value) if isinstance(value, list) else [(-1, value)]:
            if isinstance(child, ast.AST) and field not in NO_CODE:
                if in_function and changed(child):
                    yield tree, field, index
                yield from places(child, in_function)


def mutant(path: Path, number: int) -> Mutant:
    """A module with one of the changes that it allows."""
    tree = ast.parse(path.read_text())
    parent, field, index = [*places(tree)][number]
    there = getattr(parent, field)
    before = there if index < 0 else there[index]
    after = changed(before)
    assert after is not None
    setattr(parent, field, after if index < 0 else [*there[:index], after, *there[index + 1 :]])
    source = ast.unparse(ast.fix_missing_locations(tree))
    return Mutant(str(path.relative_to(ROOT)), before.lineno, ast.unparse(before), ast.unparse(after), source)


def tests_of(path: str) -> list[str]:
    """The files and folders of quick tests that may notice a change of a module, the likeliest first."""
    package, _, module = path.removesuffix(".py").replace("/", ".").rpartition(".")
    says = (f"from {package}.{module} import", f"from {package} import {module}")
    files = [each for each in sorted(ROOT.glob("tests/*/**/test_*.py")) if SLOW.isdisjoint(each.parts)]
    near = [str(file.relative_to(ROOT)) for file in files if any(each in file.read_text() for each in says)]
    folder = f"tests/{path.split('/')[1]}"
    near.sort(key=lambda test: not test.startswith(folder))
    return [*near[:MOST_NEAR], *ALWAYS, *([folder] if folder != "tests/games" else [])]


def passes(copy: Path, tests: list[str], *options: str, within: float | None = None) -> bool:
    """Whether the tests pass in a copy of the checkout, in that time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", *options, *tests]
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(command, cwd=copy, timeout=within, env=env, capture_output=True).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def survives(copies: SimpleQueue[Path], change: Mutant) -> bool:
    """Whether no test notices a change, tried in a copy that is free."""
    copy = copies.get()
    try:
        (copy / change.path).write_text(change.source)
        return passes(copy, tests_of(change.path), within=TIME_LIMIT)
    finally:
        shutil.copy2(ROOT / change.path, copy / change.path)
        copies.put(copy)


def main() -> None:
    """Prints what survives."""
    parser = argparse.ArgumentParser(description="See the head of tests/mutants.py.")
    parser.add_argument("--number", type=int, default=100, help="how many changes (100)")
    parser.add_argument("--seed", type=int, default=1, help="another one makes other changes (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many are tried at a time")
    parser.add_argument("modules", nargs="*", default=CORE, help="patterns below pbmserv/")
    asked = parser.parse_args()
    paths = sorted({path for pattern in asked.modules for path in (ROOT / "pbmserv").glob(pattern)})
    possible = [(path, number) for path in paths for number, _ in enumerate(places(ast.parse(path.read_text())))]
    chosen = [mutant(*each) for each in Random(asked.seed).sample(possible, min(asked.number, len(possible)))]
    copies: SimpleQueue[Path] = SimpleQueue()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        for job in range(asked.jobs):
            copies.put(copy := Path(folder, str(job)))
            copy.mkdir()
            for name in COPIED:
                (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, copy / name)
        if not passes(copy, sorted({test for each in chosen for test in tests_of(each.path)}), f"-n{asked.jobs}"):
            sys.exit("Tests fail that are to notice changes, without any change.")
        tried = track(pool.map(partial(survives, copies), chosen), "Changing", len(chosen))
        alive = [change for change, lives in zip(chosen, tried, strict=True) if lives]
    print(f"{len(chosen) - len(alive)} of {len(chosen)} changes are noticed; {len(possible)} are possible.")
    for each in sorted(alive, key=lambda change: (change.path, change.line)):
        print(f"{each.path}:{each.line}\n    {each.before}\n    {each.after}")


if __name__ == "__main__":
    main()
