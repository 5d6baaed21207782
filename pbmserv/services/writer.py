"""Writes letters after the commit that decided them, each once, with all that waits for the same reader and board.

What a letter says is kept by the transaction that decides it. So neither a fault in writing it nor the end of the
process undoes anything: what nobody has written is written by the next who looks (`write_due`). A letter
that cannot be written, or ends the processes that write it, is tried a few times; then its reader gets one plain
sentence instead, and it is set aside.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from sqlalchemy.exc import DBAPIError

from pbmserv.commands import policy
from pbmserv.commands.letter import (
    UNSOLICITED,
    Answer,
    BoardNews,
    FixedText,
    Letter,
    MoveToTell,
    Notice,
    UnknownSaid,
    leaving_kind,
)
from pbmserv.commands.policy import Counted
from pbmserv.mail.log_words import pairs
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.services.compose import NothingLeft
from pbmserv.services.letters import write_letter
from pbmserv.services.limits import Allowance, last_notice, room_for, spend
from pbmserv.services.notices import readable
from pbmserv.services.receipts import Receipts
from pbmserv.services.unit_of_work import UnitOfWork, unit_of_work
from pbmserv.store import letters as stored
from pbmserv.store import outbox
from pbmserv.store.codec import UnknownValue
from pbmserv.store.engine import (
    cause_of,
    is_database_away,
    is_database_trouble,
    reading,
    run_again,
    trace,
    writing,
)
from pbmserv.store.letters import LogCursor, Readers, WaitingLetter
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries

TOGETHER: Final = 10
"""Letters of one commit."""

RESTS: Final = tuple(timedelta(seconds=each) for each in (1, 10, 60, 600))
"""How long a letter rests that could not be written, after each try but the last."""

MOST_TRIES: Final = len(RESTS) + 1

MOST_NAMED: Final = 40
"""Moves that the letter of the day names."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WrittenLetter:
    """A letter that was written, what it took along, and what it costs; no mail where nothing was left to say."""

    key: int
    message: OutboxMessage | None
    along: tuple[int, ...] = ()
    counted: tuple[Counted, ...] = ()
    told: tuple[LogCursor, ...] = ()
    """What its reader knows once it has gone."""
    is_withheld: bool = False
    """Whether it stays unwritten, since mail to its reader comes back."""


@dataclass(frozen=True, slots=True)
class FailedLetter:
    """A letter that could not be written: what is noted of it, and what is sent in its place, if anything."""

    waiting: WaitingLetter
    tries: int
    again_at: datetime
    error: str
    instead: WrittenLetter


@contextmanager
def deciding(app: App, now: datetime) -> Iterator[UnitOfWork]:
    """A unit of work that commits when the block ends, and whose letters are written then."""
    with writing(app.engine) as connection:
        work = unit_of_work(connection, app, now)
        yield work
        work.keep_letters()
    write_now(app, work.letters, now, [*work.boards.values()])


def write_now(app: App, decided: Sequence[Letter], now: datetime, boards: Sequence[GameState] = ()) -> None:
    """Writes those of these letters that are due, with these boards as they were decided.

    What fails waits for `write_due`; nothing is raised.
    """
    due = [WaitingLetter(each) for each in decided if each.due_at <= now]
    try:
        for first in range(0, len(due), TOGETHER):
            _write(app, due[first : first + TOGETHER], now, boards)
    except Exception as error:
        log.error("letters wait to be written %s", pairs(count=len(due), error=cause_of(error)))


def write_due(app: App, now: datetime) -> bool:
    """Writes some letters that are due and that nobody has written; whether there were any."""
    with reading(app.engine) as connection:
        due = stored.due(connection, now, TOGETHER)
    if not due:
        return False
    with writing(app.engine) as connection:
        found = [stored.take_in_hand(connection, each, now + _rest(each.tries + 1)) for each in due]
    ours = [each for each in found if each is not None]
    # What has ended a process at each try is not tried once more.
    to_try = [each for each in ours if each.tries <= MOST_TRIES]
    try:
        if to_try:
            _write(app, to_try, now)
    except DBAPIError:
        # The database went away, which is no fault of the letters.
        with writing(app.engine) as connection:
            for each in to_try:
                stored.mark_failed(connection, each, each.tries - 1, "the database was away", now + RESTS[0])
        raise
    for each in ours:
        if each.tries > MOST_TRIES:
            _give_up(app, each, KilledByLetter(), now)
    return True


