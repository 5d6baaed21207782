"""A match: the facts it started with, and its log. Knows nothing of mail, commands or SQL."""

from dataclasses import dataclass, replace
from datetime import datetime

from pbmserv.games.game import Game, Seat
from pbmserv.games.library import games
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.entry import Entry


class BrokenLog(Exception):
    """A log that does not replay: an operator's matter, never a player's."""


@dataclass(frozen=True, slots=True)
class Match:
    """What was agreed at the start, and everything that happened since.

    `userids` stand in order of play; `options` are those that were given, sorted by name; `rules` is the version
    the match is played under ("cephalopod/1"); `clock` the terms of its clocks, if it has any; `after` the board
    that it is a rematch of.
    """

    number: int
    game: str
    rules: str
    options: tuple[tuple[str, str], ...]
    rated: bool
    userids: tuple[str, ...]
    started_by: str
    started: datetime
    entries: tuple[Entry, ...] = ()
    clock: TimeControl | None = None
    after: int | None = None

    def seat_of(self, userid: str) -> Seat | None:
        """The seat of a userid, whatever its case; None when it is not on this board."""
        wanted = userid.lower()
        return next((seat for seat, name in enumerate(self.userids) if name.lower() == wanted), None)

    def with_entries(self, entries: tuple[Entry, ...]) -> "Match":
        """The match after more has happened."""
        return replace(self, entries=self.entries + entries)


def rules_of(match: Match) -> Game:
    """The game of a match, in the version it is played under. Raises BrokenLog when that is not to be had."""
    game = games().get(match.game)
    if game is None or game.info.rules != match.rules:
        raise BrokenLog(f"board {match.number} is played under {match.rules}, which this server does not have")
    return game
