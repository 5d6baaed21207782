"""The laws of what there is to draw and say: boards, pieces on them, and what the last ply touched."""

import re
from random import Random
from typing import Any, Final

from pbmserv.games.board import Board
from pbmserv.games.game import Event, Piece, Scene, scores_of
from pbmserv.rendering.board_text import draw_sheet
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
