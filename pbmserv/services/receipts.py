"""How a player's mail is acknowledged: at once, with the answer of a robot, once a day, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection

from pbmserv.commands.command import Actor, Arguments, Decision, Remark, Reply, ShownBoards, commands, words_above
from pbmserv.commands.move import MovePlayed
from pbmserv.commands.queue import QueuePlayed
from pbmserv.commands.set import resume_mail
from pbmserv.mail.reading.headers import head_of
from pbmserv.mail.sending.from_web import is_by_link
from pbmserv.matches.player import MOVES_ACKNOWLEDGED, Player
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.services.app import App
from pbmserv.services.compose import MailCause, ReplyContext
from pbmserv.services.line_reports import is_unsaid
from pbmserv.services.notices import BoardChange, board_notices
from pbmserv.services.run import CommandResult, touched, write_decision
from pbmserv.store import operating, outbox, receipts
from pbmserv.store.outbox import Hold, OutboxMessage
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.receipts import DELAY

WAIT_FOR_PAGE: Final = timedelta(minutes=10)
"""How long a robot's answer to a move on a page waits: who is still there needs no mail."""


class FewerReceipts(Reply, place="below"):
    """The reader's moves by mail will not be acknowledged one by one any more."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """How a mail is acknowledged."""

    how: Literal["answered", "held", "later", "unsaid"]
    """At once; with what a robot answers; by the mail of the day; not at all."""

    remarks: tuple[Remark, ...] = ()
    """What the answer says besides."""

    moves: tuple["UntoldMove", ...] = ()
    """What is to be noted of them."""

    counted: int = 0
    """How many moves count as acknowledged now, if their player still has every move acknowledged."""


@dataclass(frozen=True, slots=True)
class UntoldMove:
    """A move that is to be noted, because a later mail may have to tell of it."""

    board: int
    # When the mail of the day tells of it, unless another has; None: never.
    due_at: datetime | None
    # When it was made on a page, against a robot; None: it was not.
    on_page_at: datetime | None
    # Whether a robot plays on that board, so that an earlier acknowledgement may still wait for it.
    has_robot: bool


ANSWERED: Final = Acknowledgement("answered")


def acknowledge(
    connection: Connection, records: TransactionQueries, to: ReplyContext, results: Sequence[CommandResult]
) -> Acknowledgement:
    """Decides how the sender is told, and what is to be noted by `note`.

    Whatever is more than a legal move is answered at once, and so is a move after which the sender has to move
    again, or that ends the game. A move by a play link is shown on its page.
    """
    player = to.player
    boards = touched(results)
    is_page = is_by_link(to.mail.message_id)
    if player is None or not all(_is_plain_move(records, to, player, result) for result in results):
        return ANSWERED
    has_news = any(board.state.status != "active" for board in boards.values())
    is_next = any(_waits_for(board, player) for board in boards.values())
    settings = player.mail
    is_new = settings.acknowledged < MOVES_ACKNOWLEDGED
    way: Literal["answered", "held", "later", "unsaid"] = "answered"
    if is_page and not has_news:
        way = "unsaid"
    elif has_news or is_next:
        pass
    elif is_new or settings.receipts == "on":
        way = "held" if _is_robot_next(connection, records, boards, to.now) else "answered"
    else:
        way = "later" if settings.receipts == "daily" else "unsaid"
    moves: list[UntoldMove] = []
    for number, board in boards.items():
        has_robot = any(is_robot(records, userid) for userid in board.match.userids)
        if way == "later" or has_robot:
            due_at = to.now + DELAY if way == "later" else None
            moves.append(UntoldMove(number, due_at, to.now if is_page and has_robot else None, has_robot))
    remarks: tuple[Remark, ...] = ()
    counted = len(results) if is_new and not is_page else 0
    if counted and settings.acknowledged + counted >= MOVES_ACKNOWLEDGED and settings.receipts == "daily":
        remarks = (Remark(min(boards), player.userid, FewerReceipts()),)
    return Acknowledgement(way, remarks, tuple(moves), counted)


def note(connection: Connection, acknowledgement: Acknowledgement, player: Player | None) -> None:
    """Notes what a player has yet to be told of, or was told once more, before the answer is queued."""
    if player is None:
        return
    for move in acknowledgement.moves:
        receipts.note_move(connection, move.board, player.id, move.due_at, move.on_page_at)
        if move.has_robot:
            outbox.drop_held(connection, move.board, player.id)
    if acknowledgement.counted:
        receipts.count_acknowledged(connection, player.id, acknowledgement.counted)


def mail_on_again(
    connection: Connection, records: TransactionQueries, to: ReplyContext
) -> tuple[CommandResult, ...]:
    """Turns a player's mail on again, since they have written; what the answer says of it."""
    player = to.player
    if player is None or not player.mail.is_off or is_by_link(to.mail.message_id):
        return ()
    decision = resume_mail(player, records)
    write_decision(connection, records, decision, to.now)
    actor = Actor(player, to.mail.sender, "none")
    return (CommandResult(Parsed("", commands()["set"], Arguments()), decision, actor),)


