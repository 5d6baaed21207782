"""Copies of SQLite houses in which players have just signed up: copying is much quicker than signing up again."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass

from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.store.tables import metadata
from tests.conftest import Counting

ANY_ROW = "SELECT " + " OR ".join(f"EXISTS (SELECT 1 FROM {table.name})" for table in metadata.sorted_tables)


@dataclass(frozen=True)
class Copy:
    """A database in memory, and how far the house had counted."""

    database: sqlite3.Connection
    counted: tuple[int, ...]
    mails: int


_copies: dict[tuple[Server, tuple[str, ...], tuple[tuple[str, str], ...]], Copy] = {}


def copy_for(house: App, people: dict[str, str]) -> Copy | None:
    """The copy of a house where just these people have signed up, if there is one."""
    return _copies.get(_key(house, people))


def is_untouched(house: App) -> bool:
    """Whether nothing was done yet in a house that can be copied."""
    return (
        house.engine.dialect.name == "sqlite"
        and type(house.hasher) is PasswordHasher
        and isinstance(house.new_token, Counting)
        and not any(counter.given for counter in _counters(house))
        and _is_empty(house)
    )


def keep_copy(house: App, people: dict[str, str], mails: int) -> None:
    """Copies a house in which just these people have signed up."""
    memory = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(_file(house)) as file:
        file.backup(memory)
    _copies[_key(house, people)] = Copy(memory, tuple(counter.given for counter in _counters(house)), mails)


def put_back(house: App, copy: Copy) -> None:
    """Makes an untouched house what the copied one was."""
    with closing(_file(house)) as file:
        copy.database.backup(file)
    for counter, given in zip(_counters(house), copy.counted, strict=True):
        counter.given = given


def _key(house: App, people: dict[str, str]) -> tuple[Server, tuple[str, ...], tuple[tuple[str, str], ...]]:
    counters = tuple(f"{counter.letter}{counter.digits}" for counter in _counters(house))
    return house.server, counters, tuple(people.items())


def _is_empty(house: App) -> bool:
    with closing(_file(house)) as file:
        return not file.execute(ANY_ROW).fetchone()[0]


def _counters(house: App) -> list[Counting]:
    makers = (house.new_token, *vars(house.makers).values())
    return [maker for maker in makers if isinstance(maker, Counting)]


def _file(house: App) -> sqlite3.Connection:
    return sqlite3.connect(house.engine.url.database or "")
