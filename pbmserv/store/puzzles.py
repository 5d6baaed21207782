"""Puzzles: those shipped with the program, those found in finished games, and who was sent which.

A line of `puzzles.txt` has seven fields with tabs between them: number, game, options (`size=3x5`), the moves that
lead to the position, the best move, what may follow it, and every other move with the best answer to it (`A1>B2`).
Blanks separate the parts of a field. A best move that wins ends in `!`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, bindparam, func, insert, or_, select, update

from pbmserv.commands.changes import PuzzleAnswered, PuzzleSent
from pbmserv.games import games
from pbmserv.matches.player import Player
from pbmserv.matches.puzzles import FIRST_FOUND, Puzzle, PuzzleTry
from pbmserv.matches.queries import Queries
from pbmserv.store.players import find as find_player
from pbmserv.store.tables import matches, players, puzzle_search, puzzle_tries, puzzles, seats

_FILE: Final = "puzzles.txt"
_WINS: Final = "!"
_THEN: Final = ">"


@lru_cache(maxsize=1)
def packed() -> Mapping[int, Puzzle]:
    """The puzzles shipped with the program, by number, without those of games that are not installed."""
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


class PuzzleQueries(Queries):
    """Queries for puzzles, within one transaction."""

    _connection: Connection

    def puzzle(self, number: int) -> Puzzle | None:
        if number < FIRST_FOUND:
            return packed().get(number)
        row = self._connection.execute(_FIND, {"id": number - FIRST_FOUND + 1}).one_or_none()
        # Its game may have been removed.
        return None if row is None or row.game not in games() else _puzzle_of(row)

    def unseen_puzzle(self, seen: Collection[int], game: str | None) -> Puzzle | None:
        for number, puzzle in packed().items():
            if number not in seen and game in (None, puzzle.game):
                return puzzle
        wanted = [game] if game else [*games()]
        found = [number - FIRST_FOUND + 1 for number in seen if number >= FIRST_FOUND]
        row = self._connection.execute(_UNSEEN, {"games": wanted, "seen": found}).one_or_none()
        return None if row is None else _puzzle_of(row)

    def puzzle_tries(self, player: Player) -> Mapping[int, PuzzleTry]:
        rows = self._connection.execute(_OF_PLAYER, {"player_id": player.id})
        return {
            row.number: PuzzleTry(
                number=row.number,
                sent=row.sent_at,
                by_week=row.by_week,
                tries=row.tries,
                solved=row.solved_at is not None,
                shown=row.shown_at is not None,
            )
            for row in rows
        }


def add(connection: Connection, puzzle: Puzzle, now: datetime) -> None:
    """Stores a found puzzle under the next number."""
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
    """The number of puzzles found by game; games without any are left out."""
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


_ONLY: Final = 1


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """A finished match, and the ply after which to examine its position next."""

    ended: datetime
    match: int
    ply: int
    """Negative once all positions were examined."""


def search_place(connection: Connection) -> SearchPlace | None:
    """The progress of the search; None before it has begun."""
    row = connection.execute(select(puzzle_search)).one_or_none()
    return None if row is None else SearchPlace(row.at, row.match, row.ply)


def next_searched(
    connection: Connection, after: SearchPlace | None, games: Sequence[str], seats_wanted: int
) -> SearchPlace | None:
    """The next finished match of these games with `seats_wanted` seats, by time of ending; None at the end."""
    query = _NEXT_SEARCHED if after is None else _NEXT_SEARCHED.where(_IS_LATER)
    values = {} if after is None else {"at": after.ended, "match": after.match}
    row = connection.execute(query, {**values, "games": games, "seats": seats_wanted}).one_or_none()
    return None if row is None else SearchPlace(row.last_at, row.number, 0)


def move_search_on(connection: Connection, before: SearchPlace | None, after: SearchPlace) -> bool:
    """Advances the search; False if another host has advanced it meanwhile."""
    values = {"at": after.ended, "match": after.match, "ply": after.ply}
    if before is None:
        if connection.execute(select(func.count()).select_from(puzzle_search)).scalar_one():
            return False
        connection.execute(insert(puzzle_search).values(id=_ONLY, **values))
        return True
    stands = and_(puzzle_search.c.match == before.match, puzzle_search.c.ply == before.ply)
    return connection.execute(update(puzzle_search).where(stands).values(values)).rowcount == 1


_SEATS: Final = select(func.count()).where(seats.c.match == matches.c.number).scalar_subquery()
# The first condition says nothing new, but begins the search where the index has it.
_IS_LATER: Final = and_(
    matches.c.last_at >= bindparam("at"),
    or_(matches.c.last_at > bindparam("at"), matches.c.number > bindparam("match")),
)
_NEXT_SEARCHED: Final = (
    select(matches.c.number, matches.c.last_at)
    .where(
        matches.c.status == "finished",
        matches.c.game.in_(bindparam("games", expanding=True)),
        bindparam("seats") == _SEATS,
    )
    .order_by(matches.c.last_at, matches.c.number)
    .limit(1)
)


def write_try(connection: Connection, change: PuzzleSent | PuzzleAnswered, now: datetime) -> None:
    """Records that a puzzle was sent or answered; an earlier sending or result is kept."""
    key = {"player_id": change.player_id, "number": change.number}
    sent = {"sent_at": now, "by_week": isinstance(change, PuzzleSent) and change.by_week, "tries": 0}
    if connection.execute(_IS_SENT, key).scalar_one() == 0:
        connection.execute(insert(puzzle_tries), {**key, **sent})
    if isinstance(change, PuzzleSent):
        return
    theirs = update(puzzle_tries).filter_by(**key, solved_at=None, shown_at=None)
    if change.how == "shown":
        connection.execute(theirs.values(shown_at=now))
        return
    done = {"solved_at": now} if change.how == "solved" else {}
    connection.execute(theirs.values(tries=puzzle_tries.c.tries + 1, **done))


def take_puzzle_due(connection: Connection, now: datetime) -> Player | None:
    """The player whose weekly puzzle has been due longest, locked until the transaction ends; or None."""
    due = connection.execute(_PUZZLE_DUE, {"now": now}).scalar_one_or_none()
    return None if due is None else find_player(connection, due)


_KEY: Final = (puzzle_tries.c.player_id == bindparam("player_id")) & (puzzle_tries.c.number == bindparam("number"))
_IS_SENT: Final = select(func.count()).select_from(puzzle_tries).where(_KEY)
_OF_PLAYER: Final = (
    select(puzzle_tries)
    .where(puzzle_tries.c.player_id == bindparam("player_id"))
    .order_by(puzzle_tries.c.sent_at, puzzle_tries.c.number)
)
_PUZZLE_DUE: Final = (
    select(players.c.userid_lower)
    .where(players.c.puzzle_at <= bindparam("now"))
    .order_by(players.c.puzzle_at)
    .limit(1)
    .with_for_update(skip_locked=True, key_share=True)
)
