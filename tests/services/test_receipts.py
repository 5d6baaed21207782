"""How many mails a game brings: one a turn, and none to say only that a move arrived."""

from dataclasses import replace
from datetime import timedelta

import pytest

from pbmserv.mail.sending.transport import Delivered
from pbmserv.matches.log import rules_of
from pbmserv.server.scheduler import JOBS
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.app import App
from pbmserv.services.deliver import note
from pbmserv.services.play import MoveForm, find_play_link, play
from pbmserv.services.receipts import WAIT_FOR_PAGE, WAIT_FOR_ROBOT
from pbmserv.services.robots import play_robots
from pbmserv.services.views import list_outbox, load_board
from pbmserv.services.writer import write_due
from pbmserv.store.engine import writing
from pbmserv.store.operating import ROBOTS
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import Clock
from tests.services.post import Post, header_of, text_of
from tests.services.test_play import SITE, newest_link

ALICE, BOB, CAROL, DORA = (f"{name}@example.org" for name in ("alice", "bob", "carol", "dora"))


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Four people, and robots that are awake."""
    server = replace(sqlite_house.server, confirm="from", site_url=SITE, variants=True)
    post = Post(replace(sqlite_house, server=server), clock)
    play_robots(post.house, clock())
    post.people(alice="sesame", bob="poppy", carol="cumin", dora="fennel")
    record_heartbeat(post.house, ROBOTS, clock())
    return post


def due(club: Post) -> list[QueuedMessage]:
    """The mails that a sender would hand over now, once what was due is written."""
    while write_due(club.house, club.clock()):
        pass
    return [each for each in list_outbox(club.house, "waiting", 1000) if each.not_before <= club.clock()]


def hand_over(club: Post) -> None:
    """All that is due goes out."""
    for mail in due(club):
        with writing(club.house.engine) as connection:
            note(connection, [(mail, Delivered())], club.clock())


def some_move(club: Post, board: int = 101) -> str | None:
    """A legal move on a board; None when the game is over."""
    seen = load_board(club.house, board)
    assert seen is not None
    if seen.players.to_move is None:
        return None
    rules = rules_of(seen.match)
    return rules.write(seen.state.position, next(iter(rules.moves(seen.state.position))))


def on_turn(club: Post, board: int = 101) -> str:
    """Who is to move."""
    seen = load_board(club.house, board)
    assert seen is not None
    return f"{seen.players.to_move}@example.org"


def test_against_a_robot_one_mail_a_move(club: Post) -> None:
    """With what both have done; also while moves are still acknowledged one by one."""
    club.mail(ALICE, "challenge alice robot -size=3x3")
    hand_over(club)
    moves = 0
    while (move := some_move(club)) is not None:
        club.mail(ALICE, f"101 {move}")
        moves += 1
        is_over = some_move(club) is None
        assert len(due(club)) == is_over, "nothing is mailed before the robot has moved"
        play_robots(club.house, club.clock())
        (letter,) = due(club)
        assert letter.recipient == ALICE
        assert is_over or moves > 5 or header_of(letter, "In-Reply-To") == f"<in-{club.written}@example.org>"
        hand_over(club)
    assert moves > 5
    assert sum(each.status == "sent" for each in club.sent_to(ALICE)) == 2 + moves
    told = [
        each for each in club.sent_to(ALICE) if "You will no longer get a mail" in " ".join(text_of(each).split())
    ]
    assert [each.status for each in told] == ["sent"]


def test_while_the_robots_sleep_it_does_not_wait(club: Post) -> None:
    """And where they die meanwhile it waits a minute; then the robot's move comes by itself."""
    club.mail(ALICE, "challenge alice robot -size=3x3")
    hand_over(club)
    club.clock.move(hours=1)
    (letter,) = club.mail(ALICE, "101 b2")
    assert due(club) == [letter]
    hand_over(club)
    play_robots(club.house, club.clock())
    hand_over(club)
    record_heartbeat(club.house, ROBOTS, club.clock())
    move = some_move(club)
    club.mail(ALICE, f"101 {move}")
    assert due(club) == []
    club.clock.now += WAIT_FOR_ROBOT
    (letter,) = due(club)
    assert f"You played {move}" in text_of(letter)
    hand_over(club)
    play_robots(club.house, club.clock())
    assert [each.recipient for each in due(club)] == [ALICE]


def test_between_two_people_one_mail_a_turn(club: Post) -> None:
    """After their first moves, which are acknowledged."""
    club.mail(ALICE, "challenge alice bob -size=3x3")
    turns = mails = 0
    while (move := some_move(club)) is not None:
        letters = club.mail(on_turn(club), f"101 {move}")
        turns += 1
        if turns > 10 and some_move(club) is not None:
            mails += 1
            assert [letter.recipient for letter in letters] == [on_turn(club)]
    assert mails > 2


def test_among_four_one_mail_a_turn_each(club: Post) -> None:
    """Which tells all moves since; whoever wants every move gets it."""
    club.mail(ALICE, "challenge alice bob carol dora")
    for _ in range(20):
        club.mail(on_turn(club), f"101 {some_move(club)}")
    for _ in range(8):
        letters = club.mail(on_turn(club), f"101 {some_move(club)}")
        assert [letter.recipient for letter in letters] == [on_turn(club)]
    assert on_turn(club) == ALICE
    club.mail(CAROL, "set mail all")
    letters = club.mail(ALICE, f"101 {some_move(club)}")
    assert sorted(letter.recipient for letter in letters) == [BOB, CAROL]


