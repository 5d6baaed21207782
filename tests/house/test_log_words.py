"""Every line of the log speaks the vocabulary: a sentence that never varies, and `pairs(...)` for what does."""

import ast
from collections.abc import Iterator
from pathlib import Path

from pbmserv.cli.logs import OWN_KEYS
from pbmserv.mail.log_words import LogWords
from tests.docs import log_words
from tests.every import every
from tests.house.test_floors import name_of, trees

LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def logged(tree: ast.AST) -> Iterator[ast.Call]:
    """The calls of a module that log a line."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in LEVELS
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in ("log", "logger", "logging")
        ):
            yield node


def flaw(call: ast.Call, tree: ast.AST) -> str:
    """What is wrong with a line, empty if nothing."""
    assert isinstance(call.func, ast.Attribute)
    text, *values = call.args[1:] if call.func.attr == "log" else call.args  # its level comes first
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return "its sentence is no constant"
    if not values:
        return "its sentence wants values" if "%" in text.value else ""
    if len(values) > 1 or not text.value.endswith(" %s") or text.value.count("%") > 1:
        return "it wants one %s at its end"
    return "" if all(is_made_of_pairs(each, tree) for each in values) else "its values are no pairs(...)"


def is_made_of_pairs(value: ast.expr, tree: ast.AST) -> bool:
    """Whether a value is `pairs(...)`, by itself, by a name, or by a function of the module that gives Pairs."""
    if isinstance(value, ast.Name):
        named = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == value.id for target in node.targets)
        ]
        return bool(named) and all(is_made_of_pairs(each, tree) for each in named if isinstance(each, ast.Call))
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return False
    if value.func.id == "pairs":
        return not value.args
    return any(
        isinstance(node, ast.FunctionDef)
        and node.name == value.func.id
        and isinstance(node.returns, ast.Name)
        and node.returns.id == "Pairs"
        for node in ast.walk(tree)
    )


def test_every_line_speaks_the_vocabulary() -> None:
    """The types see to the keys: `pairs` takes no others."""

    def check(path: Path) -> None:
        tree = trees()[path]
        assert [f"line {call.lineno}: {found}" for call in logged(tree) if (found := flaw(call, tree))] == []

    every([path for path in trees() if any(logged(trees()[path]))], check, name=name_of)


def test_this_test_finds_what_is_wrong() -> None:
    """Whatever is wrong with a line, and nothing that is right."""
    wrong = (
        'log.info("mail %d is sent", mail.id)',
        'log.info(f"mail {mail.id} is sent")',
        'log.info("sent %s", mail.id)',
        'log.info("sent %s to %s", pairs(out=1), pairs(mail=2))',
        'log.info("sent mail=%s", 1)',
        'log.info("sent %s")',
        'log.info("sent", pairs(out=1))',
        'told = str(1)\nlog.info("sent %s", told)',
        'log.log(WARNING, f"sent {1}")',
    )
    right = (
        'log.info("stopped")',
        'log.info("sent %s", pairs(out=1))',
        'told = pairs(out=1)\nlog.info("sent %s", told)',
        'log.log(WARNING, "sent %s", pairs(out=1))',
    )

    def flaws(code: str) -> list[str]:
        tree = ast.parse(code)
        return [found for call in logged(tree) if (found := flaw(call, tree))]

    assert [code for code in wrong if not flaws(code)] == []
    assert [code for code in right if flaws(code)] == []


def test_each_word_is_used_and_told() -> None:
    """Some line has it, the docs explain it, and a line in JSON has no other meaning for it."""
    used = {
        keyword.arg
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "pairs"
        for keyword in node.keywords
    }
    assert used == set(LogWords.__annotations__)
    assert [word for word, told in log_words().items() if not told] == []
    assert {word.rstrip("_") for word in LogWords.__annotations__}.isdisjoint(OWN_KEYS)
