"""What the rules of a game are asked to write a letter, to show a page, to refuse a move: counted, not timed."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from types import FrameType
from typing import Any

from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board import view_board
from pbmserv.web.touch import first_choices, touches
from tests.bench.test_games import NOON, in_the_middle
from tests.every import for_each
from tests.rendering.letters import checkered, played

PLIES = 4
"""Early in a game there are most moves."""


def calls_of_rules(act: Callable[[], object]) -> int:
    """How many functions of games are called meanwhile; each move that one yields is a call."""
    count = 0

    def see(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call" and "/pbmserv/games/" in frame.f_code.co_filename

    act()  # what is kept is made
    sys.setprofile(see)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def letter(board: GameState) -> None:
    view = view_board(board, board.on_turn)
    assert view.open_moves is not None


def words(board: GameState) -> None:
    view = view_board(board, board.on_turn)
    assert view.accessible.rows


def page(board: GameState) -> None:
    view = view_board(board)
    touches(view, first_choices(view))


def refusal(board: GameState) -> None:
    with suppress(CommandError):
        play(board, board.state.to_move or 0, "a1-a2-a3", None, NOON)


KINDS = (letter, words, page, refusal)


@cache
def most(of: Callable[[GameState], None]) -> float:
    """Three times what Cephalopod's costliest board takes, for each square."""
    board = played(checkered(5, 5))
    return 3 * max(calls_of_rules(partial(each, board)) for each in (of, letter)) / 25


@for_each("kind", KINDS)
def test_no_game_is_asked_three_times_what_cephalopod_is(kind: Callable[[GameState], None]) -> None:
    """For each square of its board, which counts as 64 if it is smaller: what moves far does so on any board."""
    found = {}
    for name, game in games().items():
        board = in_the_middle(name, PLIES)
        squares = max(64, len(game.scene(board.state.position).board.names))
        found[name] = calls_of_rules(partial(kind, board)) / squares
    assert {name: each for name, each in found.items() if each > most(kind)} == {}
