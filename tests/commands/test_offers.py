"""`seek`, `accept N`, `withdraw N` and `rematch`: who plays whom, in which order, and how often."""

from functools import partial

import pytest

from pbmserv.commands.boards import BoardList, GamesOnOffer
from pbmserv.commands.challenge import Challenged, NotAllHere, NotOverYet, PlayedOn, RematchRunning
from pbmserv.commands.changes import Erased
from pbmserv.commands.command import Decision, NotOurPlayer, Remark, Reply
from pbmserv.commands.new_game import (
    BadOptionValue,
    NotTogether,
    RatedAndUnrated,
    TakesNoChallenges,
    TooManyGames,
    TooManyUnbegun,
    UnknownOption,
)
from pbmserv.commands.offers import (
    AlreadyJoined,
    JoinedIn,
    NoSuchOffer,
    NotYourOffer,
    OfferOpened,
    OfferTaken,
    OwnOffer,
    SteppedBack,
    TooManyOffers,
    YouBlocked,
)
from pbmserv.matches.clock import DAY, TimeControl
from pbmserv.matches.errors import CommandError
from pbmserv.parser.line import parse_line
from pbmserv.parser.words import normalised
from tests.commands.memory import Table


@pytest.fixture
def club() -> Table:
    """Five players, and no board yet."""
    return Table("Anna", "bob", "cora", "dan", "Eve")


def order(club: Table, board: int) -> tuple[str, ...]:
    """Who plays on a board, in order of play."""
    return club.match(board).userids


def numbers(club: Table) -> list[int]:
    """The numbers of all open offers."""
    return [offer.number for offer in club.records.open_offers()]


def test_whoever_accepts_plays(club: Table) -> None:
    """On the terms of the offer, begun by whoever accepts; the seeker is told of it above the board."""
    sought = club.decide("seek cephalopod -size=3X3 --unrated -forfeittime=14", "anna", "none")
    assert isinstance(sought, Decision)
    assert isinstance(sought.reply, OfferOpened)
    assert not sought.awaits_yes
    decided = club.decide("accept 1", "BOB", "none")
    assert isinstance(decided, Decision)
    assert (decided.awaits_yes, decided.changed_boards) == (False, (101,))
    match = decided.opened
    assert match is not None
    assert (match.userids, match.started_by, match.after) == (("Anna", "bob"), "bob", None)
    assert (match.options, match.rated) == ((("size", "3x3"),), False)
    assert match.clock == TimeControl(forfeit=14 * DAY)
    assert [(each.userid, each.words) for each in decided.remarks] == [("Anna", OfferTaken(1, "Anna"))]
    offer = club.records.offer(1)
    assert offer is not None
    assert (offer.status, offer.match) == ("taken", 101)
    assert club.give("accept 1", "cora") == NoSuchOffer(number=1, command="accept", match=101, offers=())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ("Anna", "bob")),
        ("--last", ("bob", "Anna")),
        ("-players=3", ("Anna", "bob", "cora")),
        ("-players=4 -last", ("dan", "cora", "bob", "Anna")),
    ],
)
def test_order_of_play(club: Table, options: str, expected: tuple[str, ...]) -> None:
    """The seeker first and then as they come, or all of that the other way round."""
    club.give(f"seek {options}".strip(), "anna")
    joining = ["bob", "cora", "dan"][: len(expected) - 1]
    for missing, userid in zip(range(len(joining), 0, -1), joining, strict=True):
        said = club.give("accept 1", userid)
        if missing > 1:
            assert isinstance(said, JoinedIn)
            assert said.offer.missing == missing - 1
            assert club.give("accept 1", userid) == AlreadyJoined(offer=said.offer)
        else:
            assert isinstance(said, Challenged)
    assert order(club, 101) == expected


def test_a_seat_is_given_free(club: Table) -> None:
    """Then somebody else can have it; whoever has none gives none free."""
    club.give("seek -players=3", "anna")
    assert isinstance(club.give("accept 1", "bob"), JoinedIn)
    assert club.give("withdraw 1", "cora") == NotYourOffer(number=1, seeker="Anna")
    assert club.give("withdraw 1", "bob") == SteppedBack(1, "Anna")
    for userid in ("cora", "dan"):
        club.give("accept 1", userid)
    assert order(club, 101) == ("Anna", "cora", "dan")


