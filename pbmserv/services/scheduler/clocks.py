"""What is said of time: reminders, the end of a turn, holidays.

As in `replies`, each class's name names its template.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Decision, Remark, Reply
from pbmserv.commands.letter import BoardNews
from pbmserv.commands.queue import play_on
from pbmserv.mail.log_words import pairs
from pbmserv.matches.clock import DAY, Timing
from pbmserv.matches.log import BrokenLog
from pbmserv.matches.player import Player
from pbmserv.matches.replay import GameState
from pbmserv.matches.turn_time import outlook, spent
from pbmserv.services.app import App
from pbmserv.services.notices import BoardChange, board_letter, board_notices
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.services.writer import deciding
from pbmserv.store import bounces, clocks, inbox, matches, outbox
from pbmserv.store.clocks import Clock
from pbmserv.store.engine import is_database_trouble, reading, run_again, writing


class Reminded(Reply, place="above"):
    """To the player on turn: `board` has waited since; without a `deadline` it may go on waiting."""

    board: int
    since: datetime
    deadline: datetime | None


class TimeIsUp(Reply, place="below"):
    """To a player out of time on `board`, and out of the game."""

    board: int
    others_play_on: bool


BATCH: Final = 50

LATER: Final = timedelta(hours=1)
"""When to look again at a board that has failed."""

SOON: Final = timedelta(minutes=1)
"""When to look again at a turn that is over, while a mail may hold a move that came in time."""

log = logging.getLogger(__name__)


def look_after_clocks(app: App, now: datetime) -> bool:
    """Looks at boards whose clocks are due, each in a transaction of its own; whether there may be more."""
    with reading(app.engine) as connection:
        numbers = clocks.due(connection, now, BATCH)
    seen = sum(_look_safely(app, number, now) for number in numbers)
    return len(numbers) == BATCH and seen > 0


def _look_safely(app: App, number: int, now: datetime) -> bool:
    """Looks at one board. One that fails is logged and put off: the clocks of all others go on."""
    try:
        return run_again(partial(_look, app, number, now))
    except Exception as error:
        if is_database_trouble(error):
            raise
        log.exception("a clock cannot be looked at %s", pairs(board=number, error=type(error).__name__))
    with writing(app.engine) as connection:
        clocks.postpone(connection, number, now, now + LATER)
    return True


def _look(app: App, number: int, now: datetime) -> bool:
    """Looks at one board; False when somebody else has it in hand."""
    with deciding(app, now) as work:
        connection, records = work.connection, work.records
        if not matches.lock_if_free(connection, number):
            return False
        clock = clocks.find_clock(connection, number)
        if clock is None or clock.next_at is None or clock.next_at > now:
            return True
        try:
            board = records.board(number)
        except BrokenLog as error:
            log.error("a clock stands still %s", pairs(board=number, error=str(error)))
            board = None
        if board is None:
            clocks.record_check(connection, number, now + DAY, clock.deadline, clock.reminders)
            return True
        changed = _decide(work, board, clock)
    app.recent.remember(changed)
    return True


def _decide(work: UnitOfWork, board: GameState, clock: Clock) -> Sequence[GameState]:
    """Does what is due on a board; the boards that it changed."""
    connection, records, now = work.connection, work.records, work.now
    player = None if board.on_turn is None else records.player(board.on_turn)
    if player is None:
        clocks.record_check(connection, clock.match, None, None, 0)
        return ()
    if clock.started is None and player.is_suspended:
        # Nobody hands it over: else a player whose mail comes back would have for ever.
        clocks.start(connection, clock.match, _held_back_since(connection, board, player))
        return ()
    if clock.started is None and player.mail.is_off:
        clocks.start(connection, clock.match, now)
        return ()
    if clock.started is None:
        _tell_again(work, player, clock)
        return ()
    timing = records.timing(board, now)
    ahead = outlook(board, timing)
    if ahead.is_over:
        return _end_turn(work, board, timing, player)
    if ahead.reminders > clock.reminders and not (player.is_suspended or player.mail.is_off):
        remarks = (Reminded(clock.match, clock.started, ahead.deadline),) if ahead.reminders else ()
        work.say([board_letter(clock.match, player, BoardNews(remarks))])
        log.info("a player is reminded %s", pairs(board=clock.match, player=player.id))
    # A part that is silent may never come back: then nobody else tells when the clock runs again.
    next_at = ahead.next_at or (None if board.state.is_paused else now + DAY)
    clocks.record_check(connection, clock.match, next_at, ahead.deadline, ahead.reminders)
    return ()


def _held_back_since(connection: Connection, board: GameState, player: Player) -> datetime:
    """Since when a board waits for a player whom it cannot be mailed to."""
    began = _began(board)
    suspended = bounces.suspended_since(connection, player.id) or began
    stops = clocks.standstills_in_force(connection, player.id, began)
    return max(began, suspended, *(each.since for each in stops))


def _tell_again(work: UnitOfWork, player: Player, clock: Clock) -> None:
    """A board that was not handed over for long is mailed again, unless that is to come anyway."""
    if not player.mail.digest and not outbox.is_waiting_to_go(work.connection, player.address, clock.match):
        work.say([board_letter(clock.match, player, BoardNews(begins_turn=True))])
    clocks.record_check(work.connection, clock.match, work.now + clocks.CHECK_UNDELIVERED_AFTER, None, 0)


def _end_turn(work: UnitOfWork, board: GameState, timing: Timing, player: Player) -> Sequence[GameState]:
    """A player whose time is up leaves the board, unless a mail may hold a move that came in time."""
    connection, records = work.connection, work.records
    match, state, now = board.match, board.state, timing.as_of
    ahead = outlook(board, timing)
    assert state.to_move is not None
    assert ahead.deadline is not None
    if inbox.may_hold_a_move(connection, player.id, _began(board), ahead.deadline, now):
        clocks.record_check(connection, match.number, now + SOON, ahead.deadline, ahead.reminders)
        return ()
    used = int(spent(board, timing).total_seconds())
    entry = board.entry(now, "forfeited", state.to_move, used=used)
    after = board.apply(entry)
    reply = TimeIsUp(match.number, after.state.status == "active")
    decision = play_on(Decision(reply, entries=(entry,), boards=(after,)), records, now)
    work.write(decision, now)
    (after,) = decision.boards
    remarks = (Remark(match.number, player.userid, reply), *decision.remarks)
    happened = BoardChange(after, decision.entries, remarks=remarks)
    work.say(board_notices(records, happened))
    log.info("the time of a player is up %s", pairs(board=match.number, player=player.id))
    return (after,)


def _began(board: GameState) -> datetime:
    """When the present turn began."""
    turn = board.state.turn
    return board.match.entries[turn - 1].at if turn else board.match.started
