"""Moves that people take back: finds the words that say so, above or below, and asks which move is meant."""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from pbmserv.commands.typed_moves import (
    CELLS,
    Spelling,
    any_spelling,
    is_beside_board,
    is_move_like,
    is_of_words,
    may_be_a_name,
)
from pbmserv.commands.vocabulary import COURTESY, NEVER_BY_SLIP
from pbmserv.games.notation import in_one_case
from pbmserv.parser.fitting import PROSE, ParsedLine
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed, Unparsed, WhichOne
from pbmserv.parser.prose import single_word_reply
from pbmserv.parser.taken_back import denies, is_held, is_withdrawn
from pbmserv.parser.told import SENTENCE_ENDS, bare_word, begin_of, end_of, moves_left_open, read_moves, words_of
from pbmserv.parser.words import listed, normalised, phrase_at, phrases

MOST_CHOICES = 5

_TAKEN_BACK = frozenset({"move", "submit", "resign"})
_DONE_ON_BOARDS = _TAKEN_BACK | {"accept", "reject", "propose", "undo", "queue", "rematch"}
_NEAREST = 4
_MOST_SEARCHED = 4000
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
    beneath = map(normalised, below[:_MOST_SEARCHED].split("\n"))
    # `forget d4`, `not d4!`
    is_dropped = any(in_a_moves_place(said) in denied_in(each, spelling) for each in beneath)
    if not others and not is_off and not is_dropped:
        return line
    return ParsedLine(unparsed=which_one(board, (said.line, *others.values())))


def denied_in(line: str, spelling: Spelling) -> frozenset[str]:
    """The moves, in lower case, that a line withdraws.

    >>> [sorted(denied_in(line, CELLS)) for line in ("Not d4!", "I would never play D4", "Why not d4?", "No. d4")]
    [['d4'], ['d4'], [], []]
    """
    words, moves = read_moves(line, spelling, ())
    found = ((move, [*map(bare_word, words[begin_of(words, start) : start])]) for start, _, move in moves)
    denied = (move for move, before in found if denies(before, _NEAREST) and "why" not in before)
    return frozenset(in_one_case(move.replace(" ", "")) for move in denied)


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
        is_phrase = tuple(map(bare_word, words_of(plain))) in phrases("correcting")
        led = plain if is_phrase else ""


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
    words, found = read_moves(line, spelling, (_GIVEN_UP,))
    plain = [*map(bare_word, words)]
    moves = [each for each in found if plain[each[0]] != _PRONOUN and not _is_let(plain[: each[0] + 1], spelling)]
    for start, end, _ in moves:
        plain[start] = _ANY_MOVE + ("->" if words[end - 1].endswith(("->", "=>")) else "")
    return [move for start, end, move in moves if _is_corrected(words, plain, start, end)]


def _is_let(plain: Sequence[str], spelling: Spelling) -> bool:
    """Whether the last word is a game's, and no move: `Sorry, I let that pass`, `the swap`."""
    is_named = tuple(plain[-2:-1]) in {("the",), ("a",)}
    is_let = plain[-3:-2] == ["let"] and plain[-2] != "me"
    return (is_named or is_let) and is_of_words(plain[-1], spelling)


def _is_corrected(words: Sequence[str], plain: Sequence[str], start: int, end: int) -> bool:
    """Whether the move there forms a clause with a correcting word, or ends a clause after one."""
    stop = end_of(words, end - 1)
    is_known, is_corrected = _corrects(plain[end:stop], "correcting_behind", COURTESY | listed("after"))
    sentence = plain[begin_of(words, start, SENTENCE_ENDS) : start]
    if words[start].lower() == f"{_GIVEN_UP}?" or not is_known or not listed("conditions").isdisjoint(sentence):
        return False
    first = begin_of(words, start)
    while True:
        is_known, has_word = _corrects(plain[first:start], "correcting", listed("between"))
        if not is_known:
            return False
        is_corrected = is_corrected or has_word
        above = begin_of(words, first - 1) if first else 0
        if is_corrected or not first or not _corrects(plain[above:first], "correcting", listed("between"))[0]:
            break
        first = above
    playing = phrases("labels", "labels_needing_colons", "playing")
    is_played = any(phrase_at(plain[:start], place, playing) for place in range(first, start))
    begins = first == 0 or words[first - 1].endswith(SENTENCE_ENDS)
    is_sentence = begins and (stop == len(words) or words[stop - 1].endswith(SENTENCE_ENDS))
    return is_corrected or (is_sentence and is_played)


def _corrects(plain: Sequence[str], correcting: str, beside: Container[str]) -> tuple[bool, bool]:
    """Whether words are all correcting ones or such as may stand beside them, and whether one corrects."""
    place, longest = 0, 0
    while place < len(plain):
        length = phrase_at(plain, place, phrases(correcting))
        if not length and plain[place] not in beside:
            return False, False
        longest = max(longest, length)
        place += length or 1
    return True, longest > 0
