"""Values that wait in the database come out as they went in."""

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from types import UnionType
from typing import Any, Literal, Union

import pytest

from pbmserv.commands.command import Command, commands
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.matches.conditional_moves import Branch
from pbmserv.store import codec
from pbmserv.store.codec import UnknownValue, decode, encode
from tests.every import every
from tests.house.imports import importable

MOMENT = datetime(2026, 11, 27, 8, 30, tzinfo=UTC)


def some(hint: Any) -> Iterator[Any]:
    """Values of a type: each choice of a union, each class with each choice of each field."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        yield from arguments
    elif origin in (Union, UnionType):
        for each in arguments:
            yield from some(each)
    elif origin is tuple:
        kinds = arguments[:1] * 2 if arguments[1:] == (Ellipsis,) else arguments
        yield from zip(*map(some_twice, kinds), strict=False) if kinds else [()]
    elif origin is not None and issubclass(origin, Mapping):
        yield {next(some(arguments[0])): next(some(arguments[1]))}
    elif hint is Info:
        yield games()["hex"].info
    elif hint is Command:
        yield commands()["move"]
    elif hint is Branch:
        yield Branch(("a1",), "b2", (Branch((), "pass"),))
    elif isinstance(hint, type) and issubclass(hint, Enum):
        yield from hint
    elif dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        yield from made(hint)
    else:
        yield {
            str: 'Zoë said "b2"\n',
            int: 7,
            float: 0.1,
            bool: True,
            object: "anything",
            Any: ("alice", 7),
            type(None): None,
            datetime: MOMENT,
            timedelta: timedelta(hours=36, microseconds=5),
            date: MOMENT.date(),
        }[hint]


def some_twice(hint: Any) -> list[Any]:
    """The first two values of a type."""
    return [each for _, each in zip(range(2), [*some(hint)] * 2, strict=False)]


def made(kind: type) -> Iterator[Any]:
    """Values of a class, one for each choice of each field beside the first choices of all others."""
    hints = typing.get_type_hints(kind)
    choices = {each.name: [*some(hints[each.name])] for each in dataclasses.fields(kind)}
    first = {name: values[0] for name, values in choices.items()}
    for name, values in choices.items():
        for value in values:
            yield kind(**first | {name: value})
    if not choices:
        yield kind()


def test_every_reply_and_error() -> None:
    """With each kind of value in each field."""
    assert len(list(importable())) > 300
    kinds = codec._kinds()
    assert len(kinds) > 220

    def check(kind: type) -> None:
        for value in some(kind):
            back = decode(encode(value))
            assert type(back) is kind
            assert back == value

    every(sorted(kinds.values(), key=repr), check)


@pytest.mark.parametrize(
    "text",
    [
        '{"is":"FromTheFuture","board":1}',
        '{"is":"BoardRef","number":1,"colour":"red"}',
        '{"is":"BoardRef"}',
        '{"is":"game","name":"gone"}',
        '{"is":"datetime","iso":"soon"}',
        '{"number":1}',
        "{",
    ],
)
def test_other_versions(text: str) -> None:
    """What is not known here is said to be so, whatever it is."""
    with pytest.raises(UnknownValue):
        decode(text)


def test_positions_are_not_stored() -> None:
    """A letter refers to a board and an entry."""
    with pytest.raises(TypeError, match="object is not stored"):
        encode((object(),))
    assert "hex" in encode(games()["hex"].info)