def test_withdrawn(club: Table) -> None:
    """Nobody can accept it any more; who had is told, and nobody else. A From address is no proof enough."""
    club.give("seek -players=3", "anna")
    club.give("accept 1", "bob")
    for userid in ("anna", "bob"):
        asked = club.decide("withdraw 1", userid, "none")
        assert isinstance(asked, Decision)
        assert (asked.awaits_yes, asked.changes) == (True, ())
    decided = club.decide("withdraw 1", "anna", "confirmed")
    assert isinstance(decided, Decision)
    assert [userid for userid, _ in decided.to_players] == ["bob"]
    assert club.give("accept 1", "cora") == NoSuchOffer(number=1, command="accept", match=None, offers=())
    assert isinstance(club.give("withdraw 1", "anna"), NoSuchOffer)


@pytest.mark.parametrize("leaving", ["signoff", "delete"])
def test_who_leaves_takes_the_offers_along(club: Table, leaving: str) -> None:
    """Those of their own, and their seats in others'."""
    club.give("seek -players=3", "anna")
    club.give("seek -players=3", "bob")
    club.give("accept 1", "bob")
    club.give("accept 2", "cora")
    decided = club.decide(leaving, "bob", "confirmed")
    assert isinstance(decided, Decision)
    assert [userid for userid, _ in decided.to_players] == ["cora"]
    if leaving == "signoff":
        assert [(offer.number, offer.joined) for offer in club.records.open_offers()] == [(1, ())]


def test_numbers_go_round(club: Table) -> None:
    """A number is given again only when all others had their turn, and never while it is open."""
    club.give("seek", "anna")
    club.give("seek", "bob")
    club.give("withdraw 2", "bob")
    for number in [*range(3, 100), 2, 3]:
        sought = club.give("seek", "bob")
        assert isinstance(sought, OfferOpened)
        assert sought.offer.number == number
        club.give(f"withdraw {number}", "bob")
    assert numbers(club) == [1]


def test_three_offers_at_a_time(club: Table) -> None:
    for _ in range(3):
        assert isinstance(club.give("seek", "anna"), OfferOpened)
    assert club.give("seek", "anna") == TooManyOffers(limit=3, own=(1, 2, 3))
    club.give("accept 2", "bob")
    assert isinstance(club.give("seek", "anna"), OfferOpened)
    assert numbers(club) == [1, 3, 4]


def test_no_more_than_there_are_numbers() -> None:
    club = Table(*(f"player{number}" for number in range(34)))
    for number in range(99):
        assert isinstance(club.give("seek", f"player{number // 3}"), OfferOpened)
    assert club.give("seek", "player33") == TooManyOffers(limit=99, own=())
    assert numbers(club) == [*range(1, 100)]


def test_seek_refused(club: Table) -> None:
    """What is wrong with the options, and whom the server does not know."""
    refused = club.give("seek -players=7", "anna")
    assert isinstance(refused, BadOptionValue)
    assert (refused.name, refused.choices) == ("players", ("2", "3", "4", "5", "6"))
    assert isinstance(club.give("seek -players=2 -players=3", "anna"), BadOptionValue)
    for line in ("seek -last=no", "seek -speed=3"):
        refused = club.give(line, "anna")
        assert isinstance(refused, UnknownOption)
        assert refused.command == "seek"
        assert {"players", "last"} <= {*refused.options}
    assert isinstance(club.give("seek -size=4x4", "anna"), BadOptionValue)
    assert isinstance(club.give("seek", "nobody@example.org", "none"), NotOurPlayer)
    assert numbers(club) == []


def test_accept_refused(club: Table) -> None:
    """One's own, and what is not there; those that would do are told."""
    club.give("seek", "anna")
    assert club.give("accept 1", "anna") == OwnOffer(number=1)
    refused = club.give("accept 9", "bob")
    assert isinstance(refused, NoSuchOffer)
    assert [offer.number for offer in refused.offers] == [1]
    refused = club.give("accept 9", "anna")
    assert isinstance(refused, NoSuchOffer)
    assert refused.offers == ()


