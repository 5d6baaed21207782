"""Reads the moves that people tell in sentences: `Hi Bob, I play d4, thanks`, `d4 or e5?`, `I liked d4`.

Only words of closed lists may surround a move that is played, those of `told.toml` of one language at a time, or a
choice that is left open (`phrases.toml`). With any other word a move is at most named in passing, which leads to a
question: a wrong move played is worse than any.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pbmserv.commands.typed_moves import Spelling, clear_move, ends_move, is_letter, is_of_words
from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS
from pbmserv.commands.word_lists import word_lists
from pbmserv.games.notation import in_one_case
from pbmserv.parser.decoration import words_with_marks
from pbmserv.parser.taken_back import denies
from pbmserv.parser.words import Phrases, listed, normalised, phrase_at, phrases, phrases_in

_LONGEST_LINE = 160
_LONGEST_PROSE = 1000
_LONGEST_MOVE = 12
_MOST_TRIED = 100
_MOST_NAMED = 20
_FAR = 40
_MOST_NAMES = 2
_MOST_LINES = 20
_MOST_MOVES = 5
_AROUND = "\"'`*_~()[]{}<>\u00ab\u00bb.,;:!?-/=\u2026"
_MARKS = re.compile(
    r"[:;]-?[()DPp](?![a-z0-9])|<3|\(!\)|[\U0001f600-\U0001f644\U0001f64f\u261e\u263a\u2705\u27a1\U0001f446-\U0001f44d"
    "\U0001f3b2][\U0001f3fb-\U0001f3ff]?"
)
_EAST = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_BESIDE_EAST = re.compile(rf"(?<=[a-z0-9])(?=[{_EAST}])|(?<=[{_EAST}])(?=[a-z][a-h]?x?[a-h]?[1-9])", re.IGNORECASE)
_GLUED = re.compile(r"(?<=[^\W\d_])([,:;!=.]+)(?=[a-z][1-9])", re.IGNORECASE)
_BROKEN_CELL = re.compile(r"(?<![\w'])([b-hj-zA-HJ-Z])[-. ](?=[1-9][0-9]?(?!\w))", re.ASCII)
_GLUED_BEHIND = re.compile(r"(?<=[0-9])([,;!.])(?=[^\W\d_]{2})")
_DIGIT = re.compile(r"[0-9]")
PARTED = (",", ".", "!", "?", ";", ":", "-", "\u2026", ")")
_SENTENCE = re.compile(r"(?<=[^\W_][^\W_][.!?\u2026])\s+(?=[^\W\d_])|(?<=\u3002)\s*(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:)\u2026]\W*$")
SENTENCE_ENDS = (".", "!", "?", "\u2026")


@dataclass(frozen=True, slots=True)
class Told:
    """The moves of a text, as written, that it does not play.

    `choices` are those between which it has not decided, `near` is the only one that it names without denying it.
    """

    choices: tuple[str, ...] = ()
    near: str = ""


@dataclass(frozen=True, slots=True)
class _Language:
    """What says that a move is played, and what else may stand before such a move and behind it."""

    telling: Phrases
    opening: Phrases
    ending: Phrases


def told_apart(text: str, spelling: Spelling) -> str:
    """The text whose only move a sentence plays, with that on a line above the others of its line; else nothing.

    None of those doubts or denies anything, and above it stands none where the move is not said in words.

    >>> said = ("A long day. I play d4. Bye!", "A long day. D4", "D4! What would that be?", "I play d4. Not e5.")
    >>> [told_apart(line, Spelling()) for line in said]
    ['I play d4.\\nA long day. Bye!', '', '', '']
    """
    every = text.split("\n")
    lines = [normalised(line[:_LONGEST_PROSE]) for line in every[:_MOST_LINES]]
    named = [(place, len(moves)) for place, line in enumerate(lines) if (moves := read_moves(line, spelling)[1])]
    if [count for _, count in named] != [1]:
        return ""
    ((place, _),) = named
    above: list[str] = []
    below = _SENTENCE.split(lines[place])
    while below and not told_move(below[0], spelling):
        above.append(below.pop(0))
    if not below or len(above) + len(below) == 1 or (above and not _tellers(words_of(below[0]))):
        return ""
    after = [*map(bare_word, " ".join(below[1:]).split())]
    beside = [*map(bare_word, " ".join(above).split()), *after]
    is_doubted = not listed("no_names", "negations", "doubting", "conditional").isdisjoint(beside)
    if is_doubted or "?" in " ".join(above) or denies(after, is_behind=True):
        return ""
    return "\n".join((*every[:place], below[0], " ".join((*above, *below[1:])), *every[place + 1 :]))


def told_in(text: str, spelling: Spelling) -> Told:
    """What a text of which no line is a move says of moves.

    >>> chess = Spelling(dialects=("(?:n ?|knight ?)?[a-h][1-8]",))
    >>> [told_in(text, chess).near for text in ("I play N f3", "Hi, knight to f3!", "My knight. f3", "all but b2")]
    ['N f3', 'knight f3', 'f3', '']
    >>> go = Spelling(("pass",))
    >>> [told_in(text, go).near for text in ("Well, I pass.", "I pass on the party", "I won't pass", "no, b2")]
    ['pass', '', '', '']
    >>> told_in("d4 or maybe e5?", go).choices, told_in("d4 was better than e5", go)
    (('d4', 'e5'), Told(choices=(), near=''))
    """
    lines = [line for line in text.split("\n") if line.strip()][:_MOST_LINES]
    short = [normalised(line[:_LONGEST_LINE]) for line in lines]
    choices = _apart(move for line in short for move in moves_left_open(line, spelling))
    if 1 < len(choices) <= _MOST_MOVES:
        return Told(choices)
    named = _apart(move for line in lines for move in _named(normalised(line[:_LONGEST_PROSE]), spelling))
    said = _apart(move for line in short if (move := told_move(line, spelling)))
    return Told(near=next((moves[0] for moves in (named, said) if len(moves) == 1), ""))


def _apart(moves: Iterator[str]) -> tuple[str, ...]:
    """The moves, each once however it is written."""
    return tuple({in_one_case(move): move for move in moves}.values())


def told_move(line: str, spelling: Spelling) -> str:
    """The single move that a normalised line plays, as written; empty if it may mean anything else.

    >>> said = ("My move is D4, thanks", "hi bob, d4", "Zug: d4.", "d4 was great", "d4?", "not d4", "I play D 4!")
    >>> [told_move(line, Spelling()) for line in said]
    ['D4', 'd4', 'd4', '', '', '', 'D4']
    """
    if len(line) > _LONGEST_LINE or "?" in line:
        return ""
    words, found = read_moves(line, spelling)
    if len(found) != 1:
        return ""
    start, end, move = found[0]
    others = " ".join((*words[:start], *words[end:]))
    if _DIGIT.search(others) or words[end - 1].endswith(("->", "=>", "\u2026", "..")):
        return ""
    return move if _is_played(words, start, end) else ""


def _is_played(words: Sequence[str], start: int, end: int) -> bool:
    """Whether words around a move say that it is played, in one language; digits alone need words before them."""
    before, after = words[:start], words[end:]
    is_plain = any(map(str.isalpha, words[start].strip(_AROUND)))
    if is_plain and _is_known(before, phrases("opening", "always"), True) and _is_ending(after):
        return True
    tellers = _tellers(words if is_plain else words[:end])
    return any(_is_known(before, each.opening, True) and _is_known(after, each.ending) for each in tellers)


def _tellers(words: Sequence[str]) -> list[_Language]:
    """The languages in which some of the words say that a move is played."""
    plain = [*map(bare_word, words)]
    return [each for each in _languages() if any(phrase_at(plain, at, each.telling) for at in range(len(plain)))]


@cache
def _languages() -> tuple[_Language, ...]:
    """Those of which only whole phrases are known, as one, and those of which words are."""
    files = word_lists("told.toml", __package__).values()
    lists = [(phrases_in(words["telling"]), phrases_in(words["beside"])) for words in files]
    opening, ending = phrases("opening", "always", "weak"), phrases("always", "aside", "behind")
    return tuple(
        _Language(telling, telling | beside | opening, telling | beside | ending)
        for telling, beside in ((phrases("labels", "leads"), frozenset()), *lists)
    )


def stands_alone(lines: Sequence[str], number: int, spelling: Spelling) -> bool:
    """Whether a line with a move is not part of a longer sentence, and no other move is named above it."""
    above = [normalised(line) for line in lines[:number]]
    if any(read_moves(line[:_LONGEST_LINE], spelling)[1] for line in above):
        return False
    if any(bare_word(word) in listed("conditional") for line in above for word in line.split()):
        return False
    before = above[-1] if above else ""
    after = normalised(lines[number + 1]) if number + 1 < len(lines) else ""
    if before and not _SENTENCE_END.search(before) and not _is_greeting(before):
        return False
    is_closed = not after or _SENTENCE_END.search(normalised(lines[number])) is not None
    return is_closed or after[:1].isupper() or not after[:1].isalpha() or _is_ending(words_of(after))


def moves_left_open(line: str, spelling: Spelling) -> tuple[str, ...]:
    """The moves of a normalised line that contains nothing else, however doubtful: `or e5`, `not d4, e5`."""
    words, moves = read_moves(line[:_LONGEST_LINE].replace("?", ""), spelling)
    taken = {place for start, end, _ in moves for place in range(start, end)}
    rest = [bare_word(word) for place, word in enumerate(words) if place not in taken]
    place = 0
    while length := phrase_at(rest, place, _asked()):
        place += length
    return tuple(move for start, _, move in moves if place == len(rest) and not _is_denied_before(words, start))


def _is_denied_before(words: Sequence[str], place: int) -> bool:
    """Whether the last word of its clause before a move denies it, but for those that may stand between."""
    before = [
        word for word in map(bare_word, words[begin_of(words, place) : place]) if word not in listed("between")
    ]
    return denies(before, nearest=1)


def begin_of(words: Sequence[str], place: int, marks: tuple[str, ...] = PARTED) -> int:
    """Where the clause of a word begins, or with `SENTENCE_ENDS` its sentence."""
    return next((each for each in range(place, 0, -1) if words[each - 1].endswith(marks)), 0)


def end_of(words: Sequence[str], place: int, marks: tuple[str, ...] = PARTED) -> int:
    """Where the clause of a word ends, or with `SENTENCE_ENDS` its sentence."""
    return next((each + 1 for each in range(place, len(words)) if words[each].endswith(marks)), len(words))


@cache
def _asked() -> frozenset[tuple[str, ...]]:
    """All that may stand around moves between which the choice is left open."""
    around = ("opening", "always", "weak", "aside", "behind", "undecided", "correcting", "correcting_behind")
    alone = COURTESY | listed("between", "after", "greetings")
    return phrases("labels", "leads", *around) | {(word,) for word in alone}


_SAYING_WHAT = (
    SMALL_WORDS | COURTESY | {"rather", "turn", "sides", "move", "play", "take", "choose", "go", "going"}
)


@cache
def _saying_that() -> frozenset[str]:
    """What may stand right before a square that names no piece."""
    last = (phrase[-1] for phrase in phrases("labels", "leads", "opening", "always", "weak"))
    return _SAYING_WHAT | listed("between", "but", "greetings") | {"castle", "castling", *last}


def _named(line: str, spelling: Spelling) -> Iterator[str]:
    """The moves that a line names and does not deny; a word that is one counts in a clause that says so, no more.

    Where pieces are named, no square counts behind a word that may name one: `Dragon f3`.
    """
    if is_letter(line):
        yield clear_move(line, spelling)
    words, moves = read_moves(line, spelling)
    for start, end, move in moves[:_MOST_NAMED]:
        is_led = start == 0 or words[start - 1].endswith(PARTED) or words[start - 1].lower() in _saying_that()
        is_of_a_piece = bool(spelling.dialects) and (move[:1].isdigit() or move[1:].isdigit()) and not is_led
        if not is_of_a_piece and not _is_denied(words, start, end):
            yield move
    for place, word in enumerate(map(bare_word, words)):
        if word in spelling.whole:
            clause = [*map(bare_word, words[begin_of(words, place) : end_of(words, place)])]
            rest = {each for each in clause if not clear_move(each, spelling)}
            if rest <= _SAYING_WHAT and rest.isdisjoint(listed("negations")):
                yield word


def _is_denied(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a sentence denies its move: before it in its clause, by a word apart, or behind it."""
    first = begin_of(words, start)
    before = [*map(bare_word, words[first:start][-_FAR:])]
    if "why" in before:
        return False
    apart = [*map(bare_word, words[begin_of(words, first - 1) : first])] if first else []
    buts = (at for at, word in enumerate(before) if word in listed("but"))
    turn = max((at for at in buts if before[max(at - 1, 0)] not in listed("never_but")), default=-1)
    behind = [*map(bare_word, words[end : end_of(words, end - 1, SENTENCE_ENDS)][:_FAR])]
    says_no = len(apart) == 1 and denies(apart)
    return says_no or denies(before[turn + 1 :]) or denies(behind, is_behind=True)


