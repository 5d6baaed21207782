"""The examples in docstrings are true."""

import doctest

from tests.house.imports import importable


def test_every_example() -> None:
    """Every example gives what it says; doctest prints those that do not."""
    tried = {module.__name__: doctest.testmod(module) for module in importable()}
    assert [name for name, found in tried.items() if found.failed] == []
    assert any(found.attempted for found in tried.values())
