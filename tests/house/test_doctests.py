"""The examples in docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import pbmserv

MODULES = [found.name for found in pkgutil.walk_packages(pbmserv.__path__, "pbmserv.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    """Every example gives what it says."""
    assert doctest.testmod(importlib.import_module(name)).failed == 0
