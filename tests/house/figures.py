"""How large the house is, and how scattered, in figures, each with its budget in `budgets.toml`.

`python -m tests.house.figures` prints them, with `--json` for programs. `--tighten` lowers each budget to what
is there today; no budget rises by it. `--checkout FOLDER` looks at another checkout, without the road of a
mail, for which its code would have to run.
"""

import argparse
import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from tests.docs import ROOT
from tests.house.budgets import BUDGETS, tightened
from tests.house.imports import Modules, folder_of, modules_of, statements
from tests.house.recorder import Road
from tests.house.road import measured_road

SMALL: Final = 20
"""A file with no more lines of code beside its imports is small."""

WIDE: Final = 12
"""A value with more fields is wide."""

MANY_PARAMETERS: Final = 5
"""A function with as many parameters, `self` and `cls` apart, has too many."""


@dataclass(frozen=True)
class PackageFigures:
    """The figures of one folder of the package; those of the whole are their sums."""

    lines: int
    """Of code: neither empty, nor comment, nor docstring."""
    files: int
    long_calls: int
    """Functions and methods with five or more parameters."""
    one_importer: int
    """Modules that exactly one other module imports, `__init__.py` apart."""


@dataclass(frozen=True)
class Figures:
    """The figures of a checkout."""

    files: int
    lines: int
    """Of code: neither empty, nor comment, nor docstring."""
    import_share: float
    """Of the lines of code, in percent: those that imports at the top of modules take."""
    small_files: int
    templates: int
    readme_lines: int
    classes_twice: tuple[str, ...]
    """Names of classes that occur more than once; private ones and a game's `Position` apart."""
    cycles: tuple[tuple[str, ...], ...]
    arrows_up: tuple[str, ...]
    """Imports from a floor into a higher one, or a neighbour of the same floor."""
    wide_values: tuple[str, ...]
    """Dataclasses with more than 12 fields, and how many they have."""
    packages: Mapping[str, PackageFigures]
    """By folder; the package's own `__init__.py` counts as the folder ""."""


@dataclass(frozen=True)
class RoadFigures:
    """What one raw move mail passes, from its bytes to the answers' Maildir."""

    road_files: int
    road_functions: int
    road_templates: int


@lru_cache(maxsize=1)
def figures_of(checkout: Path) -> Figures:
    """The figures of a checkout, of this version or another; nothing of it is run."""
    modules = modules_of(checkout)
    code, imported = modules.code, modules.import_lines
    lines = sum(map(len, code.values()))
    return Figures(
        files=len(code),
        lines=lines,
        import_share=round(100 * sum(map(len, imported.values())) / lines, 1),
        small_files=sum(len(code[path] - imported[path]) <= SMALL for path in code),
        templates=sum(path.is_file() for path in (checkout / "templates").rglob("*")),
        readme_lines=len((checkout / "README.md").read_text().splitlines()),
        classes_twice=tuple(_classes_twice(modules)),
        cycles=tuple(modules.cycles()),
        arrows_up=tuple(_arrows_up(modules, floors_of(checkout))),
        wide_values=tuple(_wide_values(modules)),
        packages=_packages(modules),
    )


def road_figures(road: Road) -> RoadFigures:
    """The figures of a road."""
    return RoadFigures(len(road.files), len(road.steps), len(road.templates))


