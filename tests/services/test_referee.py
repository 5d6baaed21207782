"""The operator as referee: each ruling is an entry of the log, under the board's lock, and goes to all of it."""

import threading
from collections.abc import Callable
from datetime import datetime

import pytest

from pbmserv.mail.sending.transport import Delivered
from pbmserv.rendering.board import BoardView
from pbmserv.services.admin import banning, referee
from pbmserv.services.admin.check import check
from pbmserv.services.admin.mails import announce, announce_on
from pbmserv.services.admin.referee import CannotRule, Ruled
from pbmserv.services.app import App
from pbmserv.services.deliver import note
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.views import list_outbox, load_board
from pbmserv.store.engine import reading, writing
from pbmserv.store.queries import TransactionQueries
from tests.services.post import Post, text_of

ALICE, BOB, CORA = "alice@example.org", "bob@example.org", "cora@example.org"
REASON = "Both have asked for it."

Rule = Callable[[App, datetime], Ruled]


@pytest.fixture
def club(post: Post) -> Post:
    """Board 101 of alice and bob after two moves, with clocks; cora plays nowhere."""
    return played(post)


def played(post: Post) -> Post:
    """The same on one kind of database."""
    post.people(alice="sesame", bob="poppy", cora="tahini")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    post.mail(ALICE, "101 a1")
    post.mail(BOB, "101 c3")
    return post


def seen(post: Post, board: int = 101) -> BoardView:
    """A board as it stands."""
    found = load_board(post.house, board)
    assert found is not None
    return found


RULINGS: list[tuple[Rule, str, str]] = [
    (
        lambda house, now: referee.rule(house, 101, referee.annul(REASON), now),
        "annulled",
        "has declared this game void",
    ),
    (lambda house, now: referee.rule(house, 101, referee.award("BOB", REASON), now), "awarded", "the win."),
    (
        lambda house, now: referee.rule(house, 101, referee.take_back(1, REASON), now),
        "rewound",
        "as it did after move",
    ),
    (
        lambda house, now: referee.rule(house, 101, referee.take_back(None, REASON), now),
        "rewound",
        "has taken moves back",
    ),
    (
        lambda house, now: referee.rule(house, 101, referee.extend("alice", 3, REASON), now),
        "extended",
        "3 days more",
    ),
    (lambda house, now: referee.rule(house, 101, referee.pause(REASON), now), "paused", "has stopped the clock."),
]


@pytest.mark.parametrize(("rule", "kind", "told"), RULINGS, ids=[kind for _, kind, _ in RULINGS])
def test_a_ruling(club: Post, rule: Rule, kind: str, told: str) -> None:
    """It stands in the log, every player is mailed what happened and why, and the summaries are right."""
    before = len(club.letters())
    club.clock.move(hours=1)
    ruled = rule(club.house, club.clock())
    entry = seen(club).match.entries[-1]
    assert (entry.kind, entry.at) == (kind, club.clock())
    assert ruled.board.match.entries[-1] == entry
    letters = club.letters()[before:]
    assert [letter.recipient for letter in letters] == [ALICE, BOB]
    assert ruled.mails == 2
    for letter in letters:
        text = " ".join(text_of(letter).split())
        assert told in text
        assert REASON in text
    assert check(club.house) == []


def test_what_is_over_can_go_on(sqlite_post: Post) -> None:
    """However it ended: by a resignation, by the operator's word, or since all have agreed."""
    post = played(sqlite_post)
    endings: list[Callable[[], object]] = [
        lambda: post.mail(BOB, "resign 101"),
        lambda: referee.rule(post.house, 101, referee.annul(""), post.clock()),
        lambda: referee.rule(post.house, 101, referee.award("alice", ""), post.clock()),
        lambda: (post.mail(BOB, "propose 101"), post.mail(ALICE, "accept 101")),
    ]
    for end in endings:
        end()
        assert seen(post).state.status != "active"
        referee.rule(post.house, 101, referee.take_back(None, ""), post.clock())
        state = seen(post).state
        assert (state.status, state.plies, state.to_move) == ("active", 2, 0)
    post.mail(ALICE, "101 b2")
    assert post.moves()[-1] == "B2"
    assert check(post.house) == []


def refused(rule: Callable[[], object]) -> str:
    """Why a ruling cannot be."""
    with pytest.raises(CannotRule) as caught:
        rule()
    return str(caught.value)


