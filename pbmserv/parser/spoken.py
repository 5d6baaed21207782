"""Finds moves within sentences: `Hi Bob, I play d4, thanks`.

Only the words of a closed list (`phrases.toml`) may surround such a move. With any other word the line is prose,
and at most leads to a question: a wrong move played is worse than any question.
"""

import re
from collections.abc import Container, Iterator, Sequence
from functools import cache

from pbmserv.commands.typed_moves import Spelling, clear_move, is_of_words
from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS
from pbmserv.games.board import is_cell_like
from pbmserv.games.notation import in_one_case
from pbmserv.parser.decoration import words_with_marks
from pbmserv.parser.taken_back import denies
from pbmserv.parser.words import listed, normalised, phrase_at, phrases

_LONGEST_LINE = 160
_LONGEST_MOVE = 20
_LONGEST_LEAD = 5
_MOST_NAMES = 2
_MOST_LINES = 20
_MOST_MOVES = 5
_LONGEST_NAMED_LINE = 3
"""Words of a line above that is a greeting: `Dear Mr Smith,`."""

_AROUND = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!-/=\u2026"
_MARKS = re.compile(
    r"[:;]-?[()DPp](?![a-z0-9])|<3|\(!\)|[\U0001f600-\U0001f644\U0001f64f\u263a\u2705\U0001f44d\U0001f3b2\U0001f44b]"
    "[\U0001f3fb-\U0001f3ff]?"
)
_EAST = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_BESIDE_EAST = re.compile(rf"(?<=[a-z0-9])(?=[{_EAST}])|(?<=[{_EAST}])(?=[a-z][1-9])", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[^\W\d_])([,:;!=.]+)(?=[a-z][1-9])", re.IGNORECASE)
_BROKEN_CELL = re.compile(r"(?<![\w'])([b-hj-zA-HJ-Z]) (?=[1-9][0-9]?(?!\w))", re.ASCII)
_GLUED_BEHIND = re.compile(r"(?<=[0-9])([,;!.])(?=[^\W\d_]{2})")
_DIGIT = re.compile(r"[0-9]")
_PARTED = (",", ".", "!", ";", "-", "\u2026", ")")
_SENTENCE_END = re.compile(r"[.!?:)\u2026]\W*$")


def spoken_move(line: str, spelling: Spelling) -> str:
    """The single move that a normalised line states, as written; empty if it may mean anything else.

    >>> said = ("My move is D4, thanks", "hi bob, d4", "Zug: d4.", "d4 was great", "d4?", "not d4", "I play D 4!")
    >>> [spoken_move(line, Spelling()) for line in said]
    ['D4', 'd4', 'd4', '', '', '', 'D4']
    """
    if len(line) > _LONGEST_LINE or "?" in line:
        return ""
    words = _words(line)
    found = list(_moves(words, spelling))
    if not found:
        words = _words(_BROKEN_CELL.sub(r"\1", line))
        found = list(_moves(words, spelling))
    if len(found) != 1:
        return ""
    start, end, move = found[0]
    before, after = words[:start], words[end:]
    if _DIGIT.search(" ".join((*before, *after))) or words[end - 1].endswith(("->", "=>", "\u2026", "..")):
        return ""
    has_lead = _is_led(before)
    if has_lead is None or not _is_ended(after):
        return ""
    return move if has_lead or is_cell_like(move) else ""


def stands_alone(lines: Sequence[str], number: int, spelling: Spelling) -> bool:
    """Whether a line with a move is not part of a longer sentence, and no other move is named above it."""
    above = [normalised(line) for line in lines[:number]]
    if any(True for line in above for _ in _moves(_words(line[:_LONGEST_LINE]), spelling)):
        return False
    if any(_plain(word) in listed("conditional") for line in above for word in line.split()):
        return False
    before = above[-1] if above else ""
    after = normalised(lines[number + 1]) if number + 1 < len(lines) else ""
    if before and not _SENTENCE_END.search(before) and not _is_greeting(before):
        return False
    is_closed = not after or _SENTENCE_END.search(normalised(lines[number])) is not None
    return is_closed or after[:1].isupper() or not after[:1].isalpha() or _is_ended(_words(after))


