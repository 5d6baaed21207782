"""Replays a match's log, entry by entry, into its state. Boards are not stored, but replayed when needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbmserv.games.game import Seat
from pbmserv.games.info import BadOption
from pbmserv.matches.log import BY_PLAYERS, BrokenLog, Entry, EntryKind, Match, rules_of
from pbmserv.matches.next_state import next_state
from pbmserv.matches.state import State


@dataclass(frozen=True, slots=True)
class GameState:
    """A match, and the state that its log adds up to."""

    match: Match
    state: State

    @property
    def playing(self) -> frozenset[str]:
        """The userids of those who neither left nor were put out."""
        return frozenset(self.match.userids[seat] for seat in self.state.seats_in)

    @property
    def on_turn(self) -> str | None:
        """The userid on turn."""
        return None if self.state.to_move is None else self.match.userids[self.state.to_move]

    @property
    def counts(self) -> bool:
        """Whether it counts for the ratings: to be rated, finished, and everybody has played."""
        is_over = self.match.rated and self.state.status == "finished"
        return is_over and all(self.state.plies_of(seat) for seat, _ in enumerate(self.match.userids))

    def known_to(self, seat: Seat | None, told: int | None) -> int:
        """Up to which entry a seat (None: somebody who watches) knows the log.

        `told` is the last entry that it was told; None: that of its own last turn. What it then did itself, before
        anybody else did anything, it knows too.
        """
        known = told or 0
        if told is None:
            known = max((turn.seq for turn in self.state.turns if turn.seat == seat), default=0)
        for entry in self.match.entries[known:]:
            if entry.seat != seat or entry.kind not in BY_PLAYERS:
                break
            known = entry.seq
        return known

    def has_news(self, seat: Seat | None, told: int | None) -> bool:
        """Whether anything has happened that a seat does not know."""
        return self.known_to(seat, told) < self.state.entries

    def left_out(self, userid: str) -> tuple[str, ...]:
        """Who of three and more have declined it, so that `userid` would play on without them."""
        userids = self.match.userids
        is_declined = self.state.status == "declined" and len(userids) > 2
        return tuple(userids[seat] for seat in self.state.gone if userids[seat] != userid) if is_declined else ()

    def again(self, userid: str) -> tuple[str, ...]:
        """Who would play if `userid` asks for the game once more, in order of play; empty if they are too few."""
        without, userids = self.left_out(userid), self.match.userids
        if not without:
            return (*userids[1:], userids[0])
        left = tuple(name for name in userids if name not in without)
        return left if len(left) >= rules_of(self.match).info.least_seats else ()

    def entry(
        self, now: datetime, kind: EntryKind, seat: Seat | None = None, text: str = "", used: int = 0
    ) -> Entry:
        """The entry that comes next in the log; whether it may is for others to say."""
        return Entry(self.match.number, self.state.entries + 1, now, kind, seat, text, used)

    def apply(self, entry: Entry) -> "GameState":
        """The board after one more entry. Raises BrokenLog if the entry cannot follow."""
        after = next_state(rules_of(self.match), self.match, self.state, entry)
        return GameState(self.match.with_entries((entry,)), after)

    def at(self, ply: int | None) -> "GameState":
        """The same as it stood right after a ply (0 is the start); None: as it stands."""
        return self if ply is None else GameState(self.match, fold(self.match, ply))


def fold(match: Match, ply: int | None = None) -> State:
    """The state after the whole log, or right after a ply of the line that is played on (0 is the start).

    Raises BrokenLog when an entry does not fit: a gap, a move the rules do not know, something after the end or by
    a seat that has gone; and when the rules do not know the options.
    """
    start = _start(match)
    now = then = start
    for now, is_after_ply in _later(match, start):
        if is_after_ply and now.plies == ply:
            then = now
    return now if ply is None or ply > now.plies else then


def line(match: Match) -> tuple[State, ...]:
    """The state at the start and right after each ply of the line that is played on. Raises BrokenLog."""
    start = _start(match)
    states = [start]
    for state, is_after_ply in _later(match, start):
        if is_after_ply:
            states[state.plies :] = [state]
    return tuple(states)


def positions(match: Match) -> tuple[Any, ...]:
    """The position before each ply of the line that is played on, and the last one. Raises BrokenLog.

    They differ from those of `line` where a player has left between two plies.
    """
    found = [_start(match).position]
    for state, _ in _later(match, _start(match)):
        found[state.plies :] = [state.position]
    return tuple(found)


def replay(match: Match) -> GameState:
    """The match with the state that its log adds up to. Raises BrokenLog."""
    return GameState(match, fold(match))


def _later(match: Match, start: State) -> Iterator[tuple[State, bool]]:
    """The state after each entry, and whether it is that right after a ply: one played, or one gone back to."""
    game, state = rules_of(match), start
    for entry in match.entries:
        before, state = state, next_state(game, match, state, entry)
        yield state, entry.kind == "played" or state.plies < before.plies


def _start(match: Match) -> State:
    game = rules_of(match)
    try:
        position = game.start(len(match.userids), dict(match.options))
    except BadOption as error:
        raise BrokenLog(f"board {match.number} has options that its rules do not know") from error
    nothing = (0,) * len(match.userids)
    return State(
        position=position,
        status="active",
        to_move=game.to_move(position),
        turns=(),
        outcome=game.outcome(position),
        gone=(),
        eliminated=(),
        plies=0,
        entries=0,
        last_at=match.started,
        used=nothing,
        added=nothing,
    )
