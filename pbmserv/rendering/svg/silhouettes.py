"""Pieces with a shape of their own: those of chess, shogi and xiangqi, as outlines in a box of 100 by 100."""

from typing import Final, NamedTuple

from pbmserv.games.kinds import SHOGI, XIANGQI


class Silhouette(NamedTuple):
    """The outline of a piece, and what is drawn on it in the other colour."""

    body: str
    sign: str = ""


_FOOT: Final = "q4 0 4 6v8h-60v-8q0-6 4-6"

_MEN: Final = {
    "king": Silhouette(
        f"M47 7h6v6h7v6h-7v11C58 24 82 22 84 41C85 53 73 58 73 67q-1 4 1 7h2{_FOOT}h2q2-3 1-7"
        "C27 58 15 53 16 41C18 22 42 24 47 30V19h-7v-6h7z",
        "M28 62h44v4.5h-44zM47.8 36h4.4v21h-4.4z",
    ),
    "queen": Silhouette(
        f"M16 29L31 54L33 22L44 49L50 18L56 49L67 22L69 54L84 29L75 66q-2 5 0 8h1{_FOOT}h1q2-3 0-8z"
        "M16 29m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0zM33 22m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
        "M50 18m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0zM67 22m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
        "M84 29m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
        "M28 62h44l-1 4.5h-42z",
    ),
    "rook": Silhouette(
        f"M25 18h12v8h8v-8h10v8h8v-8h12v18l-9 8v24l6 6h4{_FOOT}h4l6-6v-24l-9-8z",
        "M34 43h32v4.5h-32zM34 64.5h32v4.5h-32z",
    ),
    "bishop": Silhouette(
        f"M50 9.500a6 6 0 0 1 4 10.5q16 12 16 28q0 9-8 14l4 12h10{_FOOT}h10l4-12q-8-5-8-14q0-16 16-28"
        "a6 6 0 0 1 4-10.5z",
        "M39 59.500h22v4.5h-22zM47.8 34h4.4v7h7v4.4h-7v8h-4.4v-8h-7v-4.4h7z",
    ),
    "knight": Silhouette(
        f"M45 11L50 20C70 22 80 43 77 74h-1{_FOOT}h6c0-14 18-18 18-32c-4 8-12 6-16 10l-6 8q-8 2-11-6"
        "c4-14 10-18 14-26q1-4 4-6l-1-8l7 5z",
        "M36 33m-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0zM55 27c13 9 17 24 15 43h-4.500c2-17-2-31-13-39z"
        "M21 53m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0z",
    ),
    "pawn": Silhouette(
        f"M50 16a13.5 13.5 0 0 1 9 23.5h5v6h-6q2 18 14 28.5h4{_FOOT}h4q12-10.5 14-28.500h-6v-6h5"
        "a13.5 13.5 0 0 1 9-23.500z",
        "M29 74h42v4.5h-42z",
    ),
}

WALL: Final = Silhouette("M40 10h20v80h-20z")

CHESS: Final = {f"chess/{kind}": man for kind, man in _MEN.items()}
"""By kind."""

TILE: Final = "M50 7L77 22L87 91H13L23 22z"
"""A piece of shogi, which points to the other side."""

TILES: Final = {f"shogi/{kind}": letter for kind, letter in SHOGI.items()}
"""The letters on the pieces of shogi, by kind."""

DISCS: Final = frozenset(f"xiangqi/{kind}" for kind in XIANGQI)
"""The kinds of xiangqi, which show their text on a disc with a ring."""

RING: Final = "M50 15a35 35 0 1 0 .01 0zM50 19a31 31 0 1 1-.01 0z"
