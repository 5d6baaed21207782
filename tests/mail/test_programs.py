"""Answers as many programs and languages write them: what is passed on is what was written, to the letter.

`programs.json` holds how each leads up to what it quotes, and whether it marks that: `marked` with a prefix,
`plain` without, `html` in HTML of which no mark is known.
"""

import json
from pathlib import Path

import pytest

from tests.every import every, for_each
from tests.mail.replies import MINE, OURS, SUBJECT, TEXT, html_of, leaked, moves, reading

PROGRAMS = json.loads(Path(__file__).with_name("programs.json").read_text())
COMMENT = "Nice game, Anna!\nUntil next time: good luck."


def lead_of(program: dict[str, str]) -> str:
    return program["lead"].format(ours=OURS, mine=MINE, subject=SUBJECT, name="pbmserv")


def quoted(program: dict[str, str], text: str) -> str:
    prefix = program.get("prefix", "> ")
    return "\n".join((prefix + line).rstrip() for line in text.split("\n"))


def answer(program: dict[str, str], own: str) -> str:
    lead = lead_of(program)
    if program["copy"] == "html":
        return html_of(own, lead)
    copy = quoted(program, TEXT) if program["copy"] == "marked" else TEXT
    return f"{own}\n\n{lead}{copy}\n"


def test_there_are_enough_programs() -> None:
    assert len(PROGRAMS) >= 200


def name_of(program: dict[str, str]) -> str:
    return program["name"]


@pytest.mark.parametrize("known", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["known", "let go of"])
@pytest.mark.parametrize("comment", [COMMENT, pytest.param("", marks=pytest.mark.slow)], ids=["comment", "move"])
def test_above_the_quote(comment: str, known: bool) -> None:
    """The move is played, the comment arrives whole and alone, and nothing was left out that would be told."""
    own = f"c3\n\n{comment}" if comment else "c3"

    def check(program: dict[str, str]) -> None:
        got = reading(answer(program, own), program["copy"] == "html", known)
        assert (moves(got), got.parsed.comment) == (["move 101 c3"], comment)
        assert not leaked(got)
        if known:
            assert got.left_out == ()

    every(PROGRAMS, check, name_of)


@for_each("place", ["between", "below"])
def test_between_and_below_marked_quotes(place: str) -> None:
    first, _, rest = TEXT.partition("\n\n   Paren")

    def check(program: dict[str, str]) -> None:
        if place == "between":
            text = f"{lead_of(program)}{quoted(program, first)}\n\nc3\n\n{quoted(program, rest)}\n\n{COMMENT}\n"
        else:
            text = f"{lead_of(program)}{quoted(program, TEXT)}\n\nc3\n\n{COMMENT}\n"
        got = reading(text)
        assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], COMMENT, ())

    every([program for program in PROGRAMS if program["copy"] == "marked"], check, name_of)


def test_below_an_unmarked_copy_nothing_is_passed_on_and_words_are_told() -> None:
    """Nobody can tell where such a copy ends; the sender is told what stood below it."""

    def check(program: dict[str, str]) -> None:
        got = reading(f"c3\n\n{lead_of(program)}{TEXT}\n\nThank you for this fine game so far!\n")
        assert (moves(got), got.parsed.comment) == (["move 101 c3"], "")
        assert not leaked(got)

    every([program for program in PROGRAMS if program["copy"] == "plain"], check, name_of)
