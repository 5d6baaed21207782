"""All puzzles: those that come with the program, in `puzzles.txt`, and those that were found in finished games.

A line of `puzzles.txt` has seven fields with tabs between them: number, game, options (`size=3x5`), the moves that
lead to the position, the best move, what may follow it, and every other move with the best answer to it (`A1>B2`).
What has several parts has blanks between them. A best move that wins ends in `!`.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Connection, Row, bindparam, func, insert, select

from pbmserv.games import games
from pbmserv.matches.puzzles import FIRST_FOUND, Puzzle
from pbmserv.store.tables import puzzles

_FILE: Final = "puzzles.txt"
_WINS: Final = "!"
_THEN: Final = ">"


@lru_cache(maxsize=1)
def packed() -> Mapping[int, Puzzle]:
    """The puzzles that come with the program, by number; those of games that are not there are left out."""
    text = files("pbmserv.store").joinpath(_FILE).read_text("utf-8")
    read = map(unpacked, text.splitlines())
    return MappingProxyType({each.number: each for each in read if each.game in games()})


def unpacked(line: str) -> Puzzle:
    """The puzzle of a line of the file."""
    number, game, options, moves, best, following, replies = line.split("\t")
    return Puzzle(
        number=int(number),
        game=game,
        options=tuple(_pair(each, "=") for each in options.split()),
        moves=tuple(moves.split()),
        best=best.removesuffix(_WINS),
        line=tuple(following.split()),
        replies=tuple(_pair(each, _THEN) for each in replies.split()),
        wins=best.endswith(_WINS),
    )


def packed_line(puzzle: Puzzle) -> str:
    """The line of the file for a puzzle."""
    fields = (
        f"{puzzle.number}",
        puzzle.game,
        " ".join("=".join(pair) for pair in puzzle.options),
        " ".join(puzzle.moves),
        puzzle.best + _WINS * puzzle.wins,
        " ".join(puzzle.line),
        " ".join(_THEN.join(pair) for pair in puzzle.replies),
    )
    return "\t".join(fields)


def find(connection: Connection, number: int) -> Puzzle | None:
    """The puzzle of a number; None if there is none, or its game is not there any more."""
    if number < FIRST_FOUND:
        return packed().get(number)
    row = connection.execute(_FIND, {"id": number - FIRST_FOUND + 1}).one_or_none()
    return None if row is None or row.game not in games() else _puzzle_of(row)


def first_unseen(connection: Connection, seen: Collection[int], game: str | None) -> Puzzle | None:
    """The puzzle with the lowest number that is not among those seen, of a game or of any (None)."""
    for number, puzzle in packed().items():
        if number not in seen and game in (None, puzzle.game):
            return puzzle
    wanted = [game] if game else [*games()]
    found = [number - FIRST_FOUND + 1 for number in seen if number >= FIRST_FOUND]
    row = connection.execute(_UNSEEN, {"games": wanted, "seen": found}).one_or_none()
    return None if row is None else _puzzle_of(row)


def add(connection: Connection, puzzle: Puzzle, now: datetime) -> None:
    """Stores a puzzle that was found; its number is given here."""
    row = {
        "game": puzzle.game,
        "options": [[*pair] for pair in puzzle.options],
        "moves": [*puzzle.moves],
        "best": puzzle.best,
        "line": [*puzzle.line],
        "replies": [[*pair] for pair in puzzle.replies],
        "wins": puzzle.wins,
        "found_at": now,
    }
    connection.execute(insert(puzzles), row)


def counts(connection: Connection) -> Mapping[str, int]:
    """How many puzzles of each game were found; games of which none was are left out."""
    return {row.game: row.found for row in connection.execute(_COUNTS)}


def _pair(text: str, sign: str) -> tuple[str, str]:
    first, _, second = text.partition(sign)
    return first, second


def _puzzle_of(row: Row[Any]) -> Puzzle:
    return Puzzle(
        number=FIRST_FOUND + row.id - 1,
        game=row.game,
        options=tuple((name, value) for name, value in row.options),
        moves=tuple(row.moves),
        best=row.best,
        line=tuple(row.line),
        replies=tuple((move, reply) for move, reply in row.replies),
        wins=row.wins,
    )


_FIND: Final = select(puzzles).where(puzzles.c.id == bindparam("id"))
_UNSEEN: Final = (
    select(puzzles)
    .where(
        puzzles.c.game.in_(bindparam("games", expanding=True)),
        puzzles.c.id.not_in(bindparam("seen", expanding=True)),
    )
    .order_by(puzzles.c.id)
    .limit(1)
)
_COUNTS: Final = select(puzzles.c.game, func.count().label("found")).group_by(puzzles.c.game)
