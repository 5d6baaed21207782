"""Finds the commands: every module of `commands.verbs` that declares one."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import pbmserv.commands.verbs
from pbmserv.commands.command import Command


@lru_cache(maxsize=1)
def commands() -> Mapping[str, Command]:
    """All commands by name, in alphabetical order."""
    modules = (
        importlib.import_module(f"pbmserv.commands.verbs.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.commands.verbs.__path__)
    )
    declared: list[Command] = [module.command for module in modules if hasattr(module, "command")]
    return MappingProxyType({command.name: command for command in sorted(declared, key=lambda each: each.name)})
