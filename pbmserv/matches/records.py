"""What a command may ask of the records while it decides. It may ask, never write.

The store answers from the open transaction; tests answer from a dictionary.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from pbmserv.games.game import Seat
from pbmserv.matches.clock import Timing
from pbmserv.matches.kept import KeptAbout, KeptQuestion
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.plan import Plan, PlanKind
from pbmserv.matches.player import Player
from pbmserv.matches.rankings import RatedMatch, RatedMatches, Standings
from pbmserv.matches.rating import Section, Tally
from pbmserv.matches.replay import Replayed
from pbmserv.matches.state import Summary

Filter = Literal["all", "active", "inactive", "finished", "next"]
"""Which boards a listing is of; "next" are those where one of the players named is to move. Of those that are
inactive, only the "finished" count for anybody."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question for boards: those of a game, of all the players named, of a status.

    `first` and `count` choose a page; results come newest last move first, for "next" the most urgent first.
    """

    game: str | None = None
    userids: tuple[str, ...] = ()
    filter: Filter = "active"
    first: int = 0
    count: int = 50


@dataclass(frozen=True, slots=True)
class Listed:
    """A line of a listing: the facts of a match without its log, and when its present turn is over, if ever."""

    number: int
    game: str
    options: tuple[tuple[str, str], ...]
    userids: tuple[str, ...]
    started: datetime
    summary: Summary
    deadline: datetime | None = None

    @property
    def to_move(self) -> str | None:
        """The userid on turn."""
        return None if self.summary.to_move is None else self.userids[self.summary.to_move]


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of lines, and how many there are in all."""

    lines: tuple[Listed, ...]
    total: int


class Records(Protocol):
    """The questions."""

    def player(self, userid: str) -> Player | None:
        """The player of a userid, whatever its case."""

    def named_like(self, skeleton: str) -> Sequence[Player]:
        """The players whose userids have a skeleton (`commands.names`), answered for or not."""

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

    def questions(self, player: Player) -> Sequence[KeptQuestion]:
        """What waits for a `yes` about a player, with what was asked just now."""

    def kept_about(self, player: Player) -> KeptAbout:
        """What is kept about a player beside boards, settings and blocks."""

    def similar_userids(self, userid: str) -> Sequence[str]:
        """Userids that `userid` may be a slip for, best first, at most three."""

    def board(self, number: int) -> Replayed | None:
        """A match with its whole log, and what that adds up to. Raises BrokenLog."""

    def timing(self, board: Replayed, now: datetime) -> Timing:
        """What is known of the present turn of a board beside its log."""

    def vacations(self, player: Player, since: date) -> Sequence[tuple[date, date]]:
        """First and last day of each holiday of a player not over before that day, the earliest first."""

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> Plan | None:
        """What a seat has in mind for a board, and nobody else may know."""

    def watchers(self, board: int) -> Sequence[str]:
        """The userids of those who watch a board of others, in alphabetical order."""

    def watched(self, player: Player) -> Sequence[int]:
        """The boards of others that a player watches and that are still played, in ascending order."""

    def times_sent(self, board: int, since: datetime) -> int:
        """How many mails have had a board sent around since then."""

    def said_since(
        self, player: Player, kind: Literal["message", "broadcast", "vacation"], since: datetime
    ) -> int:
        """How often a player has spoken so since then: once for each who was to hear a message."""

    def from_strangers_since(self, player: Player, since: datetime) -> int:
        """How many messages a player was sent since then by those with whom they had never played."""

    def have_played(self, one: Player, other: Player) -> bool:
        """Whether two players share or shared a board; one that was declined is none."""

    def listeners(self) -> Sequence[str]:
        """The userids of those who want what is written to all, in alphabetical order."""

    def open_offers(self) -> Sequence[OpenOffer]:
        """All games that are offered to whoever accepts, by number."""

    def offer(self, number: int) -> OpenOffer | None:
        """The newest offer of a number, whatever has become of it."""

    def last_offer_number(self) -> int:
        """The number that an offer was given last; 0 when none ever was."""

    def rematch_of(self, board: int) -> int | None:
        """The running match that was begun as a rematch of a board."""

    def tallies(self, player: Player, game: str | None = None) -> Mapping[str, Tally]:
        """What a player's matches have come to, by game; a game without any that counts is not there."""

    def rated_matches(self, player: Player, game: str | None, first: int, count: int) -> RatedMatches:
        """A page of what single matches did to a player's ratings, newest first."""

    def rated_on(self, player: Player, boards: Sequence[int]) -> Mapping[int, RatedMatch]:
        """The same of these boards, by number; one that does not count, or not for them, is not there."""

    def standings(
        self, game: str, sections: Sequence[Section], now: datetime, first: int, count: int
    ) -> Standings:
        """A page of the players of a game, section by section, the highest rating first in each."""

    def next_number(self) -> int:
        """The number that a match started now would have."""

    def boards(self, wanted: Wanted) -> Listing:
        """A page of the boards that fit."""

    def running(self) -> Sequence[tuple[str, int]]:
        """How many boards of each game are active, by name; games without any may be left out."""

    def started_since(self, userid: str, since: datetime) -> int:
        """How many matches that player started since then."""

    def unbegun(self, starter: str, opponent: str) -> int:
        """How many active matches `starter` started in which `opponent` has not moved yet."""
