"""What commands ask about puzzles, answered within one transaction: the base of `store.queries`."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection

from pbmserv.matches.player import Player
from pbmserv.matches.puzzles import Puzzle, PuzzleTry
from pbmserv.store import puzzle_tries, puzzles


class PuzzleQueries:
    """Answers what `matches.queries.Queries` asks about puzzles."""

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
        return puzzle_tries.of_player(self._connection, player.id)
