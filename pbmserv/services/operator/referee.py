"""The operator as referee: ends a board, takes moves back, gives time, stops the clocks.

Each is an entry of the board's log like any other, under the same lock; the board goes to all whom it concerns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pbmserv.commands.ahead import play_on
from pbmserv.commands.decision import Decision, Remark
from pbmserv.commands.replies.operator import OperatorSays
from pbmserv.games.game import Seat
from pbmserv.matches.entry import EntryKind
from pbmserv.matches.match import BrokenLog
from pbmserv.matches.next_state import entry_after
from pbmserv.matches.records import Wanted
from pbmserv.matches.replay import Replayed
from pbmserv.services.house import House
from pbmserv.services.notices import Happened, board_notices
from pbmserv.services.readable import readable
from pbmserv.services.run import keep_decision
from pbmserv.store import matches, outbox
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.records import TransactionRecords

MOST_DAYS: Final = 365
_HOURS_A_DAY: Final = 24
_ALL: Final = 1_000_000


class CannotRule(Exception):
    """There is no such board or player, or it would change nothing; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A board as it stands after the operator's ruling, and how many mails tell of it."""

    board: Replayed
    mails: int


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is to be added to a board's log."""

    kind: EntryKind
    seat: Seat | None = None
    text: str = ""


def annul(house: House, number: int, reason: str, now: datetime) -> Ruled:
    """Makes a match void, also one that is over; it counts for nobody then. Raises CannotRule."""

    def ruling(board: Replayed) -> Ruling:
        if board.state.status in ("annulled", "declined"):
            raise CannotRule(f"board {number} counts for nobody already")
        return Ruling("annulled")

    return _rule(house, number, ruling, reason, now)


def award(house: House, number: int, userid: str, reason: str, now: datetime) -> Ruled:
    """Ends a match, or changes its end: `userid` has won, the others share the second rank. Raises CannotRule."""
    return _rule(house, number, lambda board: Ruling("awarded", _seat(board, userid)), reason, now)


def take_back(house: House, number: int, ply: int | None, reason: str, now: datetime) -> Ruled:
    """Has a board stand as it did after a ply; without one, the last ply or the game's end is undone.

    A match that is over goes on then, and whoever left after that ply is in again. Raises CannotRule.
    """
    return _rule(house, number, lambda board: Ruling("rewound", text=str(_back_to(board, ply))), reason, now)


def extend(house: House, number: int, userid: str, days: int, reason: str, now: datetime) -> Ruled:
    """Gives a player whole days more, for the bank and for a turn that is theirs. Raises CannotRule."""
    if not 1 <= days <= MOST_DAYS:
        raise CannotRule(f"days are a number from 1 to {MOST_DAYS}")

    def ruling(board: Replayed) -> Ruling:
        _require_clocks(board)
        seat = _seat(board, userid)
        if not board.state.is_in(seat):
            raise CannotRule(f"{board.match.userids[seat]} is out of the game on board {number}")
        return Ruling("extended", seat, str(days * _HOURS_A_DAY))

    return _rule(house, number, ruling, reason, now)


def pause(house: House, number: int, reason: str, now: datetime) -> Ruled:
    """Stops the clocks of a board; moves can be played meanwhile. Raises CannotRule."""
    return _rule(house, number, lambda board: _paused(board, is_over=False), reason, now)


def resume(house: House, number: int, reason: str, now: datetime) -> Ruled:
    """Sets the clocks of a board going again. Raises CannotRule."""
    return _rule(house, number, lambda board: _paused(board, is_over=True), reason, now)


def with_clocks(house: House, paused: bool) -> Sequence[int]:
    """The numbers of running boards with clocks that stand still by the operator's word, or that do not.

    One whose log does not replay is left out: its clock stands still anyhow.
    """
    with reading(house.engine) as connection:
        records = TransactionRecords(connection, house.recent)
        numbers = sorted(line.number for line in records.boards(Wanted(count=_ALL)).lines)
        boards = (readable(records, number, "is left out") for number in numbers)
        return [
            board.match.number
            for board in boards
            if board and board.match.clock and board.state.is_paused is paused
        ]


