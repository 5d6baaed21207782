"""Digests: what is left to them, when they come, and that a house with several stewards sends each once."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from pbmserv.mail.sending.transport import Delivered
from pbmserv.rendering.board import view_board
from pbmserv.server.scheduler import JOBS, Job
from pbmserv.services.deliver import note
from pbmserv.services.notices import BoardChange, Watched, is_mailed
from pbmserv.services.scheduler.due import send_digest
from pbmserv.services.views import list_outbox
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.queries import RecentBoards, TransactionQueries
from pbmserv.store.tables import addresses, clocks, entries, outbox, players
from tests.services.post import Post, header_of, text_of
from tests.web.put import put

ALICE, BOB = "alice@example.org", "bob@example.org"
EVENING = datetime(2026, 1, 1, 19, 30, tzinfo=UTC)


@pytest.fixture
def club(post: Post) -> Post:
    """Alice wants one mail at half past seven in the evening; Bob has begun three games with her."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "set digest daily 19:30")
    for _ in range(3):
        post.mail(BOB, "challenge alice bob -size=3x3")
    return post


def send_due(post: Post, at: datetime) -> list[QueuedMessage]:
    """The digests that are due by then."""
    post.clock.now = at
    before = len(post.letters())
    while send_digest(post.house, at):
        pass
    return post.letters()[before:]


def hand_over(post: Post) -> None:
    """All that waits goes out."""
    for mail in list_outbox(post.house, "waiting", 1000):
        with writing(post.house.engine) as connection:
            note(connection, [(mail, Delivered())], post.clock())


def due_at(post: Post) -> datetime | None:
    """When the next digest is due."""
    with reading(post.house.engine) as connection:
        found: datetime | None = connection.execute(
            select(players.c.digest_at).where(players.c.userid == "alice")
        ).scalar_one()
        return found


def to_alice(letters: list[QueuedMessage]) -> list[QueuedMessage]:
    """Those of the letters that went to her."""
    return [letter for letter in letters if letter.recipient == ALICE]


def test_one_mail_when_it_is_due_and_not_before(club: Post) -> None:
    """Nothing came of the three games till then, and nothing more comes that day."""
    assert len(to_alice(club.letters())) == 2
    assert send_due(club, EVENING - timedelta(minutes=1)) == []
    (digest,) = send_due(club, EVENING)
    assert digest.recipient == ALICE
    assert all(f"Board {number}\n" in text_of(digest) for number in (101, 102, 103))
    assert send_due(club, EVENING + timedelta(hours=23)) == []
    assert len(send_due(club, EVENING + timedelta(days=1))) == 1


def test_after_an_outage_one_comes_and_not_ten(club: Post) -> None:
    """The next one is then due at its time of the day again."""
    late = EVENING + timedelta(days=10, hours=3)
    assert len(send_due(club, late)) == 1
    assert due_at(club) == EVENING + timedelta(days=11)


def test_its_answer_moves_on_many_boards(club: Post) -> None:
    """From its own address; a board that has changed meanwhile is shown anew."""
    club.mail(ALICE, "move 101 a1")
    club.mail(BOB, "move 101 c3")
    asking = club.with_server(confirm="ask")
    (digest,) = send_due(asking, EVENING)
    club.mail(ALICE, "move 102 b2")
    club.mail(BOB, "move 102 a1")
    asking.answer(digest, "101 b3\n102 c3\n103 c1")
    assert [club.moves(board) for board in (101, 102, 103)] == [["A1", "C3", "B3"], ["B2", "A1"], ["C1"]]


def test_one_board_alone_is_answered_by_its_square(club: Post) -> None:
    """As the mail of a board is."""
    club.mail(ALICE, "", "102 a1\n103 a1")
    (digest,) = send_due(club, EVENING)
    club.answer(digest, "b2")
    assert club.moves(101) == ["B2"]


def test_no_mail_where_there_is_nothing_to_do(club: Post) -> None:
    """Nor to who gets none at all, because mail there comes back; but the next one is due all the same."""
    club.mail(ALICE, "", "101 a1\n102 a1\n103 a1")
    assert send_due(club, EVENING) == []
    assert due_at(club) == EVENING + timedelta(days=1)
    club.mail(BOB, "move 101 b2")
    with writing(club.house.engine) as connection:
        connection.execute(update(addresses).where(addresses.c.address == ALICE).values(suspended_at=EVENING))
    assert send_due(club, EVENING + timedelta(days=1)) == []
    assert due_at(club) == EVENING + timedelta(days=2)


