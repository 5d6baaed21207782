"""Checking: whatever is tampered with is found, nothing else is, and what can be mended is."""

import pytest
from sqlalchemy import event, text

from pbmserv.matches.queries import ListingQuery
from pbmserv.matches.replay import fold
from pbmserv.services.admin.check import Check, check, rebuild
from pbmserv.services.app import App
from pbmserv.services.views import list_boards, load_board
from pbmserv.store.engine import writing
from tests.conftest import Clock
from tests.services.post import Post
from tests.store.club import keep, make_club, new_match

SUMMARIES = {
    "status": "status = 'finished'",
    "whose turn": "to_move = 1 - to_move",
    "nobody's turn": "to_move = NULL",
    "how many": "plies = plies + 1",
    "the last move": "last_move = 'A1'",
}
LOGS = {
    "a gap": "DELETE FROM entries WHERE match = 101 AND seq = 1",
    "another first number": "UPDATE entries SET seq = seq + 1 WHERE match = 101 AND seq = 3",
    "a move that is none": "UPDATE entries SET text = 'Z9' WHERE match = 101 AND seq = 2",
    "a move that is not legal": "UPDATE entries SET text = 'B2' WHERE match = 101 AND seq = 2",
    "out of turn": "UPDATE entries SET seat = 0 WHERE match = 101 AND seq = 2",
    "nobody's seat": "UPDATE entries SET kind = 'resigned', seat = 7, text = '' WHERE match = 101 AND seq = 3",
    "something that does not happen": "UPDATE entries SET kind = 'sneezed' WHERE match = 101 AND seq = 3",
    "after the end": "UPDATE entries SET kind = 'declined', text = '' WHERE match = 101 AND seq = 2",
    "rules that are not there": "UPDATE matches SET rules = 'cephalopod/9' WHERE number = 101",
    "a game that is not there": "UPDATE matches SET game = 'ludo' WHERE number = 101",
    "options that are none": """UPDATE matches SET options = '{"size": "0x0"}' WHERE number = 101""",
    "an empty seat": "DELETE FROM seats WHERE match = 101 AND seat = 1",
}


@pytest.fixture
def house_with_boards(house: App, clock: Clock) -> App:
    """Board 101 after three moves, and a dozen others."""
    post = Post(house, clock)
    post.people(alice="sesame", zoe="poppy")
    post.mail("alice@example.org", "challenge alice zoe -size=3x3")
    for ply, move in enumerate(("b2", "a1", "c3")):
        post.mail(f"{('alice', 'zoe')[ply % 2]}@example.org", f"101 {move}")
    return house


def tamper(house: App, statement: str) -> None:
    """Changes a row behind everybody's back."""
    with writing(house.engine) as connection:
        assert connection.execute(text(statement)).rowcount == 1


def test_a_club_without_a_difference(house: App) -> None:
    with writing(house.engine) as connection:
        make_club(connection, 20)
    seen: list[tuple[int, int]] = []
    assert check(house, lambda done, of: seen.append((done, of))) == []
    assert seen == [(done, 20) for done in range(1, 21)]


def test_an_empty_house(house: App) -> None:
    assert check(house) == []
    assert rebuild(house, []) == 0


@pytest.mark.parametrize("what", SUMMARIES)
def test_a_tampered_summary_is_found_and_mended(house_with_boards: App, what: str) -> None:
    house = house_with_boards
    before = list_boards(house, ListingQuery(filter="all"))
    tamper(house, f"UPDATE matches SET {SUMMARIES[what]} WHERE number = 101")
    assert list_boards(house, ListingQuery(filter="all")) != before
    (found,) = check(house)
    assert found.number == 101
    assert found.expected == before.lines[0].summary
    assert rebuild(house, [found]) == 1
    assert list_boards(house, ListingQuery(filter="all")) == before
    assert check(house) == []


