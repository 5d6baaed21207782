"""Moves as people say them: pieces by their name in many languages, and the numbers of rows as words."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_PIECES: Final = {
    "knight": (
        "knight knights night nite horse springer pferd cavalier caballo cavallo paard skoczek koń cavalo "
        "springare häst springer hest jezdec kůň jazdec ratsu huszár ló at cal конь кінь ίππος"
    ),
    "bishop": (
        "bishop bishops läufer laeufer fou alfil alfiere loper goniec bispo löpare løber løper střelec strelec "
        "lähetti futó fil nebun слон αξιωματικός"
    ),
    "rook": ("rook rooks turm tour torre toren wieża torn tårn věž veža torni bástya kale turn ладья тура πύργος"),
    "queen": (
        "queen dame reine dama donna regina koningin hetman królowa rainha dronning drottning dáma kuningatar "
        "vezér vezir ферзь королева βασίλισσα"
    ),
    "king": "king könig koenig roi rey koning król rei kung konge král kráľ kuningas király şah rege король",
    "pawn": (
        "pawn pawns bauer pion pionek peón peon pedone peão bonde pěšec pešiak sotilas gyalog piyon пешка "
        "пішак πιόνι"
    ),
}
_PIECE_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {name: piece for piece, names in _PIECES.items() for name in names.split()}
)
_ROWS: Final = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen",
    "eins zwei drei vier fünf sechs sieben acht neun zehn",
    "un deux trois quatre cinq six sept huit neuf dix",
    "uno dos tres cuatro cinco seis siete ocho nueve diez",
    "uno due tre quattro cinque sei sette otto nove dieci",
    "een twee drie vier vijf zes zeven acht negen tien",
    "um dois três quatro cinco seis sete oito nove dez",
    "jeden dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć",
    "ett två tre fyra fem sex sju åtta nio tio",
    "en to tre fire fem seks sju åtte ni ti",
    "jedna dva tři čtyři pět šest sedm osm devět deset",
    "один два три четыре пять шесть семь восемь девять десять",
)
_NUMBERS: Final[Mapping[str, int]] = MappingProxyType(
    {word: number for row in reversed(_ROWS) for number, word in enumerate(row.split(), 1)}
)
_ROW: Final = re.compile(
    rf"(?<![\w'])([a-z])[ -]({'|'.join(sorted(_NUMBERS, key=len, reverse=True))})(?!\w)", re.IGNORECASE
)
_GOING: Final = r"(?:to|on|at|nach|auf|en|in|a|à|op|naar|na|på|til|para|takes|x|schlägt|prend|toma|prende|slaat) "
_TAKING: Final = re.compile(r" (?:takes|x|schlägt|prend|toma|prende|slaat) $", re.IGNORECASE)
_PIECE: Final = re.compile(
    rf"(?<!\w)({'|'.join(_PIECE_NAMES)})((?:[ -]| {_GOING}))(?=[a-z][1-9](?!\w))", re.IGNORECASE
)


_FIGURINES: Final[Mapping[int, str]] = MappingProxyType(
    {
        start + number: letter
        for start in (0x2654, 0x265A)
        for number, letter in enumerate(("K", "Q", "R", "B", "N", ""))
    }
    | dict.fromkeys((0xFE0E, 0xFE0F), "")
)
"""The pieces as they are drawn; after them may stand how."""
_LETTERS: Final[Mapping[str, str]] = MappingProxyType({"S": "N", "L": "B", "T": "R"})
"""Of the letters of other languages those that are neither columns nor pieces in English."""
_ABROAD: Final = re.compile(r"\b[SLT](?=[a-h]?[1-8]?[-x:]?[a-h][1-8](?!\w))")


def with_digits(text: str) -> str:
    """A text whose rows are digits: of no other words is anything made.

    >>> [with_digits(text) for text in ("b two", "knight f three", "E fünf to e vier", "two b", "bee two")]
    ['b2', 'knight f3', 'E5 to e4', 'two b', 'bee two']
    """
    return _ROW.sub(lambda found: f"{found[1]}{_NUMBERS[found[2].lower()]}", text)


def with_pieces(text: str) -> str:
    """A text with the English names of the pieces that stand before squares.

    >>> [with_pieces(text) for text in ("Springer f3", "Cavalier en f3", "Dame schlägt d4", "springer")]
    ['knight f3', 'knight f3', 'queen xd4', 'springer']
    >>> [with_pieces(text) for text in ("\u2657xc3", "\u265f\ufe0ee4", "Sf3", "Lxc3", "Tad1", "sf3")]
    ['Bxc3', 'e4', 'Nf3', 'Bxc3', 'Rad1', 'sf3']
    """
    return _PIECE.sub(
        lambda found: f"{_PIECE_NAMES[found[1].lower()]} {'x' * bool(_TAKING.match(found[2]))}",
        _ABROAD.sub(lambda found: _LETTERS[found[0]], text.translate(_FIGURINES)),
    )
