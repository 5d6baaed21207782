"""No regular expression takes more than a linear number of steps, on strings that are made from itself."""

import ast
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import pbmserv
from pbmserv.games import games
from pbmserv.mail.reading.answered import answered_threads, answered_tokens, without_tokens
from pbmserv.mail.reading.delivery_report import read_report
from pbmserv.mail.reading.headers import head_of
from pbmserv.mail.reading.phrases import pattern
from tests.house.expressions import too_slow

PACKAGE: Final = Path(pbmserv.__file__).parent
SEARCHING: Final = frozenset(("search", "sub", "subn", "findall", "finditer", "split"))
MATCHING: Final = frozenset(("match", "fullmatch"))
NEEDS_DEPTH: Final = 20_000

MOOD_OF_0_13: Final = r"(?: ?(?:[:;]-?[()DP]|\(!\)|!\?|\u3002|\U0001f642))+$"


@pytest.fixture(autouse=True)
def deep() -> Iterator[None]:
    """Room for the matcher, which calls itself for each character."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(NEEDS_DEPTH)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.parametrize(
    ("pattern", "is_searched"),
    [
        (MOOD_OF_0_13, True),
        (r"\s+$", True),
        (r"a.*b", True),
        (r"<[^>]*+>", True),
        (r"(?:x+)+y", False),
        (r"\s*a?\s*$", False),
        (r"-{2,}[^\n]{0,60}-{2,}$", False),
    ],
)
def test_slow_ones_are_found(pattern: str, is_searched: bool) -> None:
    """Among them the one that let a stranger's mail of 20 kB cost four seconds."""
    assert too_slow(pattern, 0, is_searched)


@pytest.mark.parametrize("pattern", [r"(?<!\s)\s++$", r"[a-z]++", r"a[^ab]*+b", r"^a*b", r"x{0,500}y"])
def test_quick_ones_are_not(pattern: str) -> None:
    assert not too_slow(pattern, 0, is_searched=True)


@pytest.mark.slow
def test_all_are_quick() -> None:
    """Those that are searched for wherever they may begin; where all uses match at the beginning, matched."""
    found = dict(everywhere())
    assert len(found) > 200
    slow = {
        where: example
        for (pattern, flags), (where, is_searched) in found.items()
        if (example := too_slow(pattern, flags, is_searched))
    }
    assert not slow, "bound the repeat, make it possessive (`++`), or let it begin at one place only (`(?<!x)x++`)"


def everywhere() -> Iterator[tuple[tuple[str, int], tuple[str, bool]]]:
    """Each expression with its flags, where it is, and whether it is searched."""
    for module in modules():
        uses = uses_in(module)
        for name, value in vars(module).items():
            for each in expressions_in(value):
                ways = uses.get(name, set())
                yield key(each), (f"{module.__name__}.{name}", not ways or bool(ways & SEARCHING))
        yield from inline(module)
        for name, way in of_phrases(module):
            yield key(pattern(vars(module)[name])), (f"{module.__name__}.{name}", way in SEARCHING)
    for name, game in games().items():
        if game.info.dialect:
            yield (game.info.dialect, re.IGNORECASE | re.ASCII), (f"the notation of {name}", False)
    yield from made_for("pbm@club-of-expressions.example")


def modules() -> list[Any]:
    """All modules of the package, but those that need a library of the `train` extra that is not installed."""
    names = [each.name for each in pkgutil.walk_packages(pbmserv.__path__, "pbmserv.")]
    return [each for name in names if not name.endswith("__main__") and (each := imported(name))]


def imported(name: str) -> Any:
    """A module; None where a library for training robots is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name not in {"numba", "numpy"}:
            raise
        return None


def tree_of(module: Any) -> ast.AST:
    """What is written in a module."""
    return ast.parse(Path(module.__file__).read_text())


def uses_in(module: Any) -> dict[str, set[str]]:
    """Which methods a module calls of its names; not of one that it hands on otherwise as well."""
    found: dict[str, set[str]] = {}
    alone: set[str] = set()
    called = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.setdefault(node.value.id, set()).add(node.attr)
            called.add(node.value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            alone.add(node.id)
    return {name: ways for name, ways in found.items() if name not in alone}


def expressions_in(value: object) -> Iterator[re.Pattern[Any]]:
    """Those that a value is, or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from expressions_in([*value, *value.values()])
    elif isinstance(value, (tuple, list, set, frozenset)):
        for each in value:
            yield from expressions_in(each)


def key(expression: re.Pattern[Any]) -> tuple[str, int]:
    """Its text and its flags; bytes as the characters of the same numbers."""
    if isinstance(expression.pattern, bytes):
        return expression.pattern.decode("latin-1"), expression.flags | re.ASCII
    return str(expression.pattern), expression.flags


def inline(module: Any) -> Iterator[tuple[tuple[str, int], tuple[str, bool]]]:
    """What is handed to `re.search` and the like as it stands."""
    for node in ast.walk(tree_of(module)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        way = node.func.attr
        if ast.unparse(node.func.value) == "re" and way in SEARCHING | MATCHING:
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield key(re.compile(first.value)), (f"{module.__name__}:{node.lineno}", way in SEARCHING)


def of_phrases(module: Any) -> Iterator[tuple[str, str]]:
    """The names of what a module makes of lists of phrases, `pattern(_NAME).search`, and the methods it calls."""
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call):
            call = node.value
            if ast.unparse(call.func) == "pattern" and isinstance(call.args[0], ast.Name):
                yield call.args[0].id, node.attr


def made_for(address: str) -> Iterator[tuple[tuple[str, int], tuple[str, bool]]]:
    """Those that are made for an address when a mail is read."""
    with pytest.MonkeyPatch.context() as patch:
        made: list[re.Pattern[Any]] = []
        compiled = re._compiler.compile  # type: ignore[attr-defined]

        def noted(pattern: Any, flags: int = 0) -> re.Pattern[Any]:
            made.append(compiled(pattern, flags))
            return made[-1]

        patch.setattr("re._compiler.compile", noted)
        raw = f"From: a@b.example\nTo: {address}\nIn-Reply-To: <b1.1.x{address}>\n\n{address}\n".encode()
        head = head_of(raw)
        answered_tokens(head, [address], address, "+")
        answered_threads(head, address)
        without_tokens(address, address, "+")
        read_report(raw, [address], address, "+")
    assert made
    for each in made:
        yield key(each), (f"made for {address}", True)
