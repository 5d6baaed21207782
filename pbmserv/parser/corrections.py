"""Moves that people take back: finds the words that say so, above or below, and asks which move is meant."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pbmserv.commands.typed_moves import (
    CELLS,
    Spelling,
    any_spelling,
    clear_move,
    is_beside_board,
    is_move_like,
    is_of_words,
    may_be_a_name,
)
from pbmserv.commands.vocabulary import COURTESY, NEVER_BY_SLIP
from pbmserv.games.notation import in_one_case
from pbmserv.parser.decoration import words_with_marks
from pbmserv.parser.fitting import PROSE, ParsedLine
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed, Unparsed, WhichOne
from pbmserv.parser.prose import single_word_reply
from pbmserv.parser.taken_back import denies, is_held, is_withdrawn
from pbmserv.parser.told import moves_left_open
from pbmserv.parser.words import listed, normalised, phrase_at, phrases

MOST_CHOICES = 5

_TAKEN_BACK = frozenset({"move", "submit", "resign"})
_DONE_ON_BOARDS = _TAKEN_BACK | {"accept", "reject", "propose", "undo", "queue", "rematch"}
_NEAREST = 4
_MOST_SEARCHED = 4000
_LONGEST_PHRASE = 4
_LONGEST_MOVE = 20
_AROUND = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!?-/\u2026\u3001\u3002"
_ENDS = ".,;:!?)-\u3001\u3002"
_SENTENCE_ENDS = ".!?\u3002"
_GLUED = re.compile(r"((?:[^\W\d_]{2}|[^\x00-\x7f])[,:;!?\u3001\u3002]+)(?=[a-z][1-9])", re.IGNORECASE)
_LOOSE_NUMBERS = re.compile(r"(?<=[0-9]) ([-x:]) (?=[0-9])", re.IGNORECASE | re.ASCII)
_ANY_MOVE = "#"
_GIVEN_UP = "resign"
_PRONOUN = "i"
"""In a sentence it is the writer, even in a game with a pit of that letter."""


def in_a_moves_place(said: Parsed) -> str:
    """The move of a line, or a command in a move's place."""
    return in_one_case(said.arguments.move.replace(" ", "")) or said.command.name


def asked_again(
    lines: Sequence[ParsedLine], below: str, spelling: Spelling = CELLS, above: str = ""
) -> tuple[ParsedLine, ...] | None:
    """The lines of a mail, with a question for those taken back by each other or `below`; None if none is.

    The text `above` them may postpone them.

    `spelling` is how moves are typed on the board replied to. If its game is unknown, a move of any game may take
    one back.
    """
    is_off = is_withdrawn(below) or is_held(above)
    of_any = replace(any_spelling(), is_known=False)
    asked = [
        _asked(line, lines[place + 1 :], below, spelling if spelling.is_known and line.is_bare else of_any, is_off)
        for place, line in enumerate(lines)
    ]
    return tuple(asked) if asked != [*lines] else None


def _asked(
    line: ParsedLine, later: Sequence[ParsedLine], below: str, spelling: Spelling, is_off: bool
) -> ParsedLine:
    said = line.parsed
    if said is None or said.command.name not in _DONE_ON_BOARDS or not said.arguments.boards:
        return line
    board = said.arguments.boards[0].number
    if said.command.name not in _TAKEN_BACK:
        return ParsedLine(unparsed=which_one(board, (said.line,))) if is_off else line
    # Two lines that both name their board are two commands, and may be two players'.
    beside = (each for each in later if line.is_bare != each.is_bare)
    others = {
        in_a_moves_place(other): other.line
        for other in _acts_on(board, (*beside, *_said_below(below, board, spelling)), spelling)
        if in_a_moves_place(other) != in_a_moves_place(said)
        and not is_beside_board(other.arguments.move, spelling)
    }
    if not others and not is_off and not _is_dropped(in_a_moves_place(said), below, spelling):
        return line
    return ParsedLine(unparsed=which_one(board, (said.line, *others.values())))


