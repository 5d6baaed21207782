"""The laws of what there is to draw and say: boards, pieces on them, and what the last ply touched."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.games.board import Board
from pbmserv.services.laws.boards import check_board
from pbmserv.services.laws.scenes import check_course, check_drawings, check_scenes, setups_board
from pbmserv.services.laws.setups import Setup, reached, setups_of
from tests.every import for_each
from tests.examples import examples
from tests.games.setups import NAMES, PLIES, SEEDS, cases


@pytest.mark.parametrize("setup", cases())
def test_scenes_of_a_game(setup: Setup) -> None:
    check_course(setup)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(30)
def test_laws_of_scenes(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    check_scenes(setup, reached(setup, plies, random), random)


@for_each("name", NAMES)
def test_mails_and_pictures_of_a_game(name: str) -> None:
    """Of its last setup, which has its largest or oddest board; no mail is too long to be read."""
    check_drawings(setups_of(name)[-1])


@for_each("name", NAMES)
def test_boards_of_a_game(name: str) -> None:
    for board in {setups_board(setup) for setup in setups_of(name)}:
        check_board(board)


def test_boards_of_one_key_are_the_same_whatever_is_played_on_them() -> None:
    met: dict[str, Board] = {}
    for name in games():
        for setup in setups_of(name):
            board = setups_board(setup)
            other = met.setdefault(board.key, board)
            assert (board.names, board.neighbours, board.rays) == (other.names, other.neighbours, other.rays)
            assert (board.sheet, board.layout) == (other.sheet, other.layout)
