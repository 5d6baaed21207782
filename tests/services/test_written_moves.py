"""Moves as people write them in answers to boards: what is read, and what is offered where they cannot be."""

import pytest

from pbmserv.games import games
from tests.services.post import Post, begin_played, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
ITALIAN = "e3 e5 Bc4 a6 a3 a5"
"""The bishop on C4 can go to B5, where nothing stands, and take on F7; alice is to move."""
HANDS = "e4 d5 exd5 Qxd5"
"""In Crazyhouse each has a pawn in hand."""


def answered(post: Post, game: str, texts: str, said: str) -> tuple[str, str]:
    """What alice is told above the board that she has answered with a line, and the last move then."""
    begin_played(post, games()[game], texts)
    letters = [each for each in post.answer(post.sent_to(ALICE)[-1], said) if each.recipient == ALICE]
    told = " ".join(" ".join(map(text_of, letters)).split()).partition("Summary of")[0]
    return told, post.moves()[-1]


@pytest.mark.parametrize(
    "said",
    [
        "Bishop takes b5",
        "Bishop takes b5.",
        "bishop takes b5!",
        "Bishop takes b5 and I win",
        "Bxb5",
        "5.Bxb5 h5",
    ],
)
def test_no_capture_is_offered_or_played_where_there_is_nothing_to_take(sqlite_post: Post, said: str) -> None:
    told, last = answered(sqlite_post, "chess", ITALIAN, said)
    assert last == "A6-A5"
    for offered in ("Yes, play", "Bishop b5", "bishop b5", "101 h5", "then h5", "B2"):
        assert offered not in told


def test_words_with_a_full_stop_are_the_move(sqlite_post: Post) -> None:
    assert answered(sqlite_post, "chess", ITALIAN, "Bishop takes f7.")[1] == "C4xF7"


@pytest.mark.parametrize("said", ["5.Bxf7 h5", "5. Bxf7 h5", "4. Bxf7+ Ke7"])
def test_of_a_numbered_pair_the_own_move_is_offered(sqlite_post: Post, said: str) -> None:
    told, last = answered(sqlite_post, "chess", ITALIAN, said)
    assert "move 101 Bxf7" in told
    assert "queue" not in told.replace("queued", "")
    assert last == "A6-A5"


def test_of_three_numbered_moves_the_first_is_ones_own(sqlite_post: Post) -> None:
    told, _ = answered(sqlite_post, "chess", ITALIAN, "4. Bxf7+ Kxf7 5. Qh5+")
    assert "queue 101 Bxf7+ if Kxf7 then Qh5+" in told


@pytest.mark.parametrize(
    ("game", "texts", "said", "played"),
    [
        ("chess", ITALIAN, "♗xf7", "C4xF7"),
        ("chess", ITALIAN, "♞f3", "G1-F3"),
        ("chess", ITALIAN, "♙d4", "D2-D4"),
        ("chess", ITALIAN, "Lxf7+", "C4xF7"),
        ("chess", ITALIAN, "Sf3", "G1-F3"),
        ("crazyhouse", HANDS, "pawn@e4", "PAWN-E4"),
        ("shogi", "P-7f P-3d", "P2f", "H3-H4"),
        ("shogi", "P-7f P-3d", "P-2f", "H3-H4"),
    ],
)
def test_read_as_written(sqlite_post: Post, game: str, texts: str, said: str, played: str) -> None:
    assert answered(sqlite_post, game, texts, said)[1] == played


def queued(post: Post, line: str) -> str:
    """What bob is told who queues on a chess board on which alice is to move."""
    begin_played(post, games()["chess"], ITALIAN)
    return " ".join(" ".join(map(text_of, post.mail(BOB, f"queue 101 {line}"))).split())


def test_a_suggestion_keeps_the_answer_that_was_written(sqlite_post: Post) -> None:
    told = queued(sqlite_post, "if Bxa6 then h6")
    assert "queue 101 if c4-d3 then h7-h6" in told


def test_a_bishop_that_captures_is_no_pawn(sqlite_post: Post) -> None:
    assert "if c4xf7 then e8xf7" in queued(sqlite_post, "if Bxf7 then Kxf7")


def test_moves_in_turns_are_offered_as_a_line(sqlite_post: Post) -> None:
    assert "queue 101 if e4 then h6" in queued(sqlite_post, "e4 h6")
