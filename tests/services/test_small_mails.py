"""Mails with a board stay small, whole as they are sent: 12,000 bytes on five by five, 30,000 on any board."""

from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes
from itertools import islice
from random import Random

import pytest

from pbmserv.games import games
from pbmserv.matches.log import Match
from pbmserv.matches.moves import play
from pbmserv.matches.player import MailSettings, Player
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.html_grid import MOST_CELLS
from pbmserv.services.app import App
from tests.conftest import NOON
from tests.rendering.letters import checkered, first_moves, played
from tests.services.board_mail import board_mail

MOST = 30_000
MOST_5X5 = 12_000
MOST_AT_THE_END = 15_000
KINDS = {"html": MailSettings(), "text": MailSettings(html=False), "words": MailSettings(words=True)}


@pytest.fixture
def house(sqlite_house: App) -> App:
    """A server with pages, whose links are in each mail."""
    return replace(sqlite_house, server=replace(sqlite_house.server, site_url="https://games.club.example.org"))


def sizes(house: App, board: GameState) -> Iterator[tuple[str, str, int]]:
    """The bytes of each kind of mail with a board to each of its players, without the record of a game."""
    for userid in board.match.userids:
        for kind, settings in KINDS.items():
            player = Player(1, userid, f"{userid}@example.org", mail=settings)
            raw = board_mail(house, board, player, NOON).raw
            files = [part for part in message_from_bytes(raw).walk() if part.get_filename()]
            yield userid, kind, len(raw) - sum(len(part.as_bytes()) for part in files)


def one_by_one(board: GameState, moves: str) -> Iterator[GameState]:
    """A board after each of these moves."""
    for text in moves.split():
        assert board.state.to_move is not None
        board = board.apply(play(board, board.state.to_move, text, None, NOON))
        yield board


def test_five_by_five_at_any_position(house: App) -> None:
    """In a whole game, and where there is most to choose from."""
    boards = islice(one_by_one(played(""), first_moves(500)), 0, None, 6)
    for board in (played(""), played(checkered(5, 5)), *boards):
        most = MOST_5X5 if board.state.status == "active" else MOST_AT_THE_END
        for userid, kind, size in sizes(house, board):
            assert size < most, (board.state.plies, userid, kind)


def test_the_end_of_a_game(house: App) -> None:
    """With all of 133 moves; of a game of usual length it is as small as any other mail."""
    short, long = played("c3 c4 d3 b2 a1 e5 d1 a3 resign"), played(first_moves(500))
    for board, most in ((short, MOST_5X5), (long, MOST_AT_THE_END)):
        assert board.state.status == "finished"
        for userid, kind, size in sizes(house, board):
            assert size < most, (userid, kind)


def start(name: str, **options: str) -> GameState:
    """A board of a game before its first move, where all of it can be tapped."""
    rules = games()[name].info.rules
    return replay(Match(101, name, rules, tuple(options.items()), True, ("alice", "bob"), "alice", NOON))


def in_the_middle(name: str) -> GameState:
    """A board of a game after twenty random moves, or as many as there are."""
    board, random = start(name), Random(name)
    for _ in range(20):
        if board.state.to_move is None:
            break
        game, position = games()[name], board.state.position
        text = game.write(position, random.choice(list(islice(game.moves(position), 500))))
        board = board.apply(play(board, board.state.to_move, text, None, NOON))
    return board


@pytest.mark.parametrize("name", list(games()))
def test_any_game(house: App, name: str) -> None:
    """At the start and in the middle."""
    for board in (start(name), in_the_middle(name)):
        for userid, kind, size in sizes(house, board):
            assert size < MOST, (userid, kind)


def test_the_largest_boards_that_are_drawn(house: App) -> None:
    """Go on thirteen lines, and nine by nine with most to choose from; a larger board is text and a link."""
    for board in (start("go", size="13"), played(checkered(9, 9), size="9x9")):
        found = {(userid, kind): size for userid, kind, size in sizes(house, board)}
        assert (
            len(board.state.position and games()[board.match.game].scene(board.state.position).cells) <= MOST_CELLS
        )
        assert max(found.values()) < MOST
        raw = board_mail(house, board, Player(1, board.on_turn or "", "a@example.org"), NOON).raw
        assert raw.count(b"?subject=") > 40