def _is_dropped(move: str, text: str, spelling: Spelling) -> bool:
    """Whether a line withdraws the move and names no other: `forget d4`, `not d4!`."""
    lines = map(normalised, text[:_MOST_SEARCHED].split("\n"))
    return any(move in denied_in(line, spelling) for line in lines)


def denied_in(line: str, spelling: Spelling) -> frozenset[str]:
    """The moves, in lower case, that a line withdraws.

    >>> [sorted(denied_in(line, CELLS)) for line in ("Not d4!", "I would never play D4", "Why not d4?", "No. d4")]
    [['d4'], ['d4'], [], []]
    """
    words = _words(line)
    plain = [_plain(word) for word in words]
    found = set()
    for place, word in enumerate(words):
        start = next((each for each in range(place, 0, -1) if _ends(words[each - 1], _ENDS)), 0)
        before = plain[start:place]
        if clear_move(word, spelling) and denies(before, _NEAREST) and "why" not in before:
            found.add(plain[place])
    return frozenset(found)


def which_one(board: int | None, lines: Sequence[str]) -> Unparsed:
    """The question which of several lines is meant; each is offered ready to send, without its question mark."""
    choices = tuple(dict.fromkeys(line.rstrip("?! ") for line in lines))
    return Unparsed(lines[0], WhichOne(board=board, choices=choices[:MOST_CHOICES]))


def _acts_on(board: int, lines: Iterable[ParsedLine], spelling: Spelling) -> Iterator[Parsed]:
    for line in lines:
        said = line.parsed
        if said is None or said.claim is not None or not (line.is_bare or said.command.name in _TAKEN_BACK):
            continue
        if [ref.number for ref in said.arguments.boards] == [board] and _may_be_meant(said, spelling):
            yield said


def _may_be_meant(said: Parsed, spelling: Spelling) -> bool:
    """Whether it may replace another move; `101 nights` may not."""
    move = said.arguments.move.split()
    return (
        not move
        or is_move_like(move, spelling)
        or single_word_reply(move) is not None
        or not NEVER_BY_SLIP.isdisjoint(move)
    )


def _said_below(text: str, board: int, spelling: Spelling) -> Iterator[ParsedLine]:
    """The lines of a text that act on a board, and the moves next to a correcting word."""
    led = ""
    lines = (plain for line in text[:_MOST_SEARCHED].split("\n") if (plain := normalised(line)))
    for plain in lines:
        # One letter is a signature, unless a correcting word stands beside it.
        yield PROSE if may_be_a_name(plain, spelling) else parse_line(plain, board, spelling)
        for move in corrections_in(f"{led} {plain}", spelling) or _left_open(plain, spelling):
            yield replace(parse_line(move, board, spelling), is_bare=True)
        led = plain if _is_phrase(plain) else ""


def _left_open(line: str, spelling: Spelling) -> tuple[str, ...]:
    """The move of a line that contains nothing else, however doubtful: `or maybe e5`.

    Only if the game is known: otherwise a password may look like a move of some game.
    """
    moves = moves_left_open(line, spelling) if spelling.is_known else ()
    return moves if len(moves) == 1 else ()


def corrections_in(line: str, spelling: Spelling = CELLS) -> list[str]:
    """The moves in a normalised line that form a clause with a correcting word, or are announced as played.

    >>> [corrections_in(line) for line in ("PS: e5 instead!", "sorry, I want to play E5.", "No, e5 was too far")]
    [['e5'], ['E5'], []]
    >>> corrections_in("not d4, e5"), corrections_in("I nearly played e5 instead"), corrections_in("I play e5")
    (['e5'], [], ['e5'])
    """
    words = _words(_LOOSE_NUMBERS.sub(r"\1", line) if spelling.dialects else line)
    plain = [_plain(word) for word in words]
    named = (
        place
        for place, word in enumerate(plain)
        if (clear_move(word, spelling) and word != _PRONOUN) or word == _GIVEN_UP
    )
    squares = [place for place in named if not _is_let(plain[: place + 1], spelling)]
    moves = [(place, _end_of_move(words, place, spelling)) for place in squares]
    for place in squares:
        plain[place] = _ANY_MOVE + ("->" if words[place].endswith(("->", "=>")) else "")
    return [_plain_move(words[start:end]) for start, end in moves if _is_corrected(words, plain, start, end)]


