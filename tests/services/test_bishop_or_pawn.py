"""A `b` in an answer to a board of chess: a bishop's move, a pawn's, or asked which."""

from typing import cast

import pytest

from pbmserv.games.chess import chess
from pbmserv.games.game import Game
from tests.services.post import Post, begin_played, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
ONLY_THE_PAWN = "d4 Nf6 Nc3 e6 a3 d5 Bf4 Bb4 axb4 c5"
"""Only the pawn can take on C5."""
SPANISH = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5"
TWO_KNIGHTS = "Nf3 a6 d3 a5"


def answered(post: Post, texts: str, said: str) -> tuple[str, str]:
    """What alice is told who answers her board with a line, and the last move that stands there then."""
    begin_played(post, cast(Game, chess), texts)
    board = post.sent_to(ALICE)[-1]
    letters = [letter for letter in post.answer(board, said) if letter.recipient == ALICE]
    told = " ".join(" ".join(map(text_of, letters)).split())
    return told, post.moves()[-1]


@pytest.mark.parametrize("said", ["Bxc5", "Bxc5 please", "Hello bob,\nBxc5"])
def test_a_capital_b_where_only_the_pawn_can_capture(sqlite_post: Post, said: str) -> None:
    told, last = answered(sqlite_post, ONLY_THE_PAWN, said)
    assert "As it is written that cannot be played. Did you mean this? move 101 b4xc5" in told
    assert last == "C7-C5"


def test_a_small_b_captures_with_the_pawn(sqlite_post: Post) -> None:
    assert answered(sqlite_post, ONLY_THE_PAWN, "bxc5")[1] == "B4xC5"


def test_a_move_straight_on_is_the_bishops(sqlite_post: Post) -> None:
    """The seventh move of the Spanish game: b2-b3 is legal, too."""
    assert answered(sqlite_post, SPANISH, "Bb3")[1] == "A4-B3"


def test_two_knights(sqlite_post: Post) -> None:
    told, last = answered(sqlite_post, TWO_KNIGHTS, "Nd2")
    assert "That fits 2 moves, so nothing was played. Which one do you mean?" in told
    assert "move 101 b1-d2" in told
    assert "move 101 f3-d2" in told
    assert last == "A6-A5"


@pytest.mark.parametrize(("said", "asked"), [("Bxc3", True), ("bxc3", False), ("101 Bxc3", False)])
def test_a_capital_that_a_phone_may_have_made(sqlite_post: Post, said: str, asked: bool) -> None:
    """Both a bishop and a pawn can take the knight."""
    told, last = answered(sqlite_post, "d4 Nf6 Bd2 Ne4 a3 Nc3 h3 h6", said)
    assert ("That fits 2 moves" in told) == asked
    assert last == {"Bxc3": "H7-H6", "bxc3": "B2xC3", "101 Bxc3": "D2xC3"}[said]
