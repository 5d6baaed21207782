"""How people type and say moves: cells, a game's words, or its other notation. Which are legal, the game says.

Pieces may be said by their name in many languages, and the numbers of rows as words.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, Final

from pbmserv.commands.vocabulary import CLOSING, COURTESY, NEVER_BY_SLIP, OPENING
from pbmserv.commands.word_lists import word_lists
from pbmserv.games import games
from pbmserv.games.board import is_cell_like, split_cells
from pbmserv.games.info import Info
from pbmserv.games.notation import ALONE, LONGEST, names


@dataclass(frozen=True, slots=True)
class Spelling:
    """What may be typed for a move beside cells: words in lower case, and patterns of other notations."""

    words: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ()
    is_known: bool = True
    """Whether it is that of the game; only then `d2 -> d3` cannot be another move in the place of one."""
    is_of_one: bool = True
    """Whether it is that of one game, where a word that only begins a move is asked how it goes on."""
    cells: frozenset[str] = frozenset()
    """Those of the board, in capitals; none where it is not known."""

    @property
    def alone(self) -> frozenset[str]:
        """Those of the words that mean something on a line of their own."""
        return frozenset(self.words) if self.is_of_one else self.whole

    @property
    def whole(self) -> frozenset[str]:
        """Those of the words that are whole moves."""
        return ALONE.intersection(self.words)


CELLS: Final = Spelling(is_known=False)
"""Only cells: the game is not known."""

_SEPARATORS: Final = "xX=:-/+,"
_AROUND: Final = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!?-"
_SENTENCE_ENDS: Final = ".,;:! "
_GUARD: Final = re.compile(r" ?# ?[0-9]{1,4}$", re.ASCII)
# Read backwards from the end of a line: forwards each place would be tried as the beginning.
_MOOD: Final = re.compile(r"(?:(?:[()DP]-?[:;]|\)!\(|\?!|\u3002|\U0001f642) ?)++")
_BROKEN_CELL: Final = re.compile(r"(?<!\S)([a-z]) (?=[1-9][0-9]?(?!\S))", re.IGNORECASE | re.ASCII)
_CELL: Final = r"[a-z][1-9][0-9]?"
_CELLS_ALONE: Final = re.compile(rf"{_CELL}(?:[-x]{_CELL})*", re.IGNORECASE | re.ASCII)
_SIGNS: Final = {"takes": "x", "and": ",", "&": ","}
_LOOSE: Final = re.compile(r"(?<=[a-z0-9]) ?([-x:=]) ?(?=[a-z0-9])", re.IGNORECASE | re.ASCII)
_FLAGS: Final = re.IGNORECASE | re.ASCII


@lru_cache(maxsize=256)
def spelling_of(info: Info | None) -> Spelling:
    """How moves of a game are typed; only cells count where it is not known."""
    return CELLS if info is None else _together((info,))


def any_spelling() -> Spelling:
    """How moves of any game are typed: for lines that name a board, of which only the records know the game."""
    return _of_games(tuple(games()))


@cache
def _of_games(named: tuple[str, ...]) -> Spelling:
    return replace(_together(games()[name].info for name in named), is_of_one=False)


def _together(infos: Iterable[Info]) -> Spelling:
    found = tuple(infos)
    words = (word for info in found for word in info.words)
    return Spelling(
        tuple(dict.fromkeys(words)), tuple(dict.fromkeys(info.dialect for info in found if info.dialect))
    )


def is_move_like(words: Sequence[str], spelling: Spelling = CELLS) -> bool:
    """Whether words are likely one move: cells, what may stand between them, and the guard after them.

    So are the words and the other notation of a game.

    >>> [is_move_like(line.split()) for line in ("c3 x b3, d3", "c3 # 7", "c3!", "c3 is mine", "c3 anna sesame")]
    [True, True, True, False, False]
    >>> chess = Spelling(("queen", "swap"), ("O-O|n[a-h][1-8]",))
    >>> [is_move_like(line.split(), chess) for line in ("e7-e8 queen", "Swap.", "O - O", "Nf3!", "swap now")]
    [True, True, True, True, False]
    """
    return _is_move_like(without_decoration(words, spelling), spelling)


def without_decoration(words: Sequence[str], spelling: Spelling = CELLS) -> str:
    """The text of a move as a game reads it, without what phones and people put around it.

    Only moves are freed of other words; any text is freed of quotes and full stops. What gives a game up is not
    made out of anything else. A question mark stays: who asks has not decided.

    >>> written = ('"C3."', "c 3", "c3\xd7b3, please", "c3#7!", "resign.", "c3?")
    >>> [without_decoration(line.split()) for line in written]
    ['C3', 'c3', 'c3xb3', 'c3#7', 'resign.', 'c3?']
    >>> numbers = Spelling(dialects=("[0-9]+-[0-9]+",))
    >>> [without_decoration(line.split(), numbers) for line in ("11 - 15 # 3", "d2 to d3", "d2 -> d3!")]
    ['11-15 # 3', 'd2-d3', 'd2-d3']
    """
    if len(words) == 1 and _CELLS_ALONE.fullmatch(words[0]):
        return words[0]
    written = _with_signs(" ".join(words), spelling)
    bare = _without_mood(written)
    written = bare if _is_move_like(bare, spelling) else written
    text = _undressed(written.replace("\xd7", "x"))
    *most, last = text.split(" ")
    kept = most if last.lower() in COURTESY else [*most, last]
    move = _BROKEN_CELL.sub(r"\1", _undressed(" ".join(kept)))
    if _is_row_of_cells(move, spelling):
        return move
    if _is_move_like(move, spelling):
        guard = _GUARD.search(move)
        end = guard.start() if guard else len(move)
        return _LOOSE.sub(r"\1", move[:end]) + move[end:]
    return written if text.lower() in NEVER_BY_SLIP else text


def is_of_words(move: str, spelling: Spelling) -> bool:
    """Whether a move is made of words alone, which may stand in any sentence: `pass`, or `d` or `4` for a column.

    >>> [is_of_words(move, Spelling(("pass", "queen"))) for move in ("Pass#3", "e8 queen", "pass me")]
    [True, False, False]
    """
    text = _GUARD.sub("", move)
    found = names(text, spelling.words) if spelling.words else ()
    is_word = bool(found) and all(name in spelling.words for name in found)
    return is_word or ((text.isalpha() or text.isdigit()) and is_in_dialect(text, spelling))


def is_letter(text: str) -> bool:
    """Whether a text is one letter, which may be a move, and may be how somebody signs.

    >>> [is_letter(text) for text in ("D", "d.", "d4", "pass")]
    [True, True, False, False]
    """
    letter = text.strip(_AROUND)
    return len(letter) == 1 and letter.isalpha()


def may_be_a_name(text: str, spelling: Spelling) -> bool:
    """Whether a line that may be a move may be how somebody signs, too: one letter, or what a piece is called.

    >>> [may_be_a_name(text, Spelling(("bishop", "pass"))) for text in ("D", "Bishop.", "pass", "bishop e4")]
    [True, True, False, False]
    """
    return is_letter(text) or text.strip(_AROUND).lower() in {*spelling.words} - spelling.whole


def is_plainly_said(words: Sequence[str], move: str) -> bool:
    """Whether words are a move and nothing else, without courtesy, question or dots.

    >>> [is_plainly_said(line.split(), "pass") for line in ("Pass!", "**pass**", "pass please", "Pass...")]
    [True, True, False, False]
    """
    written = _without_mood(" ".join(words))
    return ".." not in written and written.strip(OPENING + CLOSING + " ").lower() == move.lower()


def clear_move(text: str, spelling: Spelling = CELLS) -> str:
    """The move that a text is, without any mark around it; empty where it is anything else.

    >>> [clear_move(text, Spelling(("pass",))) for text in ("(c3xb3)", "Pass!", "c3 or d4", "passing")]
    ['c3xb3', 'Pass', '', '']
    """
    move = _with_signs(text.strip(_AROUND), spelling)
    return move if split_cells(move) or _is_in_words(move, spelling) or is_in_dialect(move, spelling) else ""


def is_beside_board(move: str, spelling: Spelling) -> bool:
    """Whether a move names a cell that the board does not have.

    >>> [is_beside_board(move, Spelling(cells=frozenset({"A1"}))) for move in ("a1", "a1-k9", "pass", "Nf3")]
    [False, True, False, False]
    """
    return bool(spelling.cells) and not spelling.cells.issuperset(split_cells(move))


def ends_move(word: str, spelling: Spelling) -> bool:
    """Whether a move of several words may end so: in a row, or in what a game or castling is said with.

    >>> [ends_move(word, Spelling(("queen",))) for word in ("f3!", "two", "Queen", "kingside.", "into")]
    [True, True, True, True, False]
    """
    last = word.strip(_AROUND).lower()
    return any(map(str.isdigit, last)) or last in spelling.words or last in _lasts()


def is_in_dialect(text: str, spelling: Spelling) -> bool:
    """Whether a text is a move in another notation than that of cells.

    >>> [is_in_dialect(text, Spelling(dialects=("[0-9]+-[0-9]+",))) for text in ("11-15", "11 - 15", "c3", "11")]
    [True, True, False, False]
    """
    if not spelling.dialects or len(text) > LONGEST:
        return False
    return _any_of(spelling.dialects).fullmatch(_LOOSE.sub(r"\1", text)) is not None


@lru_cache(maxsize=256)
def _any_of(dialects: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{dialect})" for dialect in dialects), _FLAGS)


def _without_mood(text: str) -> str:
    found = _MOOD.match(text[::-1])
    return text if found is None else text[: len(text) - found.end()]


def _undressed(text: str) -> str:
    ended = text.rstrip(".,;:! ")
    # A mark before the first of several words that closes nowhere may belong to a password.
    is_opened = " " not in text.strip("* ") or ended[-1:] in CLOSING
    return (text.lstrip(OPENING + " ") if is_opened else text).rstrip(CLOSING + " ") or text


def _is_move_like(text: str, spelling: Spelling) -> bool:
    move = _GUARD.sub("", text)
    return _is_row_of_cells(text, spelling) or _is_in_words(move, spelling) or is_in_dialect(move, spelling)


def _is_row_of_cells(text: str, spelling: Spelling) -> bool:
    first, *later = _GUARD.sub("", text).split() or [""]
    return is_cell_like(first) and all(_goes_on(word.lstrip(_SEPARATORS), word, spelling) for word in later)


def _goes_on(step: str, word: str, spelling: Spelling) -> bool:
    return is_cell_like(step) or not word.strip(_SEPARATORS) or step.lower() in spelling.words


def _is_in_words(text: str, spelling: Spelling) -> bool:
    found = names(text, spelling.words) if spelling.words else ()
    said = {name for name in found if name in spelling.words}
    return bool(said) and (len(said) < len(set(found)) or said <= spelling.alone)


def _with_signs(text: str, spelling: Spelling) -> str:
    """The text with signs for the words between its cells, where the game is known: `d2 to d3`, `h8 and k9`.

    Of three cells joined by `and` nobody knows what they mean. Rows and pieces may be said, too: `knight f three`.
    """
    if not spelling.is_known or len(text) > LONGEST:
        return text
    text = with_digits(text)
    said = [word.lower() for word in _between().findall(text)]
    if "and" not in said or len(said) == 1 or "takes" in said:
        text = _between().sub(lambda found: _SIGNS.get(found[1].lower(), "-") if found[1] else "", text)
    if not _is_in_words(text, spelling) and not is_in_dialect(text, spelling):
        bare = text.rstrip(_SENTENCE_ENDS)
        named = _castling().get(bare.lower()) or with_pieces(bare)
        text = named if is_in_dialect(named, spelling) else text
    return text


@cache
def _said() -> Mapping[str, Any]:
    """The words of `said.toml`."""
    return word_lists("said.toml", __package__)


@cache
def _listed(name: str) -> str:
    """The phrases of a list of `said.toml`, the longest first, as a regular expression."""
    phrases = (" ".join(phrase.split()) for phrase in _said()[name].split(","))
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


@cache
def _numbers() -> tuple[Mapping[str, int], re.Pattern[str]]:
    """The rows by their names, and a square whose row is one."""
    lines = _said()["numbers"].strip().split("\n")
    rows = {word: number for line in reversed(lines) for number, word in enumerate(line.split(), 1)}
    named = "|".join(sorted(rows, key=len, reverse=True))
    return rows, re.compile(rf"(?<![\w'])([a-z])[ -]({named})(?!\w)", re.IGNORECASE)


@cache
def _pieces() -> tuple[Mapping[str, str], re.Pattern[str]]:
    """The pieces in English by their names, and a name before a square, perhaps with what is between."""
    pieces = {name: piece for piece, names in _said()["pieces"].items() for name in names.split()}
    between = rf"[ -]| (?:{_listed('going')}) | (?:(?P<takes>{_listed('taking')})) "
    named = rf"(?<!\w)({'|'.join(pieces)})(?:{between})(?=[a-z][1-9](?!\w))"
    return pieces, re.compile(named, re.IGNORECASE)


@cache
def _between() -> re.Pattern[str]:
    """What is said between two squares, and before the first of them."""
    towards, cell = rf"{_listed('towards')}|[-=]*>", r"[a-z]?[1-9][0-9]?(?![a-z0-9])"
    leaving = rf"(?<!\S)(?:{_listed('leaving')}) (?={cell} (?:{towards}) {cell})"
    return re.compile(rf"(?<=[0-9]) ({towards}) (?={cell})|{leaving}", re.IGNORECASE)


@cache
def _lasts() -> frozenset[str]:
    """The words for rows, and those at the ends of how castling, check and mate are told."""
    return (
        frozenset(_numbers()[0])
        | {phrase.split()[-1] for phrase in _castling()}
        | {"o", "mate", "ch", "ep", "e.p"}
    )


@cache
def _castling() -> Mapping[str, str]:
    """How castling is written by what it is called."""
    named = ((move, phrase) for move, phrases in _said()["castling"].items() for phrase in phrases.split(","))
    return {" ".join(phrase.split()): move for move, phrase in named}


_FIGURINES: Final[Mapping[int, str]] = MappingProxyType(
    {
        start + number: letter
        for start in (0x2654, 0x265A)
        for number, letter in enumerate(("K", "Q", "R", "B", "N", ""))
    }
    | dict.fromkeys((0xFE0E, 0xFE0F), "")
)
"""The pieces as they are drawn; after them may stand how."""
_LETTERS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(("S", "J", "\u041a"), "N")
    | dict.fromkeys(("L", "\u0421"), "B")
    | dict.fromkeys(("T", "V", "W", "\u041b"), "R")
    | {"\u041a\u0440": "K", "\u0424": "Q"}
)
"""Of the letters of other languages those that are neither columns nor pieces in English."""
_ABROAD: Final = re.compile(
    rf"\b(?:{'|'.join(sorted(_LETTERS, reverse=True))})(?=[a-h]?[1-8]?[-x:]?[a-h][1-8](?!\w))"
)


def with_digits(text: str) -> str:
    """A text whose rows are digits: of no other words is anything made.

    >>> [with_digits(text) for text in ("b two", "knight f three", "E fünf to e vier", "two b", "bee two")]
    ['b2', 'knight f3', 'E5 to e4', 'two b', 'bee two']
    """
    rows, row = _numbers()
    return row.sub(lambda found: f"{found[1]}{rows[found[2].lower()]}", text)


def with_pieces(text: str) -> str:
    """A text with the English names of the pieces that stand before squares.

    >>> [with_pieces(text) for text in ("Springer f3", "Cavalier en f3", "Dame schlägt d4", "springer")]
    ['knight f3', 'knight f3', 'queen xd4', 'springer']
    >>> [with_pieces(text) for text in ("\u2657xc3", "\u265f\ufe0ee4", "Sf3", "Lxc3", "Tad1", "sf3")]
    ['Bxc3', 'e4', 'Nf3', 'Bxc3', 'Rad1', 'sf3']
    """
    names, piece = _pieces()
    return piece.sub(
        lambda found: f"{names[found[1].lower()]} {'x' * bool(found['takes'])}",
        _ABROAD.sub(lambda found: _LETTERS[found[0]], text.translate(_FIGURINES)),
    )
