"""The laws of a move as the row of what a player touches: what begins so, what is read, what can be tapped."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.games.game import Game, Illegal, Move, Step, Unfinished, Unreadable
from tests.examples import examples
from tests.games.setups import (
    NAMES,
    PLIES,
    SEEDS,
    Setup,
    board_of,
    cases,
    reached,
    read_or_refuse,
    rules_of,
    setups_of,
    some,
    spelled,
)

MOST_NEAR = 10

PROSE = (
    "hello",
    "thanks",
    "I",
    "ok",
    "draw",
    "yes",
    "no",
    "resign",
    "help",
    "gg",
    "good move",
    "bob",
    "2",
    "1 2",
)
"""What players write that is no move in any notation."""


class Look:
    """A position, its legal moves and their texts."""

    def __init__(self, game: Game, position: Any) -> None:
        self.game, self.position, self.board = game, position, board_of(game, position)
        self.legal = list(game.moves(position))
        self.texts = [game.write(position, move) for move in self.legal]
        self.by_text = dict(zip(self.texts, self.legal, strict=True))

    def write(self, move: Move) -> str:
        """The text of a move."""
        return self.game.write(self.position, move)

    def found(self, begun: Move) -> list[Move]:
        """The moves that the game says to begin so."""
        return list(self.game.moves(self.position, begun))

    def read(self, text: str) -> Any:
        """What a text means, or why it means nothing."""
        return read_or_refuse(self.game, self.position, text)


def check_moves(game: Game, position: Any, random: Random) -> None:
    """The laws of the moves of a position; where there are many, of some of them."""
    look = Look(game, position)
    check_steps(look)
    looked_at = some(look.legal, random)
    for move in looked_at:
        check_texts(look, move)
        check_ends(look, move)
        assert reached_by_tapping(look, move) == look.write(move)
    for begun in sorted({move[:count] for move in looked_at for count in range(1, len(move) + 1)}, key=str):
        check_begun(look, begun)
        check_reading(look, begun)
    for begun in wrong_beginnings(look, looked_at, random):
        check_begun(look, begun)
        check_refusing(look, begun)


def check_steps(look: Look) -> None:
    """Moves touch cells of the board and words of the game; no two have the same text."""
    every = range(len(look.board.names))
    assert len({text.lower() for text in look.texts}) == len(look.texts)
    for move in look.legal:
        assert isinstance(move, tuple)
        assert move
        for step in move:
            assert step in look.game.info.words if isinstance(step, str) else step in every


def check_texts(look: Look, move: Move) -> None:
    """The stored notation of a move and its steps, with anything between them, are that move in any case."""
    text = look.write(move)
    assert text.isascii()
    assert text.isprintable()
    assert text == text.strip() != ""
    assert len(text) <= 72
    for typed in (text, text.upper(), text.lower()):
        assert look.read(typed) == move
        assert hash(look.read(typed)) == hash(move)
    for gap in ("-", " ", ", ", ""):
        for typed in (spelled(look.board, move, gap), spelled(look.board, move, gap).upper()):
            assert look.read(typed) == move


def check_begun(look: Look, begun: Move) -> None:
    """Exactly the moves that begin so are found.

    Where steps may be touched in any order, the ones found beside are legal moves with their steps in that order.
    """
    found = look.found(begun)
    assert found == look.found(begun)
    assert all(move[: len(begun)] == begun for move in found)
    written = [look.write(move) for move in found]
    wanted = {text for move, text in zip(look.legal, look.texts, strict=True) if move[: len(begun)] == begun}
    assert len(set(written)) == len(written)
    assert wanted <= set(written) <= set(look.texts)
    for move, text in zip(found, written, strict=True):
        if text not in wanted:
            assert sorted(move, key=str) == sorted(look.by_text[text], key=str)
            assert look.game.play(look.position, move) == look.game.play(look.position, look.by_text[text])


def wrong_beginnings(look: Look, looked_at: list[Move], random: Random) -> Iterator[Move]:
    """Cells and words alone, and beginnings of moves that go on in some other way."""
    steps: list[Step] = [*range(len(look.board.names)), *look.game.info.words]
    for step in some(steps, random):
        yield (step,)
    for move in looked_at:
        cut = random.randint(1, len(move))
        yield (*move[:cut], random.choice(steps))
        yield (*move[:cut], move[0])


def check_reading(look: Look, begun: Move) -> None:
    """A beginning is read as the move that it is, or as the only one that begins so, or else it is unfinished."""
    found = look.found(begun)
    for typed in (spelled(look.board, begun), spelled(look.board, begun, " ").upper()):
        answer = look.read(typed)
        if begun in found:
            assert look.write(answer) == look.write(begun)
        elif len(found) == 1:
            assert look.write(answer) == look.write(found[0])
        else:
            assert isinstance(answer, Unfinished)
            assert answer.begun == begun


def check_refusing(look: Look, steps: Move) -> None:
    """What begins no move is refused, unless it has the first and the last step of one that has others between."""
    if look.found(steps) or look.game.info.dialect:
        return
    answer = look.read(spelled(look.board, steps))
    if not isinstance(answer, Illegal | Unfinished):
        assert len(steps) == 2
        assert len(answer) > 2
        assert (answer[0], answer[-1]) == steps


def check_ends(look: Look, move: Move) -> None:
    """The first and the last step of a longer move are enough where no other move has both."""
    ends = (move[0], move[-1])
    if len(move) < 3 or look.found(ends):
        return
    alike = [each for each in look.legal if (each[0], each[-1]) == ends]
    answer = look.read(spelled(look.board, ends))
    if len(alike) == 1:
        assert answer == move
    else:
        assert isinstance(answer, Unfinished)
        assert len(look.found(answer.begun)) > 1
        assert all(each[: len(answer.begun)] == answer.begun for each in alike)


def reached_by_tapping(look: Look, move: Move) -> str:
    """The text that tapping a move's steps writes: as soon as one move is left, or when all have been tapped."""
    begun: Move = ()
    while len(begun) < len(move):
        found = look.legal if not begun else look.found(begun)
        if len(found) == 1:
            return look.write(found[0])
        assert move[len(begun)] in {each[len(begun)] for each in found if len(each) > len(begun)}
        begun = move[: len(begun) + 1]
    return look.write(look.read(spelled(look.board, begun)))


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