def test_nobody_sits_with_whom_they_blocked(club: Table) -> None:
    """Neither way, and with none of those who have a seat; what is blocked later counts too."""
    club.give("seek -players=3", "anna")
    club.give("block bob", "anna")
    assert club.give("accept 1", "bob") == TakesNoChallenges(userid="Anna")
    club.give("block anna", "dan")
    assert club.give("accept 1", "dan") == YouBlocked(number=1, userid="Anna")
    assert isinstance(club.give("accept 1", "cora"), JoinedIn)
    club.give("block eve", "cora")
    assert club.give("accept 1", "eve") == TakesNoChallenges(userid="cora")
    club.give("unblock eve", "cora")
    club.give("block cora", "anna")
    assert club.give("accept 1", "eve") == NotTogether(userids=("Anna", "cora"))
    club.give("set challenges off", "anna")
    club.give("unblock cora", "anna")
    assert isinstance(club.give("accept 1", "eve"), Challenged)


def test_limits_hold_on_every_way(club: Table) -> None:
    """Ten games a day that one has begun without proof, whether challenged for, accepted or played again."""
    ask = partial(club.give, sender="anna", proof="none")
    for place in range(10):
        userid = ("bob", "cora", "dan", "eve")[place % 4]
        line = f"challenge anna {userid}"
        if place % 2:
            sought = club.give("seek", userid)
            assert isinstance(sought, OfferOpened)
            line = f"accept {sought.offer.number}"
        assert isinstance(ask(line), Challenged), place
    club.give("101 resign", "anna")
    sought = club.give("seek", "cora")
    assert isinstance(sought, OfferOpened)
    for line in ("challenge anna cora bob", f"accept {sought.offer.number}", "rematch 101"):
        assert ask(line) == TooManyGames(starter="Anna", limit=10, proven_limit=100, line=line), line
    assert isinstance(club.give("rematch 101", "anna"), Challenged)


def test_three_unbegun_on_every_way(club: Table) -> None:
    """Three with the same player, whom nobody can flood by accepting, nor by playing again and again."""
    ask = partial(club.give, sender="anna", proof="none")
    ask("challenge bob anna")
    club.give("101 resign", "anna")
    assert isinstance(ask("rematch 101"), Challenged)
    for _ in range(2):
        sought = club.give("seek", "bob")
        assert isinstance(sought, OfferOpened)
        assert isinstance(ask(f"accept {sought.offer.number}"), Challenged)
    club.give("seek", "bob")
    club.give("challenge bob anna", "bob")
    club.give("105 resign", "bob")
    for line in ("accept 3", "challenge anna cora bob", "rematch 105"):
        refused = TooManyUnbegun(userid="bob", starter="Anna", limit=3, proven_limit=10, line=line)
        assert ask(line) == refused
    assert isinstance(club.give("accept 3", "anna"), Challenged)


def test_listed(club: Table) -> None:
    """With the games, and with the boards of their game."""
    club.give("seek", "anna")
    for line, kind in (("list", GamesOnOffer), ("list cephalopod", BoardList)):
        said: Reply | CommandError = club.give(line, None)
        assert isinstance(said, kind)
        assert [offer.number for offer in said.offers] == [1]


@pytest.mark.parametrize(("options", "is_rated"), [("", True), ("--rated", True), ("--unrated", False)])
def test_an_offer_says_whether_it_is_rated(club: Table, options: str, is_rated: bool) -> None:
    club.give(f"seek {options}", "anna")
    begun = club.decide("accept 1", "bob", "none")
    assert isinstance(begun, Decision)
    assert begun.opened is not None
    assert begun.opened.rated is is_rated
    refused = club.give("seek --rated --unrated", "anna")
    assert refused == RatedAndUnrated(game="cephalopod", command="seek", userids=())


