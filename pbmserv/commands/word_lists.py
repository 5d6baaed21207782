"""Words of human languages, which are data: a TOML file beside the modules that use it."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any


@cache
def word_lists(file: str, package: str) -> Mapping[str, Any]:
    """The tables of a package's TOML file of words in human languages. Read once, when needed."""
    return MappingProxyType(tomllib.loads(files(package).joinpath(file).read_text("utf-8")))
