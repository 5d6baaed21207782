"""`propose`, `undo`, `accept` and `reject`: draws and take-backs, to which the other players must agree."""

from datetime import datetime
from typing import Literal

from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import find_seat
from pbmserv.commands.offers import accept_offer
from pbmserv.games.game import Seat
from pbmserv.matches import moves
from pbmserv.matches.log import Entry
from pbmserv.matches.queries import Queries
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import OfferKind


class DrawProposed(Reply):
    """The sender proposes a draw; the players in `waits_for` must agree."""

    board: int
    waits_for: tuple[str, ...]


class UndoAsked(Reply):
    """The sender asks to take back `move` and the `also` moves after it; the players in `waits_for` must agree."""

    board: int
    move: str
    also: int
    waits_for: tuple[str, ...]


class Agreed(Reply):
    """The sender agrees to a draw or take-back proposed by `by`; the players in `waits_for` must agree too."""

    board: int
    kind: OfferKind
    by: str
    waits_for: tuple[str, ...]


class DrawAgreed(Reply):
    """Everybody has agreed to a draw: the game is over."""

    board: int


class UndoAgreed(Reply):
    """Everybody has agreed: `by` has taken back a move, and it is the turn of `to_move`."""

    board: int
    by: str
    to_move: str


class NotAgreed(Reply):
    """The sender rejects the offer of `by`."""

    board: int
    kind: OfferKind
    by: str


class OfferDropped(Reply):
    """The sender has withdrawn their own offer."""

    board: int
    kind: OfferKind


IN_A_MOVES_PLACE = ("propose", "undo", "accept", "reject")


def consent(word: str, board: GameState, seat: Seat, request: Request, now: datetime) -> Decision:
    """The decision when a seat of a board says one of these words."""
    ply, seen_at = request.arguments.ply, request.replied_to.written_at
    if word == "propose":
        entry = moves.propose(board, seat, now, ply)
    elif word == "undo":
        entry = moves.ask_undo(board, seat, now)
    else:
        kind: Literal["accepted", "rejected"] = "accepted" if word == "accept" else "rejected"
        entry = moves.answer(kind, board, seat, now, ply, seen_at)
    after = board.apply(entry)
    return Decision(_reply(entry, board, after), entries=(entry,), boards=(after,))


def _reply(entry: Entry, before: GameState, after: GameState) -> Reply:
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


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Proposes a draw, asks for a take-back or rejects either for the player's seat."""
    return consent(request.command.name, *find_seat(request, records), request, now)


def _declared(name: str, summary: str) -> Command:
    form, example = f"[game] {name} board [userid password]", f"{name} 101"
    return Command(name, (form,), summary, example, run, scope="board")


propose_command = _declared("propose", "propose a draw")
undo_command = _declared("undo", "ask the others to let you take your last move back")
reject_command = _declared("reject", "reject a draw or a take-back")


def run_accept(request: Request, records: Queries, now: datetime) -> Decision:
    """Agrees for the player's seat, or takes a seat in an open offer."""
    offer = request.arguments.offer
    if offer is not None:
        return accept_offer(request, offer, records, now)
    return consent("accept", *find_seat(request, records), request, now)


accept_command = Command(
    name="accept",
    forms=("accept offer", "[game] accept board [userid password]"),
    summary="accept a draw, a take-back or an open offer",
    example="accept 101",
    run=run_accept,
    scope="board",
)
