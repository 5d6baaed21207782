"""The queries that commands ask, answered within one transaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime

from sqlalchemy import Connection

from pbmserv.commands.command import Confirmation
from pbmserv.games.game import Seat
from pbmserv.matches.clock import Timing
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.evaluations import Evaluation
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.player import PersonalData, PersonalQuestion, Player
from pbmserv.matches.queries import Listing, ListingQuery
from pbmserv.matches.ratings import Pool, RatedMatch, RatedMatches, Section, Standings, Tally
from pbmserv.matches.replay import GameState
from pbmserv.store import (
    conditional_moves,
    counts,
    evaluations,
    listing,
    matches,
    offers,
    personal_data,
    play_links,
    players,
    rankings,
    seatings,
    subscriptions,
    turn_timing,
    vacations,
)
from pbmserv.store.accounts import NO_HASH
from pbmserv.store.play_links import LateUse
from pbmserv.store.puzzle_tries import PuzzleQueries
from pbmserv.store.recent_boards import RecentBoards
from pbmserv.store.seatings import Seating


class TransactionQueries(PuzzleQueries):
    """Answers queries within one transaction, and reads nothing twice.

    Code that writes in the same transaction has to report it by `know`, `know_asked` and `forget_players`.
    """

    def __init__(self, connection: Connection, recent: RecentBoards | None = None) -> None:
        super().__init__(connection)
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

    def know_asked(self, asked: Confirmation, now: datetime) -> None:
        """Adds a question that will be mailed when the transaction ends."""
        self._asked.append((asked.userid, PersonalQuestion(asked.kind, asked.address, asked.lines, now)))

    def forget_players(self) -> None:
        """Has players read again, because they have changed."""
        self._players.clear()
        self._seatings.clear()
        self._timings.clear()

    def player(self, userid: str) -> Player | None:
        """The player of a userid."""
        return self._player(userid.lower(), players.find)

    def known_among(self, userids: Iterable[str]) -> frozenset[str]:
        """Those of these userids, in lower case, that somebody has."""
        return players.known_among(self._connection, userids)

    def named_like(self, skeleton: str) -> Sequence[Player]:
        """The players whose userids look alike."""
        return players.named_like(self._connection, skeleton)

    def player_at(self, address: str) -> Player | None:
        """The player whom an address belongs to."""
        return self._player(address.lower(), players.find_at)

    def owner_of(self, address: str) -> Player | None:
        """The player with that address, confirmed or not."""
        return players.owner_of(self._connection, address)

    def signed_up(self, player: Player) -> datetime:
        """When that player's account was opened."""
        return players.signed_up(self._connection, player.id)

    def has_password(self, player: Player) -> bool:
        """Whether a player has a password."""
        return players.password_hash(self._connection, player.userid) != NO_HASH

    def addresses(self, player: Player) -> Sequence[str]:
        """Every address of a player."""
        return players.addresses_of(self._connection, player.id)

    def is_blocked(self, userid: str, by: str) -> bool:
        """Whether the player `by` ignores the player `userid`."""
        pair = {userid.lower(), by.lower()}
        for seating in self._seatings.values():
            if seating and pair <= seating.players.keys() and by.lower() not in seating.ignoring:
                return False
        return players.is_blocked(self._connection, userid, by)

    def blocked_by(self, userid: str) -> Sequence[str]:
        """The userids of those whom a player ignores."""
        return players.blocked_by(self._connection, userid)

    def questions(self, player: Player) -> Sequence[PersonalQuestion]:
        """What waits for a `yes` about a player."""
        just_now = (question for userid, question in self._asked if userid == player.userid)
        return (*personal_data.questions(self._connection, player.id), *just_now)

    def kept_about(self, player: Player) -> PersonalData:
        """What is stored about a player, except boards, settings and blocks."""
        return personal_data.about(self._connection, player.id)

    def similar_userids(self, userid: str) -> Sequence[str]:
        """Userids that `userid` may be a typo of."""
        return players.similar(self._connection, userid)

    def board(self, number: int) -> GameState | None:
        """A match with its log and its state."""
        if number not in self._boards:
            seating = self._seatings.get(number)
            match, known = seating.match if seating else None, self._recent.find(number)
            self._boards[number] = matches.replayed(self._connection, number, known, match)
        return self._boards[number]

    def evaluations(self, board: GameState) -> Sequence[Evaluation]:
        """What is known of the positions of a board."""
        return evaluations.find(self._connection, board)

    def timing(self, board: GameState, now: datetime) -> Timing:
        """The timing of the present turn."""
        known = (board.match.number, board.state.entries, now)
        if known not in self._timings:
            seating = self._seatings.get(board.match.number)
            self._timings[known] = turn_timing.timing(self._connection, board, now, seating)
        return self._timings[known]

    def vacations(self, player: Player, since: date) -> Sequence[tuple[date, date]]:
        """A player's holidays."""
        return [stay[1:] for stay in vacations.of_players(self._connection, (player.userid,), since)]

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> ConditionalPlan | None:
        """A seat's plan for a board: conditional moves, or a move to confirm."""
        seating = self._seatings.get(board)
        if seating is not None:
            return seating.plans.get((seat, kind))
        return conditional_moves.find(self._connection, board, seat, kind)

    def watchers(self, board: int) -> Sequence[str]:
        """Who watches a board."""
        seating = self._seatings.get(board)
        if seating is not None and not seating.is_watched:
            return ()
        return subscriptions.watchers(self._connection, board)

    def watched(self, player: Player) -> Sequence[int]:
        """The running boards that a player watches."""
        return subscriptions.watched(self._connection, player.id)

    def counted(self, name: str, of: str, since: datetime) -> int:
        """How much was counted towards a limit since then."""
        return counts.total(self._connection, name, of, since)

    def have_played(self, one: Player, other: Player) -> bool:
        """Whether two players share or shared a board."""
        return matches.have_shared(self._connection, one.id, other.id)

    def listeners(self) -> Sequence[str]:
        """Who takes broadcasts."""
        return players.listeners(self._connection)

    def open_offers(self) -> Sequence[OpenOffer]:
        """All that are open."""
        return offers.all_open(self._connection)

    def offer(self, number: int) -> OpenOffer | None:
        """The newest offer of a number."""
        return offers.newest(self._connection, number)

    def last_offer_number(self) -> int:
        """The number given last."""
        return offers.last_number(self._connection)

    def rematch_of(self, board: int) -> int | None:
        """The running rematch of a board."""
        return offers.rematch_of(self._connection, board)

    def tallies(self, player: Player, game: str | None = None) -> Mapping[Pool, Tally]:
        """What a player's matches have come to, by pool."""
        return rankings.tallies(self._connection, player.id, game)

    def rated_pools(self, game: str) -> Sequence[Pool]:
        """The pools of a game with ratings."""
        return rankings.rated_pools(self._connection, game)

    def rated_matches(self, player: Player, game: str | None, first: int, count: int) -> RatedMatches:
        """What single matches did to a player's ratings."""
        return rankings.rated_matches(self._connection, player.id, game, first, count)

    def rated_on(self, player: Player, boards: Sequence[int]) -> Mapping[int, RatedMatch]:
        """The same of these boards."""
        return rankings.rated_on(self._connection, player.id, boards)

    def standings(
        self, pool: Pool, sections: Sequence[Section], now: datetime, first: int, count: int
    ) -> Standings:
        """A page of the players of a pool."""
        return rankings.standings(self._connection, pool, sections, now, first, count)

    def late_use(self, player: Player) -> LateUse | None:
        """That a play link of a player was first used late, if they were not told yet: they are told now."""
        if player.id not in self._late_uses:
            self._late_uses[player.id] = play_links.take_late_use(self._connection, player.id)
        return self._late_uses[player.id]

    def next_number(self) -> int:
        """The number of a match started now."""
        return matches.next_number(self._connection)

    def boards(self, wanted: ListingQuery) -> Listing:
        """A page of the boards that fit."""
        return listing.listing(self._connection, wanted)

    def practice_of(self, player: Player) -> int | None:
        """A player's practice board."""
        return matches.practice_of(self._connection, player.id)

    def robot(self, name: str) -> Player | None:
        """The player for whom a robot plays."""
        return players.find_robot(self._connection, name)

    def count_running(self, player: Player) -> int:
        """How many boards of a player are active."""
        return seatings.count_running(self._connection, player.id)

    def running(self) -> Sequence[tuple[str, int]]:
        """How many boards of each game are active."""
        return matches.running(self._connection)

    def started_since(self, userid: str, since: datetime) -> int:
        """How many matches a player started since then."""
        return seatings.started_since(self._connection, userid, since)

    def started_in_play(self, userid: str) -> int:
        """How many active matches that player started."""
        return seatings.started_in_play(self._connection, userid)

    def unbegun(self, starter: str, opponent: str) -> int:
        """How many active matches of `starter` wait for a first move of `opponent`."""
        return seatings.unbegun(self._connection, starter, opponent)

    def _player(self, key: str, find: Callable[[Connection, str], Player | None]) -> Player | None:
        # An address holds an @, which no userid does.
        if key not in self._players:
            self._players[key] = find(self._connection, key)
        return self._players[key]