class KilledByLetter(Exception):
    """The process that wrote a letter has ended each time."""


def _rest(tries: int) -> timedelta:
    """How long a letter rests after that many tries."""
    return RESTS[min(tries, len(RESTS)) - 1]


def _give_up(app: App, waiting: WaitingLetter, error: Exception, now: datetime) -> None:
    with reading(app.engine) as connection:
        failure = _failed(unit_of_work(connection, app, now), waiting, error)
        seen = stored.readers(connection, [waiting.letter.userid])
    # Where its reader is another by now, it is written again by the next who looks.
    run_again(lambda: _queue(app, seen, [failure], now))


def _write(app: App, due: Sequence[WaitingLetter], now: datetime, boards: Sequence[GameState] = ()) -> None:
    """Writes letters; those with one that the database does not take, one by one."""
    try:
        _write_together(app, due, now, boards)
    except Exception as error:
        if is_database_away(error):
            raise
        if len(due) > 1:
            for each in due:
                _write(app, [each], now, boards)
            return
        _give_up(app, due[0], error, now)


def _write_together(app: App, due: Sequence[WaitingLetter], now: datetime, boards: Sequence[GameState]) -> None:
    """Writes letters on a snapshot, and queues in one commit those that nobody else has taken."""
    tried: list[WrittenLetter | FailedLetter] = []
    with reading(app.engine, snapshot=True) as connection:
        work = unit_of_work(connection, app, now)
        work.records.prefetch({board for each in due for board in _boards_of(each.letter)})
        work.records.update_boards(boards)
        known: dict[tuple[int, int], int] = {}
        along: set[int] = set()
        for each in due:
            if each.key in along:
                continue
            beside = [other.letter for other in due if other.has_waited and other.key not in along]
            try:
                tried.append(written := _written(work, each.letter, beside, known))
                known |= {(each.board, each.player_id): each.entry for each in written.told}
                along |= {*written.along}
            except DBAPIError:
                raise
            except Exception as error:
                tried.append(_failed(work, each, error))
        seen = stored.readers(connection, [each.letter.userid for each in due])
    if not run_again(lambda: _queue(app, seen, tried, now)):
        _write_together(app, due, now, ())


def _boards_of(letter: Letter) -> Sequence[int]:
    if isinstance(letter.said, Answer):
        return [each.number for each in letter.said.boards]
    return () if letter.board is None else [letter.board]


def _queue(app: App, seen: Readers, tried: Sequence[WrittenLetter | FailedLetter], now: datetime) -> bool:
    """Queues the mails that letters became, and notes what could not be written, unless others have done it.

    False, and nothing done, where a reader is not as `seen` when they were written.
    """
    with writing(app.engine) as connection:
        if stored.readers(connection, seen, is_locked=True) != seen:
            return False
        written = [each for each in tried if isinstance(each, WrittenLetter)]
        stored.withhold(connection, [each.key for each in written if each.is_withheld])
        keys = chain.from_iterable((each.key, *each.along) for each in written if not each.is_withheld)
        taken = stored.take(connection, {*keys})
        done = [each for each in written if each.key in taken]
        done += [
            each.instead
            for each in tried
            if isinstance(each, FailedLetter)
            and stored.mark_failed(connection, each.waiting, each.tries, each.error, each.again_at)
        ]
        spend(connection, [counted for each in done for counted in each.counted], now)
        outbox.queue(connection, [each.message for each in done if each.message is not None], now)
        stored.move_cursors(connection, [cursor for each in done for cursor in each.told])
    return True


