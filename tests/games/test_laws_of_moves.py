"""The laws of a move as the row of what a player touches: what begins so, what is read, what can be tapped."""

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.games.game import Unreadable
from pbmserv.games.notation import LONGEST
from pbmserv.services.laws.facts import check_answer, check_dialect, check_letters, check_prose, check_words
from pbmserv.services.laws.moves import check_moves
from pbmserv.services.laws.setups import Setup, board_of, reached, read_or_refuse, setups_of, some_moves
from tests.every import for_each
from tests.examples import examples
from tests.games.setups import NAMES, PLIES, SEEDS, cases

DIALECTS = tuple(name for name in NAMES if games()[name].info.dialect)


@pytest.mark.parametrize("setup", cases())
def test_moves_of_a_game(setup: Setup) -> None:
    random = Random(f"moves of {setup}")
    start = setup.start()
    check_moves(setup.game, start, random)
    for _ in range(2):
        position = reached(setup, random.randint(1, 60), random)
        check_moves(setup.game, position, random)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(30)
def test_laws_of_moves(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    check_moves(setup.game, reached(setup, plies, random), random)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(150)
def test_any_other_text_is_refused(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    game, position = setup.game, reached(setup, plies, random)
    example = game.info.example
    texts = [game.write(position, move) for move in some_moves(game, position, random)] or [example]
    names = st.sampled_from([*board_of(game, position).names, *game.info.words])
    parts = st.sampled_from(texts)
    letters = "".join(sorted({*"".join(texts), *example, *" x=:-/+,#."}))
    text = data.draw(
        st.text(max_size=12)
        | st.text(alphabet=letters + letters.lower(), max_size=12)
        | st.lists(parts, min_size=1, max_size=3).map("".join)
        | st.lists(names, min_size=1, max_size=4).map("-".join)
        | st.builds(
            lambda part, cut, more: part[:cut] + more, parts, st.integers(0, 9), st.text(letters, max_size=4)
        )
    )
    check_answer(game, position, text)


@for_each("name", NAMES)
def test_letters_that_look_alike_are_none(name: str) -> None:
    check_letters(name)


@for_each("name", NAMES)
def test_prose_is_unreadable(name: str) -> None:
    check_prose(name)


@for_each("name", DIALECTS)
def test_a_dialect_is_no_prose(name: str) -> None:
    check_dialect(name)


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(100)
def test_texts_in_a_dialect_are_read(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    game, position = setup.game, reached(setup, plies, random)
    ascii_only = st.characters(codec="ascii")
    text = data.draw(st.from_regex(re.compile(game.info.dialect, re.ASCII), fullmatch=True, alphabet=ascii_only))
    assert len(text) > LONGEST or not isinstance(read_or_refuse(game, position, text), Unreadable)
    check_answer(game, position, text)


@for_each("name", NAMES)
def test_words_are_words(name: str) -> None:
    check_words(name)
