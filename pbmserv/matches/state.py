"""What a match's log adds up to, and what listings tell of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from pbmserv.games.game import Event, Outcome, Seat
from pbmserv.matches.clock import Stop
from pbmserv.matches.log import Entry, EntryKind

Status = Literal["active", "finished", "declined", "annulled"]
"""A match that was declined or annulled counts for nobody."""

Ending = Literal["played", "resigned", "forfeited", "removed", "agreed", "awarded"]
"""How a finished match came to its end: by the rules, since others have gone, by consent, by the operator."""

OfferKind = Literal["draw", "undo"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One line of the story: a ply with its number and move, or a leaving (both None); `kind` is its entry's.

    `used` are the seconds that it took of the seat's time, `seq` is the number of its entry; the same line played
    anew may have others.
    """

    seat: Seat
    ply: int | None
    move: str | None
    events: tuple[Event, ...]
    kind: EntryKind = "played"
    used: int = field(default=0, compare=False)
    seq: int = field(default=0, compare=False)


def rounds(turns: Iterable[Turn]) -> list[dict[Seat, Turn]]:
    """Turns as they are set in a column for each seat.

    A new row begins where a seat does not stand to the right of the one before.
    """
    found: list[dict[Seat, Turn]] = []
    for turn in turns:
        if not found or any(seat >= turn.seat for seat in found[-1]):
            found.append({})
        found[-1][turn.seat] = turn
    return found


@dataclass(frozen=True, slots=True)
class Offer:
    """A draw, or a take-back to right after `ply`, that `by` wants and `waits_for` have not yet agreed to."""

    kind: OfferKind
    by: Seat
    waits_for: tuple[Seat, ...]
    ply: int = 0


@dataclass(frozen=True, slots=True)
class State:
    """The state after a log.

    `to_move` is None when it is over; `outcome` and `ending` are None while it runs and when it counts for nobody.
    `gone` are the seats whose players left, `eliminated` those that the rules put out, in that order. `turns` and
    `plies` are those of the line that is played on, without what was taken back; `entries` counts the whole log.

    `turn` is the number of the entry that began the present turn (0: the start). `since` are the entries after it
    that were no plies, with itself where it took plies back. `offer` is pending; `offered` was tried in this turn
    already. Of each seat `used` are the seconds that its plies took, `added` those that the operator gave it;
    `extra` those given for this turn. `pauses` are all of the match.
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
    used: tuple[int, ...]
    added: tuple[int, ...]
    extra: int = 0
    ending: Ending | None = None
    turn: int = 0
    since: tuple[Entry, ...] = ()
    offer: Offer | None = None
    offered: frozenset[tuple[OfferKind, Seat]] = frozenset()
    pauses: tuple[Stop, ...] = ()

    def takes_back(self, seat: Seat) -> int | None:
        """The ply after which the board would stand without a seat's last ply and what came after it.

        None where it has not played, or a player has left since: nobody comes back by consent.
        """
        for turn in reversed(self.turns):
            if turn.ply is None:
                return None
            if turn.seat == seat:
                return turn.ply - 1
        return None

    @property
    def offered_at(self) -> datetime | None:
        """When the pending offer was made."""
        made = (entry.at for entry in reversed(self.since) if entry.kind in ("proposed", "asked"))
        return next(made, None) if self.offer else None

    @property
    def is_paused(self) -> bool:
        """Whether the operator has stopped the clocks."""
        return bool(self.pauses) and self.pauses[-1].until is None

    def plies_of(self, seat: Seat) -> int:
        """How many plies of the line that is played on are a seat's."""
        return sum(turn.seat == seat and turn.ply is not None for turn in self.turns)

    def is_in(self, seat: Seat) -> bool:
        """Whether a seat is still in the game: neither gone nor eliminated."""
        return seat not in self.gone and seat not in self.eliminated

    @property
    def seats_in(self) -> tuple[Seat, ...]:
        """The seats that are still in the game, in order of play."""
        return tuple(seat for seat in range(len(self.used)) if self.is_in(seat))


@dataclass(frozen=True, slots=True)
class Summary:
    """What listings tell of a match: derived from its log, and rebuilt from it by `summarise`."""

    status: Status
    to_move: Seat | None
    plies: int
    last_at: datetime
    last_move: str


def summarise(state: State) -> Summary:
    """The summary of a state."""
    moves = [turn.move for turn in state.turns if turn.move]
    return Summary(state.status, state.to_move, state.plies, state.last_at, moves[-1] if moves else "")
