"""A `b` in an answer to a board of chess: a bishop's move, a pawn's, or asked which."""

from typing import cast

import pytest

from pbmserv.games.chess import chess
from pbmserv.games.game import Game
from pbmserv.store.outbox import QueuedMessage
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


BOTH_CAN_TAKE = "d4 Nf6 Bd2 Ne4 a3 Nc3 h3 h6"


@pytest.mark.parametrize(
    "said",
    [
        "bxc3\nBxc3",
        "Bxc3\nbxc3",
        "Bxc3 or bxc3?",
        "bxc3, no wait, Bxc3",
        "bxc3\nPS: Bxc3 instead",
    ],
)
def test_both_in_one_mail_are_two_moves(sqlite_post: Post, said: str) -> None:
    told, last = answered(sqlite_post, BOTH_CAN_TAKE, said)
    assert "move 101 Bxc3" in told
    assert "move 101 bxc3" in told
    assert last == "H7-H6"


@pytest.mark.parametrize(("said", "played"), [("bxc3", "E7-E5"), ("Bxc3", "E7-E6")])
def test_queued_answers_tell_them_apart(sqlite_post: Post, said: str, played: str) -> None:
    """Each to its own, and only to its own."""
    begin_played(sqlite_post, cast(Game, chess), BOTH_CAN_TAKE.removesuffix(" h6"))
    sqlite_post.mail(BOB, "", "101 h6\nqueue 101 if Bxc3 then e6; if bxc3 then e5")
    sqlite_post.mail(ALICE, f"101 {said}")
    assert sqlite_post.moves()[-1] == played


def test_a_queued_answer_to_the_bishop_alone(sqlite_post: Post) -> None:
    begin_played(sqlite_post, cast(Game, chess), BOTH_CAN_TAKE.removesuffix(" h6"))
    sqlite_post.mail(BOB, "", "queue 101 h6 if Bxc3 then e6")
    sqlite_post.mail(ALICE, "101 bxc3")
    assert sqlite_post.moves()[-1] == "B2xC3"


def test_a_preview_asks_as_well(sqlite_post: Post) -> None:
    """What cannot be played as it is written is said to be that, and not to begin several moves."""
    begin_played(sqlite_post, cast(Game, chess), ONLY_THE_PAWN)
    (letter,) = sqlite_post.mail(ALICE, "preview 101 Bxc5")
    assert "Bxc5, cannot be played as it is written. Did you mean this? preview 101 b4xc5" in _said(letter)


def test_a_plan_asks_as_well(sqlite_post: Post) -> None:
    begin_played(sqlite_post, cast(Game, chess), ONLY_THE_PAWN.removesuffix(" c5"))
    (letter,) = sqlite_post.mail(BOB, "queue 101 c5 if Bxc5 then e5")
    assert "Bxc5 cannot be played as it is written. Did you mean this? queue 101 c7-c5 if b4xc5" in _said(letter)


def _said(letter: QueuedMessage) -> str:
    return " ".join(text_of(letter).split())
