"""Changes the core in a hundred places, one at a time, and names the changes that no quick test notices.

`python -m tests.mutants` (`make mutants`) works in a copy of the checkout. Of each change it runs, until one fails,
the tests that import the changed module, those of its folder, and the golden conversations. A change that survives
is a hole in the tests, dead code, or makes no difference. The same seed makes the same changes of the same code.
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
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from random import Random
from typing import Final

from rich.progress import track

ROOT: Final = Path(__file__).parent.parent
CORE: Final = (
    *("matches/*.py", "commands/*.py", "parser/*.py", "services/*.py", "store/outbox.py"),
    *("games/breakthrough.py", "games/cephalopod.py", "games/clobber.py", "games/draughts.py", "games/morris.py"),
)
COPIED: Final = ("pbmserv", "migrations", "templates", "tests", "deploy", "docs", "pyproject.toml", "README.md")
ALWAYS: Final = "tests/test_golden.py"
TIME_LIMIT: Final = 900.0
"""Seconds; a change that makes the tests take longer is noticed."""

OTHER_SIGN: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn},
    **{ast.NotIn: ast.In, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
}


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    path: str
    line: int
    before: str
    after: str
    source: str


def changed(node: ast.AST) -> ast.AST | None:
    """What stands in the place of a node after the change, if there is one for its kind."""
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
        case ast.BinOp(left, ast.Add(), right):
            return ast.BinOp(left, ast.Sub(), right)
        case ast.BinOp(left, ast.Sub(), right):
            return ast.BinOp(left, ast.Add(), right)
        case ast.IfExp(test, body, orelse):
            return ast.IfExp(test, orelse, body)
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            return ast.Pass()
        case ast.Return(ast.expr() as value) if not isinstance(value, ast.Constant):
            return ast.Return(ast.Constant(None))
    return None


def places(tree: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    """Where functions can be changed: parent, its field, the index in it, and what would stand there."""
    for field, value in ast.iter_fields(tree):
        if field in (
            "annotation",
            "returns",
            "decorator_list",
            "keywords" if isinstance(tree, ast.ClassDef) else "",
        ):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST):
                if in_function and (other := changed(child)):
                    yield tree, field, index, other
                yield from places(child, in_function or isinstance(child, ast.FunctionDef))


def mutants(path: Path) -> Iterator[Mutant]:
    """All changes of a module."""
    tree = ast.parse(path.read_text())
    for parent, field, index, other in places(tree):
        kept = getattr(parent, field) if index is None else getattr(parent, field)[index]
        put = (
            partial(setattr, parent, field)
            if index is None
            else partial(getattr(parent, field).__setitem__, index)
        )
        put(other)
        source = ast.unparse(ast.fix_missing_locations(tree))
        put(kept)
        yield Mutant(str(path.relative_to(ROOT)), kept.lineno, ast.unparse(kept), ast.unparse(other), source)


def tests_of(path: str) -> list[str]:
    """The files and folders of tests that may notice a change of a module, the likeliest first."""
    name = path.removesuffix(".py").replace("/", ".")
    package, _, module = name.rpartition(".")
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    says = (f"from {name} import", f"from {package} import {module}")
    near = [str(file.relative_to(ROOT)) for file in files if any(each in file.read_text() for each in says)]
    folder = "" if "/games/" in path else f"tests/{path.split('/')[1]}"
    return [*dict.fromkeys([each for each in (*near, ALWAYS, folder) if each])]


def passes(copy: Path, tests: list[str], *options: str) -> bool:
    """Whether the tests pass in a copy of the checkout, in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", *options]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": os.environ | {"PYTHONPATH": "."}}
    with suppress(subprocess.TimeoutExpired):
        return subprocess.run([*command, *tests], cwd=copy, timeout=TIME_LIMIT, **quiet).returncode == 0
    return False


def survives(copies: "SimpleQueue[Path]", mutant: Mutant) -> bool:
    """Whether no test notices a change, tried in a copy that is free."""
    copy = copies.get()
    file = copy / mutant.path
    original = file.read_text()
    try:
        file.write_text(mutant.source)
        return passes(copy, tests_of(mutant.path))
    finally:
        file.write_text(original)
        copies.put(copy)


def main() -> None:
    """Prints what survives."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=100, help="how many changes (100)")
    parser.add_argument("--seed", type=int, default=1, help="other changes with another one")
    parser.add_argument("--core", nargs="+", default=CORE, help="modules, as patterns below pbmserv/")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many changes are tried at a time")
    asked = parser.parse_args()
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    paths = sorted({path for pattern in asked.core for path in (ROOT / "pbmserv").glob(pattern)})
    found = [mutant for path in paths for mutant in mutants(path)]
    chosen = Random(asked.seed).sample(found, min(asked.number, len(found)))
    with tempfile.TemporaryDirectory() as folder:
        copies: SimpleQueue[Path] = SimpleQueue()
        for job in range(asked.jobs):
            copies.put(Path(folder) / str(job))
            for name in COPIED:
                (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(
                    ROOT / name, Path(folder, str(job), name)
                )
        needed = sorted({test for mutant in chosen for test in tests_of(mutant.path)})
        if not passes(Path(folder) / "0", needed, "-n", str(asked.jobs)):
            sys.exit("Without any change the tests fail already.")
        with ThreadPoolExecutor(asked.jobs) as pool:
            tried = pool.map(partial(survives, copies), chosen)
            alive = [
                each for each, lives in zip(chosen, track(tried, "Changing", len(chosen)), strict=True) if lives
            ]
    print(f"{len(chosen) - len(alive)} of {len(chosen)} changes were noticed, of {len(found)} that are possible.")
    for mutant in sorted(alive, key=lambda each: (each.path, each.line)):
        print(f"{mutant.path}:{mutant.line}\n    {mutant.before}\n    {mutant.after}")


if __name__ == "__main__":
    main()