def read_moves(
    line: str, spelling: Spelling, besides: Container[str] | None = None
) -> tuple[list[str], list[tuple[int, int, str]]]:
    """The words of a line, and its moves with their places; of a line without any, those in broken squares.

    Words of a game alone are none; they are with words that count as moves `besides`.
    """
    words = words_of(line)
    found = [*_moves(words, spelling, besides)]
    if not found and _BROKEN_CELL.search(line):
        words = words_of(_BROKEN_CELL.sub(r"\1", line))
        found = [*_moves(words, spelling, besides)]
    return words, found


def words_of(line: str) -> list[str]:
    """The words of a line; punctuation on its own joins the word before."""
    text = _MARKS.sub(" ", line.replace("\u3002", ". ").replace("\u3001", ", "))
    text = _GLUED.sub(r"\1 ", _GLUED_BEHIND.sub(r"\1 ", _BESIDE_EAST.sub(" ", text)))
    return words_with_marks(_in_the_east().sub(r" \g<0> ", text) if _BESIDE_EAST.search(line) else text, _AROUND)


@cache
def _in_the_east() -> re.Pattern[str]:
    """The phrases of languages without blanks."""
    known = phrases("denying_behind").union(*(each.opening | each.ending for each in _languages()))
    every = (phrase[0] for phrase in known if re.match(f"[{_EAST}]", phrase[0]))
    return re.compile("|".join(sorted(every, key=len, reverse=True)))


