"""The examples in docstrings are true."""

import doctest
import inspect

from tests.house.imports import importable


def test_every_example() -> None:
    """Every example gives what it says; doctest prints those that do not."""
    with_some = (module for module in importable() if ">>> " in inspect.getsource(module))
    tried = {module.__name__: doctest.testmod(module) for module in with_some}
    assert [name for name, found in tried.items() if found.failed] == []
    assert any(found.attempted for found in tried.values())
