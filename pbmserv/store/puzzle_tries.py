"""Which puzzles each player was sent, and what they have made of them."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, bindparam, func, insert, select, update

from pbmserv.commands.changes import PuzzleAnswered, PuzzleSent
from pbmserv.matches.player import Player
from pbmserv.matches.puzzles import Puzzle, PuzzleTry
from pbmserv.store import players as stored_players
from pbmserv.store import puzzles
from pbmserv.store.tables import players, puzzle_tries


class PuzzleQueries:
    """Answers what `matches.queries.Queries` asks about puzzles, within one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def puzzle(self, number: int) -> Puzzle | None:
        """The puzzle of a number."""
        return puzzles.find(self._connection, number)

    def unseen_puzzle(self, seen: Collection[int], game: str | None) -> Puzzle | None:
        """The puzzle with the lowest number that is not among those seen, of a game or of any."""
        return puzzles.first_unseen(self._connection, seen, game)

    def puzzle_tries(self, player: Player) -> Mapping[int, PuzzleTry]:
        """The puzzles that a player was sent, by number, the first one first."""
        return of_player(self._connection, player.id)


def of_player(connection: Connection, player_id: int) -> Mapping[int, PuzzleTry]:
    """All puzzles of a player by number, in the order in which they were sent."""
    rows = connection.execute(_OF_PLAYER, {"player_id": player_id})
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


def write(connection: Connection, change: PuzzleSent | PuzzleAnswered, now: datetime) -> None:
    """Writes that a puzzle was sent, or answered. What was sent before stays so, and so does how it ended."""
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


def take_due(connection: Connection, now: datetime) -> Player | None:
    """The player whose puzzle of the week is due longest, locked until the transaction ends; None if none is."""
    due = connection.execute(_DUE, {"now": now}).scalar_one_or_none()
    return None if due is None else stored_players.find(connection, due)


_KEY: Final = (puzzle_tries.c.player_id == bindparam("player_id")) & (puzzle_tries.c.number == bindparam("number"))
_IS_SENT: Final = select(func.count()).select_from(puzzle_tries).where(_KEY)
_OF_PLAYER: Final = (
    select(puzzle_tries)
    .where(puzzle_tries.c.player_id == bindparam("player_id"))
    .order_by(puzzle_tries.c.sent_at, puzzle_tries.c.number)
)
_DUE: Final = (
    select(players.c.userid_lower)
    .where(players.c.puzzle_at <= bindparam("now"))
    .order_by(players.c.puzzle_at)
    .limit(1)
    .with_for_update(skip_locked=True, key_share=True)
)
