"""What needs the others' consent, a draw or a take-back: who may ask for it, and who may answer, when.

One offer waits at a time, and the next ply ends it. Each player may try each kind once in a turn.
"""

from datetime import datetime

from pbmserv.games.game import Seat
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.moves import PROPOSE, UNDO, require_may_act
from pbmserv.matches.next_state import entry_after
from pbmserv.matches.state import OfferKind, State


class ConsentPending(CommandError):
    """A draw or a take-back, asked for by `by`, waits already, perhaps for the sender (`may_answer`)."""

    kind: OfferKind
    by: str
    is_own: bool
    may_answer: bool


class AskedThisTurn(CommandError):
    """The sender has asked for that in this turn already, and it has come to nothing."""

    kind: OfferKind


class NothingToTakeBack(CommandError):
    """The sender has not played yet."""


class LeftSince(CommandError):
    """After the sender's last move `userids` have left, who do not come back."""

    userids: tuple[str, ...]


class NothingToAnswer(CommandError):
    """Nothing waits for anybody's consent; `may_undo`: the sender could ask to take a move back."""

    may_undo: bool


class OthersAnswer(CommandError):
    """The draw or take-back waits for `waits_for`; the sender has agreed, or asked for it (`is_own`)."""

    kind: OfferKind
    is_own: bool
    waits_for: tuple[str, ...]


class OfferVoid(CommandError):
    """What the sender has answered waits no more; `another` offer may wait for them."""

    another: bool


def propose(match: Match, state: State, seat: Seat, now: datetime, meant_ply: int | None = None) -> Entry:
    """The entry for a seat that proposes a draw; where the others' proposal waits for it, it agrees to that.

    `meant_ply` is the ply that the player thought to come next, if known.
    """
    require_may_act(match, state, seat, PROPOSE, meant_ply)
    if state.offer is not None and state.offer.kind == "draw" and seat in state.offer.waits_for:
        return entry_after(match, state, now, "accepted", seat)
    _require_may_ask(match, state, seat, "draw")
    return entry_after(match, state, now, "proposed", seat)


def ask_undo(match: Match, state: State, seat: Seat, now: datetime) -> Entry:
    """The entry for a seat that wants to take back its last ply, and what came after it."""
    require_may_act(match, state, seat, UNDO, None)
    _require_may_ask(match, state, seat, "undo")
    ply = state.takes_back(seat)
    if ply is not None:
        return entry_after(match, state, now, "asked", seat, str(ply))
    last = max((place for place, turn in enumerate(state.turns) if turn.seat == seat), default=None)
    if last is None:
        raise NothingToTakeBack(board=match.number)
    left = tuple(match.userids[turn.seat] for turn in state.turns[last:] if turn.ply is None)
    raise LeftSince(board=match.number, userids=left)


def accept(
    match: Match,
    state: State,
    seat: Seat,
    now: datetime,
    meant_ply: int | None = None,
    seen_at: datetime | None = None,
) -> Entry:
    """The entry for a seat that agrees to what waits for its answer.

    `seen_at`: when the mail was written that the player answers, if they do. Nobody agrees to what came later.
    """
    _require_may_answer(match, state, seat, meant_ply, seen_at)
    offer = state.offer
    if offer is not None and seat not in offer.waits_for:
        raise _others_answer(match, state, seat)
    return entry_after(match, state, now, "accepted", seat)


def reject(
    match: Match,
    state: State,
    seat: Seat,
    now: datetime,
    meant_ply: int | None = None,
    seen_at: datetime | None = None,
) -> Entry:
    """The entry for a seat that does not agree, or withdraws what it has offered itself."""
    _require_may_answer(match, state, seat, meant_ply, seen_at)
    offer = state.offer
    if offer is not None and seat not in (offer.by, *offer.waits_for):
        raise _others_answer(match, state, seat)
    return entry_after(match, state, now, "rejected", seat)


def _require_may_ask(match: Match, state: State, seat: Seat, kind: OfferKind) -> None:
    offer = state.offer
    if offer is not None:
        raise ConsentPending(
            board=match.number,
            kind=offer.kind,
            by=match.userids[offer.by],
            is_own=offer.by == seat,
            may_answer=seat in offer.waits_for,
        )
    if (kind, seat) in state.offered:
        raise AskedThisTurn(board=match.number, kind=kind)


def _require_may_answer(
    match: Match, state: State, seat: Seat, meant_ply: int | None, seen_at: datetime | None
) -> None:
    require_may_act(match, state, seat, "", None)
    is_stale = meant_ply is not None and meant_ply != state.plies + 1
    came_later = state.offered_at is not None and seen_at is not None and seen_at < state.offered_at
    if is_stale or came_later:
        offer = state.offer
        raise OfferVoid(board=match.number, another=offer is not None and seat in offer.waits_for)
    if state.offer is None:
        is_free = state.takes_back(seat) is not None and ("undo", seat) not in state.offered
        raise NothingToAnswer(board=match.number, may_undo=is_free)


def _others_answer(match: Match, state: State, seat: Seat) -> OthersAnswer:
    assert state.offer is not None
    waits_for = tuple(match.userids[each] for each in state.offer.waits_for)
    return OthersAnswer(
        board=match.number, kind=state.offer.kind, is_own=state.offer.by == seat, waits_for=waits_for
    )
