"""How a player's mail is acknowledged: at once, with the answer of a robot, once a day, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from pbmserv.commands.address import SignedUp
from pbmserv.commands.command import Actor, Arguments, Decision, Remark, Reply, commands, words_above
from pbmserv.commands.letter import AT_ONCE, Letter, MoveToTell
from pbmserv.commands.move import MovePlayed
from pbmserv.commands.practice import PracticeBegun
from pbmserv.commands.queue import QueuePlayed
from pbmserv.commands.set import resume_mail
from pbmserv.mail.sending.from_web import is_by_link
from pbmserv.matches.player import MOVES_ACKNOWLEDGED, Player
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.services.compose import ReplyContext
from pbmserv.services.notices import BoardChange, board_notices, person_of
from pbmserv.services.run import CommandResult, touched
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import accounts, letters, operating
from pbmserv.store.letters import LogCursor
from pbmserv.store.queries import TransactionQueries

WAIT_FOR_PAGE: Final = timedelta(minutes=10)
"""How long a robot's answer to a move on a page waits: a player who is still there needs no mail."""

WAIT_FOR_ROBOT: Final = timedelta(minutes=1)
"""How long an acknowledgement waits for the robot's answer, to tell that too."""

WAIT_FOR_OTHERS: Final = timedelta(days=1)
"""How long a move waits to be told by another mail, before the letter of the day tells it."""


class FewerReceipts(Reply, place="below"):
    """From now on the reader's moves by mail are not acknowledged one by one."""


class Receipts(Reply):
    """The reader's moves, each with its board, and the players who have to move there now."""

    played: tuple[tuple[str, int], ...]
    waiting: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """How a mail is acknowledged."""

    due_at: datetime | None
    """When it is answered; None: by the letter of the day, or not at all."""

    remarks: tuple[Remark, ...] = ()
    """What the answer says besides."""

    moved_on: tuple[int, ...] = ()
    """The boards of a mail of mere moves: what waited to be told there is out of date."""

    is_later: bool = False
    """Whether the letter of the day names its moves."""

    on_page_at: datetime | None = None
    """When they were made on a page, if they were."""

    counted: int = 0
    """How many moves count as acknowledged now, if their player still has every move acknowledged."""


ANSWERED: Final = Acknowledgement(AT_ONCE)


def acknowledge(work: UnitOfWork, to: ReplyContext, results: Sequence[CommandResult]) -> Acknowledgement:
    """Decides how the sender learns of it, and what is to be noted by `note`.

    Whatever is more than a legal move is answered at once, and so is a move after which the sender has to move
    again, or that ends the game. A move by a play link is shown on its page.
    """
    player = to.player
    boards = touched(results)
    is_page = is_by_link(to.mail.message_id)
    is_plain = player and boards and all(_is_plain_move(work.records, to, player, result) for result in results)
    if player is None or not is_plain:
        return ANSWERED
    has_news = any(board.state.status != "active" for board in boards.values())
    is_next = any(_waits_for(board, player) for board in boards.values())
    settings = player.mail
    is_new = settings.acknowledged < MOVES_ACKNOWLEDGED
    due_at: datetime | None = AT_ONCE
    if is_page and not has_news:
        due_at = None
    elif not has_news and not is_next:
        if not is_new and settings.receipts != "on":
            due_at = None
        elif _is_robot_next(work, boards):
            due_at = work.now + WAIT_FOR_ROBOT
    counted = len(boards) if is_new and not is_page else 0
    remarks: tuple[Remark, ...] = ()
    if counted and settings.acknowledged + counted >= MOVES_ACKNOWLEDGED and settings.receipts == "daily":
        remarks = (Remark(min(boards), player.userid, FewerReceipts()),)
    is_later = due_at is None and not is_page and settings.receipts == "daily"
    on_page_at = work.now if is_page else None
    return Acknowledgement(due_at, remarks, tuple(boards), is_later, on_page_at, counted)


