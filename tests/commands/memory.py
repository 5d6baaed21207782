"""Records in memory, and a table to play at without mail and store."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, date, datetime, timedelta
from difflib import get_close_matches
from typing import Any

from pbmserv.commands.changes import (
    BlockChange,
    Change,
    DroppedConditionalPlan,
    EndedOffer,
    Erased,
    JoinedOffer,
    LeftOffer,
    MailStopped,
    NewAddress,
    NewConditionalPlan,
    NewDigest,
    NewOffer,
    NewPlayer,
    NewSetting,
    PuzzleAnswered,
    PuzzleSent,
    Subscription,
    WeeklyPuzzle,
)
from pbmserv.commands.command import Actor, Decision, Proof, Reply, Request
from pbmserv.commands.permission import decide
from pbmserv.commands.policy import Counted
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import skeleton as skeleton_of
from pbmserv.games.game import Seat
from pbmserv.matches.clock import Timing
from pbmserv.matches.conditional_moves import ConditionalPlan, PlanKind
from pbmserv.matches.errors import CommandError
from pbmserv.matches.evaluations import Evaluation, valid
from pbmserv.matches.log import Match
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.player import PersonalData, PersonalQuestion, Player
from pbmserv.matches.puzzles import Puzzle, PuzzleTry, answered
from pbmserv.matches.queries import BoardRow, Listing, ListingQuery, Queries
from pbmserv.matches.ratings import Pool, RatedMatch, RatedMatches, Section, Standings, Tally
from pbmserv.matches.replay import GameState, fold, replay
from pbmserv.matches.state import summarise
from pbmserv.parser.line import parse_line
from pbmserv.parser.words import normalised
from pbmserv.store.puzzles import packed
from tests.commands import rankings
from tests.conftest import ADDRESS

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


class Memory:
    """Answers what commands ask, from dictionaries."""

    def __init__(self) -> None:
        self.players: dict[str, Player] = {}
        self.matches: dict[int, Match] = {}
        self.blocks: set[tuple[str, str]] = set()
        self.more_addresses: list[tuple[str, int]] = []
        self.asked: list[PersonalQuestion] = []
        self.timings: dict[int, Timing] = {}
        self.holidays: dict[int, list[tuple[date, date]]] = {}
        self.evaluated: dict[int, Sequence[Evaluation]] = {}
        self.plans: dict[tuple[int, Seat, PlanKind], ConditionalPlan] = {}
        self.watching: dict[int, list[str]] = {}
        self.offers: list[OpenOffer] = []
        self.counts: list[tuple[Counted, datetime]] = []
        self.found_puzzles: list[Puzzle] = []
        self.tried: dict[int, dict[int, PuzzleTry]] = {}

    def player(self, userid: str) -> Player | None:
        """The player of a userid."""
        return self.players.get(userid.lower())

    def named_like(self, skeleton: str) -> Sequence[Player]:
        """The players whose userids look alike."""
        return [each for each in self.players.values() if skeleton_of(each.userid) == skeleton]

    def player_at(self, address: str) -> Player | None:
        """The player of an address."""
        return next((each for each in self.players.values() if address.lower() in self.addresses(each)), None)

    def owner_of(self, address: str) -> Player | None:
        """The same here: everybody is believed."""
        return self.player_at(address)

    def signed_up(self, player: Player) -> datetime:
        """Everybody is there from the beginning."""
        return NOON

    def has_password(self, player: Player) -> bool:
        """Everybody has one here."""
        return True

    def addresses(self, player: Player) -> Sequence[str]:
        """The first one, and those that came later."""
        return [player.address, *(address for address, owner in self.more_addresses if owner == player.id)]

    def is_blocked(self, userid: str, by: str) -> bool:
        """Whether `by` has blocked `userid`."""
        return (by.lower(), userid.lower()) in self.blocks

    def blocked_by(self, userid: str) -> Sequence[str]:
        """Whom a player has blocked."""
        return sorted(blocked for by, blocked in self.blocks if by == userid.lower())

    def questions(self, player: Player) -> Sequence[PersonalQuestion]:
        """All are one player's here."""
        return self.asked

    def kept_about(self, player: Player) -> PersonalData:
        """No more than the questions."""
        return PersonalData(NOON, (), tuple(self.asked), (), 0, ())

    def similar_userids(self, userid: str) -> Sequence[str]:
        """Userids that look like it."""
        return [self.players[name].userid for name in get_close_matches(userid.lower(), self.players, n=3)]

    def board(self, number: int) -> GameState | None:
        """A board."""
        match = self.matches.get(number)
        return None if match is None else replay(match)

    def evaluations(self, board: GameState) -> Sequence[Evaluation]:
        """As the test says."""
        return valid(self.evaluated.get(board.match.number, ()), board)

    def timing(self, board: GameState, now: datetime) -> Timing:
        """The present turn as the test says, or as one that nobody knows of yet."""
        return replace(self.timings.get(board.match.number, Timing(now)), as_of=now)

    def vacations(self, player: Player, since: date) -> Sequence[tuple[date, date]]:
        """A player's holidays as the test says."""
        return sorted(days for days in self.holidays.get(player.id, []) if days[1] >= since)

    def plan(self, board: int, seat: Seat, kind: PlanKind) -> ConditionalPlan | None:
        """What a seat has in mind."""
        return self.plans.get((board, seat, kind))

    def watchers(self, board: int) -> Sequence[str]:
        """Who watches."""
        return self.watching.get(board, [])

    def watched(self, player: Player) -> Sequence[int]:
        """What somebody watches."""
        return sorted(board for board, userids in self.watching.items() if player.userid in userids)

    def counted(self, name: str, of: str, since: datetime) -> int:
        """What was counted so far."""
        theirs = [each.amount for each, at in self.counts if (each.name, each.of) == (name, of) and at > since]
        return sum(theirs)

    def have_played(self, one: Player, other: Player) -> bool:
        """Whether two share or shared a board."""
        shared = (match for match in self.matches.values() if {one.userid, other.userid} <= {*match.userids})
        return any(fold(match).status != "declined" for match in shared)

    def listeners(self) -> Sequence[str]:
        """Who listens."""
        return sorted(player.userid for player in self.players.values() if player.mail.broadcast)

    def open_offers(self) -> Sequence[OpenOffer]:
        """All that are open."""
        return sorted((offer for offer in self.offers if offer.status == "open"), key=lambda each: each.number)

    def offer(self, number: int) -> OpenOffer | None:
        """The newest of a number."""
        return next((offer for offer in reversed(self.offers) if offer.number == number), None)

    def last_offer_number(self) -> int:
        """The number given last."""
        return self.offers[-1].number if self.offers else 0

    def rematch_of(self, board: int) -> int | None:
        """The running rematch of a board."""
        again = (match for match in self.matches.values() if match.after == board)
        return next((match.number for match in again if fold(match).status == "active"), None)

    def tallies(self, player: Player, game: str | None = None) -> Mapping[Pool, Tally]:
        """What somebody's matches came to."""
        pools = rankings.pools(self.matches, game)
        found = {pool: rankings.tallies(self.matches, self._ids(), pool).get(player.id) for pool in pools}
        return {pool: tally for pool, tally in found.items() if tally is not None}

    def rated_pools(self, game: str) -> Sequence[Pool]:
        """The pools with ratings."""
        return rankings.pools(self.matches, game)

    def rated_matches(self, player: Player, game: str | None, first: int, count: int) -> RatedMatches:
        """A page of rated matches."""
        lines = rankings.rated_matches(self.matches, self._ids(), player.id, game)
        return RatedMatches(tuple(lines[first : first + count]), len(lines))

    def rated_on(self, player: Player, boards: Sequence[int]) -> Mapping[int, RatedMatch]:
        """Those of these boards."""
        lines = rankings.rated_matches(self.matches, self._ids(), player.id, None)
        return {line.board: line for line in lines if line.board in boards}

    def standings(
        self, pool: Pool, sections: Sequence[Section], now: datetime, first: int, count: int
    ) -> Standings:
        """A page of the standings."""
        return rankings.standings(self.matches, self.players.values(), pool, sections, now, first, count)

    def _ids(self) -> dict[str, int]:
        return {player.userid: player.id for player in self.players.values()}

    def next_number(self) -> int:
        """The next number."""
        return max(self.matches, default=100) + 1

    def boards(self, wanted: ListingQuery) -> Listing:
        """A page of boards."""
        fit = [match for match in self.matches.values() if _fits(match, wanted)]
        fit.sort(key=lambda match: (fold(match).last_at, match.number), reverse=wanted.filter != "next")
        page = fit[wanted.first : wanted.first + wanted.count]
        return Listing(tuple(map(_listed, page)), len(fit))

    def practice_of(self, player: Player) -> int | None:
        """A player's practice board."""
        own = (
            match.number for match in self.matches.values() if match.practice and player.userid in match.userids
        )
        return next(own, None)

    def puzzle(self, number: int) -> Puzzle | None:
        """One that comes with the program, or one of this test."""
        return self._puzzles().get(number)

    def unseen_puzzle(self, seen: Collection[int], game: str | None) -> Puzzle | None:
        """The first one that was not seen."""
        fit = [each for each in self._puzzles().values() if each.number not in seen and game in (None, each.game)]
        return min(fit, key=lambda each: each.number, default=None)

    def _puzzles(self) -> dict[int, Puzzle]:
        return {**packed(), **{each.number: each for each in self.found_puzzles}}

    def puzzle_tries(self, player: Player) -> Mapping[int, PuzzleTry]:
        """What somebody was sent."""
        return self.tried.get(player.id, {})

    def robot(self, name: str) -> Player | None:
        """The player for whom a robot plays."""
        return next((each for each in self.players.values() if each.robot == name), None)

    def running(self) -> Sequence[tuple[str, int]]:
        """Active boards of each game."""
        counted = [match for match in self.matches.values() if not match.practice]
        active = [match.game for match in counted if fold(match).status == "active"]
        return [(name, active.count(name)) for name in sorted(set(active))]

    def started_since(self, userid: str, since: datetime) -> int:
        """Matches started since."""
        started = [match for match in self.matches.values() if match.started_by == userid and not match.practice]
        return sum(match.started > since for match in started)

    def started_in_play(self, userid: str) -> int:
        """Active matches started."""
        started = [match for match in self.matches.values() if match.started_by == userid and not match.practice]
        return sum(fold(match).status == "active" for match in started)

    def unbegun(self, starter: str, opponent: str) -> int:
        """Matches that wait for a first move."""
        return sum(
            match.started_by == starter and fold(match).status == "active" and _waits_for(match, opponent)
            for match in self.matches.values()
            if not match.practice
        )


