"""What people do write below their move, in many languages: it arrives whole, or they are told what did not."""

import json
from pathlib import Path

import pytest

from tests.every import every, for_each
from tests.mail.replies import OURS, TEXT, moves, reading

COMMENTS: list[str] = json.loads(Path(__file__).with_name("comments.json").read_text())
QUOTE = "\n".join(f"> {line}".rstrip() for line in TEXT.split("\n"))
LEAD = f"On Mon, 6 Jan 2025 at 10:12, pbmserv <{OURS}> wrote:\n\n"
HEAD = f"From: pbmserv <{OURS}>\nSent: Monday\nTo: bob@example.org\nSubject: Board 101\n\n"


def test_there_are_enough_comments() -> None:
    assert len(COMMENTS) >= 60


@pytest.mark.parametrize(
    "below", ["", f"\n\n{LEAD}{QUOTE}", f"\n\n{HEAD}{TEXT}"], ids=["bare", "marked", "unmarked"]
)
def test_it_arrives_whole(below: str) -> None:
    def check(comment: str) -> None:
        got = reading(f"c3\n\n{comment}{below}\n")
        assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], comment, ())

    every(COMMENTS, check)


def test_below_a_quote_too() -> None:
    def check(comment: str) -> None:
        got = reading(f"{LEAD}{QUOTE}\n\nc3\n\n{comment}\n")
        assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], comment, ())

    every(COMMENTS, check)


@for_each(
    ("comment", "passed", "told"),
    [
        ("Good game!\n--\nRobert Example", "Good game!", ("Robert Example",)),
        ("--\nGood game!", "", ("Good game!",)),
        ("Good game!\n\u2014\nFine, isn't it?", "Good game!", ("Fine, isn't it?",)),
        ("Hello\n\nMit freundlichem iPhone", "Hello", ("Mit freundlichem iPhone",)),
        ("Good game!\nbob@example.org\n+49 170 1234567", "Good game!", ("+49 170 1234567",)),
        ("The outlook for Android is bleak", "", ("The outlook for Android is bleak",)),
        ("My new address:\nrobert@new.example", "My new address:", ("robert@new.example",)),
        ("Carol, 2025-01-06, 10:12:\nPlay on!", "", ("Play on!",)),
        ("Hi\n--\nBob", "Hi", ()),
        (
            "Hi\n--\n" + "\n".join(f"line {n} of a signature that is much too long" for n in range(9)),
            "Hi",
            (
                "line 0 of a signature that is much too long",
                "line 1 of a signature that is much too long",
                "line 2 of a signature that is much too long ...",
            ),
        ),
    ],
)
def test_what_is_in_doubt_is_left_out_and_told(comment: str, passed: str, told: tuple[str, ...]) -> None:
    got = reading(f"c3\n\n{comment}\n")
    assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], passed, told)


@for_each("own", ["What is the score: 1 or 2?", "Lovely game,\nthanks"])
def test_words_right_above_an_unknown_head_are_told(own: str) -> None:
    got = reading(f"c3\n\n{own}\nPasted: pbmserv, 2026/01/01 12:00\n{TEXT}\n")
    assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], "", tuple(own.split("\n")))


@for_each(
    "below",
    [
        "pbmserv wrote:\n" + "\n".join(f"| {line}" for line in TEXT.split("\n")),
        "--\nGesichert mit Tuta Mail: https://tuta.com/free-email",
        "--\nSecured with Tuta Mail:\nhttps://tuta.com/free-email",
        "--\nSent with Tuta; enjoy secure & ad-free emails",
        "\u0418\u0437 Xiaomi",
    ],
)
def test_what_programs_add_is_not_told(below: str) -> None:
    got = reading(f"c3\n\nHi\n\n{below}\n")
    assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], "Hi", ())


@for_each(
    ("above", "told"),
    [
        ("Hello Anna", ()),
        ("Dear Anna and all of you at home,", ()),
        ("Hi Anna,\n\nmy move:", ()),
        ("Thanks!", ()),
        ("My aunt is well too, thanks.", ("My aunt is well too, thanks.",)),
        ("What a move!\nSee you in May.", ("What a move!", "See you in May.")),
        ("> My aunt says hello.\nTell her hello, we come in May!\n", ("Tell her hello, we come in May!",)),
    ],
)
def test_words_above_the_move_are_told_where_they_are_more_than_a_greeting(
    above: str, told: tuple[str, ...]
) -> None:
    got = reading(f"{above}\n\nc3\n\nBye")
    assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], "Bye", told)


def test_words_below_an_unmarked_copy_of_ours_are_told() -> None:
    got = reading(f"c3\n\n{TEXT}\n\nThat was a lovely game so far.\n")
    assert (got.parsed.comment, got.left_out) == ("", ("That was a lovely game so far.",))


def test_a_tail_of_ours_without_its_beginning_is_known() -> None:
    """And the square that it gives for an example is not played."""
    tail = TEXT[TEXT.index("To move, ") :]
    got = reading(f"c3\n\nGood luck, dear\n\n{tail}\n")
    assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], "Good luck, dear", ())
    assert moves(reading(tail)) == []
    drawing = TEXT[TEXT.index("        A   B   C") : TEXT.index("Score")]
    got = reading(f"c3\nlook:\n{drawing}\n", known=False)
    assert (got.parsed.comment, got.left_out) == ("", ("look:",))


def test_a_command_that_our_mail_proposed_is_there_to_be_sent() -> None:
    ready = "queue 101 c2 d4 e5 a1"
    got = reading(f"{ready}\n\nHello there")
    assert (len(got.parsed.lines), got.parsed.comment) == (1, "Hello there")
