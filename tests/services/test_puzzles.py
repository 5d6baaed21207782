"""Puzzles by mail: answers of all kinds, one a week, those found in finished games, and what is stored of them."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from urllib.parse import unquote

import pytest
from sqlalchemy import func, select

from pbmserv.matches.log import rules_of
from pbmserv.matches.puzzles import FIRST_FOUND, Puzzle, puzzle_board
from pbmserv.services.scheduler.due import send_puzzle
from pbmserv.services.teaching import find_puzzle
from pbmserv.store import letters, puzzles
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.puzzles import packed
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.tables import puzzle_tries
from pbmserv.store.tables import puzzles as table
from tests.conversation import parsed
from tests.services.post import Post, header_of, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
GAME = "tic-tac-toe"


@pytest.fixture
def club(post: Post) -> Post:
    """Alice and Bob, whose addresses alone prove nothing."""
    post.people(alice="sesame", bob="poppy")
    return post


def html_of(letter: QueuedMessage) -> str:
    """The HTML part of a letter."""
    part = parsed(letter.raw).get_body(("html",))
    assert part is not None
    return str(part.get_content())


def tries_of(post: Post, userid: str) -> dict[int, tuple[int, bool, bool]]:
    """What is stored of somebody's puzzles: how many tries, whether solved, whether shown."""
    with reading(post.house.engine) as connection:
        records = TransactionQueries(connection)
        player = records.player(userid)
        assert player is not None
        found = records.puzzle_tries(player)
    return {number: (each.tries, each.solved, each.shown) for number, each in found.items()}


def test_each_square_can_be_tapped(club: Post) -> None:
    """The links in the HTML write answers that are read as moves of the puzzle, or as the choice of one."""
    (letter,) = club.mail(ALICE, "puzzle")
    subjects = [unquote(each) for each in re.findall(r'mailto:[^"?]+\?subject=([^"]+)"', html_of(letter))]
    moves = [each for each in subjects if " " not in each]
    puzzle = packed()[1]
    board = puzzle_board(puzzle)
    legal = [*rules_of(board.match).moves(board.state.position)]
    assert len(moves) >= len({move[0] for move in legal}) - 1
    for move in moves:
        (answer,) = club.mail(ALICE, move, To=header_of(letter, "From"))
        assert re.search(r"best move|Try again|cannot be played", text_of(answer)), (move, text_of(answer))


@pytest.mark.parametrize("words", ["{}", "My move is {}, thanks", "{} :-)", "puzzle 1 {}"])
def test_an_answer_is_read_like_a_move_on_a_board(club: Post, words: str) -> None:
    """With words around it, as people write, and above the copy of our mail."""
    (letter,) = club.mail(ALICE, "puzzle")
    quoted = "\n".join(f"> {line}" for line in text_of(letter).splitlines())
    (answer,) = club.answer(letter, f"{words.format(packed()[1].best)}\n\n{quoted}")
    assert "is the best move" in text_of(answer)
    assert tries_of(club, "alice") == {1: (1, True, False)}


@pytest.mark.parametrize("words", ["solution", "Solution!", "\nsolution\n\nI give up\n-- \nAlice"])
def test_a_word_brings_the_solution(club: Post, words: str) -> None:
    """In an answer to a puzzle, where nothing else can be meant by it."""
    (letter,) = club.mail(ALICE, "puzzle")
    (answer,) = club.answer(letter, words)
    assert f"The best move in puzzle 1 is {packed()[1].best}" in text_of(answer).replace("\n", " ")
    assert tries_of(club, "alice") == {1: (0, False, True)}


def test_in_words_nothing_is_drawn(club: Post) -> None:
    """Each row is told, and the same answers are taken."""
    club.mail(ALICE, "set words on")
    (letter,) = club.mail(ALICE, "puzzle")
    assert not re.search(r"[(<][1-6][)>]|\.\.\.|   ", text_of(letter).partition("Answer this")[0])
    (answer,) = club.answer(letter, packed()[1].best)
    assert "is the best move" in text_of(answer)


def test_the_mail_tells_which_puzzle_is_meant(club: Post) -> None:
    """An answer to an older one is about that one, and a mail to no puzzle about none."""
    (first,) = club.mail(ALICE, "puzzle")
    (second,) = club.mail(ALICE, "puzzle")
    club.answer(first, packed()[1].best)
    club.answer(second, packed()[2].replies[0][0])
    assert tries_of(club, "alice") == {1: (1, True, False), 2: (1, False, False)}
    (lost,) = club.mail(BOB, packed()[1].best.lower())
    assert "best move" not in text_of(lost)


def test_nobody_answers_for_somebody_else(post: Post) -> None:
    """Where a From proves nothing, an answer in somebody's name is judged, and does not count."""
    club = post.with_server(confirm="ask")
    club.people(alice="sesame")
    club.mail(ALICE, f"puzzle 1 {packed()[1].best}")
    assert tries_of(club, "alice") == {}
    (letter,) = club.mail(ALICE, "puzzle")
    (answer,) = club.answer(letter, packed()[1].best, sender=BOB)
    assert tries_of(club, "alice") == {1: (0, False, False)}
    assert answer.recipient == ALICE


def due(club: Post, after: timedelta) -> list[QueuedMessage]:
    """What comes for those who want one a week, so much later."""
    club.clock.now += after
    before = len(club.letters())
    while send_puzzle(club.house, club.clock()):
        pass
    return club.letters()[before:]