@pytest.mark.parametrize("what", LOGS)
def test_a_broken_log_is_found_and_left_alone(house_with_boards: App, what: str) -> None:
    """Nothing could be rebuilt from it; and it does not keep other boards from being looked at and mended."""
    house = house_with_boards
    Post(house, Clock(), written=100).mail("alice@example.org", "challenge alice zoe -size=3x3")
    tamper(house, LOGS[what])
    tamper(house, "UPDATE matches SET plies = 9 WHERE number = 102")
    first, second = check(house)
    assert (first.number, first.expected) == (101, None)
    assert "101" in first.what
    assert (second.number, second.expected is None) == (102, False)
    assert rebuild(house, [first, second]) == 1
    assert [each.number for each in check(house)] == [101]


def test_boards_that_nobody_can_end_are_found(house: App) -> None:
    """They go on, and somebody who plays at them was forgotten; those that are over are in order."""
    with writing(house.engine) as connection:
        club = make_club(connection)
    tamper(house, "UPDATE players SET userid = 'former player', userid_lower = 'former 1' WHERE userid = 'Ann'")
    hers = [board for board in club.boards if "Ann" in board.userids]
    endless = [board.number for board in hers if fold(board).status == "active"]
    assert 0 < len(endless) < len(hers)
    found = check(house)
    assert [each.number for each in found] == endless
    assert {each.expected for each in found} == {None}
    assert f"board {endless[0]} is active" in found[0].what


def test_a_board_that_somebody_left_in_time_is_in_order(house_with_boards: App) -> None:
    """The others play on; whoever left it was forgotten later."""
    post = Post(house_with_boards, Clock(), written=100)
    post.people(ned="pepper")
    post.mail("alice@example.org", "challenge zoe alice ned -size=3x3")
    post.mail("zoe@example.org", "102 a1")
    (asked,) = post.mail("zoe@example.org", "delete")
    post.answer(asked, "yes")
    seen = load_board(house_with_boards, 102)
    assert seen is not None
    assert (seen.match.userids, seen.state.status) == (("former player", "alice", "ned"), "active")
    assert check(house_with_boards) == []


def test_a_damaged_row_keeps_no_other_board_from_being_read(house: App) -> None:
    """Though they are read together."""
    with writing(house.engine) as connection:
        make_club(connection, 9)
    tamper(house, "UPDATE matches SET options = '[1]' WHERE number = 104")
    tamper(house, "UPDATE matches SET plies = 77 WHERE number = 105")
    assert [each.number for each in check(house)] == [104, 105]


def test_a_check_goes_on_from_a_board(house: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """In parts, each of which begins where the last one has ended; ratings are checked whichever board it is."""
    monkeypatch.setattr("pbmserv.services.admin.check.AT_ONCE", 4)
    with writing(house.engine) as connection:
        make_club(connection, 20)
    for number in (101, 108, 112, 120):
        tamper(house, f"UPDATE matches SET plies = 77 WHERE number = {number}")
    assert [each.number for each in check(house)] == [101, 108, 112, 120]
    seen: list[tuple[int, int]] = []
    later = Check(house, 108)
    later.run(lambda done, of: seen.append((done, of)))
    assert [each.number for each in later.differences] == [108, 112, 120]
    assert seen == [(done, 13) for done in range(1, 14)]
    assert later.next_board == 121
    with writing(house.engine) as connection:
        connection.execute(text("UPDATE ratings SET mu = mu + 1"))
    last = Check(house, later.next_board)
    last.run()
    assert last.differences
    assert all(each.ratings for each in last.differences)


def test_what_it_asks_does_not_grow_with_the_boards(house: App) -> None:
    """A hundred boards are read by a few statements."""
    asked = []
    event.listen(house.engine, "before_cursor_execute", lambda *each: asked.append(each[2]))
    with writing(house.engine) as connection:
        make_club(connection, 10)
    asked.clear()
    assert check(house) == []
    few = len(asked)
    with writing(house.engine) as connection:
        for match in [new_match(number, "Ann", "bob") for number in range(200, 280)]:
            keep(connection, match)
    asked.clear()
    assert check(house) == []
    assert len(asked) == few