def note(work: UnitOfWork, acknowledgement: Acknowledgement, player: Player | None) -> None:
    """Notes what a player has yet to be told of, before the answer is decided."""
    if player is None:
        return
    for board in acknowledgement.moved_on:
        letters.drop(work.connection, player.userid, board)
        if acknowledgement.on_page_at is not None:
            seen = LogCursor(board, player.id, work.boards[board].state.entries)
            letters.move_cursors(work.connection, [seen], acknowledgement.on_page_at)
        elif not all(person_of(work.records, userid) for userid in work.boards[board].match.userids):
            letters.forget_page_move(work.connection, board, player.id)
        if acknowledgement.is_later:
            tell_later(work, board, player)
    if acknowledgement.counted:
        accounts.count_acknowledged(work.connection, player.id, acknowledgement.counted)


def tell_later(work: UnitOfWork, board: int, player: Player) -> None:
    """Has the letter of the day name a player's last move on a board, unless another mail tells it before."""
    due_at = work.now + WAIT_FOR_OTHERS
    work.say([Letter(MoveToTell(), "notice", player.address, player.userid, board, due_at=due_at)])


def mail_on_again(work: UnitOfWork, to: ReplyContext) -> tuple[CommandResult, ...]:
    """Turns a player's mail on again, since they have written; what the answer says of it."""
    player = to.player
    if player is None or not player.mail.is_off or is_by_link(to.mail.message_id):
        return ()
    decision = resume_mail(player, work.records)
    work.write(decision, work.now)
    actor = Actor(player, to.mail.sender, "none")
    return (CommandResult(Parsed("", commands()["set"], Arguments()), decision, actor),)


def note_queued_moves(work: UnitOfWork, remarks: Sequence[Remark]) -> None:
    """Queued moves were played: the letter of the day names them, if no other tells of them."""
    for each in remarks:
        owner = work.records.player(each.userid) if each.userid and isinstance(each.words, QueuePlayed) else None
        if owner is not None and owner.mail.receipts == "daily":
            letters.drop(work.connection, owner.userid, each.board)
            tell_later(work, each.board, owner)


def robot_notices(work: UnitOfWork, happened: BoardChange) -> list[Letter]:
    """The letters about what a robot did on a board.

    Somebody who has just moved on a page sees it there: their letter waits until they seem to have gone.
    """
    found = board_notices(work.records, happened)
    if happened.board.state.status != "active":
        return found
    on_page = letters.moved_on_page(work.connection, happened.board.match.number)
    return [_after_page(each, on_page.get(each.userid), work.now) for each in found]


def _after_page(letter: Letter, on_page_at: datetime | None, now: datetime) -> Letter:
    if on_page_at is None or now - on_page_at > WAIT_FOR_PAGE:
        return letter
    return replace(letter, due_at=now + WAIT_FOR_PAGE)


def _is_plain_move(records: TransactionQueries, to: ReplyContext, player: Player, result: CommandResult) -> bool:
    """Whether a line has done nothing but play a move that the sender had proven to be theirs, or a first move."""
    decided, actor = result.outcome, result.actor
    if not isinstance(decided, Decision) or actor is None:
        return False
    if isinstance(decided.reply, SignedUp | PracticeBegun):
        return actor.proven and not to.left_out
    if not isinstance(decided.reply, MovePlayed):
        return False
    if not actor.proven or actor.proof == "confirmed" or actor.player is None or actor.player.id != player.id:
        return False
    remarks = [
        words for board in decided.changed_boards for words in words_above(decided.remarks, board, player.userid)
    ]
    shows = decided.shown or decided.previews or decided.records
    asks = decided.awaits_yes or decided.question is not None
    return not (remarks or to.left_out or shows or asks)


def _waits_for(board: GameState, player: Player) -> bool:
    """Whether a board waits for that player, to move or to answer an offer."""
    seat, offer = board.match.seat_of(player.userid), board.state.offer
    return board.on_turn == player.userid or (offer is not None and seat in offer.waits_for)


def _is_robot_next(work: UnitOfWork, boards: dict[int, GameState]) -> bool:
    """Whether the one board that a mail is about waits for a robot that will answer soon."""
    (board, *others) = boards.values()
    if others or board.on_turn is None or person_of(work.records, board.on_turn):
        return False
    return operating.robots_are_alive(work.connection, work.now)