def reasoned(board: int, reason: str) -> tuple[Remark, ...]:
    """The operator's reason as it stands above a board, if there is one."""
    return (Remark(board, None, OperatorSays(reason.strip())),) if reason.strip() else ()


def _rule(house: House, number: int, ruling_on: Callable[[Replayed], Ruling], reason: str, now: datetime) -> Ruled:
    ruled = run_again(lambda: _rule_once(house, number, ruling_on, reason, now))
    house.recent.remember([ruled.board])
    return ruled


def _rule_once(
    house: House, number: int, ruling_on: Callable[[Replayed], Ruling], reason: str, now: datetime
) -> Ruled:
    with writing(house.engine) as connection:
        matches.lock(connection, [number])
        records = TransactionRecords(connection, house.recent)
        before = board_of(records, number)
        ruling = ruling_on(before)
        entry = entry_after(before.match, before.state, now, ruling.kind, ruling.seat, ruling.text)
        after = before.then(entry)
        _require_players(after, records)
        ruled = Decision(OperatorSays(reason), entries=(entry,), boards=(after,), remarks=reasoned(number, reason))
        decision = play_on(ruled, records, now)
        keep_decision(connection, records, decision, now)
        (after,) = decision.boards
        letters = board_notices(records, house, Happened(after, decision.entries, remarks=decision.remarks), now)
        outbox.queue(connection, letters, now)
    return Ruled(after, len(letters))


def board_of(records: TransactionRecords, number: int) -> Replayed:
    """A board as it stands. Raises CannotRule."""
    try:
        board = records.board(number)
    except BrokenLog as error:
        raise CannotRule(str(error)) from error
    if board is None:
        raise CannotRule(f"there is no board {number}")
    return board


def _seat(board: Replayed, userid: str) -> Seat:
    seat = board.match.seat_of(userid)
    if seat is None:
        everybody = ", ".join(board.match.userids)
        raise CannotRule(f"{userid} does not play on board {board.match.number}: {everybody} do")
    return seat


def _back_to(board: Replayed, ply: int | None) -> int:
    state = board.state
    ended_by_ply = bool(state.turns) and state.turns[-1].ply is not None
    is_only_ruled = state.status == "annulled" or state.ending in ("agreed", "awarded")
    nearest = state.plies - 1 if ended_by_ply and not is_only_ruled else state.plies
    if state.status == "active" and not state.turns:
        raise CannotRule(f"nothing is played on board {board.match.number} yet")
    if ply is not None and not 0 <= ply <= nearest:
        raise CannotRule(f"board {board.match.number} can go back to the plies 0 to {nearest}")
    return nearest if ply is None else ply


def _require_clocks(board: Replayed) -> None:
    if board.state.status != "active":
        raise CannotRule(f"the game on board {board.match.number} is over")
    if board.match.clock is None:
        raise CannotRule(f"board {board.match.number} has no clocks")


def _paused(board: Replayed, is_over: bool) -> Ruling:
    _require_clocks(board)
    if board.state.is_paused is not is_over:
        raise CannotRule(f"the clocks of board {board.match.number} {'run' if is_over else 'stand still'} already")
    return Ruling("resumed" if is_over else "paused")


def _require_players(board: Replayed, records: TransactionRecords) -> None:
    """A board that goes on must not wait for somebody who cannot play any more."""
    if board.state.status != "active":
        return
    for userid in sorted(board.playing):
        player = records.player(userid)
        if player is None:
            raise CannotRule(f"board {board.match.number} cannot go on: {userid} is here no more")
        if player.is_banned:
            raise CannotRule(f"board {board.match.number} cannot go on: {userid} is banned")