def test_on_a_page_no_mail_at_all(club: Post) -> None:
    """A robot's answer waits as long as somebody seems to be there, and is dropped with the next move."""
    club.mail(ALICE, "challenge alice robot -size=3x3")
    hand_over(club)
    number, key = newest_link(club, ALICE)
    before = len(club.sent_to(ALICE))
    for _ in range(3):
        link = find_play_link(club.house, number, key, club.clock())
        assert link is not None
        plies = link.board.state.plies
        assert play(club.house, link, MoveForm(some_move(club) or "", "", plies, plies), club.clock()) is not None
        club.work()
        assert due(club) == []
        play_robots(club.house, club.clock())
        assert due(club) == []
        club.clock.move(minutes=1)
    club.clock.now += WAIT_FOR_PAGE
    (letter,) = due(club)
    assert letter.recipient == ALICE
    hand_over(club)
    assert sum(each.status == "sent" for each in club.sent_to(ALICE)[before:]) == 1


def test_once_a_day_what_nobody_else_has_told(club: Post) -> None:
    """A move that a later mail has mentioned is not named."""
    club.mail(ALICE, "challenge alice bob")
    club.mail(ALICE, "challenge alice carol")
    for _ in range(5):
        club.mail(ALICE, f"101 {some_move(club)}")
        club.mail(BOB, f"101 {some_move(club)}")
    before = len(club.sent_to(ALICE))
    first = some_move(club)
    club.mail(ALICE, f"101 {first}")
    second = some_move(club, 102)
    club.mail(ALICE, f"102 {second}")
    assert len(club.sent_to(ALICE)) == before, "neither is acknowledged by itself"
    club.clock.move(minutes=1)
    club.mail(CAROL, f"102 {some_move(club, 102)}")
    assert len(club.sent_to(ALICE)) == before + 1
    club.clock.move(hours=23)
    assert not write_due(club.house, club.clock())
    assert len(club.sent_to(ALICE)) == before + 1
    club.clock.move(hours=2)
    assert write_due(club.house, club.clock())
    letter = club.sent_to(ALICE)[-1]
    text = text_of(letter)
    assert f"Played: {first} on board 101. It is bob's turn." in text
    assert "102" not in text
    assert not write_due(club.house, club.clock() + timedelta(days=3))
    assert club.sent_to(ALICE)[-1] == letter


def test_moves_of_one_moment_are_told_in_one_mail(club: Post) -> None:
    """What is due together goes together, and not once for each board."""
    for _ in range(2):
        club.mail(ALICE, "challenge alice bob")
    for board in (101, 102, 101, 102, 101, 102):
        club.mail(ALICE, f"{board} {some_move(club, board)}")
        club.mail(BOB, f"{board} {some_move(club, board)}")
    before = len(club.sent_to(ALICE))
    moves = {board: some_move(club, board) for board in (101, 102)}
    club.mail(ALICE, "", "\n".join(f"move {board} {move}" for board, move in moves.items()))
    club.clock.move(days=1, minutes=1)
    due(club)
    (letter,) = club.sent_to(ALICE)[before:]
    assert f"Played: {moves[101]} on board 101, {moves[102]} on board 102." in " ".join(text_of(letter).split())
    club.clock.move(days=9)
    due(club)
    assert club.sent_to(ALICE)[before:] == [letter]


@pytest.mark.parametrize("line", ["set receipts off", "set mail off"])
def test_who_no_longer_wants_the_mail_of_the_day_gets_none(club: Post, line: str) -> None:
    """Nor a word that it could not be written."""
    club.mail(ALICE, "challenge alice bob")
    for _ in range(5):
        club.mail(ALICE, f"101 {some_move(club)}")
        club.mail(BOB, f"101 {some_move(club)}")
    club.mail(ALICE, f"101 {some_move(club)}")
    club.mail(ALICE, line)
    before = len(club.sent_to(ALICE))
    for _ in range(6):
        club.clock.move(days=1)
        due(club)
    assert len(club.sent_to(ALICE)) == before


def test_settings_of_receipts(club: Post) -> None:
    """On: each move. Off: none, not even once a day. A refusal is always answered."""
    club.mail(ALICE, "challenge alice bob")
    for _ in range(5):
        club.mail(ALICE, f"101 {some_move(club)}")
        club.mail(BOB, f"101 {some_move(club)}")
    club.mail(ALICE, "set receipts on")
    assert [each.recipient for each in club.mail(ALICE, f"101 {some_move(club)}")] == [ALICE, BOB]
    club.mail(BOB, "set receipts off")
    assert [each.recipient for each in club.mail(BOB, f"101 {some_move(club)}")] == [ALICE]
    assert [each.recipient for each in club.mail(BOB, "101 a1")] == [BOB]
    club.clock.move(days=3)
    for job in JOBS:
        job.do(club.house, club.clock())
    due(club)
    assert "Played:" not in "".join(text_of(each) for each in club.sent_to(BOB))


def test_without_mail_only_the_end_comes(club: Post) -> None:
    """Clocks run from the start of a turn; whoever writes gets mail again."""
    club.mail(ALICE, "challenge alice bob -size=3x3 -forfeittime=5")
    (told,) = (each for each in club.mail(BOB, "set mail off") if each.recipient == ALICE)
    assert "turned off mail" in text_of(told)
    before = len(club.sent_to(BOB))
    club.mail(ALICE, f"101 {some_move(club)}")
    club.mail(ALICE, "chat 101", "Hello?")
    club.mail(ALICE, "message bob", "Hello?")
    assert len(club.sent_to(BOB)) == before
    for _ in range(14):
        club.clock.move(hours=12)
        for job in JOBS:
            while job.do(club.house, club.clock()):
                pass
    hand_over(club)
    (letter,) = club.sent_to(BOB)[before:]
    assert "The game is over" in text_of(letter) or "won" in text_of(letter)
    letters = club.mail(BOB, "help")
    assert "it is on again" in text_of(letters[0])
