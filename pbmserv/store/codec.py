"""Encodes our values as JSON, by class and field name, so that letters can be stored until they are written.

A value that this version does not know raises `UnknownValue`. Games and commands are stored by name, positions not
at all.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from functools import cache
from typing import Any, Final, get_args, get_type_hints

from pbmserv.commands.command import Command, Reply, commands
from pbmserv.commands.letter import Said
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.matches.errors import CommandError
from pbmserv.matches.replay import GameState

_CLASS: Final = "is"
_BY_NAME: Final = frozenset({Command, Info, GameState})
"""Classes whose values are not stored field by field, if at all."""


class UnknownValue(Exception):
    """A stored value has a class or field that this version does not know."""


def encode(value: object) -> str:
    """The value as JSON. Raises TypeError for what must not be stored, such as a position."""
    return json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))


def decode(text: str) -> Any:
    """The value that was encoded. Raises UnknownValue."""
    try:
        return _value(json.loads(text))
    except (ValueError, KeyError, TypeError) as error:
        raise UnknownValue(f"{type(error).__name__}: {error}") from error


def _plain(value: object) -> Any:
    match value:
        case Enum():
            return {_CLASS: type(value).__name__, "member": value.name}
        # By name, as the command itself: an example may show a password, and no row holds one.
        case str() if value in _examples():
            return {_CLASS: "example", "name": _examples()[value]}
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return {_CLASS: "datetime", "iso": value.isoformat()}
        case date():
            return {_CLASS: "date", "iso": value.isoformat()}
        case timedelta():
            return {_CLASS: "timedelta", "seconds": value.total_seconds()}
        case tuple() | list():
            return [_plain(each) for each in value]
        case Mapping():
            return {_CLASS: "map", "items": [[_plain(key), _plain(each)] for key, each in value.items()]}
        case Command():
            return {_CLASS: "command", "name": value.name}
        case Info():
            return {_CLASS: "game", "name": value.name}
    name = type(value).__name__
    if value.__class__ is not _kinds().get(name):
        raise TypeError(f"{name} is not stored")
    assert is_dataclass(value)
    return {_CLASS: name} | {each.name: _plain(getattr(value, each.name)) for each in fields(value)}


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(map(_value, plain))
    if not isinstance(plain, dict):
        return plain
    match plain.pop(_CLASS):
        case "datetime":
            return datetime.fromisoformat(plain["iso"])
        case "date":
            return date.fromisoformat(plain["iso"])
        case "timedelta":
            return timedelta(seconds=plain["seconds"])
        case "map":
            return {_value(key): _value(each) for key, each in plain["items"]}
        case "command":
            return commands()[plain["name"]]
        case "example":
            return commands()[plain["name"]].example
        case "game":
            return games()[plain["name"]].info
        case kind if issubclass(_kinds()[kind], Enum):
            return _kinds()[kind][plain["member"]]
        case kind:
            return _kinds()[kind](**{name: _value(each) for name, each in plain.items()})


@cache
def _examples() -> Mapping[str, str]:
    """The names of commands, by their examples."""
    return {command.example: command.name for command in commands().values()}


@cache
def _kinds() -> Mapping[str, type[Any]]:
    """The classes that are stored, by name: replies, errors, and whatever values these hold."""
    found: dict[str, type[Any]] = {}
    todo: list[type[Any]] = [*Said.__subclasses__(), *Reply.__subclasses__(), *CommandError.__subclasses__()]
    while todo:
        kind = todo.pop()
        if kind in found.values() or kind in _BY_NAME:
            continue
        found[kind.__name__] = kind
        if is_dataclass(kind):
            hints = get_type_hints(kind)
            todo += [inner for each in fields(kind) for inner in _classes_in(hints[each.name])]
    return found


def _classes_in(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, Enum)):
        yield hint
    for inner in get_args(hint):
        yield from _classes_in(inner)