def _written(
    work: UnitOfWork, letter: Letter, beside: Sequence[Letter], told_now: Mapping[tuple[int, int], int]
) -> WrittenLetter:
    """The mail that a letter becomes, with what waits for its reader, or has waited and is written `beside` it.

    `told_now` is what others of the same commit tell, by board and player.
    """
    connection, records = work.connection, work.records
    reader = records.player(letter.userid) if letter.userid else None
    if reader is not None and letter.kind in UNSOLICITED:
        if reader.mail.is_off and _is_stopped(records, letter):
            return WrittenLetter(letter.key, None)
        if reader.is_suspended and not isinstance(letter.said, MoveToTell):
            return WrittenLetter(letter.key, None, is_withheld=True)
    waiting = [each.letter for each in stored.waiting_for(connection, letter.userid)] if letter.userid else []
    waiting += [each for each in beside if letter.userid and each.userid.lower() == letter.userid.lower()]
    others = [each for each in waiting if each.key != letter.key]
    along: list[Letter] = []
    match letter.said:
        case UnknownSaid():
            raise UnknownValue
        case BoardNews():
            along = [each for each in others if each.board == letter.board and _is_news(each)]
            latest = told_now.get((letter.board or 0, 0 if reader is None else reader.id))
            letter = _with_news(work, letter, along, latest)
            if _is_silent(records, letter):
                return WrittenLetter(letter.key, None, _keys(along))
        case MoveToTell():
            along = [each for each in others if isinstance(each.said, MoveToTell)]
            boards = sorted({each.board for each in (letter, *along) if each.board is not None})
            words = _receipts(records, letter.userid, boards)
            if words is None:
                return WrittenLetter(letter.key, None, _keys(along))
            letter = replace(letter, said=Notice(words, "your moves"), kind="notice", board=None)
    try:
        message = write_letter(work, letter)
    except NothingLeft:
        return WrittenLetter(letter.key, None, _keys(along))
    if isinstance(letter.said, Answer) and letter.said.is_limited:
        return _within_limits(work, letter, message)
    told = {number for number, _ in message.shown} | {message.match}
    along += [each for each in others if each.board in told and _is_told(each)]
    counted = () if letter.kind == "board" else _cost(letter, message)
    return WrittenLetter(letter.key, message, _keys(along), counted, _told(records, letter, message))


def _is_stopped(records: TransactionQueries, letter: Letter) -> bool:
    """Whether a letter does not go to a reader with mail off: they learn how games end and what operators say."""
    match letter.said:
        case BoardNews(is_talk=False, is_watched=False):
            board = records.board(letter.board) if letter.board is not None else None
            return board is None or board.state.status == "active"
        case said:
            return isinstance(said, BoardNews) or leaving_kind(said) != "mail"


def _told(records: TransactionQueries, letter: Letter, message: OutboxMessage) -> tuple[LogCursor, ...]:
    """Up to which entries the reader of a mail knows the boards that it shows as they stand."""
    if message.player_id is None or not letter.userid:
        return ()
    shown = ((records.board(number), ply) for number, ply in message.shown if number > 0)
    return tuple(
        LogCursor(board.match.number, message.player_id, board.state.entries, board.state.status != "active")
        for board, ply in shown
        if board is not None and ply == board.state.plies and board.match.seat_of(letter.userid) is not None
    )


def _keys(letters: Sequence[Letter]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(each.key for each in letters))


def _cost(letter: Letter, message: OutboxMessage) -> tuple[Counted, ...]:
    return () if letter.cause.proven else (policy.BYTES.count(message.recipient, len(message.raw)),)


def _is_told(waiting: Letter) -> bool:
    """Whether a newer mail with its board says all that a letter would say that waits for its time."""
    match waiting:
        case Letter(said=MoveToTell() | Answer() | BoardNews(words="", remarks=())):
            return True
    return False


def _is_news(waiting: Letter) -> bool:
    """Whether news of its board can say what a letter would say that waits for its time."""
    return isinstance(waiting.said, Answer) or (isinstance(waiting.said, BoardNews) and not waiting.said.words)


def _with_news(work: UnitOfWork, letter: Letter, along: Sequence[Letter], told: int | None) -> Letter:
    """News of a board since what its reader knows, with what waited to be told to them there; it answers what was
    to be answered.
    """
    news = letter.said
    assert isinstance(news, BoardNews)
    for each in along:
        match each:
            case Letter(said=Answer(boards=boards), cause=cause):
                remarks = tuple(remark for board in boards for remark in board.remarks)
                news, letter = replace(news, remarks=(*news.remarks, *remarks)), replace(letter, cause=cause)
            case Letter(said=BoardNews(remarks=remarks)):
                new = tuple(remark for remark in remarks if remark not in news.remarks)
                news = replace(news, remarks=(*new, *news.remarks))
    board = work.records.board(letter.board) if letter.board is not None else None
    player = work.records.player(letter.userid)
    if board is None or player is None or news.is_watched or news.begins_turn:
        return replace(letter, said=news)
    known = stored.known_up_to(work.connection, board.match.number, player.id) if told is None else told
    seat = board.match.seat_of(player.userid)
    tells_own = board.state.status != "active" or any(isinstance(each.said, Answer) for each in along)
    if known is not None or not tells_own:
        news = replace(news, since=known if known is None or tells_own else board.known_to(seat, known))
    return replace(letter, said=news)