def bare_word(word: str) -> str:
    """A word without marks, in small letters."""
    return word.strip(_AROUND).lower()


def _moves(
    words: Sequence[str], spelling: Spelling, besides: Container[str] | None
) -> Iterator[tuple[int, int, str]]:
    """The longest moves among words, and where each begins and ends. Of no line many are looked for."""
    may_end = [ends_move(word, spelling) for word in words]
    place, left = 0, _MOST_TRIED
    while place < len(words):
        longer = range(min(place + _LONGEST_MOVE, len(words)), place + 1, -1)
        ends = [end for end in longer if left and may_end[end - 1]][-left:]
        left -= len(ends)
        spans = ((end, clear_move(" ".join(words[place:end]), spelling)) for end in (*ends, place + 1))
        end, move = next(((end, move) for end, move in spans if move), (place + 1, ""))
        if besides is not None and bare_word(words[place]) in besides:
            move = words[place].strip(_AROUND)
        if move and (besides is not None or not is_of_words(move, spelling)):
            yield place, end, move
        # Beside a word that takes back, each of several squares may be a move of its own.
        place = place + 1 if besides is not None and clear_move(words[place], spelling) else end


def _is_known(words: Sequence[str], known: Container[tuple[str, ...]], is_before: bool = False) -> bool:
    """Whether words are all of known phrases, greetings with names, thanks, and behind such a name at the end.

    What people say beside a move is parted from one that it stands before.
    """
    plain = [*map(bare_word, words)]
    place = 0
    while place < len(words):
        length = phrase_at(plain, place, known)
        if not length and is_before:
            length = phrase_at(plain, place, phrases("aside"))
            length *= words[place + length - 1].endswith(PARTED)
        if not length and plain[place] in listed("greetings", "dear"):
            names = _names_at(words, plain, place + 1)
            length = 0 if plain[place] in listed("dear") and not names else 1 + names
        if not length:
            left = [word.strip(_AROUND) for word in words[place:]]
            is_signed = not is_before and place > 0 and plain[place - 1] in listed("named_before")
            are_names = all(_may_be_name(word.lower()) and word[:1].isupper() for word in left)
            return is_signed and len(left) <= _MOST_NAMES and are_names
        place += length
    return True


def _names_at(words: Sequence[str], plain: Sequence[str], place: int) -> int:
    """The number of words there that may be names, up to a punctuation mark."""
    count = 0
    if place and words[place - 1].endswith(PARTED):
        return 0
    while count < _MOST_NAMES and place + count < len(words) and _may_be_name(plain[place + count]):
        count += 1
        if words[place + count - 1].endswith(PARTED):
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


def _is_ending(words: Sequence[str]) -> bool:
    """Whether words may stand behind a move."""
    return _is_known(words, phrases("always", "aside", "behind"))


def _is_greeting(line: str) -> bool:
    """Whether a line is a greeting, thanks, or somebody's name, and parted from what stands below by a comma."""
    words = words_of(line)
    first, *names = map(bare_word, words or [""])
    are_names = len(names) <= _MOST_NAMES and all(
        _may_be_name(word) or word in listed("named_after") for word in names
    )
    return bool(words) and (_is_ending(words) or (first in listed("greetings", "dear") and are_names))