def floors_of(checkout: Path) -> dict[str, int]:
    """The floor of each folder, as the checkout's own test has it."""
    for node in ast.parse((checkout / "tests" / "house" / "test_floors.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FLOORS":
            floors: dict[str, int] = ast.literal_eval(node.value)
            return floors
    raise ValueError(f"{checkout} names no floors")


def _packages(modules: Modules) -> dict[str, PackageFigures]:
    importers = Counter(other for imported in modules.imports.values() for other in imported)
    found: dict[str, list[str]] = {}
    for path in modules.sources:
        found.setdefault(folder_of(path), []).append(path)
    return {
        folder: PackageFigures(
            lines=sum(len(modules.code[path]) for path in paths),
            files=len(paths),
            long_calls=sum(_long_calls(modules.trees[path]) for path in paths),
            one_importer=sum(importers[path] == 1 and not path.endswith("__init__.py") for path in paths),
        )
        for folder, paths in sorted(found.items())
    }


def _long_calls(tree: ast.Module) -> int:
    def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        return len(names) - (names[:1] in (["self"], ["cls"]))

    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return sum(parameters(each) >= MANY_PARAMETERS for each in functions)


def figures_by_budget(found: Figures, road: RoadFigures) -> dict[str, dict[str, float]]:
    """The figures in the form of the budgets."""
    house: dict[str, float] = {
        "files": found.files,
        "lines": found.lines,
        "import_share": found.import_share,
        "small_files": found.small_files,
        "readme_lines": found.readme_lines,
        "road_files": road.road_files,
        "road_functions": road.road_functions,
    }
    return {"house": house} | {folder: asdict(each) for folder, each in found.packages.items() if folder}


def _classes_twice(modules: Modules) -> list[str]:
    names = Counter(
        node.name for tree in modules.trees.values() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in names.items() if count > 1 and name[0] != "_" and name != "Position")


def _arrows_up(modules: Modules, floors: dict[str, int]) -> Iterator[str]:
    for path, imported in modules.imports.items():
        for other in sorted(imported):
            here, there = folder_of(path), folder_of(other)
            if here and there and here != there and floors[there] >= floors[here]:
                yield f"{path} imports {other}"


def _wide_values(modules: Modules) -> Iterator[str]:
    """Fields of base classes in the package count too."""
    classes = {
        node.name: node
        for tree in modules.trees.values()
        for node in statements(tree)
        if isinstance(node, ast.ClassDef)
    }

    def fields(node: ast.ClassDef) -> set[str]:
        own = {
            ast.unparse(each.target)
            for each in node.body
            if isinstance(each, ast.AnnAssign) and "ClassVar" not in ast.unparse(each.annotation)
        }
        bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
        return own.union(*map(fields, bases))

    for path, tree in modules.trees.items():
        for node in statements(tree):
            if isinstance(node, ast.ClassDef) and any(
                "dataclass" in ast.unparse(each) for each in node.decorator_list
            ):
                count = len(fields(node))
                if count > WIDE:
                    yield f"{path}: {node.name}, {count}"


def table(found: Mapping[str, object]) -> str:
    """The figures as lines of text: how many, and which they are."""
    lines = []
    for name, value in found.items():
        if isinstance(value, Mapping):
            lines += [f"{folder or '(top)':16} {each}" for folder, each in value.items()]
            continue
        lines.append(f"{name.replace('_', ' '):16} {len(value) if isinstance(value, tuple) else value:>7}")
        if isinstance(value, tuple):
            lines += [f"    {' <-> '.join(each) if isinstance(each, tuple) else each}" for each in value]
    return "\n".join(lines)


def main() -> None:
    """Prints the figures, or lowers the budgets to them."""
    parser = argparse.ArgumentParser(description="figures of the house")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--tighten", action="store_true", help="lower the budgets to today's figures")
    parser.add_argument(
        "--checkout", type=Path, default=ROOT, help="another checkout; then without the road of a mail"
    )
    given = parser.parse_args()
    figures = figures_of(given.checkout)
    found: dict[str, object] = dict(vars(figures))
    if given.checkout.resolve() == ROOT:
        road = road_figures(measured_road())
        found |= asdict(road)
        if given.tighten:
            BUDGETS.write_text(tightened(figures_by_budget(figures, road)))
    shown = found | {"packages": {folder: asdict(each) for folder, each in figures.packages.items()}}
    print(json.dumps(shown, indent=1) if given.json else table(found))


if __name__ == "__main__":
    main()