def _is_silent(records: TransactionQueries, letter: Letter) -> bool:
    """Whether news of a running board would tell its player nothing that they do not know."""
    match letter.said:
        case BoardNews(is_news=True, words="", remarks=(), is_talk=False, since=int(since)):
            board = records.board(letter.board) if letter.board is not None else None
            seat = None if board is None else board.match.seat_of(letter.userid)
            return board is not None and board.state.status == "active" and not board.has_news(seat, since)
    return False


def _receipts(records: TransactionQueries, userid: str, boards: Sequence[int]) -> Receipts | None:
    """What the letter of the day tells; None where there is nothing to tell, or nobody to tell it to."""
    player = records.player(userid)
    if player is None or player.mail.is_off or player.mail.receipts != "daily" or player.is_suspended:
        return None
    played: list[tuple[str, int]] = []
    waiting: dict[str, None] = {}
    for number in boards[:MOST_NAMED]:
        board = readable(records, number, "receipts")
        seat = None if board is None else board.match.seat_of(player.userid)
        if board is None or board.state.status != "active":
            continue
        moves = [turn.move for turn in board.state.turns if turn.seat == seat and turn.move]
        if moves:
            played.append((moves[-1], number))
            waiting |= {board.on_turn: None} if board.on_turn not in (None, player.userid) else {}
    return Receipts(tuple(played), tuple(waiting)) if played else None


def _within_limits(work: UnitOfWork, letter: Letter, message: OutboxMessage) -> WrittenLetter:
    """An answer to somebody who has proven nothing: whole if there is room, else brief or a sentence."""
    assert isinstance(letter.said, Answer)
    connection, now = work.connection, work.now
    room = room_for(connection, letter.recipient, now)
    if len(message.raw) > room.whole:
        message = write_letter(work, letter, is_brief=True)
    cost: tuple[Counted, ...] = ()
    if len(message.raw) > room.at_all and not letter.said.has_changed:
        if last_notice(connection, letter.recipient, now) is Allowance.SILENCE:
            return WrittenLetter(letter.key, None)
        limit = replace(letter, said=FixedText("mail/limit.txt", "limit"), kind="limit", asks="")
        message = write_letter(work, limit)
        cost = (Counted(policy.NOTICE, letter.recipient),)
    return WrittenLetter(letter.key, message, (), (*cost, *_cost(letter, message)))


def _failed(work: UnitOfWork, failed: WaitingLetter, error: Exception) -> FailedLetter:
    """Has a letter tried again, or set aside with a sentence in its place.

    Trouble with one statement does not count: the letter is tried for ever.
    """
    letter, is_counted = failed.letter, not is_database_trouble(error)
    tries = failed.tries + (not failed.is_in_hand) - (not is_counted)
    is_last = is_counted and (tries >= MOST_TRIES or isinstance(error, UnknownValue))
    reason = "another version has kept it" if isinstance(error, UnknownValue) else type(error).__name__
    told = pairs(mail=letter.cause.inbox_id, board=letter.board, tries=tries, error=reason)
    if is_last:
        log.error("a letter is set aside %s", told)
    else:
        log.error("a letter cannot be written %s", told)
    again_at = stored.SET_ASIDE if is_last else work.now + (_rest(tries) if is_counted else RESTS[2])
    instead = _plain(work, letter) if is_last else WrittenLetter(letter.key, None)
    return FailedLetter(failed, tries, again_at, trace(error), instead)


def _plain(work: UnitOfWork, letter: Letter) -> WrittenLetter:
    """The sentence that goes in the place of a letter that cannot be written; it can be answered by a move."""
    board = letter.board
    if isinstance(letter.said, Answer) and len(letter.said.concerned) == 1:
        (board,) = letter.said.concerned
    said = FixedText("mail/unwritten.txt", "your mail", (("board", board),))
    try:
        # Nobody says yes to a question that they have not read.
        message = write_letter(work, replace(letter, said=said, board=board, asks=""))
    except Exception as error:
        log.error("nothing is sent in its place %s", pairs(board=board, error=type(error).__name__))
        return WrittenLetter(letter.key, None)
    return WrittenLetter(letter.key, message, (), _cost(letter, message))
