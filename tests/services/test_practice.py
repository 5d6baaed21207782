"""The practice board: a game from the welcome to its end, which nobody else sees and which counts for nothing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from urllib.parse import unquote

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.practice import practice_to_come
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.log import rules_of
from pbmserv.matches.queries import BoardSearch, ListingQuery
from pbmserv.matches.replay import GameState
from pbmserv.rendering.puzzle import draw_practice, view_practice
from pbmserv.services.admin.check import check
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from pbmserv.services.robots import play_robots
from pbmserv.services.views import list_boards, list_outbox, load_game_state, search_boards
from pbmserv.services.worker import process_next
from pbmserv.store import matches, ratings
from pbmserv.store.engine import reading
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.queries import TransactionQueries
from tests.browser.live import begun_by
from tests.conftest import ADDRESS, Clock, make_house
from tests.conversation import parsed, shown_text
from tests.web.tree import parse

ALICE = "alice@example.org"
SERVER = Server(ADDRESS, confirm="ask", site_url="https://club.test")
SMALL = 8000
"""Bytes of a mail to an address that has not answered."""


@pytest.fixture
def house(tmp_path: Path, quick_hasher: PasswordHasher) -> Iterator[App]:
    """A house with nobody in it that believes no From address."""
    made = make_house(f"sqlite:///{tmp_path / 'practice.db'}", quick_hasher, SERVER)
    yield made
    made.engine.dispose()


def send(house: App, clock: Clock, raw: bytes) -> QueuedMessage:
    """Hands in a mail of Alice's; the newest that went to her then."""
    clock.move(minutes=1)
    receive_mail(house, raw, ALICE, [ADDRESS], clock())
    while process_next(house, clock):
        pass
    return newest(house)


def newest(house: App) -> QueuedMessage:
    return next(mail for mail in list_outbox(house, None, 100) if mail.recipient == ALICE)


def written(subject: str, to: str = ADDRESS, text: str = "") -> bytes:
    head = f"From: {ALICE}\r\nTo: {to}\r\nSubject: {subject}\r\nMessage-ID: <{subject.replace(' ', '.')}@x.test>"
    return f"{head}\r\n\r\n{text}\r\n".encode()


def tap(mail: QueuedMessage, words: str) -> bytes:
    """The mail that a tap on a link of a mail begins."""
    html = parsed(mail.raw).get_body(("html",))
    assert html is not None
    links = {link.said: link.attributes.get("href", "") for link in parse(html.get_content()).all("a")}
    return begun_by(links[words], ALICE).as_bytes()


def test_the_welcome_is_small_and_its_board_can_be_tapped(house: App) -> None:
    clock = Clock()
    welcome = send(house, clock, written("signup alice"))
    assert len(welcome.raw) < SMALL
    assert "b3" in shown_text(parsed(welcome.raw))
    with reading(house.engine) as connection:
        assert matches.all_numbers(connection) == []
    answer = send(house, clock, tap(welcome, "C4"))
    assert "You played C4" in shown_text(parsed(answer.raw))
    board = load_game_state(house, 101)
    assert board is not None
    assert board.match.userids == ("alice", "robot.random")
    assert (board.match.practice, board.match.rated, board.match.clock) == (True, False, None)


def test_its_button_confirms_and_the_board_still_waits(house: App) -> None:
    clock = Clock()
    welcome = send(house, clock, written("signup alice"))
    answer = send(house, clock, tap(welcome, "yes"))
    assert "Welcome, alice!" in shown_text(parsed(answer.raw))
    assert "You played A5" in shown_text(parsed(send(house, clock, tap(answer, "A5")).raw))


@pytest.mark.slow
def test_a_game_to_its_end_is_in_no_list_and_counts_for_nothing(house: App) -> None:
    clock = Clock()
    welcome = send(house, clock, written("signup alice"))
    send(house, clock, tap(welcome, "B3"))
    while (board := load_game_state(house, 101)) is not None and board.state.status == "active":
        if board.on_turn == "alice":
            send(house, clock, written(f"Re: {board.state.plies}", answered_at(newest(house)), a_move(board)))
            continue
        assert play_robots(house, clock())
        hidden(house)
    hidden(house)
    with reading(house.engine) as connection:
        assert ratings.pools(connection) == set()
        assert ratings.never_rated(connection) == []
        assert list(matches.numbers_finished_between(connection, clock() - timedelta(days=1), clock())) == []
    assert check(house) == []


