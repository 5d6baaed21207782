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

    `to_move` is None when it is over; `outcome` is None while it runs and when it was declined. `gone` are the
    seats whose players resigned, `eliminated` those that the rules put out, in that order. `plies` counts the
    turns that were played, `entries` the whole log.
    """

    position: Any
    status: Status
    to_move: Seat | None
    turns: tuple[Turn, ...]
    outcome: Outcome | None
    gone: tuple[Seat, ...]
    eliminated: tuple[Seat, ...]
    plies: int
    entries: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class Replayed:
    """A match, and the state that its log adds up to."""

    match: Match
    state: State

    @property
    def playing(self) -> frozenset[str]:
        """The userids of those who neither left nor were put out."""
        out = (*self.state.gone, *self.state.eliminated)
        return frozenset(userid for seat, userid in enumerate(self.match.userids) if seat not in out)

    def then(self, entry: Entry) -> "Replayed":
        """The same after one more entry. Raises BrokenLog when that does not follow."""
        after = _next_state(rules_of(self.match), self.match, self.state, entry)
        return Replayed(self.match.with_entries((entry,)), after)

    def at(self, ply: int | None) -> "Replayed":
        """The same as it stood right after a ply (0 is the start); None: as it stands."""
        return self if ply is None else Replayed(self.match, fold(self.match, ply))


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
    state = _first_state(game, match)
    for entry in match.entries:
        if state.plies == ply:
            break
        state = _next_state(game, match, state, entry)
    return state


def replay(match: Match) -> "Replayed":
    """The match with the state that its log adds up to. Raises BrokenLog."""
    return Replayed(match, fold(match))


def _first_state(game: Game, match: Match) -> State:
    try:
        position = game.start(len(match.userids), dict(match.options))
    except BadOption as error:
        raise BrokenLog(f"board {match.number} has options that its rules do not know") from error
    return State(
        position, "active", game.to_move(position), (), game.outcome(position), (), (), 0, 0, match.started
    )


def _next_state(game: Game, match: Match, before: State, entry: Entry) -> State:
    """The state after one more entry, which must follow."""

    def broken(why: str) -> BrokenLog:
        return BrokenLog(f"board {match.number}: entry {entry.seq} {why}")

    if entry.seq != before.entries + 1 or before.status != "active":
        raise broken("does not follow")
    if entry.seat not in range(len(match.userids)) or entry.seat in (*before.gone, *before.eliminated):
        raise broken("is of a seat that is not in the game")
    position, plies = before.position, before.plies
    events: tuple[Event, ...] = ()
    gone = before.gone if entry.kind == "played" else (*before.gone, entry.seat)
    match entry.kind:
        case "played":
            if entry.seat != before.to_move:
                raise broken("is out of turn")
            try:
                move = game.read(position, entry.text)
            except MoveError as error:
                raise broken(f"is no move here: {entry.text}") from error
            position, events = game.play(position, move)
            plies += 1
            turn = Turn(entry.seat, plies, entry.text, events)
        case "resigned":
            position, events = game.leave(position, entry.seat)
            turn = Turn(entry.seat, None, None, events)
        case "declined":
            turn = Turn(entry.seat, None, None, ())
        case _:
            raise broken("is of no known kind")
    outcome = None if entry.kind == "declined" else game.outcome(position)
    over: Status = "declined" if entry.kind == "declined" else "active" if outcome is None else "finished"
    return State(
        position=position,
        status=over,
        to_move=game.to_move(position) if over == "active" else None,
        turns=(*before.turns, turn),
        outcome=outcome,
        gone=gone,
        eliminated=(*before.eliminated, *(event.seat for event in events if isinstance(event, Eliminated))),
        plies=plies,
        entries=entry.seq,
        last_at=entry.at,
    )


def summarise(state: State) -> Summary:
    """The summary of a state."""
    moves = [turn.move for turn in state.turns if turn.move]
    return Summary(state.status, state.to_move, state.plies, state.last_at, moves[-1] if moves else "")
