"""Words that are moves, from the mail to the board: the game of the board that is answered says what they mean."""

import pytest

from pbmserv.services.views import load_board
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
BOARD = 101


@pytest.fixture
def go(post: Post) -> Post:
    """Alice and bob at go, on board 101."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "go challenge alice bob -size=9")
    return post


def moves(post: Post) -> list[str]:
    """What was played on the board."""
    board = load_board(post.house, BOARD)
    assert board is not None
    return [entry.text for entry in board.match.entries if entry.text]


def test_a_word_alone_is_played(go: Post) -> None:
    """With words below it, and behind a move of one's own."""
    go.answer(go.sent_to(ALICE)[-1], "Pass.\n\nYour turn.")
    assert moves(go) == ["pass"]
    assert "Your turn." in text_of(go.sent_to(BOB)[-1])
    go.answer(go.sent_to(BOB)[-1], "pass#2")
    assert moves(go) == ["pass", "pass"]


def test_a_subject_tells_the_game(go: Post) -> None:
    """Where a mail only looks like an answer."""
    go.mail(ALICE, f"Re: Go Board {BOARD}: alice vs bob", "pass")
    assert moves(go) == ["pass"]


def test_a_word_in_a_sentence_is_asked(go: Post) -> None:
    """With the line that would do."""
    (asked,) = go.answer(go.sent_to(ALICE)[-1], "I pass, well played.")
    assert moves(go) == []
    assert f"move {BOARD} pass" in text_of(asked)
    go.answer(go.sent_to(ALICE)[-1], "Pass me the salt, please.")
    assert moves(go) == []


def test_the_game_of_another_board_is_not_that_of_the_answered_one(go: Post) -> None:
    """A line that names its board is read for that board."""
    go.mail(ALICE, "hex challenge alice bob")
    go.answer(go.sent_to(ALICE)[-1], f"swap\n{BOARD} pass")
    assert moves(go) == ["pass"]
