"""How a text is read as a move, for a game with moves of all kinds."""

import doctest
from collections.abc import Iterator
from functools import partial
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import notation
from pbmserv.games.boards import squares
from pbmserv.games.game import Illegal, Move, Unfinished, Unreadable
from pbmserv.games.notation import LONGEST, joined, names, read_move, split, starting
from tests.every import for_each

BOARD = squares(8, 8)
WORDS = ("pass", "queen", "queens")
OFF_BOARD, RULE = 1, 7


def move_of(text: str) -> Move:
    """`c3 e5 queen` as steps."""
    return tuple(word if word in WORDS else BOARD.numbers[word.upper()] for word in text.split())


LEGAL = tuple(
    map(
        move_of,
        (
            "a1",
            "b1 b2",
            *("c1 c2", "c1 c3"),
            *("d1 d2", "d1 d2 d3"),
            *("b7 b8 b6", "b7 b8"),
            *("e1 e3 e5", "e1 f3 e7"),
            *("f1 f2 f8", "f1 g2 f8"),
            *("g1 g2 g5 g7", "g1 g2 g6 g7"),
            *("h7 h8 queen", "h7 h8 queens"),
            "a4 a5 pass",
            "pass",
        ),
    )
)


def read(text: str) -> Move:
    """The move of that game that a text means."""
    return read_move(text, BOARD, partial(starting, LEGAL), lambda _: RULE, WORDS, OFF_BOARD)


@for_each("move", LEGAL, ids=partial(joined, BOARD))
@for_each("between", ["", " ", "-", "x", " x ", "=", ":", ", ", " - ", "/", "->", ";", "..."])
def test_whole_moves(move: Move, between: str) -> None:
    text = joined(BOARD, move, between)
    for typed in (text, text.lower(), text.upper(), f"  {text} "):
        assert read(typed) == move


@for_each(
    ("text", "move"),
    [
        ("b1", "b1 b2"),
        ("d1-d2", "d1 d2"),
        ("d1-d3", "d1 d2 d3"),
        ("b7-b8", "b7 b8"),
        ("b7-b6", "b7 b8 b6"),
        ("e1", None),
        ("e1-e3", "e1 e3 e5"),
        ("e1-f3", "e1 f3 e7"),
        ("e1xe5", "e1 e3 e5"),
        ("a4", "a4 a5 pass"),
        ("a4 pass", "a4 a5 pass"),
        ("h7h8queens", "h7 h8 queens"),
        ("h7h8queen", "h7 h8 queen"),
        ("h7=queen", "h7 h8 queen"),
    ],
)
def test_beginnings_and_ends(text: str, move: str | None) -> None:
    if move:
        assert read(text) == move_of(move)
    else:
        with pytest.raises(Unfinished):
            read(text)


@for_each(
    ("text", "begun"),
    [
        ("c1", "c1"),
        ("d1", "d1"),
        ("h7", "h7"),
        ("h7h8", "h7 h8"),
        ("g1", "g1"),
        ("g1 g2", "g1 g2"),
        ("g1xg7", "g1 g2"),
        ("f1-f8", "f1"),
    ],
)
def test_the_beginning_of_several_moves_is_unfinished(text: str, begun: str) -> None:
    with pytest.raises(Unfinished) as asked:
        read(text)
    assert asked.value.begun == move_of(begun)


@for_each(
    ("text", "rule", "near"),
    [
        ("i1", OFF_BOARD, []),
        ("a9", OFF_BOARD, []),
        ("c1-i1", OFF_BOARD, []),
        ("h1", RULE, []),
        ("c1-c4", RULE, ["c1 c2", "c1 c3"]),
        ("d1-d2-d4", RULE, ["d1 d2", "d1 d2 d3"]),
        ("a1-a1", RULE, ["a1"]),
        ("h2-e5", RULE, ["e1 e3 e5"]),
        ("b3-f8", RULE, ["f1 f2 f8", "f1 g2 f8"]),
        ("pass-a1", RULE, ["pass"]),
    ],
)
def test_what_is_near_to_an_illegal_move(text: str, rule: int, near: list[str]) -> None:
    with pytest.raises(Illegal) as refused:
        read(text)
    assert (refused.value.rule, refused.value.near) == (rule, tuple(map(move_of, near)))


def test_at_most_ten_moves_are_near() -> None:
    rows = [(0, cell) for cell in range(1, 40)]
    with pytest.raises(Illegal) as refused:
        read_move("a1-h8", BOARD, partial(starting, rows), lambda _: RULE)
    assert refused.value.near == tuple(rows[:10])


@for_each(
    "text",
    [
        *("", " ", "c", "3", "a0", "a01", "a100", "a1-", "-a1", "a1!", "a1 b", "a1 and b1", "a1\nb2", "a1\tb2"),
        *("passs", "queen?", "a1--b1=x=c1 d", "\u212a1", "a\u0661", "a1\u3000", "p\u00e1ss", "pa\u017fs"),
        *("a1" * (LONGEST // 2 + 1), "pass " * LONGEST),
    ],
)
def test_other_texts_are_unreadable(text: str) -> None:
    assert names(text, WORDS) == ()
    with pytest.raises(Unreadable):
        read(text)


def test_words_of_another_game_are_unreadable() -> None:
    with pytest.raises(Unreadable):
        read_move("pass", BOARD, partial(starting, LEGAL), lambda _: RULE)


@given(st.lists(st.sampled_from([*BOARD.names, *WORDS]), min_size=1, max_size=9))
def test_names_come_out_as_they_went_in(row: list[str]) -> None:
    wanted = tuple(name.lower() for name in row)
    for between in ("", " ", "-", "x", " = "):
        assert names(between.join(row), WORDS) == wanted
    assert joined(BOARD, split(" ".join(row), BOARD, WORDS), " ").lower() == " ".join(wanted)


@given(st.text(alphabet="abhx1289 -=,pase", max_size=30))
def test_whatever_is_read_is_in_the_text(text: str) -> None:
    left = text.lower()
    for name in names(text, WORDS):
        _, found, left = left.partition(name)
        assert found


@for_each("part", ["a1 ", "a1", "x1x", "a1-x", "a1 - ", "pass ", "queens", "a1    "])
def test_no_text_takes_long(part: str) -> None:
    for count in (8, 24, LONGEST // len(part) - 1):
        started = perf_counter()
        assert names(part * count + "!", WORDS) == ()
        assert perf_counter() - started < 1


def test_only_moves_that_begin_so_are_listed_until_one_is_enough() -> None:
    asked = []

    def moves() -> Iterator[Move]:
        for move in LEGAL:
            asked.append(move)
            yield move

    assert next(iter(starting(moves(), move_of("b1")))) == move_of("b1 b2")
    assert len(asked) == 2
    assert list(starting(LEGAL, ())) == list(LEGAL)
    assert list(starting(LEGAL, move_of("d1 d2"))) == [move_of("d1 d2"), move_of("d1 d2 d3")]


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(notation).failed == 0
