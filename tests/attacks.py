"""The table of attacks: what was tried, as the tests in `tests/hostile` tell it, and which test holds against it.

`python -m tests.attacks` writes it into `docs/attacks.md` anew.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "hostile"
PAGE = Path(__file__).parent.parent / "docs" / "attacks.md"
BEGIN, END = "<!-- attacks -->\n", "<!-- /attacks -->\n"


def attacks_tables() -> str:
    """One table for each file of the suite, in the words of its docstrings."""
    return BEGIN + "\n".join(map(_table, sorted(FOLDER.glob("test_*.py")))) + END


def _table(path: Path) -> str:
    module = ast.parse(path.read_text())
    about = " ".join((ast.get_docstring(module) or "").split())
    assert about, f"{path.name} does not say what it tries"
    rows = "".join(f"| {tried} | `{name}` |\n" for tried, name in _tests(module, path))
    title = path.stem.removeprefix("test_").replace("_", " ").capitalize()
    return f"### {title}\n\n{about}\n\n| tried | held: the test |\n| --- | --- |\n{rows}"


def _tests(module: ast.Module, path: Path) -> Iterator[tuple[str, str]]:
    for each in module.body:
        if isinstance(each, ast.FunctionDef) and each.name.startswith("test_"):
            told = " ".join((ast.get_docstring(each) or "").split())
            assert told, f"{path.name}: {each.name} does not say what it tries"
            yield told.replace("|", "\\|"), each.name.removeprefix("test_")


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(before + attacks_tables() + rest.partition(END)[2])