def undecided_moves(text: str, spelling: Spelling) -> tuple[str, ...]:
    """The moves, as written, between which a text has not decided; empty if it has.

    >>> undecided_moves("d4 or maybe e5?", Spelling()), undecided_moves("d4, no wait, e5", Spelling())
    (('d4', 'e5'), ('d4', 'e5'))
    >>> undecided_moves("d4 was better than e5", Spelling())
    ()
    """
    found = {in_one_case(move): move for line in _first_lines(text) for move in moves_left_open(line, spelling)}
    return tuple(found.values()) if 1 < len(found) <= _MOST_MOVES else ()


def moves_left_open(line: str, spelling: Spelling) -> tuple[str, ...]:
    """The moves of a normalised line that contains nothing else, however doubtful: `or e5`, `not d4, e5`."""
    words = _words(line[:_LONGEST_LINE].replace("?", ""))
    moves = list(_moves(words, spelling))
    taken = {place for start, end, _ in moves for place in range(start, end)}
    rest = [word for place, word in enumerate(words) if place not in taken]
    said = tuple(move for start, _, move in moves if not denies(_plain_before(words, start), nearest=1))
    return said if _consumed(rest, _asked(), ()) == len(rest) else ()


def _plain_before(words: Sequence[str], place: int) -> list[str]:
    """The words of its clause before a move, but for those that may stand between a denial and it."""
    start = next((each for each in range(place, 0, -1) if words[each - 1].endswith(_PARTED)), 0)
    return [word for word in map(_plain, words[start:place]) if word not in listed("between")]


def move_said_among_others(text: str, spelling: Spelling) -> str:
    """The only move that a text states, whatever moves its other lines mention; empty if there is none."""
    said = {in_one_case(move): move for line in _first_lines(text) if (move := spoken_move(line, spelling))}
    return next(iter(said.values())) if len(said) == 1 else ""


def _first_lines(text: str) -> Iterator[str]:
    lines = [line for line in text.split("\n") if line.strip()]
    yield from (normalised(line[:_LONGEST_LINE]) for line in lines[:_MOST_LINES])


@cache
def _asked() -> frozenset[tuple[str, ...]]:
    """All that may stand around moves between which the choice is left open."""
    around = ("labels", "leads", "opening", "always", "weak", "aside", "behind", "undecided")
    alone = COURTESY | listed("between", "after", "greetings")
    return phrases(*around, "correcting", "correcting_behind") | {(word,) for word in alone}


def _words(line: str) -> list[str]:
    """The words of a line; punctuation on its own joins the word before."""
    text = _MARKS.sub(" ", line.replace("\u3002", ". ").replace("\u3001", ", "))
    text = _GLUED.sub(r"\1 ", _GLUED_BEHIND.sub(r"\1 ", _BESIDE_EAST.sub(" ", text)))
    return words_with_marks(text, _AROUND)


def _plain(word: str) -> str:
    return word.strip(_AROUND).lower()


def _moves(words: Sequence[str], spelling: Spelling) -> Iterator[tuple[int, int, str]]:
    """The longest moves among words, and where each begins and ends. Words of a game alone are none here."""
    place = 0
    while place < len(words):
        ends = range(min(place + _LONGEST_MOVE, len(words)), place, -1)
        spans = ((end, clear_move(" ".join(words[place:end]), spelling)) for end in ends)
        end, move = next(((end, move) for end, move in spans if move), (place + 1, ""))
        if move and not is_of_words(move, spelling):
            yield place, end, move
        place = end


