"""The queries that commands ask, answered within one transaction, and the changes that they decide on, written."""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from threading import Lock
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.changes import (
    AnalysisRequest,
    Change,
    DroppedConditionalPlan,
    EndedOffer,
    JoinedOffer,
    LeftOffer,
    NewConditionalPlan,
    NewOffer,
    NewVacations,
    PuzzleAnswered,
    PuzzleSent,
    Subscription,
)
from pbmserv.commands.command import Confirmation
from pbmserv.commands.policy import Counted
from pbmserv.games.game import Seat
from pbmserv.matches.clock import Timing
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.player import PersonalQuestion, Player
from pbmserv.matches.replay import GameState
from pbmserv.store import (
    accounts,
    clocks,
    counts,
    mail_tokens,
    matches,
    offers,
    players,
    puzzles,
    robots,
    seatings,
)
from pbmserv.store.accounts import AccountQueries
from pbmserv.store.listing import ListingQueries
from pbmserv.store.mail_tokens import LateUse
from pbmserv.store.matches import MatchQueries
from pbmserv.store.offers import OfferQueries
from pbmserv.store.players import PlayerQueries
from pbmserv.store.puzzles import PuzzleQueries
from pbmserv.store.rankings import RankingQueries
from pbmserv.store.robots import EvaluationQueries
from pbmserv.store.seatings import Seating, SeatingQueries

MOST: Final = 300
"""Boards in the cache; each takes ten to fifty kilobytes."""


class RecentBoards:
    """A thread-safe cache of boards as they were at some commit.

    Entries are only ever added, never changed. So the caller reads only what other processes have added since.
    """

    def __init__(self) -> None:
        self._boards: OrderedDict[int, GameState] = OrderedDict()
        self._lock = Lock()

    def find(self, number: int) -> GameState | None:
        """A board as it was last cached; None if it is not."""
        with self._lock:
            return self._boards.get(number)

    def remember(self, boards: Iterable[GameState]) -> None:
        """Caches boards. Call it after the commit: what is rolled back must not be found here."""
        with self._lock:
            for board in boards:
                self._boards[board.match.number] = board
                self._boards.move_to_end(board.match.number)
            while len(self._boards) > MOST:
                self._boards.popitem(last=False)


class TransactionQueries(
    AccountQueries,
    EvaluationQueries,
    ListingQueries,
    MatchQueries,
    OfferQueries,
    PlayerQueries,
    PuzzleQueries,
    RankingQueries,
    SeatingQueries,
):
    """Answers queries within one transaction, and reads nothing twice.

    Code that writes in the same transaction has to report it by `know`, `note_question` and `forget_players`.
    """

    def __init__(self, connection: Connection, recent: RecentBoards | None = None) -> None:
        self._connection = connection
        self._recent = recent or RecentBoards()
        self._boards: dict[int, GameState | None] = {}
        self._players: dict[str, Player | None] = {}
        self._asked: list[tuple[str, PersonalQuestion]] = []
        self._timings: dict[tuple[int, int, datetime], Timing] = {}
        self._late_uses: dict[int, LateUse | None] = {}
        # None for a board that there is not.
        self._seatings: dict[int, Seating | None] = {}

    def gather(self, boards: Iterable[int]) -> None:
        """Reads at once what a mail about these boards needs to know of them and of those who sit there."""
        wanted = dict.fromkeys(boards)
        found = seatings.find_all(self._connection, wanted) if wanted else {}
        for number in wanted:
            self._seatings[number] = seating = found.get(number)
            if seating is not None:
                self._players.update(seating.players)
                self._late_uses |= dict.fromkeys(seating.without_late_use)
        if len(wanted) > 1:
            # Before the first of them is written.
            for number in wanted:
                self.board(number)

    def know(self, boards: Iterable[GameState]) -> None:
        """Sets boards to their state after what was just written."""
        for board in boards:
            self._boards[board.match.number] = board
            if board.state.status != "active" or len(board.state.seats_in) < len(board.match.userids):
                # Those who do not play any more have no plans.
                self._seatings.pop(board.match.number, None)

    def note_question(self, asked: Confirmation, now: datetime) -> None:
        """Adds a question that will be mailed when the transaction ends."""
        self._asked.append((asked.userid, PersonalQuestion(asked.kind, asked.address, asked.lines, now)))

    def forget_players(self) -> None:
        """Has players read again, because they have changed."""
        self._players.clear()
        self._seatings.clear()
        self._timings.clear()

    def player(self, userid: str) -> Player | None:
        return self._player(userid.lower(), players.find)

    def player_at(self, address: str) -> Player | None:
        return self._player(address.lower(), players.find_at)

    def _player(self, key: str, find: Callable[[Connection, str], Player | None]) -> Player | None:
        # An address holds an @, which no userid does.
        if key not in self._players:
            self._players[key] = find(self._connection, key)
        return self._players[key]

    def is_blocked(self, userid: str, by: str) -> bool:
        pair = {userid.lower(), by.lower()}
        for seating in self._seatings.values():
            if seating and pair <= seating.players.keys() and by.lower() not in seating.ignoring:
                return False
        return super().is_blocked(userid, by)

    def questions(self, player: Player) -> Sequence[PersonalQuestion]:
        just_now = (question for userid, question in self._asked if userid == player.userid)
        return (*super().questions(player), *just_now)

    def board(self, number: int) -> GameState | None:
        if number not in self._boards:
            seating = self._seatings.get(number)
            match, known = seating.match if seating else None, self._recent.find(number)
            self._boards[number] = matches.replayed(self._connection, number, known, match)
        return self._boards[number]

    def timing(self, board: GameState, now: datetime) -> Timing:
        known = (board.match.number, board.state.entries, now)
        if known not in self._timings:
            seating = self._seatings.get(board.match.number)
            self._timings[known] = seatings.timing(self._connection, board, now, seating)
        return self._timings[known]

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> ConditionalPlan | None:
        seating = self._seatings.get(board)
        return super().plan(board, seat, kind) if seating is None else seating.plans.get((seat, kind))

    def watchers(self, board: int) -> Sequence[str]:
        seating = self._seatings.get(board)
        return () if seating is not None and not seating.is_watched else super().watchers(board)

    def counted(self, name: str, of: str, since: datetime) -> int:
        return counts.total(self._connection, name, of, since)

    def late_use(self, player: Player) -> LateUse | None:
        """That a play link of a player was first used late, if they were not told yet: they are told now."""
        if player.id not in self._late_uses:
            self._late_uses[player.id] = mail_tokens.take_late_use(self._connection, player.id)
        return self._late_uses[player.id]


def write_change(connection: Connection, change: Change, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewConditionalPlan() | DroppedConditionalPlan():
            matches.write_plan(connection, change, now)
        case NewOffer() | JoinedOffer() | LeftOffer() | EndedOffer():
            offers.write(connection, change, now)
        case Subscription():
            seatings.write_subscription(connection, change)
        case AnalysisRequest():
            robots.request_analysis(connection, change, now)
        case NewVacations():
            clocks.write_vacations(connection, change)
        case Counted():
            counts.add(connection, [change], now)
        case PuzzleSent() | PuzzleAnswered():
            puzzles.write_try(connection, change, now)
        case _:
            accounts.write_account_change(connection, change, now)
