"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pbmserv


def test_every_example() -> None:
    """Every example gives what it says; doctest prints those that do not."""
    modules = [found.name for found in pkgutil.walk_packages(pbmserv.__path__, "pbmserv.")]
    tried = {name: doctest.testmod(importlib.import_module(name)) for name in modules}
    assert [name for name, found in tried.items() if found.failed] == []
    assert any(found.attempted for found in tried.values())
