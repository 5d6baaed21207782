"""What a command may ask of the records while it decides. It may ask, never write.

The store answers from the open transaction, in tests of commands from one in memory.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final, Literal, Protocol

from pbmserv.games.game import Seat
from pbmserv.matches.clock import TimeControl, Timing
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.evaluations import Evaluation
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.player import PersonalData, PersonalQuestion, Player
from pbmserv.matches.puzzles import Puzzle, PuzzleTry
from pbmserv.matches.ratings import Pool, Rated, RatedMatch, RatedMatches, RatedResult, Section, Standings, Tally
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import Summary

Filter = Literal["all", "active", "inactive", "finished", "next"]
"""Which boards a listing is of; "next" are those where one of the players named is to move. Of those that are
inactive, only the "finished" count for anybody."""


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """A question for boards: those of a game, of all the players named, of a status.

    `first` and `count` choose a page; results come newest last move first, for "next" the most urgent first.
    """

    game: str | None = None
    userids: tuple[str, ...] = ()
    filter: Filter = "active"
    first: int = 0
    count: int = 50
    with_practice: bool = False
    """Practice boards are among them, too: only for those who play there."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A line of a listing: the facts of a match without its log, and when its present turn is over, if ever."""

    number: int
    game: str
    options: tuple[tuple[str, str], ...]
    userids: tuple[str, ...]
    started: datetime
    summary: Summary
    rated: bool
    clock: TimeControl | None
    deadline: datetime | None = None

    @property
    def to_move(self) -> str | None:
        """The userid on turn."""
        return None if self.summary.to_move is None else self.userids[self.summary.to_move]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of lines, and how many there are in all."""

    lines: tuple[BoardRow, ...]
    total: int


Boards = Literal["active", "inactive", "all"]
Sort = Literal["last", "newest", "time"]
"""By the last move, the latest first; by number, the highest first; by the time left, the least first, which are
only boards whose clock runs."""

MOST_COUNTED: Final = 1000
"""Where there are more boards, their number is not shown: counting a million takes long."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a sorted listing: that of a board when it was listed. `at` is what it was sorted by, in UTC.

    It stays where it is, whatever becomes of the board. Where boards are sorted by number there is no `at`.
    """

    number: int
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BoardSearch:
    """Boards of a game (None: of any), of all the players named, and of a status, in an order.

    The page has at most `count` of them: those that follow on the place `after`, or go before
    `before`, or the first.
    """

    game: str | None = None
    userids: tuple[str, ...] = ()
    boards: Boards = "active"
    sort: Sort = "last"
    after: Cursor | None = None
    before: Cursor | None = None
    count: int = 50


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of boards, whether others go before it and follow on it, and how many fit in all.

    `total` is exact up to MOST_COUNTED, and one more for whatever is more. `winners` are the userids of the first
    in rank, by board, where that is known without replaying the game: of all that count for ratings.
    """

    lines: tuple[BoardRow, ...]
    total: int
    has_earlier: bool = False
    has_later: bool = False
    winners: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


def cursor_of(line: BoardRow, sort: Sort) -> Cursor:
    """Where a line stands in a listing."""
    at = {"last": line.summary.last_at, "newest": None, "time": line.deadline}[sort]
    return Cursor(line.number, at)


