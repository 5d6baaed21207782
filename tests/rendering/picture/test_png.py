"""Cards for previews of links."""

import struct

import pytest

from pbmserv.matches.replay import GameState
from pbmserv.rendering.svg import pictures
from pbmserv.rendering.svg.pictures import card_of, draw_card, sentence_of, view_at
from tests.rendering.letters import MIDDLE, SIX, first_moves, played
from tests.rendering.picture.svg import every, parsed, seen_in, told_by

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def test_a_card_is_of_the_size_that_is_asked_for() -> None:
    """1200 by 630, and another picture for another position."""
    board = played(MIDDLE)
    card = card_of(board)
    assert card.startswith(SIGNATURE)
    assert struct.unpack(">II", card[16:24]) == (1200, 630)
    assert card != card_of(board, 9)
    assert card_of(board) is card


@pytest.mark.parametrize(
    "board", [played(MIDDLE), played(first_moves(500, "7x7", SIX), SIX, "7x7")], ids=["two", "six"]
)
def test_it_tells_who_plays_and_how_it_stands(board: GameState) -> None:
    """The position, the title, each player with the score, whose turn it is or who has won."""
    view = view_at(board)
    root = parsed(draw_card(view, sentence_of(view)))
    texts = [each.text for each in every(root, "text")]
    for word in (
        "Cephalopod",
        "Board 101",
        *view.players.userids,
        *(str(score) for _, score in view.players.scores),
    ):
        assert word in texts
    told = " ".join(text or "" for text in texts)
    assert ("It is alice's turn." if view.players.to_move else "The game is over: bob wins") in told
    assert len(every(root, "rect", "turn")) == (1 if view.players.to_move else 0)
    assert seen_in(root, view.diagram.scene) == told_by(view.diagram.scene)


def test_without_fonts_there_is_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only its words are missing."""
    with_words = card_of(played(MIDDLE))
    monkeypatch.setattr(pictures, "_fonts", lambda: (None, ("/no/font.ttf",)))
    pictures.to_png.cache_clear()
    without = card_of(played(MIDDLE))
    pictures.to_png.cache_clear()
    assert without.startswith(SIGNATURE)
    assert 10_000 < len(without) < len(with_words)