class Table:
    """Takes lines from players and keeps what comes of them. The clock goes a minute on with each.

    A test of a setting puts another `server` in the place of this one.
    """

    def __init__(self, *userids: str) -> None:
        self.records = Memory()
        self.server = Server(ADDRESS, confirm="from", variants=True)
        self.now = NOON
        for userid in userids:
            self.give(f"signup {userid} sesame", f"{userid}@example.org".lower())

    def give(
        self, line: str, sender: str | None, proof: Proof = "from", board: int | None = None, comment: str = ""
    ) -> Reply | CommandError:
        """What a line of that userid, or from that address, is answered with."""
        decided = self.decide(line, sender, proof, board, comment)
        return decided if isinstance(decided, CommandError) else decided.reply

    def decide(
        self, line: str, sender: str | None, proof: Proof = "from", board: int | None = None, comment: str = ""
    ) -> Decision | CommandError:
        """What comes of it; it is kept."""
        self.now += timedelta(minutes=1)
        records: Queries = self.records
        parsed = parse_line(normalised(line), board).parsed
        assert parsed is not None, f"{line!r} cannot be read"
        player = records.player(sender) or records.player_at(sender) if sender else None
        address = sender if sender and "@" in sender else player.address if player else None
        actor = Actor(player, address, proof if player else "none", is_believed=proof == "from")
        hashed = "hashed" if parsed.new_password else None
        request = Request(
            parsed.line,
            parsed.command,
            parsed.arguments,
            actor,
            hashed,
            comment=comment,
            server=self.server,
        )
        try:
            decided = decide(request, records, self.now)
        except CommandError as error:
            return error
        self._keep(decided)
        return decided

    def _keep(self, decided: Decision) -> None:
        if decided.opened is not None:
            self.records.matches[decided.opened.number] = decided.opened
        for entry in decided.entries:
            self.records.matches[entry.match] = self.records.matches[entry.match].with_entries((entry,))
        for board in decided.boards:
            self._forget_plans(board)
        for new in decided.changes:
            self._change(new)

    def _forget_plans(self, board: GameState) -> None:
        """As the store does: who has no part in a game any more has nothing in mind for it."""
        seats = board.state.seats_in if board.state.status == "active" else ()
        for key in [key for key in self.records.plans if key[0] == board.match.number and key[1] not in seats]:
            del self.records.plans[key]

    def _change(self, new: Change) -> None:
        players = self.records.players
        if isinstance(new, NewPlayer):
            players[new.userid.lower()] = Player(len(players) + 1, new.userid, new.address)
        elif isinstance(new, NewSetting) and new.key == "takes_challenges":
            self._replace(new.player_id, takes_challenges=new.value)
        elif isinstance(new, NewSetting):
            self._set(new.player_id, **{new.key: new.value})
        elif isinstance(new, MailStopped):
            self._set(new.player_id, is_off=not new.is_lifted)
        elif isinstance(new, BlockChange):
            pair = self._of(new.player_id).userid.lower(), self._of(new.blocked_id).userid.lower()
            (self.records.blocks.discard if new.is_lifted else self.records.blocks.add)(pair)
        elif isinstance(new, NewAddress) and new.is_first:
            self._replace(new.player_id, address=new.address)
        elif isinstance(new, NewAddress):
            self.records.more_addresses.append((new.address, new.player_id))
        elif isinstance(new, NewOffer | JoinedOffer | LeftOffer | EndedOffer):
            self._change_offer(new)
        elif isinstance(new, NewDigest):
            self._set(new.player_id, digest=new.schedule)
        elif isinstance(new, WeeklyPuzzle):
            self._set(new.player_id, puzzle=new.due is not None)
        elif isinstance(new, PuzzleSent | PuzzleAnswered):
            tried = self.records.tried.setdefault(new.player_id, {})
            tried.setdefault(
                new.number, PuzzleTry(new.number, self.now, isinstance(new, PuzzleSent) and new.by_week)
            )
            if isinstance(new, PuzzleAnswered) and tried[new.number].is_open:
                tried[new.number] = answered(tried[new.number], new.how)
        elif isinstance(new, Counted):
            self.records.counts.append((new, self.now))
        elif isinstance(new, Subscription):
            watching = self.records.watching.setdefault(new.board, [])
            (watching.remove if new.is_over else watching.append)(self._of(new.player_id).userid)
        elif isinstance(new, NewConditionalPlan):
            self.records.plans[new.board, new.seat, new.kind] = ConditionalPlan(new.plies, new.content)
        elif isinstance(new, DroppedConditionalPlan):
            self.records.plans.pop((new.board, new.seat, new.kind), None)
        elif isinstance(new, Erased):
            del players[self._of(new.player_id).userid.lower()]

    def _change_offer(self, new: NewOffer | JoinedOffer | LeftOffer | EndedOffer) -> None:
        offers = self.records.offers
        if isinstance(new, NewOffer):
            facts = {each.name: getattr(new, each.name) for each in fields(new) if each.name != "player_id"}
            offers.append(OpenOffer(len(offers), seeker=self._of(new.player_id).userid, made=self.now, **facts))
            return
        offer = offers[new.offer_id]
        if isinstance(new, EndedOffer):
            offers[new.offer_id] = replace(offer, status=new.status, match=new.match)
            return
        userid = self._of(new.player_id).userid
        others = tuple(joined for joined in offer.joined if joined != userid)
        joined = (*others, userid) if isinstance(new, JoinedOffer) else others
        offers[new.offer_id] = replace(offer, joined=joined)

    def _of(self, player_id: int) -> Player:
        return next(each for each in self.records.players.values() if each.id == player_id)

    def _set(self, player_id: int, **values: Any) -> None:
        self._replace(player_id, mail=replace(self._of(player_id).mail, **values))

    def _replace(self, player_id: int, **values: Any) -> None:
        player = self._of(player_id)
        self.records.players[player.userid.lower()] = replace(player, **values)


def _fits(match: Match, wanted: ListingQuery) -> bool:
    state, sitting = fold(match), [userid.lower() for userid in match.userids]
    named = [userid.lower() for userid in wanted.userids]
    on_turn = state.to_move is not None and (not named or sitting[state.to_move] in named)
    right_status = {
        "all": True,
        "active": state.status == "active",
        "inactive": state.status != "active",
        "finished": state.status == "finished",
        "next": on_turn,
    }[wanted.filter]
    is_listed = wanted.with_practice or not match.practice
    return is_listed and right_status and wanted.game in (None, match.game) and set(named) <= set(sitting)


def _listed(match: Match) -> BoardRow:
    facts = (match.number, match.game, match.options, match.userids, match.started)
    return BoardRow(*facts, summarise(fold(match)), match.rated, match.clock)


def _waits_for(match: Match, opponent: str) -> bool:
    seat = match.seat_of(opponent)
    return seat is not None and not any(entry.kind == "played" and entry.seat == seat for entry in match.entries)
