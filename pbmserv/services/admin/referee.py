"""What players are told that the operator does or says.

As in `commands.help`, each class's name names its template.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from pbmserv.commands.command import Decision, Remark, Reply
from pbmserv.commands.queue import play_on
from pbmserv.games.game import Seat
from pbmserv.matches.log import BrokenLog, EntryKind
from pbmserv.matches.queries import ListingQuery
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.services.notices import BoardChange, board_notices, readable
from pbmserv.services.writer import deciding
from pbmserv.store import matches
from pbmserv.store.engine import reading, rehearsing, run_again
from pbmserv.store.queries import RecentBoards, TransactionQueries


class OperatorSays(Reply):
    """The operator's own words, above a board or in a mail of their own."""

    text: str


MOST_DAYS: Final = 365
_HOURS_A_DAY: Final = 24
_ALL: Final = 1_000_000


class CannotRule(Exception):
    """There is no such board or player, or it would change nothing; the message is for the operator."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a command does: to boards, as they stand after it, and to accounts; and the addresses that get mail."""

    boards: tuple[GameState, ...]
    to: tuple[str, ...]
    # What is erased, such as "The account of bob".
    erases: str = ""
    # Whether nobody can take it back so that all is as it was.
    is_final: bool = True
    # Who is banned.
    bans: str = ""


def rehearsal(app: App) -> App:
    """The same App, but what it writes is undone at once, and no board that it changes is remembered."""
    return replace(app, engine=rehearsing(app.engine), recent=RecentBoards())


@dataclass(frozen=True, slots=True)
class Ruled:
    """A board as it stands after the operator's ruling."""

    board: GameState
    # The addresses of the mails that tell of it.
    to: tuple[str, ...]

    @property
    def mails(self) -> int:
        """How many mails tell of it."""
        return len(self.to)

    @property
    def effect(self) -> Effect:
        """All that it does."""
        return Effect((self.board,), self.to)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is to be added to a board's log."""

    kind: EntryKind
    # What the players are told of it besides; may be empty.
    reason: str
    seat: Seat | None = None
    text: str = ""


Ruler = Callable[[GameState], Ruling]
"""Gives the ruling on a board as it stands. Raises CannotRule."""


def annul(reason: str) -> Ruler:
    """Makes a match void, also one that is over; it counts for nobody then."""

    def ruling(board: GameState) -> Ruling:
        if board.state.status in ("annulled", "declined"):
            raise CannotRule(f"board {board.match.number} counts for nobody already")
        return Ruling("annulled", reason)

    return ruling


def award(userid: str, reason: str) -> Ruler:
    """Ends a match, or changes its end: `userid` has won, the others share the second rank."""
    return lambda board: Ruling("awarded", reason, _seat(board, userid))


def take_back(ply: int | None, reason: str) -> Ruler:
    """Has a board stand as it did after a ply; without one, the last ply or the game's end is undone.

    A match that is over goes on then, and a player who left after that ply is in again.
    """
    return lambda board: Ruling("rewound", reason, text=str(_back_to(board, ply)))


def extend(userid: str, days: int, reason: str) -> Ruler:
    """Gives a player whole days more, for the bank and for a turn that is theirs."""

    def ruling(board: GameState) -> Ruling:
        if not 1 <= days <= MOST_DAYS:
            raise CannotRule(f"days are a number from 1 to {MOST_DAYS}")
        _require_clocks(board)
        seat = _seat(board, userid)
        if not board.state.is_in(seat):
            raise CannotRule(f"{board.match.userids[seat]} is out of the game on board {board.match.number}")
        return Ruling("extended", reason, seat, str(days * _HOURS_A_DAY))

    return ruling


def pause(reason: str) -> Ruler:
    """Stops the clocks of a board; moves can be played meanwhile."""
    return lambda board: _paused(board, reason, is_over=False)


def resume(reason: str) -> Ruler:
    """Sets the clocks of a board going again."""
    return lambda board: _paused(board, reason, is_over=True)