@dataclass(frozen=True, slots=True)
class RatedGame:
    """What the matches of one pool have come to for a player, and what the rating was after each of the last."""

    pool: Pool
    tally: Tally
    section: Section
    course: tuple[Rated, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A player; `robot` names the program that plays for them.

    `waiting` are boards on which they are to move, the most urgent first, `others` more that are being played, the
    latest first, of `running` in all (`matches.queries.MOST_COUNTED`). `results` are the newest that count, of
    `rated`.
    """

    userid: str
    robot: str | None
    ratings: tuple[RatedGame, ...]
    waiting: tuple[BoardRow, ...]
    others: tuple[BoardRow, ...]
    running: int
    results: tuple[RatedResult, ...]
    rated: int


class Queries(Protocol):
    """The questions."""

    def player(self, userid: str) -> Player | None:
        """The player of a userid, whatever its case."""

    def named_like(self, skeleton: str) -> Sequence[Player]:
        """The players whose userids have a skeleton (`commands.vocabulary`), answered for or not."""

    def player_at(self, address: str) -> Player | None:
        """The player whom an address belongs to, whatever its case; until answered from, it is nobody's."""

    def owner_of(self, address: str) -> Player | None:
        """The player who has that address, though perhaps nobody has answered from it."""

    def signed_up(self, player: Player) -> datetime:
        """When that player's account was opened."""

    def has_password(self, player: Player) -> bool:
        """Whether any password is in force for a player."""

    def addresses(self, player: Player) -> Sequence[str]:
        """Every address of a player, the first one first."""

    def is_blocked(self, userid: str, by: str) -> bool:
        """Whether the player `by` wants nothing from the player `userid`."""

    def blocked_by(self, userid: str) -> Sequence[str]:
        """The userids of those that a player wants nothing from, in alphabetical order."""

    def questions(self, player: Player) -> Sequence[PersonalQuestion]:
        """What waits for a `yes` about a player, with what was asked just now."""

    def kept_about(self, player: Player) -> PersonalData:
        """What is kept about a player beside boards, settings and blocks."""

    def similar_userids(self, userid: str) -> Sequence[str]:
        """Userids that `userid` may be a slip for, best first, at most three."""

    def board(self, number: int) -> GameState | None:
        """A match with its whole log, and what that adds up to. Raises BrokenLog."""

    def evaluations(self, board: GameState) -> Sequence[Evaluation]:
        """What is known of the positions of the line that is played on, from its start; perhaps not of all."""

    def timing(self, board: GameState, now: datetime) -> Timing:
        """What is known of the present turn of a board beside its log."""

    def vacations(self, player: Player, since: date) -> Sequence[tuple[date, date]]:
        """First and last day of each holiday of a player not over before that day, the earliest first."""

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> ConditionalPlan | None:
        """What a seat has in mind for a board, and nobody else may know."""

    def watchers(self, board: int) -> Sequence[str]:
        """The userids of those who watch a board of others, in alphabetical order."""

    def watched(self, player: Player) -> Sequence[int]:
        """The boards of others that a player watches and that are still played, in ascending order."""

    def counted(self, name: str, of: str, since: datetime) -> int:
        """How much was counted towards a limit (`commands.policy`) since then, of somebody or something."""

    def have_played(self, one: Player, other: Player) -> bool:
        """Whether two players share or shared a board; one that was declined is none."""

    def listeners(self) -> Sequence[str]:
        """The userids of those who want what is written to all, in alphabetical order."""

    def open_offers(self) -> Sequence[OpenOffer]:
        """All open offers, by number."""

    def offer(self, number: int) -> OpenOffer | None:
        """The newest offer of a number, whatever has become of it."""

    def last_offer_number(self) -> int:
        """The number that an offer was given last; 0 when none ever was."""

    def rematch_of(self, board: int) -> int | None:
        """The running match that was begun as a rematch of a board."""

    def tallies(self, player: Player, game: str | None = None) -> Mapping[Pool, Tally]:
        """What a player's matches have come to, by pool; a pool without any that counts is not there."""

    def rated_pools(self, game: str) -> Sequence[Pool]:
        """The pools of a game in which anybody has a rating, the plain one first."""

    def rated_matches(self, player: Player, game: str | None, first: int, count: int) -> RatedMatches:
        """A page of what single matches did to a player's ratings, newest first."""

    def rated_on(self, player: Player, boards: Sequence[int]) -> Mapping[int, RatedMatch]:
        """The same of these boards, by number; one that does not count, or not for them, is not there."""

    def standings(
        self, pool: Pool, sections: Sequence[Section], now: datetime, first: int, count: int
    ) -> Standings:
        """A page of the players of a pool, section by section, in the order of `ratings.SECTIONS`."""

    def next_number(self) -> int:
        """The number that a match started now would have."""

    def boards(self, wanted: ListingQuery) -> Listing:
        """A page of the boards that fit."""

    def practice_of(self, player: Player) -> int | None:
        """The number of a player's practice board, whatever has become of it; None before it was begun."""

    def puzzle(self, number: int) -> Puzzle | None:
        """The puzzle of a number."""

    def unseen_puzzle(self, seen: Collection[int], game: str | None) -> Puzzle | None:
        """The puzzle with the lowest number that is not among those seen, of a game or of any."""

    def puzzle_tries(self, player: Player) -> Mapping[int, PuzzleTry]:
        """The puzzles that a player was sent, by number, the first one first."""

    def robot(self, name: str) -> Player | None:
        """The player for whom the robot of a name plays; None before it is one."""

    def running(self) -> Sequence[tuple[str, int]]:
        """How many boards of each game are active, by name, practice aside; games without any may lack."""

    def started_since(self, userid: str, since: datetime) -> int:
        """How many matches that player started since then; practice is not counted."""

    def started_in_play(self, userid: str) -> int:
        """How many active matches that player started; practice is not counted."""

    def unbegun(self, starter: str, opponent: str) -> int:
        """How many active matches `starter` started in which `opponent` has not moved yet."""
