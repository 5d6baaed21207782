"""A match: the facts it started with, its log, and the fold that turns both into a state.

Knows nothing of mail, commands or SQL. A board is never stored: whoever wants one folds.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from pbmserv.games.game import BadOption, Eliminated, Event, Game, MoveError, Outcome, Seat
from pbmserv.games.library import games
from pbmserv.matches.entry import Entry

Status = Literal["active", "finished", "declined"]


class BrokenLog(Exception):
    """A log that does not replay: an operator's matter, never a player's."""


@dataclass(frozen=True, slots=True)
class Match:
    """What was agreed at the start, and everything that happened since.

    `userids` stand in order of play; `options` are those that were given, sorted by name; `rules` is the version
    the match is played under ("cephalopod/1").
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

    def seat_of(self, userid: str) -> Seat | None:
        """The seat of a userid, whatever its case; None when it is not on this board."""
        wanted = userid.lower()
        return next((seat for seat, name in enumerate(self.userids) if name.lower() == wanted), None)

    def with_entries(self, entries: tuple[Entry, ...]) -> "Match":
        """The match after more has happened."""
        return replace(self, entries=self.entries + entries)


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of the story: a ply with its number and move, or a leaving (both None)."""

    seat: Seat
    ply: int | None
    move: str | None
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class State:
    """What a match's log adds up to.

    `to_move` is None when it is over; `outcome` is None while it runs and when it was declined; `gone` are the
    seats whose players resigned.
    """

    position: Any
    status: Status
    to_move: Seat | None
    turns: tuple[Turn, ...]
    outcome: Outcome | None
    gone: tuple[Seat, ...]
    last_at: datetime

    @property
    def plies(self) -> int:
        """How many turns were played."""
        return sum(turn.ply is not None for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Summary:
    """What listings tell of a match: derived from its log, and rebuilt from it by `summarise`."""

    status: Status
    to_move: Seat | None
    plies: int
    last_at: datetime
    last_move: str


def rules_of(match: Match) -> Game:
    """The game of a match, in the version it is played under. Raises BrokenLog when that is not to be had."""
    game = games().get(match.game)
    if game is None or game.info.rules != match.rules:
        raise BrokenLog(f"board {match.number} is played under {match.rules}, which this server does not have")
    return game


def fold(match: Match, ply: int | None = None) -> State:
    """The state after the whole log, or right after a ply (0 is the start).

    Raises BrokenLog when an entry does not fit: a gap, a move the rules do not know, something after the end or by
    a seat that has gone; and when the rules do not know the options.
    """
    game = rules_of(match)
    try:
        position = game.start(len(match.userids), dict(match.options))
    except BadOption as error:
        raise BrokenLog(f"board {match.number} has options that its rules do not know") from error
    turns: list[Turn] = []
    gone: list[Seat] = []
    out: set[Seat] = set()
    plies = 0
    declined = False
    last_at = match.started
    for expected, entry in enumerate(match.entries, 1):
        if plies == ply:
            break
        if entry.seq != expected or declined or game.to_move(position) is None:
            raise BrokenLog(f"board {match.number}: entry {entry.seq} does not follow")
        if entry.seat not in range(len(match.userids)) or entry.seat in out:
            raise BrokenLog(f"board {match.number}: entry {entry.seq} is of a seat that is not in the game")
        last_at = entry.at
        match entry.kind:
            case "played":
                if entry.seat != game.to_move(position):
                    raise BrokenLog(f"board {match.number}: entry {entry.seq} is out of turn")
                position, events = game.play(position, _move(game, match, position, entry))
                out.update(event.seat for event in events if isinstance(event, Eliminated))
                plies += 1
                turns.append(Turn(entry.seat, plies, entry.text, events))
            case "resigned":
                position, events = game.leave(position, entry.seat)
                gone.append(entry.seat)
                out.add(entry.seat)
                turns.append(Turn(entry.seat, None, None, events))
            case "declined":
                declined = True
                gone.append(entry.seat)
                turns.append(Turn(entry.seat, None, None, ()))
            case _:
                raise BrokenLog(f"board {match.number}: entry {entry.seq} is of no known kind")
    outcome = game.outcome(position)
    status: Status = "declined" if declined else "active" if outcome is None else "finished"
    to_move = None if declined else game.to_move(position)
    return State(position, status, to_move, tuple(turns), outcome, tuple(gone), last_at)


def _move(game: Game, match: Match, position: Any, entry: Entry) -> Any:
    try:
        return game.read(position, entry.text)
    except MoveError as error:
        raise BrokenLog(f"board {match.number}: entry {entry.seq} is no move here: {entry.text}") from error


def summarise(state: State) -> Summary:
    """The summary of a state."""
    moves = [turn.move for turn in state.turns if turn.move]
    return Summary(state.status, state.to_move, state.plies, state.last_at, moves[-1] if moves else "")