def test_rematch(club: Table) -> None:
    """The same players, on the same terms, in the next order of play; round and round."""
    club.give("challenge anna bob cora -size=3x3 --unrated -totaltime=60 -increment=6", "anna")
    assert club.give("rematch 101", "bob") == NotOverYet(board=101)
    for board, starter, expected in (
        (101, "bob", ("bob", "cora", "Anna")),
        (102, "anna", ("cora", "Anna", "bob")),
        (103, "cora", ("Anna", "bob", "cora")),
    ):
        for player, square in zip(order(club, board), ("a1", "b1", "c1"), strict=True):
            club.give(f"{board} {square}", player)
        for player in ("bob", "cora"):
            club.give(f"{board} resign", player)
        decided = club.decide("rematch", starter, "none", board)
        assert isinstance(decided, Decision)
        match, before = decided.opened, club.match(board)
        assert match is not None
        assert (match.number, match.userids, match.after) == (board + 1, expected, board)
        assert (match.options, match.rated, match.clock) == (before.options, before.rated, before.clock)
        told = [remark.userid for remark in decided.remarks]
        assert told == [userid for userid in expected if userid.lower() != starter]


def test_others_play_on_without_whoever_declined(club: Table) -> None:
    """In the same order, on the same terms, at a word of one of them; a second word shows what has begun."""
    club.give("challenge cora anna bob -size=3x3 --unrated -forfeittime=3", "anna")
    club.give("101 resign", "cora")
    decided = club.decide("rematch", "bob", "none", 101)
    assert isinstance(decided, Decision)
    match, before = decided.opened, club.match(101)
    assert match is not None
    assert (match.userids, match.started_by, match.after) == (("Anna", "bob"), "bob", 101)
    assert (match.options, match.rated, match.clock) == (before.options, before.rated, before.clock)
    assert decided.remarks == (Remark(102, "Anna", PlayedOn(101, ("cora",))),)
    assert club.give("rematch 101", "anna") == RematchRunning(101, 102, "bob")
    assert club.give("rematch 101", "cora") == RematchRunning(101, 102, "bob")
    club.give("102 resign", "anna")
    begun = club.decide("rematch 101", "cora", "none")
    assert isinstance(begun, Decision)
    assert begun.opened is not None
    assert begun.opened.userids == ("Anna", "bob", "cora")


def test_one_rematch_at_a_time(club: Table) -> None:
    """Whoever asks for one that runs is shown it; when it is over, another can begin."""
    club.give("challenge anna bob", "anna")
    club.give("101 resign", "bob")
    assert isinstance(club.give("rematch 101", "bob"), Challenged)
    decided = club.decide("rematch 101", "anna", "none")
    assert isinstance(decided, Decision)
    assert decided.reply == RematchRunning(101, 102, "bob")
    assert [ref.number for ref in decided.shown] == [102]
    assert decided.opened is None
    club.give("102 resign", "anna")
    assert isinstance(club.give("rematch 101", "anna"), Challenged)


def test_rematch_only_with_who_wants_it(club: Table) -> None:
    """The refusals are those of a challenge."""
    club.give("challenge anna bob", "anna")
    club.give("101 resign", "bob")
    club.give("set challenges off", "bob")
    assert club.give("rematch 101", "anna") == TakesNoChallenges(userid="bob")
    assert isinstance(club.give("rematch 101", "bob"), Challenged)
    club.give("102 resign", "bob")
    club.change(Erased(2))
    assert club.give("rematch 101", "anna") == NotAllHere(board=101, game="cephalopod")


@pytest.mark.parametrize("line", ["accept 1", "Accept #1", "accept 1, please!", "ACCEPT 1."])
def test_said_plainly_or_nicely(club: Table, line: str) -> None:
    """The number as people write it; a board's is none of an offer."""
    club.give("seek", "anna")
    assert isinstance(club.give(line, "bob"), Challenged)


@pytest.mark.parametrize(
    ("line", "is_command"),
    [
        ("rematch", True),
        ("Rematch!", True),
        ("rematch, please", True),
        ("Rematch would be nice, but I have no time", False),
        ("Again?", False),
    ],
)
def test_rematch_in_an_answer(line: str, is_command: bool) -> None:
    """The word alone, with what people put around it; in a sentence it begins no game."""
    read = parse_line(normalised(line), 101)
    assert (read.parsed is not None, read.is_prose) == (is_command, not is_command)