def test_what_cannot_be_ruled(sqlite_post: Post) -> None:
    """One sentence for the operator, and nothing is done."""
    post = played(sqlite_post)
    house, now, mails = post.house, post.clock(), len(post.letters())
    assert refused(lambda: referee.rule(house, 999, referee.annul(""), now)) == "there is no board 999"
    assert refused(lambda: referee.rule(house, 101, referee.award("cora", ""), now)).startswith(
        "cora does not play on board 101"
    )
    assert refused(lambda: referee.rule(house, 101, referee.take_back(2, ""), now)).endswith("the plies 0 to 1")
    assert refused(lambda: referee.rule(house, 101, referee.take_back(-1, ""), now)).endswith("the plies 0 to 1")
    assert (
        refused(lambda: referee.rule(house, 101, referee.extend("bob", 0, ""), now))
        == "days are a number from 1 to 365"
    )
    assert (
        refused(lambda: referee.rule(house, 101, referee.resume(""), now)) == "the clocks of board 101 run already"
    )
    assert refused(lambda: banning.ban(house, "zoe", "", now)) == "nobody is called zoe"
    assert refused(lambda: banning.unban(house, "bob", "", now)) == "bob is not banned"
    assert refused(lambda: announce_on(house, 999, "Hello", now)) == "there is no board 999"
    assert len(post.letters()) == mails
    referee.rule(house, 101, referee.annul(""), now)
    assert (
        refused(lambda: referee.rule(house, 101, referee.annul(""), now)) == "board 101 counts for nobody already"
    )
    for each in (referee.pause(""), referee.resume("")):
        assert refused(lambda ruler=each: referee.rule(house, 101, ruler, now)) == "the game on board 101 is over"  # type: ignore[misc]


def test_nobody_is_brought_back_who_is_gone_for_good(sqlite_post: Post) -> None:
    """Neither whoever was forgotten nor who is banned: the board would wait for them."""
    post = played(sqlite_post)
    banning.ban(post.house, "bob", "", post.clock())
    assert refused(lambda: referee.rule(post.house, 101, referee.take_back(None, ""), post.clock())).endswith(
        "bob is banned"
    )
    banning.unban(post.house, "bob", "", post.clock())
    asked = post.mail(BOB, "delete bob poppy")[-1]
    post.answer(asked, "yes")
    assert "has left" in refused(lambda: referee.rule(post.house, 101, referee.take_back(None, ""), post.clock()))
    assert check(post.house) == []


def test_a_ban(club: Post) -> None:
    """Off the boards, without open offers; nothing of theirs is done until it is lifted, but for their rights."""
    club.mail(CORA, "challenge bob cora -size=3x3")
    club.mail(CORA, "challenge alice bob cora -size=3x3")
    for sender, move in ((ALICE, "a1"), (BOB, "b3"), (CORA, "c1")):
        club.mail(sender, f"103 {move}")
    club.mail(BOB, "seek")
    before = len(club.letters())
    banned = banning.ban(club.house, "BOB", "Enough.", club.clock())
    assert (banned.userid, banned.removed, banned.declined) == ("bob", (101, 103), (102,))
    assert len(club.letters()) - before == len(banned.effect.to) == 2 + 2 + 3 + 1
    states = [seen(club, number).state for number in (101, 102, 103)]
    assert [state.status for state in states] == ["finished", "declined", "active"]
    assert [state.ending for state in states] == ["removed", None, None]
    told = text_of(club.sent_to(BOB)[-1])
    assert "has banned you" in told
    assert "Enough." in told
    assert "accept" not in text_of(club.mail(CORA, "list cephalopod")[0])
    for command in ("games", "challenge bob alice", "chat 101", "set words on", "yes"):
        (letter,) = club.mail(BOB, command, "Hello all")
        assert ("has banned bob" in text_of(letter)) is (command != "yes"), command
    assert "bob takes no challenges" in text_of(club.mail(ALICE, "challenge alice bob")[0])
    assert "EVERYTHING WE KEEP ABOUT bob" in text_of(club.mail(BOB, "export")[0])
    assert refused(lambda: banning.ban(club.house, "bob", "", club.clock())) == "bob is banned already"
    assert banning.unban(club.house, "bob", "", club.clock()) == "bob"
    assert "Your game of Cephalopod with alice has started" in text_of(club.mail(BOB, "challenge bob alice")[0])
    assert check(club.house) == []


def test_a_ban_lets_queued_moves_play(sqlite_post: Post) -> None:
    """Whoever comes to be on turn thereby, and has said what to play whatever happens, need not be asked."""
    post = sqlite_post
    post.people(alice="sesame", bob="poppy", cora="tahini")
    post.mail(ALICE, "challenge alice bob cora -size=3x3")
    for sender, move in ((ALICE, "a1"), (BOB, "b1"), (CORA, "c1")):
        post.mail(sender, f"101 {move}")
    post.mail(BOB, "queue 101 c3")
    banning.ban(post.house, "alice", "", post.clock())
    assert [entry.kind for entry in seen(post).match.entries[-2:]] == ["removed", "played"]
    assert seen(post).state.to_move == 2
    told = text_of(next(letter for letter in reversed(post.sent_to(BOB)) if letter.match == 101))
    assert "queue" in told.lower()
    assert "C3" in told
    assert check(post.house) == []


