"""The laws of what there is to draw and say, and that every renderer draws it in each of its forms."""

import re
from datetime import UTC, datetime
from random import Random
from typing import Any, Final
from xml.etree.ElementTree import fromstring

from pbmserv.commands.server import Server
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Piece, Scene, scores_of
from pbmserv.matches.log import Match
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.board_text import draw_sheet
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import WIDTH, document_of, laid_out
from pbmserv.rendering.svg.pictures import card_of, movie_of, picture_of
from pbmserv.rendering.templates import render, rules_document
from pbmserv.services.laws.setups import Setup, any_move, board_of, chance, some_moves

MOST_PLIES: Final = 300
AT_MOST_A_FEW: Final = 4
OTHERS_CHANGE_TOO: Final = ("eliminated", "left")
"""What clears whole boards: the cells are not told one by one."""


def check_scene(setup: Setup, scene: Scene, board: Board) -> None:
    """A scene has what stands on each cell of the game's one board, and touches none but these."""
    assert scene.board is board
    assert len(scene.cells) == len(board.names)
    assert len(scene.scores) in (0, setup.seats)
    assert len(scene.hands) in (0, setup.seats)
    assert set(scene.within) <= set(range(len(board.names)))
    for touched in (scene.marked, scene.vacated, scene.captured, scene.attacked):
        assert len(set(touched)) == len(touched)
        assert set(touched) <= set(range(len(board.names)))
    for pieces in scene.cells:
        assert isinstance(pieces, tuple)
        for piece in pieces:
            check_piece(setup, piece)
            assert len(piece.text) <= (board.sheet.width if len(pieces) == 1 else 1)
    drawn = draw_sheet(scene)
    assert drawn.isascii()
    assert max(map(len, drawn.splitlines())) <= 72


def check_piece(setup: Setup, piece: Piece) -> None:
    """A piece has a text to draw, and belongs to a seat or to nobody."""
    assert piece.text.isascii()
    assert piece.text.isprintable()
    assert piece.text.strip()
    assert piece.seat is None or piece.seat in range(setup.seats)
    assert re.fullmatch(r"(?:[a-z]+/)?[a-z ]*", piece.kind)
    assert piece.value is None or piece.value >= 0


def check_ply(before: Scene, after: Scene, events: tuple[Event, ...]) -> None:
    """What a ply changed is what it told: no other cells, and the ones that it captured are marked so."""
    told = {cell for event in events for cell in event.cells}
    changed = {cell for cell, pieces in enumerate(after.cells) if pieces != before.cells[cell]}
    cleared = any(event.kind in OTHERS_CHANGE_TOO for event in events)
    assert changed <= told or cleared
    taken = {cell for event in events if event.kind in ("captured", "turned") for cell in event.cells}
    assert set(after.captured) == taken
    arrived = {event.cells[-1] for event in events if event.kind in ("placed", "moved", "swapped") and event.cells}
    assert set(after.marked) <= told
    assert 0 < len(after.marked) <= AT_MOST_A_FEW or not arrived
    assert arrived.intersection(after.marked) or not arrived
    for cell in (event.cells[0] for event in events if event.kind == "moved"):
        assert cell in after.vacated or after.cells[cell]
    assert set(after.vacated) <= {cell for event in events for cell in event.cells[:1] if event.kind != "captured"}
    if not cleared:
        for event in events:
            if event.kind in ("placed", "promoted", "turned"):
                for cell in event.cells:
                    assert after.cells[cell] or cell in taken


def check_scenes(setup: Setup, position: Any, random: Random) -> None:
    """The scene of a position, and those after some of its moves."""
    game = setup.game
    board, scene = board_of(game, position), game.scene(position)
    assert board == setups_board(setup)
    check_scene(setup, scene, board)
    assert game.scene(position) == scene
    outcome = game.outcome(position)
    assert outcome is None or outcome.scores == scene.scores
    assert scores_of(game, position) == scene.scores
    for move in some_moves(game, position, random):
        after, events = game.play(position, move)
        check_scene(setup, game.scene(after), board)
        check_ply(scene, game.scene(after), events)


def setups_board(setup: Setup) -> Board:
    """The board on which a game starts."""
    return board_of(setup.game, setup.start())


def check_course(setup: Setup) -> None:
    """The scenes of a random game, each beside the one before it."""
    game, random = setup.game, chance(f"scenes of {setup}")
    position, scene = setup.start(), game.scene(setup.start())
    assert scene.marked == scene.vacated == scene.captured == ()
    check_scenes(setup, position, random)
    for _ in range(MOST_PLIES):
        if game.to_move(position) is None:
            break
        position, events = game.play(position, any_move(game, position, random))
        before, scene = scene, game.scene(position)
        check_scene(setup, scene, before.board)
        check_ply(before, scene, events)
        if random.random() < 0.02:
            check_scenes(setup, position, random)
    check_scenes(setup, position, random)


_BEGUN: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
_SERVER: Final = Server("pbmserv@club.test", variants=True)
_PLAYERS: Final = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi")
_LOOKED_AT: Final = (0, 1, 2, 9)
"""After this many plies a board is drawn, and as it stands at the end."""
_MOST_PLIES: Final = 40

MOST_BESIDE: Final = 80
"""Lines beside the board that a mail may have: 24 of moves, 6 of where more begin, 28 of captures, and 22 for the
rest: news, players, how to answer. Nobody should have to look for these."""

MOST_IN_WORDS: Final = 160
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
        board = board.apply(play(board, board.state.to_move, text, None, _BEGUN))
    check_mails(board)
    check_pictures(board)


def check_mails(board: GameState) -> None:
    """Mails have a board in text of 72 columns, the same in words, and in HTML where it fits."""
    for userid in {board.on_turn, board.match.userids[-1]} - {None}:
        view = view_board(board, userid)
        for words, most in ((False, MOST_BESIDE + view.diagram.text.count("\n")), (True, MOST_IN_WORDS)):
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
