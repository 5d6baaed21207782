"""The kinds of pieces that have a drawing of their own, and the words that tell them.

A kind is a word, or a set of pieces and a word with a slash between them: `chess/king` is called "king" and drawn
as in chess, while a plain `king` is a round piece with a crown on it, as in draughts and tafl. A kind that is not
named here is drawn as the text of its piece.
"""

from typing import Final

ROUND: Final = ("king", "officer")
"""Signs on a round piece."""

OTHER: Final = ("die", "seeds", "burnt", "wall")
"""Pieces that are no round ones: with pips, a heap that is nobody's, a mark on a square that is gone, a bar."""

CHESS: Final = ("king", "queen", "rook", "bishop", "knight", "pawn")
"""After `chess/`."""

SHOGI: Final = {
    "king": "K",
    "rook": "R",
    "bishop": "B",
    "gold": "G",
    "silver": "S",
    "knight": "N",
    "lance": "L",
    "pawn": "P",
    "dragon": "+R",
    "horse": "+B",
    "promoted silver": "+S",
    "promoted knight": "+N",
    "promoted lance": "+L",
    "promoted pawn": "+P",
}
"""After `shogi/`, with the letter on the piece. A piece points away from its player."""

XIANGQI: Final = {
    "general": "G",
    "advisor": "A",
    "elephant": "E",
    "horse": "H",
    "chariot": "R",
    "cannon": "C",
    "soldier": "S",
}
"""After `xiangqi/`, with the letter on the piece."""


def word_of(kind: str) -> str:
    """The word that tells a kind.

    >>> word_of("chess/king"), word_of("king"), word_of("shogi/promoted pawn"), word_of("")
    ('king', 'king', 'promoted pawn', '')
    """
    return kind.rpartition("/")[2]
