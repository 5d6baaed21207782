"""How a move of Cephalopod is written, and what is refused."""

from itertools import permutations

import pytest

from pbmserv.games import cephalopod
from pbmserv.games.cephalopod import CAPTURING, ENDING, NEIGHBOURS, PLACING, THE_BOARD, moves, read, start, write
from pbmserv.games.game import Illegal, Unfinished, Unreadable
from tests.every import for_each
from tests.games.drawing import read_figures
from tests.games.positions import RULES_TEXT, TOO_MUCH, drawn, position_of

# Notation.

CROSS = """
    ... ... ... ... ...
    ... ... <1> ... ...
    ... (1) ... (2) ...
    ... ... <6> ... ...
    ... ... ... ... ...
"""


@for_each(
    "text",
    [
        "c3xb3,d3",
        "C3XB3,D3",
        "c3=d3+b3",
        "C3:B3-D3",
        "c3b3d3",
        "c3 x b3, d3",
        "c3d3b3",
        "C3/b3/D3",
        " c3xb3,d3 ",
        "c3 b3 d3",
    ]
    + [f"c3{separator}b3{separator}d3" for separator in "x=:-/+,"]
    + [f"c3 {separator} d3 {separator}b3" for separator in "X=:-/+,"],
)
def test_notation_variants_are_one_move(text: str) -> None:
    position = drawn(CROSS)
    move = read(position, text)
    assert move == (12, 7, 17)
    assert write(position, move) == "C3xB3,D3"


def test_captured_squares_in_any_order() -> None:
    position = drawn(CROSS)
    read_moves = {read(position, f"c3x{','.join(order)}") for order in permutations(["b3", "c4", "d3"])}
    assert [write(position, move) for move in read_moves] == ["C3xB3,C4,D3"]


def test_the_bare_square_is_enough_where_there_is_no_choice() -> None:
    position = drawn(CROSS)
    assert write(position, read(position, "d4")) == "D4xC4,D3"
    assert write(position, read(position, "e5")) == "E5"


# What is refused.

REFUSING = """
    (1) ... <4>
    ... (1) ...
    ... (5) ...
"""


@for_each(
    ("text", "rule", "near"),
    [
        ("d1", THE_BOARD, []),
        ("a4", THE_BOARD, []),
        ("z99", THE_BOARD, []),
        ("d1xa3,b2", THE_BOARD, []),
        ("b3xa3,z99", THE_BOARD, []),
        ("a3", PLACING, []),
        ("b2xa3,b3", PLACING, ["A2xA3,B2", "B3xA3,B2"]),
        ("b3xa3,a3", CAPTURING, ["B3xA3,B2", "B3xA3,C3", "B3xA3,B2,C3"]),
        ("b3xa3,b2,b2", CAPTURING, ["B3xA3,B2", "B3xA3,B2,C3"]),
        ("b3xa3,b2,c3,a3", CAPTURING, ["B3xA3,B2,C3"]),
        ("b3xb1,b2", NEIGHBOURS, ["B3xA3,B2", "B3xA3,C3", "B3xB2,C3", "B3xA3,B2,C3"]),
        ("b3xa3,a2", NEIGHBOURS, ["B3xA3,B2", "B3xA3,C3", "B3xA3,B2,C3"]),
        ("b3xb3,a3", NEIGHBOURS, ["B3xA3,B2", "B3xA3,C3", "B3xB2,C3", "B3xA3,B2,C3"]),
        ("a1xa2,b1", NEIGHBOURS, ["A1"]),
        ("c1xb1,b2", NEIGHBOURS, ["C1"]),
    ],
)
def test_illegal_moves_name_the_rule_and_what_is_possible_there(text: str, rule: int, near: list[str]) -> None:
    position = drawn(REFUSING, 1)
    for typed in (text, text.upper()):
        with pytest.raises(Illegal) as refused:
            read(position, typed)
        assert refused.value.rule == rule
        assert [write(position, move) for move in refused.value.near] == near


def test_more_than_six_is_illegal() -> None:
    ((before, _),) = read_figures(TOO_MUCH)
    position = position_of(before, 1)
    with pytest.raises(Illegal) as refused:
        read(position, "c2xb2,c1")
    assert (refused.value.rule, refused.value.near) == (CAPTURING, (read(position, "c2"),))


@for_each(
    ("text", "begun", "choices"),
    [
        ("b3", ["B3"], ["B3xA3,B2", "B3xA3,C3", "B3xB2,C3", "B3xA3,B2,C3"]),
        ("b3xc3", ["B3", "C3"], ["B3xA3,C3", "B3xB2,C3", "B3xA3,B2,C3"]),
        ("b3 a3", ["B3", "A3"], ["B3xA3,B2", "B3xA3,C3", "B3xA3,B2,C3"]),
    ],
)
def test_a_choice_left_open_is_asked(text: str, begun: list[str], choices: list[str]) -> None:
    position = drawn(REFUSING, 1)
    with pytest.raises(Unfinished) as refused:
        read(position, text)
    assert refused.value.begun == tuple(position.board.numbers[name] for name in begun)
    assert [write(position, move) for move in moves(position, refused.value.begun)] == choices
    assert all(write(position, read(position, choice)) == choice for choice in choices)


def test_some_of_the_captures_are_enough_where_the_others_follow() -> None:
    assert write(drawn(REFUSING, 1), read(drawn(REFUSING, 1), "a2xa3")) == "A2xA3,B2"


def test_two_captures_are_meant_though_a_third_would_be_possible() -> None:
    position = drawn(REFUSING, 1)
    assert [write(position, read(position, text)) for text in ("b3c3a3", "b3a3c3")] == ["B3xA3,C3"] * 2


@for_each(
    "text",
    [
        *("", " ", "x", "hello", "c", "3", "3c", "c0", "c3#7", "c3.", "c3x", "c3xb3,", "c3!b3", "c3, and b3"),
        *("resign", "pass", "-c3", "c3?", "c3\nb3", "c3\tb3", "c3 xb3,d3 please"),
        *("\uff433", "c\u0663", "c3\u00d7b3", "\u212a3", "\u01313", "\u017f3", "c3\u3000b3", "c3" * 300),
    ],
)
def test_anything_else_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(start(2, {}), text)


def test_nothing_is_read_after_the_end() -> None:
    ended, _ = cephalopod.leave(start(2, {}), 0)
    with pytest.raises(Illegal) as refused:
        read(ended, "c3")
    assert (refused.value.rule, refused.value.near) == (ENDING, ())
    with pytest.raises(Unreadable):
        read(ended, "hello")


@for_each(
    ("rule", "words"),
    [
        (THE_BOARD, "columns, lettered"),
        (PLACING, "empty square"),
        (NEIGHBOURS, "neighbours of a square"),
        (CAPTURING, "two, three or four neighbours"),
        (ENDING, "game is over"),
    ],
)
def test_the_rules_that_are_quoted(rule: int, words: str) -> None:
    paragraphs = RULES_TEXT.read_text("ascii").split("\n\n")
    (quoted,) = (" ".join(paragraph.split()) for paragraph in paragraphs if paragraph.startswith(f"{rule}. "))
    assert words in quoted
