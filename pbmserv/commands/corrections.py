"""A move that is taken back below itself: `d4`, and further down `or rather` and `e5`. Which is meant is asked.

It is taken back by a later line that is another move alone, and by a correcting word beside another move. A square
in a sentence stays words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pbmserv.commands.correcting_words import BEFORE, BEHIND, BETWEEN, WEAK
from pbmserv.commands.line import Line, read_line
from pbmserv.commands.message import Parsed, Unparsed
from pbmserv.commands.refusals.common import WhichOne
from pbmserv.commands.small_words import COURTESY
from pbmserv.commands.words import normalised
from pbmserv.games.squares import split_squares

MOST_CHOICES = 5

_TAKEN_BACK = frozenset({"move", "submit", "resign"})
_MOST_LINES = 60
_LONGEST_LINE = 400
_LONGEST_PHRASE = 4
_LONGEST_MOVE = 8
_AROUND = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!?-/\u2026"
_ENDS = ".,;:!?)-"


def in_a_moves_place(said: Parsed) -> str:
    """The move of a line, or its command where that stands in a move's place."""
    return said.arguments.move.lower().replace(" ", "") or said.command.name


def asked_again(lines: Sequence[Line], below: str) -> tuple[Line, ...] | None:
    """The lines of a mail with those asked that are taken back by each other or `below` them; None if none is."""
    asked = [_asked(line, lines[place + 1 :], below) for place, line in enumerate(lines)]
    return tuple(asked) if asked != [*lines] else None


def _asked(line: Line, later: Sequence[Line], below: str) -> Line:
    said = line.parsed
    if said is None or said.command.name not in _TAKEN_BACK or not said.arguments.boards:
        return line
    board = said.arguments.boards[0].number
    # Two lines that both name their board are two commands, and may be two players'.
    beside = (each for each in later if line.is_bare != each.is_bare)
    others = {
        in_a_moves_place(other): other.line
        for other in _acts_on(board, (*beside, *_said_below(below, board)))
        if in_a_moves_place(other) != in_a_moves_place(said)
    }
    if not others:
        return line
    choices = (said.line, *others.values())[:MOST_CHOICES]
    return Line(unparsed=Unparsed(said.line, WhichOne(board=board, choices=choices)))


def _acts_on(board: int, lines: Iterable[Line]) -> Iterator[Parsed]:
    for line in lines:
        said = line.parsed
        if said is None or said.claim is not None or not (line.is_bare or said.command.name in _TAKEN_BACK):
            continue
        if [ref.number for ref in said.arguments.boards] == [board]:
            yield said


def _said_below(text: str, board: int) -> Iterator[Line]:
    """The lines of a text that are acts on a board, and the moves beside which a correcting word stands."""
    led = ""
    lines = [plain for line in text.split("\n", _MOST_LINES)[:_MOST_LINES] if (plain := normalised(line))]
    for line in lines:
        plain = line[:_LONGEST_LINE]
        yield read_line(plain, board)
        for move in corrections_in(f"{led} {plain}"):
            yield replace(read_line(move, board), is_bare=True)
        led = plain if _is_phrase(plain) else ""


def corrections_in(line: str) -> list[str]:
    """The moves in a normalised line that a correcting word stands beside.

    >>> [corrections_in(line) for line in ("PS: e5 instead!", "sorry, I want to play E5.", "No, e5 was too far")]
    [['e5'], ['E5'], []]
    >>> corrections_in("I nearly played e5"), corrections_in("See you on e4 street, or rather never")
    ([], [])
    """
    words = _words(line)
    plain = [_plain(word) for word in words]
    squares = [place for place, word in enumerate(plain) if split_squares(word)]
    moves = ((place, _end_of_move(words, place)) for place in squares)
    return [_plain_move(words[start:end]) for start, end in moves if _is_corrected(words, plain, start, end)]


def _words(line: str) -> list[str]:
    """The words of a line, marks that stand alone at the end of the word before."""
    words: list[str] = []
    for word in line.split():
        if word.strip(_AROUND):
            words.append(word)
        elif words:
            words[-1] += word
    return words


def _plain(word: str) -> str:
    return word.strip(_AROUND).lower()


def _plain_move(words: Sequence[str]) -> str:
    return " ".join(words).strip(_AROUND)


def _end_of_move(words: Sequence[str], start: int) -> int:
    """Behind the last word of the longest move that begins there: `c3 x b3`."""
    ends = range(min(start + _LONGEST_MOVE, len(words)), start + 1, -1)
    return next((end for end in ends if split_squares(_plain_move(words[start:end]))), start + 1)


def _is_phrase(line: str) -> bool:
    """Whether a line is a correcting word and nothing else."""
    return tuple(map(_plain, _words(line))) in BEFORE | WEAK


def _is_corrected(words: Sequence[str], plain: Sequence[str], start: int, end: int) -> bool:
    """Whether a correcting word stands beside the move that stands there among words."""
    if any(tuple(plain[end : end + length]) in BEHIND for length in range(1, _LONGEST_PHRASE + 1)):
        return True
    is_last = end == len(words) or words[end - 1][-1] in _ENDS or plain[end] in COURTESY
    for behind in range(start, 0, -1):
        for first in range(max(behind - _LONGEST_PHRASE, 0), behind):
            phrase = tuple(plain[first:behind])
            begins = first == 0 or words[first - 1][-1] in _ENDS
            if phrase in BEFORE or (phrase in WEAK and begins and is_last):
                return True
        if plain[behind - 1] not in BETWEEN:
            break
    return False
