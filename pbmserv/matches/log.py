"""One row of a match's log: what happened, to be believed for good."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from pbmserv.games import games
from pbmserv.games.earlier import EARLIER
from pbmserv.games.game import Game, Seat
from pbmserv.matches.clock import TimeControl

EntryKind = Literal[
    "played",
    "resigned",
    "declined",
    "forfeited",
    "proposed",
    "asked",
    "accepted",
    "rejected",
    "extended",
    "paused",
    "resumed",
    "rewound",
    "removed",
    "awarded",
    "annulled",
]
"""By a player: a ply, giving up, declining; a draw proposed, a take-back asked for, consent, no consent. By the
clock: forfeited. By the operator: more time, the clocks stopped and set going, plies taken back, a player taken
off the board, the win given, the match made void."""

LEAVING: frozenset[EntryKind] = frozenset({"resigned", "forfeited", "removed"})
"""A seat goes; the others play on while they are two or more."""

BY_PLAYERS: frozenset[EntryKind] = frozenset(
    {"played", "resigned", "declined", "proposed", "asked", "accepted", "rejected"}
)
"""What the player of the entry's seat did; all else befell them."""

OF_NO_SEAT: frozenset[EntryKind] = frozenset({"paused", "resumed", "rewound", "annulled"})


@dataclass(frozen=True, slots=True)
class Entry:
    """The `seq`-th thing (from 1) that happened on a board.

    `text` is the move in stored notation for "played"; the ply to go back to (after which it will stand) for
    "asked" and "rewound"; whole hours for "extended"; empty otherwise. `seat` is who did it or whom it befell;
    None for what concerns all. `at` is when the mail that did it was kept, in UTC. `used` are the seconds that it
    took of the seat's time.
    """

    match: int
    seq: int
    at: datetime
    kind: EntryKind
    seat: Seat | None
    text: str = ""
    used: int = 0


class BrokenLog(Exception):
    """A log that does not replay: an operator's matter, never a player's."""


class MissingRules(BrokenLog):
    """The log may be sound, but its game is not here, or only in another version. People can be told so."""


@dataclass(frozen=True, slots=True)
class Match:
    """What was agreed at the start, and everything that happened since.

    `userids` stand in order of play; `options` are those that were given, sorted by name; `rules` is the version
    the match is played under ("cephalopod/1"); `clock` the terms of its clocks, if it has any; `after` the board
    that it is a rematch of. A `practice` board is a newcomer's first, against a robot: no list has it.
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
    practice: bool = False

    def seat_of(self, userid: str) -> Seat | None:
        """The seat of a userid, whatever its case; None when it is not on this board."""
        wanted = userid.lower()
        return next((seat for seat, name in enumerate(self.userids) if name.lower() == wanted), None)

    def with_entries(self, entries: tuple[Entry, ...]) -> "Match":
        """The match after more has happened."""
        return replace(self, entries=self.entries + entries)


VARIANT: Final = "-variant"
"""Stands behind the version of the rules of a match with an option that the inventor did not publish."""


def rules_of(match: Match) -> Game:
    """The game of a match, in the version it is played under. Raises MissingRules when that is not to be had."""
    game, rules = games().get(match.game), match.rules.removesuffix(VARIANT)
    if game is not None and game.info.rules != rules:
        game = EARLIER.get(rules)
    if game is None or game.info.name != match.game:
        raise MissingRules(f"board {match.number} is played under {match.rules}, which this server does not have")
    return game


def title_of(match: Match) -> str:
    """What the game of a match is called: a variant never plainly by the name of the game, nor practice.

    Boards that were begun before variants had a name keep theirs, and with it their Subject.
    """
    title = rules_of(match).info.title
    if match.practice:
        return f"{title} practice"
    return f"{title} variant" if match.rules.endswith(VARIANT) else title