def test_what_is_not_left_to_it(club: Post) -> None:
    """Words, an offer that waits for an answer, and the end of a game come at once; a move does not."""
    club.mail(ALICE, "", "101 a1\n102 a1\n103 a1")

    def told(subject: str, text: str = "") -> int:
        return len(to_alice(club.mail(BOB, subject, text)))

    assert told("move 101 c3") == 0
    assert told("move 102 c3", "Well, well.") == 1
    assert told("chat 103", "Hello?") == 1
    assert told("propose 103") == 1
    assert told("resign 103") == 1
    assert len(to_alice(club.mail(ALICE, "move 101 c1"))) == 1
    club.mail(ALICE, "set digest off")
    club.mail(BOB, "move 101 b2")
    assert len(to_alice(club.mail(BOB, "challenge bob alice -size=3x3"))) == 1


def test_a_remark_is_not_left_to_it(club: Post) -> None:
    """Nor what the house has to say of a board; without any the board waits."""
    with reading(club.house.engine) as connection:
        records = TransactionQueries(connection)
        alice, board = records.player("alice"), records.board(101)
    assert alice is not None
    assert board is not None
    assert not is_mailed(alice, BoardChange(board))
    assert is_mailed(alice, BoardChange(board), remarks=(Watched(101, is_over=False),))


def test_her_time_begins_with_the_digest(club: Post) -> None:
    """Whoever could not know of a board loses no time on it."""

    def begun() -> list[Any]:
        with reading(club.house.engine) as connection:
            return list(connection.execute(select(clocks.c.started_at).order_by(clocks.c.match)).scalars())

    hand_over(club)
    assert begun() == [None, None, None]
    send_due(club, EVENING)
    hand_over(club)
    assert begun() == [EVENING, EVENING, EVENING]


