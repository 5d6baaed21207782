"""What comes of asking for a draw or a take-back, and of agreeing to it or not."""

from datetime import datetime

from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import NothingToConfirm
from pbmserv.commands.replies.common import Reply
from pbmserv.commands.replies.consent import (
    Agreed,
    DrawAgreed,
    DrawProposed,
    NotAgreed,
    OfferDropped,
    UndoAgreed,
    UndoAsked,
)
from pbmserv.games.game import Seat
from pbmserv.matches.consent import accept, ask_undo, propose, reject
from pbmserv.matches.entry import Entry
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused
from pbmserv.matches.replay import Replayed

IN_A_MOVES_PLACE = ("propose", "undo", "accept", "reject")


def consent(word: str, board: Replayed, seat: Seat, request: Request, now: datetime) -> Decision | Refused:
    """What comes of one of these words, said by a seat of a board."""
    match, state = board.match, board.state
    ply, seen_at = request.arguments.ply, request.seen_at
    entry: Entry | Refused
    if word == "propose":
        entry = propose(match, state, seat, now, ply)
    elif word == "undo":
        entry = ask_undo(match, state, seat, now)
    elif word == "accept":
        entry = accept(match, state, seat, now, ply, seen_at)
    else:
        entry = reject(match, state, seat, now, ply, seen_at)
    if isinstance(entry, Refused):
        return entry
    after = board.then(entry)
    return Decision(_reply(entry, board, after), entries=(entry,), boards=(after,))


def nothing_to_confirm(request: Request, records: Records) -> NothingToConfirm:
    """Why a `yes` or `no` does nothing. Neither answers an offer: some mail programs send them at a touch."""
    player, number = request.actor.player, request.answered_board
    board = records.board(number) if number is not None else None
    seat = board.match.seat_of(player.userid) if board and player else None
    offer = board.state.offer if board else None
    if offer is None or seat not in offer.waits_for:
        return NothingToConfirm(lacks_word=request.lacks_word)
    return NothingToConfirm(board=number, waits=offer.kind)


def _reply(entry: Entry, before: Replayed, after: Replayed) -> Reply:
    number, userids, offer = before.match.number, before.match.userids, after.state.offer
    waits_for = tuple(userids[seat] for seat in offer.waits_for) if offer else ()
    if entry.kind == "proposed":
        return DrawProposed(number, waits_for)
    if entry.kind == "asked":
        back = [turn.move or "" for turn in before.state.turns if turn.ply and turn.ply > int(entry.text)]
        return UndoAsked(number, back[0], len(back) - 1, waits_for)
    answered = before.state.offer
    assert answered is not None
    by = userids[answered.by]
    if entry.kind == "rejected":
        is_own = entry.seat == answered.by
        return OfferDropped(number, answered.kind) if is_own else NotAgreed(number, answered.kind, by)
    if waits_for:
        return Agreed(number, answered.kind, by, waits_for)
    return DrawAgreed(number) if answered.kind == "draw" else UndoAgreed(number, by, after.on_turn or "")