def test_one_a_week_until_two_are_left_alone(club: Post) -> None:
    """An answer to either of them, right or wrong, brings the next; one that was asked for is no answer."""
    club.mail(ALICE, "set puzzle weekly")
    (first,) = due(club, timedelta(minutes=1))
    assert due(club, timedelta(days=6)) == []
    (second,) = due(club, timedelta(days=1))
    assert "no more come" in text_of(second)
    assert due(club, timedelta(weeks=1)) == due(club, timedelta(weeks=5)) == []
    (answer,) = club.answer(first, packed()[1].replies[0][0])
    assert "Try again" in text_of(answer)
    (third,) = due(club, timedelta(weeks=1))
    assert "no more come" in text_of(third), "the second is still untouched"
    assert due(club, timedelta(weeks=1)) == []
    club.answer(third, "puzzle 3 solution")
    (fourth,) = due(club, timedelta(weeks=1))
    assert "no more come" not in text_of(fourth)


def test_two_schedulers_send_it_once(club: Post) -> None:
    """However many look at the same time."""
    club.mail(ALICE, "set puzzle weekly")
    club.mail(BOB, "set puzzle weekly")
    club.clock.now += timedelta(minutes=1)
    before = len(club.letters())
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: send_puzzle(club.house, club.clock()), range(4)))
    sent = club.letters()[before:]
    assert sorted(letter.recipient for letter in sent) == [ALICE, BOB]


def test_a_scheduler_that_dies_sends_it_the_next_time(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is stored before all is, so nothing is lost and nothing comes twice."""
    club.mail(ALICE, "set puzzle weekly")
    add = letters.add

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(letters, "add", die)
    with pytest.raises(KeyboardInterrupt):
        due(club, timedelta(minutes=1))
    assert tries_of(club, "alice") == {}
    monkeypatch.setattr(letters, "add", add)
    assert len(due(club, timedelta(0))) == 1
    assert due(club, timedelta(minutes=1)) == []


def test_mail_that_is_off_brings_no_puzzle(club: Post) -> None:
    """And no puzzle counts as sent."""
    club.mail(ALICE, "set puzzle weekly")
    club.mail(ALICE, "set mail off")
    assert due(club, timedelta(minutes=1)) == []
    assert tries_of(club, "alice") == {}


def test_a_puzzle_is_found_in_a_finished_game_without_its_players(
    club: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked for position by position, stored once, and can be asked for; nothing tells whose it was."""
    monkeypatch.setattr("pbmserv.services.teaching.FIRST_PLY", 3)
    club.mail(ALICE, f"{GAME} challenge alice bob")
    for count, move in enumerate(["b3", "b1", "a2", "c2", "b2"]):
        club.mail((ALICE, BOB)[count % 2], f"move 101 {move}")
    while find_puzzle(club.house, club.clock()):
        pass
    assert stored(club) == 0, "the game still goes on"
    club.mail(BOB, "resign 101")
    while find_puzzle(club.house, club.clock()):
        pass
    # The last position of a game is none that anybody has to move in.
    assert stored(club) == 0
    club.mail(BOB, f"{GAME} challenge bob alice")
    for count, move in enumerate(["b3", "b1", "a2", "c2", "b2", "c1", "a1"]):
        club.mail((BOB, ALICE)[count % 2], f"move 102 {move}")
    club.mail(ALICE, "resign 102")
    while find_puzzle(club.house, club.clock()):
        pass
    assert stored(club) == 1
    assert not find_puzzle(club.house, club.clock())
    (letter,) = club.mail(ALICE, f"puzzle {GAME}")
    assert f"Puzzle {FIRST_FOUND}" in text_of(letter)
    assert not re.search(r"bob|102", text_of(letter))
    (answer,) = club.answer(letter, "a3")
    assert "is the best move" in text_of(answer)


def test_two_hosts_that_look_at_one_position_store_it_once(club: Post) -> None:
    """Whoever comes second finds that the search has moved on."""
    place = puzzles.SearchPlace(club.clock(), 101, 3)
    with writing(club.house.engine) as connection:
        assert puzzles.move_search_on(connection, None, place)
        assert not puzzles.move_search_on(connection, None, place)
        later = puzzles.SearchPlace(club.clock(), 101, 4)
        assert puzzles.move_search_on(connection, place, later)
        assert not puzzles.move_search_on(connection, place, later)
        assert puzzles.search_place(connection) == later


def stored(post: Post) -> int:
    """How many puzzles were found."""
    with reading(post.house.engine) as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def test_puzzles_by_number_and_the_first_that_was_not_seen(club: Post) -> None:
    found = Puzzle(FIRST_FOUND, GAME, (), ("B3", "B1", "A2", "C2", "B2"), "C1", ("A1",), (("A1", "C1"),), True)
    known = {**packed(), FIRST_FOUND: found}
    with writing(club.house.engine) as connection:
        puzzles.add(connection, found, club.clock())
        records = TransactionQueries(connection)
        for number in (0, 1, 2, 900, FIRST_FOUND, FIRST_FOUND + 1):
            assert records.puzzle(number) == known.get(number)
        for seen in (set[int](), {1}, {1, 2}, {*packed()}, {*known}):
            for game in (None, "cephalopod", GAME, "go"):
                left = (each for each in known.values() if each.number not in seen and game in (None, each.game))
                assert records.unseen_puzzle(seen, game) == next(left, None)


def test_what_is_stored_is_told_and_deleted(club: Post) -> None:
    """`export` names every puzzle of a player, and a deleted account leaves none."""
    (letter,) = club.mail(ALICE, "puzzle")
    club.answer(letter, packed()[1].best)
    (export,) = club.mail(ALICE, "export")
    assert re.search(r"puzzle 1, 1 try, solved", text_of(export))
    (asked,) = club.mail(ALICE, "delete")
    club.answer(asked, "yes")
    with reading(club.house.engine) as connection:
        assert connection.execute(select(func.count()).select_from(puzzle_tries)).scalar_one() == 0
