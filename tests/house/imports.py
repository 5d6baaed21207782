"""The modules of the package in a checkout, and who imports whom."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType

import pbmserv


@dataclass(frozen=True)
class Modules:
    """The modules of `pbmserv/` in a checkout, of this version or another."""

    checkout: Path

    @cached_property
    def sources(self) -> Mapping[str, str]:
        """The text of each module, by its path from the top of the checkout."""
        paths = sorted((self.checkout / "pbmserv").rglob("*.py"))
        assert paths, f"there is no pbmserv/ in {self.checkout}"
        return {str(path.relative_to(self.checkout)): path.read_text() for path in paths}

    @cached_property
    def trees(self) -> Mapping[str, ast.Module]:
        """Each module, parsed."""
        return {path: ast.parse(source) for path, source in self.sources.items()}

    @cached_property
    def code(self) -> Mapping[str, frozenset[int]]:
        """The numbers of the lines of code: neither empty, nor comment, nor docstring."""
        return {path: frozenset(_code(source, self.trees[path])) for path, source in self.sources.items()}

    @cached_property
    def import_lines(self) -> Mapping[str, frozenset[int]]:
        """The lines of code that the imports at the top level of a module take."""
        return {
            path: frozenset(
                line
                for node in tree.body
                if isinstance(node, ast.Import | ast.ImportFrom)
                for line in _lines(node)
                if line in self.code[path]
            )
            for path, tree in self.trees.items()
        }

    @cached_property
    def imports(self) -> Mapping[str, frozenset[str]]:
        """The modules that a module imports, at its top or later."""
        by_name = {_module_name(path): path for path in self.sources}
        return {
            path: frozenset(by_name[name] for name in _imported(tree, by_name)) - {path}
            for path, tree in self.trees.items()
        }

    def cycles(self) -> list[tuple[str, ...]]:
        """Groups of modules that import one another round in a circle (strongly connected components)."""
        return [group for group in _components(self.imports) if len(group) > 1]


@cache
def modules_of(checkout: Path) -> Modules:
    """The modules of a checkout, which are read and parsed once."""
    return Modules(checkout)


def folder_of(path: str) -> str:
    """The folder of the package in which a module lies; empty for `pbmserv/__init__.py`.

    >>> folder_of("pbmserv/mail/reading/mime.py"), folder_of("pbmserv/__init__.py")
    ('mail', '')
    """
    _, folder, *rest = path.split("/")
    return folder if rest else ""


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """A module and its statements, however deep, without the expressions, which are most of a tree."""
    yield tree
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, part, ()):
            yield from statements(node)


def docstrings(tree: ast.Module) -> Iterator[ast.Expr]:
    """The docstrings of a module, its classes and its functions."""
    for node in statements(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first


def _code(source: str, tree: ast.Module) -> Iterator[int]:
    told = {line for each in docstrings(tree) for line in _lines(each)}
    for number, line in enumerate(source.splitlines(), 1):
        if line.strip() and not line.strip().startswith("#") and number not in told:
            yield number


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _module_name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _imported(tree: ast.Module, known: Mapping[str, str]) -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield below if below in known else str(node.module)


def _components(graph: Mapping[str, frozenset[str]]) -> list[tuple[str, ...]]:
    """Tarjan's algorithm; each component in the order of its names."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[tuple[str, ...]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(tuple(sorted(stack[at:])))
            del stack[at:]

    for node in graph:
        if node not in index:
            visit(node)
    return found


NEED_EXTRAS = frozenset({"pbmserv.robots.cephalopod.train"})
"""Programs for whoever makes the tables of robots; a server never imports them, and has not what they need."""


def importable() -> Iterator[ModuleType]:
    """Each module of the package that a server can import."""
    for found in pkgutil.walk_packages(pbmserv.__path__, "pbmserv."):
        if found.name not in NEED_EXTRAS:
            yield importlib.import_module(found.name)
