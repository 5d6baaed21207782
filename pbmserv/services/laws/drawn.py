"""The laws of mails and pictures: a board is drawn by every renderer, in each of its forms."""

from datetime import UTC, datetime
from typing import Any, Final
from xml.etree.ElementTree import fromstring

from pbmserv.commands.server import Server
from pbmserv.matches.log import Match
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import WIDTH, document_of, laid_out
from pbmserv.rendering.svg.pictures import card_of, movie_of, picture_of
from pbmserv.rendering.templates import render, rules_document
from pbmserv.services.laws.setups import Setup, any_move, chance

_BEGUN: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
_SERVER: Final = Server("pbmserv@club.test", variants=True)
_PLAYERS: Final = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi")
_LOOKED_AT: Final = (0, 1, 2, 9)
"""After so many plies a board is drawn, and as it stands at the end."""
_MOST_PLIES: Final = 40

MOST_BESIDE: Final = 80
"""Lines beside the board that a mail may have: 24 of moves, 6 of where more begin, 28 of captures, and 22 for the
rest: news, players, how to answer. Nobody should have to look for these."""

MOST_HEARD: Final = 160
"""Lines of a mail in words: up to three for each row of a board, and what can be played."""


def check_drawings(setup: Setup) -> None:
    """A random game is drawn as mails and pictures draw it."""
    game, random = setup.game, chance(f"drawings of {setup}")
    players = _PLAYERS[: setup.seats]
    board = replay(Match(101, setup.name, game.info.rules, setup.options, False, players, players[0], _BEGUN))
    for ply in range(_MOST_PLIES):
        if ply in _LOOKED_AT:
            check_mails(board)
        if board.state.to_move is None:
            break
        text = game.write(board.state.position, any_move(game, board.state.position, random))
        board = board.apply(play(board.match, board.state, board.state.to_move, text, None, _BEGUN))
    check_mails(board)
    check_pictures(board)


def check_mails(board: GameState) -> None:
    """Mails have a board in text of 72 columns, the same in words, and in HTML where it fits."""
    for userid in {board.on_turn, board.match.userids[-1]} - {None}:
        view = view_board(board, userid)
        for words, most in ((False, MOST_BESIDE + view.diagram.text.count("\n")), (True, MOST_HEARD)):
            text = _text(view, words)
            check_text(text)
            assert len(text.splitlines()) <= most
        html = html_part(Content(document_of(""), (view,)), "Board 101", _SERVER.address, _SERVER)
        assert html is not None


def check_text(text: str) -> None:
    """A text is ASCII, and as narrow as mails are."""
    assert text.isascii()
    assert max(map(len, text.splitlines()), default=0) <= WIDTH


def check_pictures(board: GameState) -> None:
    """Pictures and films are well-formed, and a card is a PNG."""
    for svg in (picture_of(board), movie_of(board)):
        assert fromstring(svg).tag.endswith("svg")  # noqa: S314 - it was drawn here
    assert card_of(board).startswith(b"\x89PNG")


def check_help(name: str) -> None:
    """The rules can be rendered, for people who hear them too."""
    for words in (False, True):
        assert list(rules_document(name, words).items())


def _text(view: BoardView, words: bool) -> str:
    context: dict[str, Any] = {"view": view, "alone": True, "is_html": False}
    return laid_out(render("mail/board.txt", words=words, **context))