def test_a_queue_for_what_is_taken_back_is_dropped(sqlite_post: Post) -> None:
    """Its owner, who is on turn then, is told."""
    post = played(sqlite_post)
    post.mail(ALICE, "101 b2")
    post.mail(ALICE, "queue 101 c1")
    referee.rule(post.house, 101, referee.take_back(2, ""), post.clock())
    assert "moves are dropped: moves before them were taken back" in " ".join(
        text_of(post.sent_to(ALICE)[-1]).split()
    )
    with reading(post.house.engine) as connection:
        assert TransactionQueries(connection).plan(101, 0, "queue") is None


def test_what_the_operator_takes_back_gives_its_time_back(sqlite_post: Post) -> None:
    """Else the board would be lost again at once to whoever had forfeited it, with nothing left in the bank."""
    post = sqlite_post
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3 -totaltime=4 -forfeittime=none")

    def days_pass(days: int) -> None:
        for letter in reversed(list_outbox(post.house, "waiting", 100)):
            with writing(post.house.engine) as connection:
                note(connection, [(letter, Delivered())], post.clock())
        look_after_clocks(post.house, post.clock())
        post.clock.move(days=days)

    days_pass(1)
    post.mail(ALICE, "101 b2")
    days_pass(2)
    post.mail(BOB, "101 a1")
    days_pass(3)
    look_after_clocks(post.house, post.clock())
    assert seen(post).state.ending == "forfeited"
    referee.rule(post.house, 101, referee.take_back(1, ""), post.clock())
    days_pass(0)
    state = seen(post).state
    assert (state.status, state.to_move) == ("active", 1)
    assert state.used == (86400, 0)
    assert "Your turn. You have 4 days." in text_of(post.sent_to(BOB)[-1])


def test_two_operators_at_once(club: Post) -> None:
    """Who comes second finds what the first has written: each takes one ply back."""
    failed: list[BaseException] = []
    both_there = threading.Barrier(2)

    def take_back() -> None:
        try:
            both_there.wait(60)
            referee.rule(club.house, 101, referee.take_back(None, ""), club.clock())
        except BaseException as error:
            failed.append(error)

    operators = [threading.Thread(target=take_back) for _ in range(2)]
    for operator in operators:
        operator.start()
    for operator in operators:
        operator.join(120)
    assert failed == []
    assert seen(club).state.plies == 0
    assert [entry.text for entry in seen(club).match.entries[-2:]] == ["1", "0"]
    assert check(club.house) == []


def test_all_boards_with_clocks(sqlite_post: Post) -> None:
    """Those that run, and that do not stand still already."""
    post = played(sqlite_post)
    post.mail(CORA, "challenge cora bob")
    post.mail(CORA, "challenge cora alice")
    post.mail(ALICE, "resign 103")
    assert referee.with_clocks(post.house, paused=False) == [101, 102]
    referee.rule(post.house, 102, referee.pause(""), post.clock())
    assert referee.with_clocks(post.house, paused=False) == [101]
    assert referee.with_clocks(post.house, paused=True) == [102]
    with writing(post.house.engine) as connection:
        connection.exec_driver_sql("UPDATE matches SET rules = 'cephalopod/0' WHERE number = 101")
    assert referee.with_clocks(post.house, paused=False) == []
    assert referee.with_clocks(post.house, paused=True) == [102]


def test_announcements(sqlite_post: Post) -> None:
    """To everybody who is there; or to those of one board, with the board."""
    post = played(sqlite_post)
    post.people(dora="cumin")
    banning.ban(post.house, "dora", "", post.clock())
    before = len(post.letters())
    told: list[int] = []
    announce(post.house, "The server moves.\nSee you!", post.clock(), told.append)
    letters = post.letters()[before:]
    assert [letter.recipient for letter in letters] == [ALICE, BOB, CORA]
    assert all("| The server moves.\n| See you!" in text_of(letter) for letter in letters)
    assert told == [3]
    assert announce_on(post.house, 101, "Hurry!", post.clock()) == 2
    letters = post.letters()[before + 3 :]
    assert [letter.recipient for letter in letters] == [ALICE, BOB]
    assert all("| Hurry!" in text_of(letter) and "Summary of" in text_of(letter) for letter in letters)