def _is_led(before: Sequence[str]) -> bool | None:
    """Whether a lead-in precedes a move; None if any other word does."""
    plain = [_plain(word) for word in before]
    leads = phrases("labels", "leads")
    for length in range(min(_LONGEST_LEAD, len(plain)), 0, -1):
        start = len(plain) - length
        if tuple(plain[start:]) in leads and _is_aside(before[:start], plain[:start], is_led=True):
            return True
    return False if _is_aside(before, plain, is_led=False) else None


def _is_aside(words: Sequence[str], plain: Sequence[str], is_led: bool) -> bool:
    """Whether all words before a move, or its lead-in, are separate from its clause."""
    place = 0
    while place < len(plain):
        if plain[place] in listed("greetings", "dear"):
            names = _names_at(words, plain, place + 1)
            if not names and plain[place] in listed("dear"):
                return False
            place += 1 + names
            continue
        length = phrase_at(plain, place, phrases("opening", "always", *(["weak"] if is_led else [])))
        if not length:
            length = phrase_at(plain, place, phrases("aside"))
            if not length or not words[place + length - 1].endswith(_PARTED):
                return False
        place += length
    return True


def _names_at(words: Sequence[str], plain: Sequence[str], place: int) -> int:
    """The number of words there that may be names, up to a punctuation mark."""
    count = 0
    if place and words[place - 1].endswith(_PARTED):
        return 0
    while count < _MOST_NAMES and place + count < len(words) and _may_be_name(plain[place + count]):
        count += 1
        if words[place + count - 1].endswith(_PARTED):
            return count
    # Without a mark behind it only a capital tells a name.
    return 1 if count == 1 and place + 1 == len(words) and words[place][:1].isupper() else 0


def _may_be_name(word: str) -> bool:
    is_word = word.replace("-", "").replace("'", "").replace(".", "").isalpha()
    return is_word and word not in _no_names() and len(word) > 1


@cache
def _no_names() -> frozenset[str]:
    """Words that are not names: they deny a move, doubt it, or make a sentence."""
    single = {phrase[0] for phrase in phrases("undecided", "correcting") if len(phrase) == 1}
    others = listed("negations", "dropping", "no_names")
    return (SMALL_WORDS | COURTESY | single | others) - listed("named_after")


def _is_ended(after: Sequence[str]) -> bool:
    """Whether all words behind a move are of the list, and perhaps a name at the end behind thanks or regards."""
    plain = [_plain(word) for word in after]
    end = _consumed(after, phrases("always", "aside", "behind"), listed("greetings"))
    if end == len(after):
        return True
    left = [word.strip(_AROUND) for word in after[end:]]
    is_signed = end > 0 and plain[end - 1] in listed("named_before")
    are_names = all(_may_be_name(word.lower()) and word[:1].isupper() for word in left)
    return is_signed and len(left) <= _MOST_NAMES and are_names


def _consumed(words: Sequence[str], known: Container[tuple[str, ...]], alone: Container[str]) -> int:
    """How many words from the first on are made of phrases, or of words that may stand alone."""
    plain = [_plain(word) for word in words]
    place = 0
    while place < len(plain):
        length = phrase_at(plain, place, known) or int(plain[place] in alone)
        if not length:
            break
        place += length
    return place


def _is_greeting(line: str) -> bool:
    """Whether a line is a greeting, thanks, or somebody's name, and parted from what stands below by a comma."""
    words = _words(line)
    plain = [_plain(word) for word in words]
    is_named = 0 < len(words) <= _LONGEST_NAMED_LINE and words[-1].endswith(_PARTED)
    is_name = is_named and all(map(_may_be_name, plain)) and plain[0] in listed("greetings", "dear")
    return bool(words) and (is_name or _is_ended(words) or _is_greeted(plain))


def _is_greeted(plain: Sequence[str]) -> bool:
    names = plain[1:]
    is_greeting = plain[0] in listed("greetings", "dear")
    return (
        is_greeting
        and len(names) <= _MOST_NAMES
        and all(_may_be_name(word) or word in listed("named_after") for word in names)
    )
