"""What was asked, agreed and ruled in a board's present turn, as values for the templates that tell of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from pbmserv.games.game import Seat
from pbmserv.matches.entry import Entry, EntryKind
from pbmserv.matches.replay import Replayed
from pbmserv.matches.state import OfferKind, State

LEAVES: Final[dict[EntryKind, str]] = {
    "resigned": "resigns",
    "declined": "declines",
    "forfeited": "forfeits",
    "removed": "is removed",
}
"""What stands in the list of moves where somebody goes."""

_KINDS: Final[dict[EntryKind, OfferKind]] = {"proposed": "draw", "asked": "undo"}


@dataclass(frozen=True, slots=True)
class Pending:
    """A draw or a take-back that `by` wants: `waits_for` have to answer it, `agreed` have accepted.

    `move` is what would be taken back, and `also` so many moves after it.
    """

    kind: OfferKind
    by: str
    waits_for: tuple[str, ...]
    agreed: tuple[str, ...]
    move: str = ""
    also: int = 0


@dataclass(frozen=True, slots=True)
class Happening:
    """What happened in the turn and was no move. `userid` is who did it, or whom it befell.

    `of` is who wanted what was accepted or rejected, `offer` what that is; `hours` are those given.
    """

    kind: EntryKind
    userid: str = ""
    of: str = ""
    offer: OfferKind = "draw"
    hours: int = 0


def pending(board: Replayed) -> Pending | None:
    """What waits for consent on a board."""
    offer, userids = board.state.offer, board.match.userids
    if offer is None:
        return None
    waits_for = tuple(userids[seat] for seat in offer.waits_for)
    others = (seat for seat in board.state.seats_in if seat != offer.by)
    agreed = tuple(userids[seat] for seat in others if seat not in offer.waits_for)
    if offer.kind == "draw":
        return Pending("draw", userids[offer.by], waits_for, agreed)
    back = [turn.move or "" for turn in board.state.turns if turn.ply is not None and turn.ply > offer.ply]
    return Pending("undo", userids[offer.by], waits_for, agreed, back[0], len(back) - 1)


def happened(board: Replayed) -> tuple[Happening, ...]:
    """What is to be told of the present turn of a running board, in order; what waits for consent is not in it."""
    return tuple(_happened(board)) if board.state.status == "active" else ()


def departures(state: State) -> dict[Seat, EntryKind]:
    """How those went who have gone."""
    return {turn.seat: turn.kind for turn in state.turns if turn.move is None}


def _happened(board: Replayed) -> Iterator[Happening]:
    userids, state = board.match.userids, board.state
    for entry in state.since:
        userid = "" if entry.seat is None else userids[entry.seat]
        if entry.kind == "rejected" or (entry.kind == "accepted" and entry.seq == state.turn):
            asked = _answered(board, entry)
            of = "" if asked.seat is None else userids[asked.seat]
            yield Happening(entry.kind, userid, of, _KINDS[asked.kind])
        elif entry.kind == "extended":
            yield Happening("extended", userid, hours=int(entry.text))
        elif entry.kind in ("resumed", "rewound"):
            # That clocks stand still is told wherever time is.
            yield Happening(entry.kind)


def _answered(board: Replayed, answer: Entry) -> Entry:
    """The entry that asked for what another one answers."""
    earlier = reversed(board.match.entries[: answer.seq - 1])
    return next(entry for entry in earlier if entry.kind in _KINDS)