def with_clocks(app: App, paused: bool) -> Sequence[int]:
    """The numbers of running boards with clocks that stand still by the operator's word, or that do not.

    One whose log does not replay is left out: its clock stands still anyhow.
    """
    with reading(app.engine) as connection:
        records = TransactionQueries(connection, app.recent)
        numbers = sorted(line.number for line in records.boards(ListingQuery(count=_ALL)).lines)
        boards = (readable(records, number, "referee") for number in numbers)
        return [
            board.match.number
            for board in boards
            if board and board.match.clock and board.state.is_paused is paused
        ]


def reasoned(board: int, reason: str) -> tuple[Remark, ...]:
    """The operator's reason as it stands above a board, if there is one."""
    return (Remark(board, None, OperatorSays(reason.strip())),) if reason.strip() else ()


def rule(app: App, number: int, ruling_on: Ruler, now: datetime) -> Ruled:
    """Rules on a board. Raises CannotRule."""

    def once() -> Ruled:
        with deciding(app, now) as work:
            connection, records = work.connection, work.records
            matches.lock(connection, [number])
            before = board_of(records, number)
            ruling = ruling_on(before)
            entry = before.entry(now, ruling.kind, ruling.seat, ruling.text)
            after = before.apply(entry)
            _require_players(after, records)
            told = reasoned(number, ruling.reason)
            ruled = Decision(OperatorSays(ruling.reason), entries=(entry,), boards=(after,), remarks=told)
            decision = play_on(ruled, records, now)
            work.write(decision, now)
            (after,) = decision.boards
            happened = BoardChange(after, decision.entries, remarks=decision.remarks)
            letters = board_notices(records, happened)
            work.say(letters)
        return Ruled(after, tuple(letter.recipient for letter in letters))

    ruled = run_again(once)
    app.recent.remember([ruled.board])
    return ruled


def board_of(records: TransactionQueries, number: int) -> GameState:
    """A board as it stands. Raises CannotRule."""
    try:
        board = records.board(number)
    except BrokenLog as error:
        raise CannotRule(str(error)) from error
    if board is None:
        raise CannotRule(f"there is no board {number}")
    return board


def _seat(board: GameState, userid: str) -> Seat:
    seat = board.match.seat_of(userid)
    if seat is None:
        everybody = ", ".join(board.match.userids)
        raise CannotRule(f"{userid} does not play on board {board.match.number}: {everybody} do")
    return seat


def _back_to(board: GameState, ply: int | None) -> int:
    state = board.state
    ended_by_ply = bool(state.turns) and state.turns[-1].ply is not None
    is_only_ruled = state.status == "annulled" or state.ending in ("agreed", "awarded")
    nearest = state.plies - 1 if ended_by_ply and not is_only_ruled else state.plies
    if state.status == "active" and not state.turns:
        raise CannotRule(f"nothing is played on board {board.match.number} yet")
    if ply is not None and not 0 <= ply <= nearest:
        raise CannotRule(f"board {board.match.number} can go back to the plies 0 to {nearest}")
    return nearest if ply is None else ply


def _require_clocks(board: GameState) -> None:
    if board.state.status != "active":
        raise CannotRule(f"the game on board {board.match.number} is over")
    if board.match.clock is None:
        raise CannotRule(f"board {board.match.number} has no clocks")


def _paused(board: GameState, reason: str, is_over: bool) -> Ruling:
    _require_clocks(board)
    if board.state.is_paused is not is_over:
        raise CannotRule(f"the clocks of board {board.match.number} {'run' if is_over else 'stand still'} already")
    return Ruling("resumed" if is_over else "paused", reason)


def _require_players(board: GameState, records: TransactionQueries) -> None:
    """A board that goes on must not wait for somebody who can no longer play."""
    if board.state.status != "active":
        return
    for userid in sorted(board.playing):
        player = records.player(userid)
        if player is None:
            raise CannotRule(f"board {board.match.number} cannot go on: {userid} has left")
        if player.is_banned:
            raise CannotRule(f"board {board.match.number} cannot go on: {userid} is banned")