def check_answer(look: Look, text: str, name: str) -> None:
    """Whatever a text is taken for is legal, and so is what is offered instead of it."""
    answer = look.read(text)
    if isinstance(answer, Illegal):
        assert answer.rule in rules_of(name)
        near = [look.write(move) for move in answer.near]
        assert len(set(near)) == len(near) <= MOST_NEAR
        assert set(near) <= set(look.texts)
    elif isinstance(answer, Unfinished):
        assert answer.begun
        assert len(look.found(answer.begun)) > 1
        assert answer.begun not in look.legal
    elif not isinstance(answer, Unreadable):
        assert answer in look.legal
        assert text.isascii()


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(150)
def test_any_other_text_is_refused(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    look = Look(setup.game, reached(setup, plies, random))
    example = setup.game.info.example
    names = st.sampled_from([*look.board.names, *setup.game.info.words])
    parts = st.sampled_from(look.texts or [example])
    letters = "".join(sorted({*"".join(look.texts[:50]), *example, *" x=:-/+,#."}))
    text = data.draw(
        st.text(max_size=12)
        | st.text(alphabet=letters + letters.lower(), max_size=12)
        | st.lists(parts, min_size=1, max_size=3).map("".join)
        | st.lists(names, min_size=1, max_size=4).map("-".join)
        | st.builds(
            lambda part, cut, more: part[:cut] + more, parts, st.integers(0, 9), st.text(letters, max_size=4)
        )
    )
    check_answer(look, text, name)


@pytest.mark.parametrize("name", NAMES)
def test_letters_that_look_alike_are_none(name: str) -> None:
    """The Kelvin sign is a k in lower case, the long s an s in upper case, and wide digits are digits to `int`."""
    game = games()[name]
    start = setups_of(name)[0].start()
    alike = str.maketrans(
        "ksiKSI123456789",
        "\u212a\u017f\u0131\u212a\u017f\u0130" + "\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19",
    )
    for move in game.moves(start):
        text = game.write(start, move)
        for typed in (text.translate(alike), text + "\u3000", text + "\u200b"):
            assert isinstance(read_or_refuse(game, start, typed), Unreadable)


@pytest.mark.parametrize("name", NAMES)
def test_prose_is_unreadable(name: str) -> None:
    """Where a game's own words stand alone they are moves."""
    game, start = games()[name], setups_of(name)[0].start()
    for text in (*PROSE, "", " ", "?", "-", "a1 please", "move a1", "a1 a2 thanks"):
        assert isinstance(read_or_refuse(game, start, text), Unreadable)


DIALECTS = tuple(name for name in NAMES if games()[name].info.dialect)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_no_prose(name: str) -> None:
    info = games()[name].info
    dialect = re.compile(info.dialect, re.ASCII | re.IGNORECASE)
    assert not any(dialect.fullmatch(text) for text in ("", " ", *PROSE))


@pytest.mark.parametrize("name", DIALECTS)
@given(data=st.data(), plies=PLIES, seed=SEEDS)
@examples(100)
def test_texts_in_a_dialect_are_read(name: str, data: st.DataObject, plies: int, seed: int) -> None:
    random = Random(seed)
    setup = data.draw(st.sampled_from(setups_of(name)))
    look = Look(setup.game, reached(setup, plies, random))
    ascii_only = st.characters(codec="ascii")
    text = data.draw(
        st.from_regex(re.compile(setup.game.info.dialect, re.ASCII), fullmatch=True, alphabet=ascii_only)
    )
    assert len(text) > 400 or not isinstance(look.read(text), Unreadable)
    check_answer(look, text, name)


@pytest.mark.parametrize("name", NAMES)
def test_words_are_words(name: str) -> None:
    words = games()[name].info.words
    assert len(set(words)) == len(words)
    for word in words:
        assert re.fullmatch(r"[a-z]{2,}", word)
        assert not is_cell_like(word)