def _is_let(plain: Sequence[str], spelling: Spelling) -> bool:
    """Whether the last word is a game's, and no move: `Sorry, I let that pass`, `the swap`."""
    is_named = tuple(plain[-2:-1]) in {("the",), ("a",)}
    is_let = plain[-3:-2] == ["let"] and plain[-2] != "me"
    return (is_named or is_let) and is_of_words(plain[-1], spelling)


def _words(line: str) -> list[str]:
    """The words of a line; punctuation on its own joins the word before."""
    return words_with_marks(_GLUED.sub(r"\1 ", line), _AROUND)


def _plain(word: str) -> str:
    return word.strip(_AROUND).lower()


def _plain_move(words: Sequence[str]) -> str:
    return " ".join(words).strip(_AROUND)


def _end_of_move(words: Sequence[str], start: int, spelling: Spelling) -> int:
    """The end of the longest move that begins there: `c3 x b3`."""
    ends = range(min(start + _LONGEST_MOVE, len(words)), start + 1, -1)
    return next((end for end in ends if clear_move(" ".join(words[start:end]), spelling)), start + 1)


def _is_phrase(line: str) -> bool:
    """Whether a line is a correcting word and nothing else."""
    return tuple(map(_plain, _words(line))) in phrases("correcting")


def _is_corrected(words: Sequence[str], plain: Sequence[str], start: int, end: int) -> bool:
    """Whether the move there forms a clause with a correcting word, or ends a clause after one."""
    if words[start].lower() == f"{_GIVEN_UP}?":
        return False
    stop, is_corrected = _behind(words, plain, end)
    if stop is None or _is_conditional(words, plain, start):
        return False
    place, is_played = start, False
    playing = phrases("labels", "labels_needing_colons", "playing")
    while place > 0:
        if _ends(words[place - 1], _ENDS) and (is_corrected or not _goes_on(plain, place)):
            break
        length = _phrase_before(plain, place)
        is_corrected = is_corrected or length > 0
        if not length and plain[place - 1] not in listed("between"):
            return False
        is_played = is_played or any(
            tuple(plain[first:place]) in playing for first in range(max(place - 3, 0), place)
        )
        place -= length or 1
    begins = place == 0 or _ends(words[place - 1], _SENTENCE_ENDS)
    is_sentence = begins and (stop == len(words) or _ends(words[stop - 1], _SENTENCE_ENDS))
    return is_corrected or (is_sentence and is_played)


def _behind(words: Sequence[str], plain: Sequence[str], end: int) -> tuple[int | None, bool]:
    """Where a move's clause ends, None if other words follow, and whether a correcting word follows the move."""
    is_corrected = False
    while end < len(words) and not _ends(words[end - 1], _ENDS):
        length = phrase_at(plain, end, phrases("correcting_behind"))
        is_corrected = is_corrected or length > 0
        if not length and plain[end] not in COURTESY | listed("after"):
            return None, False
        end += length or 1
    return end, is_corrected


def _goes_on(plain: Sequence[str], place: int) -> bool:
    """Whether a correcting word ends the clause before, or one of those that may stand beside it."""
    return _phrase_before(plain, place) > 0 or plain[place - 1] in listed("between")


def _phrase_before(plain: Sequence[str], place: int) -> int:
    """The number of words of a correcting phrase before a place."""
    lengths = range(min(_LONGEST_PHRASE, place), 0, -1)
    return next((length for length in lengths if tuple(plain[place - length : place]) in phrases("correcting")), 0)


def _is_conditional(words: Sequence[str], plain: Sequence[str], start: int) -> bool:
    """Whether a condition stands before the move in its sentence."""
    for place in range(start, 0, -1):
        if _ends(words[place - 1], _SENTENCE_ENDS):
            break
        if plain[place - 1] in listed("conditions"):
            return True
    return False


def _ends(word: str, marks: str) -> bool:
    return word[-1] in marks