def note_queued_moves(
    connection: Connection, records: TransactionQueries, remarks: Sequence[Remark], now: datetime
) -> None:
    """Queued moves were played: the mail of the day names them, if no other tells of them."""
    for each in remarks:
        owner = records.player(each.userid) if each.userid and isinstance(each.words, QueuePlayed) else None
        if owner is not None and owner.mail.receipts == "daily":
            receipts.note_move(connection, each.board, owner.id, now + DELAY, None)


def robot_notices(
    connection: Connection, records: TransactionQueries, app: App, happened: BoardChange, now: datetime
) -> list[OutboxMessage]:
    """The mails about what a robot did on a board.

    An acknowledgement that waited for it is superseded by the mail that tells both. Somebody who has just moved on
    a page sees it there: their mail waits until they seem to have gone.
    """
    board = happened.board.match.number
    players = [each for each in map(records.player, happened.board.match.userids) if each is not None]
    held = {each.userid: _held_answer(connection, board, each) for each in players if each.robot is None}
    answers = {userid: each for userid, each in held.items() if each is not None}
    happened = replace(
        happened,
        causes={userid: cause for userid, (cause, _) in answers.items()},
        remarks=(*happened.remarks, *(remark for _, remarks in answers.values() for remark in remarks)),
    )
    messages = board_notices(records, app, happened, now)
    if happened.board.state.status != "active":
        return messages
    on_page = {each.id: receipts.moved_on_page_at(connection, board, each.id) for each in players}
    return [_after_page(message, board, on_page.get(message.player_id or 0), now) for message in messages]


def _after_page(message: OutboxMessage, board: int, on_page_at: datetime | None, now: datetime) -> OutboxMessage:
    if on_page_at is None or now - on_page_at > WAIT_FOR_PAGE:
        return message
    return replace(message, hold=Hold(board, now + WAIT_FOR_PAGE))


def _held_answer(connection: Connection, board: int, player: Player) -> tuple[MailCause, Sequence[Remark]] | None:
    """What the mail answers in which an acknowledgement waited for a robot, and what it says besides."""
    held = outbox.supersede(connection, board, player.id)
    if held is None or held.inbox_id is None:
        return None
    is_last = player.mail.acknowledged == MOVES_ACKNOWLEDGED and player.mail.receipts == "daily"
    remarks = (Remark(board, player.userid, FewerReceipts()),) if is_last else ()
    answers = head_of(held.raw).first("in-reply-to").decode("ascii", "replace").strip()
    return MailCause(held.inbox_id, answers or None), remarks


def is_robot(records: TransactionQueries, userid: str) -> bool:
    """Whether a program plays for that player."""
    player = records.player(userid)
    return player is not None and player.robot is not None


def _is_plain_move(records: TransactionQueries, to: ReplyContext, player: Player, result: CommandResult) -> bool:
    """Whether a line has done nothing but play a move that the sender had proven to be theirs."""
    decided, actor = result.outcome, result.actor
    if not isinstance(decided, Decision) or not isinstance(decided.reply, MovePlayed) or actor is None:
        return False
    is_known = actor.proven and actor.proof != "confirmed" and actor.player is not None
    remarks = [
        words
        for board in decided.changed_boards
        for words in words_above(decided.notifications.remarks, board, player.userid)
    ]
    is_more = remarks or to.left_out or is_unsaid(result, records) or decided.shown != ShownBoards()
    asks = decided.awaits_yes or decided.notifications.question is not None
    return is_known and actor.player is not None and actor.player.id == player.id and not is_more and not asks


def _waits_for(board: GameState, player: Player) -> bool:
    """Whether a board waits for that player, to move or to answer an offer."""
    seat, offer = board.match.seat_of(player.userid), board.state.offer
    return board.on_turn == player.userid or (offer is not None and seat in offer.waits_for)


def _is_robot_next(
    connection: Connection, records: TransactionQueries, boards: dict[int, GameState], now: datetime
) -> bool:
    """Whether the one board that a mail is about waits for a robot that will answer soon."""
    (board, *others) = boards.values()
    if others or board.on_turn is None or not is_robot(records, board.on_turn):
        return False
    return operating.robots_are_alive(connection, now)