def test_the_most_urgent_first_and_the_rest_by_number(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least time left, and where as much is left, what waits longest; with room for two."""
    monkeypatch.setattr("pbmserv.services.board_mail.MOST_SHOWN", 2)
    club.mail(ALICE, "show 102")
    hand_over(club)
    (digest,) = send_due(club, EVENING)
    text = text_of(digest)
    assert "3 boards, the most urgent first." in text
    assert [text.index(f"\n    {number}  bob") for number in (102, 101, 103)] == sorted(
        text.index(f"\n    {number}  bob") for number in (101, 102, 103)
    )
    assert "The first 2 are drawn below." in text
    assert re.findall(r"Board (10[123])\n", text) == ["102", "101"]


def test_switched_off_all_that_waits_is_shown(club: Post) -> None:
    """Else nobody would hear of boards that were left to a digest."""
    (answer,) = club.mail(ALICE, "set digest off")
    assert all(f"Board {number}\n" in text_of(answer) for number in (101, 102, 103))
    assert send_due(club, EVENING) == []


def test_what_ends_it_is_told_where_mail_programs_look(club: Post) -> None:
    """Digests are no answers, and name how to leave."""
    (digest,) = send_due(club, EVENING)
    assert header_of(digest, "Auto-Submitted") == "auto-generated"
    assert "set%20digest%20off" in header_of(digest, "List-Unsubscribe")


def test_several_stewards_send_each_once(club: Post) -> None:
    """Whoever comes second finds it sent."""
    club.mail(BOB, "set digest daily 19:30")
    club.mail(ALICE, "move 101 a1")
    club.clock.now = EVENING
    before = len(club.letters())
    with ThreadPoolExecutor(4) as stewards:
        list(stewards.map(lambda _: send_digest(club.house, EVENING), range(12)))
    assert sorted(letter.recipient for letter in club.letters()[before:]) == [ALICE, BOB]


def duty(name: str) -> Job:
    """One of the steward's."""
    return next(each for each in JOBS if each.name == name)


def test_all_that_are_due_leave_in_one_round(club: Post) -> None:
    """The steward goes round once a second: one digest a round would keep a club waiting for minutes."""
    club.mail(BOB, "set digest daily 19:30")
    club.mail(ALICE, "move 101 a1")
    club.clock.now = EVENING
    before = len(club.letters())
    assert not duty("digests").run(club.house, EVENING)
    assert sorted(letter.recipient for letter in club.letters()[before:]) == [ALICE, BOB]


def test_the_steward_is_not_kept_from_its_other_duties(club: Post) -> None:
    """After a batch it says that there is more, and comes back at once."""
    club.mail(BOB, "set digest daily 19:30")
    club.mail(ALICE, "move 101 a1")
    club.clock.now = EVENING
    before = len(club.letters())
    one_by_one = replace(duty("digests"), at_once=1)
    assert [one_by_one.run(club.house, EVENING) for _ in range(3)] == [True, True, False]
    assert len(club.letters()[before:]) == 2


def test_a_fault_with_one_keeps_nobody_else_waiting(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """That player's next one is due as ever; a board whose log does not replay is only left out."""
    club.mail(BOB, "set digest daily 19:30")
    club.mail(ALICE, "", "101 a1\n102 a1")
    club.mail(BOB, "move 101 b2")
    with writing(club.house.engine) as connection:
        connection.execute(update(entries).where(entries.c.match == 101, entries.c.seq == 1).values(text="Z9"))

    def fails_for_bob(board: Any, viewer: str, **others: Any) -> Any:
        if viewer == "bob":
            raise ValueError("a fault of ours")
        return view_board(board, viewer, **others)

    monkeypatch.setattr("pbmserv.services.board_mail.view_board", fails_for_bob)
    club = replace(club, house=replace(club.house, recent=RecentBoards()))
    letters = send_due(club, EVENING)
    assert [letter.recipient for letter in letters] == [ALICE]
    assert "Board 101\n" not in text_of(letters[0])
    assert send_due(club, EVENING) == []


# The table, and how much is drawn


def test_a_mail_of_many_boards_fits(post: Post) -> None:
    """`next` and the digest stay below 90 kB: fifty boards are named, and as many drawn as there is room."""
    post.people(alice="sesame", bob="poppy")
    put_many(post, 60)
    (answer,) = post.mail(ALICE, "next")
    post.mail(ALICE, "set digest daily 19:30")
    (digest,) = send_due(post, EVENING)
    for letter in (answer, digest):
        assert 50_000 < len(letter.raw) < 90_000
        text = text_of(letter)
        assert "60 boards, the most urgent first" in " ".join(text.split())
        assert "And 10 more." in text
        drawn = len(re.findall(r"(?m)^Summary of ", text))
        assert 0 < drawn < 20
        assert f"The first {drawn} are drawn below." in text
        with reading(post.house.engine) as connection:
            shown = connection.execute(select(outbox.c.shown).where(outbox.c.id == letter.id)).scalar_one()
        assert len(shown) == 50


def put_many(post: Post, count: int) -> None:
    """Boards between alice and bob, in the middle of a game, alice to move."""
    moves = ("a4", "d2", "a3", "e1", "a2", "e2xd2,e1", "b4", "c3", "b3xa3,b4,c3", "b4xa4,b3", "b3", "b2xa2,b3")
    for number in range(201, 201 + count):
        put(post.house, number, "5x5", ("alice", "bob"), moves)


def test_one_board_needs_no_table(post: Post) -> None:
    """Nor a desk."""
    post.people(alice="sesame", bob="poppy")
    put_many(post, 1)
    (answer,) = post.mail(ALICE, "next")
    assert "most urgent first" not in text_of(answer)


@pytest.mark.parametrize("boards", [10, 11])
def test_a_digest_is_offered_on_many_boards(post: Post, boards: int) -> None:
    """In answers to `next` and to moves, and to nobody who has one."""
    post.people(alice="sesame", bob="poppy")
    put_many(post, boards)
    offers = [
        f"You play on {boards} boards." in text_of(post.mail(ALICE, subject)[0])
        for subject in ("next", "move 201 c4", "show 201", "set digest daily", "next")
    ]
    is_many = boards > 10
    assert offers == [is_many, is_many, False, False, False]