def answered_at(mail: QueuedMessage) -> str:
    """The address that an answer to a mail goes to."""
    return str(parsed(mail.raw)["From"]).partition("<")[2].rstrip(">")


def a_move(board: GameState) -> str:
    game, position = rules_of(board.match), board.state.position
    return game.write(position, next(iter(game.moves(position)))).lower()


def hidden(house: App) -> None:
    """Nobody finds the board but by its number; whoever plays there finds it where it waits for them."""
    with reading(house.engine) as connection:
        records = TransactionQueries(connection)
        alice = records.player("alice")
        assert alice is not None
        assert records.practice_of(alice) == 101
        assert list(records.running()) == []
        assert records.started_since("alice", Clock()() - timedelta(days=9)) == 0
        assert records.unbegun("alice", "robot.random") == 0
    for userids in ((), ("alice",), ("robot.random",), ("alice", "robot.random")):
        for which in ("all", "active", "inactive", "finished", "next"):
            found = list_boards(house, ListingQuery(userids=userids, filter=which))
            assert (found.lines, found.total) == ((), 0)
        for boards in ("active", "inactive", "all"):
            for sort in ("last", "newest"):
                wanted = BoardSearch(userids=userids, boards=boards, sort=sort)
                page = search_boards(house, wanted)
                assert (page.lines, page.total) == ((), 0)
    own = list_boards(house, ListingQuery(userids=("alice",), filter="all", with_practice=True))
    assert [line.number for line in own.lines] == [101]


@pytest.mark.parametrize("game", sorted(games()))
def test_every_club_has_a_board_to_begin_on(game: str) -> None:
    """Whatever it offers: in a text that fits, and in HTML with a link that is a legal first move."""
    server = replace(SERVER, games=(game,), default_game=game)
    board = practice_to_come("alice", server)
    assert board.match.game == game
    view = view_practice(board)
    rules, position = rules_of(board.match), board.state.position
    assert rules.read(position, view.view.open_moves.example)
    links = parse(f"<div>{draw_practice(view, 'pbm+t@club.test')}</div>").all("a")
    moves = [unquote(link.attributes["href"]).partition("?subject=practice ")[2] for link in links]
    assert moves
    assert all(rules.read(position, move) for move in moves)


@pytest.mark.parametrize("is_tapped", [True, False])
def test_without_tagged_addresses_a_tap_names_the_question(
    tmp_path: Path, quick_hasher: PasswordHasher, is_tapped: bool
) -> None:
    """All mail comes from one address then: a tap brings the word along, an answer is known by its thread."""
    made = make_house(f"sqlite:///{tmp_path / 'practice.db'}", quick_hasher, replace(SERVER, delimiter=""))
    tokens = count()
    house, clock = replace(made, new_token=lambda: f"token{next(tokens):015}"), Clock()
    welcome = send(house, clock, written("signup alice"))
    answered = b"In-Reply-To: " + welcome.message_id.encode() + b"\r\n"
    raw = tap(welcome, "B3") if is_tapped else answered + written("Re: welcome", text="b3")
    assert "You played B3" in shown_text(parsed(send(house, clock, raw).raw))
    house.engine.dispose()


def test_the_robot_is_a_player_in_the_same_commit(house: App) -> None:
    clock = Clock()
    welcome = send(house, clock, written("signup alice"))
    with reading(house.engine) as connection:
        assert TransactionQueries(connection).robot("random") is None
    send(house, clock, tap(welcome, "B3"))
    with reading(house.engine) as connection:
        robot = TransactionQueries(connection).robot("random")
    assert robot is not None
    assert robot.userid == "robot.random"


def test_an_answer_of_a_week_ago_opens_nothing(house: App) -> None:
    clock = Clock()
    raw = tap(send(house, clock, written("signup alice")), "B3")
    clock.move(days=8)
    answer = send(house, clock, raw)
    assert "signup NAME" in shown_text(parsed(answer.raw))
    assert "waiting to be confirmed" not in shown_text(parsed(answer.raw))
    assert load_game_state(house, 101) is None
