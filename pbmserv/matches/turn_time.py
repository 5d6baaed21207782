"""What the terms of a match come to in the present turn: how long it may take, what is spent, when it is over.

Everything is None for a match without clocks, or without that limit.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbmserv.games.game import Seat
from pbmserv.matches.clock import APART, DAY, REMINDED_AT, Stop, Timing, reached, running
from pbmserv.matches.replay import GameState


def bank(board: GameState, seat: Seat) -> timedelta | None:
    """What a seat has left for the whole match, without what the present turn has spent; never below nothing."""
    clock, state = board.match.clock, board.state
    if clock is None or clock.total is None:
        return None
    given = clock.total + state.plies_of(seat) * clock.increment + timedelta(seconds=state.added[seat])
    return max(given - timedelta(seconds=state.used[seat]), timedelta())


def limit(board: GameState) -> timedelta | None:
    """How long the present turn may take in all."""
    clock, state = board.match.clock, board.state
    if clock is None or state.to_move is None:
        return None
    whole = bank(board, state.to_move)
    turn = None if clock.forfeit is None else clock.forfeit + timedelta(seconds=state.extra)
    return min((each for each in (whole, turn) if each is not None), default=None)


def spent(board: GameState, timing: Timing) -> timedelta:
    """How much of the turn is spent; nothing until the board was handed over."""
    if board.match.clock is None or board.state.to_move is None or timing.started is None:
        return timedelta()
    return running(timing.started, timing.as_of, _stops(board, timing))


def left(board: GameState, timing: Timing) -> timedelta | None:
    """What the player on turn has left; never below nothing."""
    most = limit(board)
    return None if most is None else max(most - spent(board, timing), timedelta())


def deadline(board: GameState, timing: Timing) -> datetime | None:
    """When the turn is over, as far as is known; None too until the board was handed over, and while paused."""
    most = limit(board)
    if most is None or timing.started is None:
        return None
    return reached(timing.started, most, _stops(board, timing))


def reminders(board: GameState) -> tuple[timedelta, ...]:
    """After how much of the turn its player is to be reminded, ascending; of two that come close the later one."""
    clock, most = board.match.clock, limit(board)
    if clock is None:
        return ()
    marks = [] if clock.nag is None else [clock.nag]
    if most is not None:
        marks += [most * share for share in REMINDED_AT]
        marks += [most - DAY] if most >= 2 * DAY else []
    return tuple(_apart(mark for mark in marks if most is None or mark < most))


def reminder_at(board: GameState, timing: Timing, after: timedelta) -> datetime | None:
    """When so much of the turn will be spent."""
    return None if timing.started is None else reached(timing.started, after, _stops(board, timing))


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is to come in a turn: whether it `is_over`, when it will be, how many reminders are due by now.

    `next_at` is when the next thing is; None: nothing, or not as long as the clock stands still.
    """

    is_over: bool
    deadline: datetime | None
    reminders: int
    next_at: datetime | None


def outlook(board: GameState, timing: Timing) -> Outlook:
    """What is to come in the present turn, as of `timing`."""
    now, over = timing.as_of, deadline(board, timing)
    marks = [reminder_at(board, timing, after) for after in reminders(board)]
    passed = sum(mark is not None and mark <= now for mark in marks)
    coming = [each for each in (*marks, over) if each is not None and each > now]
    return Outlook(over is not None and over <= now, over, passed, min(coming, default=None))


def _apart(marks: Iterable[timedelta]) -> list[timedelta]:
    kept: list[timedelta] = []
    for mark in sorted(marks):
        if kept and mark - kept[-1] < APART:
            kept.pop()
        kept.append(mark)
    return kept


def _stops(board: GameState, timing: Timing) -> tuple[Stop, ...]:
    return (*timing.stops, *board.state.pauses)
