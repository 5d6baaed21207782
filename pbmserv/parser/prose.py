"""Tells prose that begins like a command from commands, and finds wishes phrased as prose."""

import re
from collections.abc import Sequence
from types import MappingProxyType

from pbmserv.commands.vocabulary import COURTESY, NEVER_BY_SLIP, SETTINGS, SMALL_WORDS
from pbmserv.games.board import is_cell_like
from pbmserv.parser.words import FIRST_BOARD, board_number, listed, phrase_at, phrases, plain_word

PROSY = frozenset({"yes", "no", "set", "add", "block", "unblock", "export", "forgot", "accept", "rematch"})
"""Commands whose names begin sentences: `Set the clock`, `Add me`, `No way`."""

ANSWERING = frozenset({"yes", "no"})

_RECEIPTS = frozenset({"delivered", "noted", "read", "received", "recorded", "registered", "seen", "thankyou"})
"""What programs write after a `yes`, which is not a new password."""

ADDRESSED = frozenset({"message"})
"""Commands behind which players are named, and then perhaps a colon and words for them: `Message from my wife` is
none."""

TALKING = frozenset({"chat", "message", "broadcast"})
"""Commands that send the body unchanged."""

_NOUNS = frozenset({"broadcast", "history", "queue", "ratings", "record", "standings"})
"""Commands whose names are talked about: `Queue is long today`, and in an answer to a board `Record time`."""

_SAYING_HOW = frozenset({"is", "isn't", "are", "aren't", "was", "wasn't", "were", "weren't"})

_SENTENCE_END = re.compile(r"[^\W\d_][?!.,;:)]+$")
_QUESTION_END = re.compile(r"[^\W\d_][?!]+$")
_OFFER = re.compile(r"[1-9][0-9]?[.,;!]?", re.ASCII)
_TOKEN = re.compile(r"[a-z0-9]{20}", re.ASCII | re.IGNORECASE)
_KEYS = SETTINGS | {"off"}
_LONGEST_RESIGNATION = 9


def is_sentence(name: str, kind: str, after: Sequence[str], answered_board: int | None) -> bool:
    """Whether a line that begins with a command's name is prose nevertheless; `after` are the words after it.

    An open command that ends as sentences do asks for nothing: `Next week?`. The name of a prosy one must not be
    followed by what only prose has, unless it comes with what only commands have.
    """
    if not after:
        return False
    if name == "no" or (name == "yes" and (answered_board is not None or not plain_word(after[0]))):
        return not any(map(_TOKEN.fullmatch, after))
    if name == "unsubscribe":
        return not any(map(is_witness, after))
    if name == "yes" and len(after) == 1 and plain_word(after[0]) in _RECEIPTS:
        return True
    if name in ADDRESSED:
        return any(plain_word(word) in SMALL_WORDS | COURTESY for word in _up_to_colon(after))
    if kind == "open" and name != "help" and _SENTENCE_END.search(after[-1]) and not is_witness(after[0]):
        return True
    if name in _NOUNS:
        return _is_talked_about(kind, after, answered_board)
    if (name not in PROSY and name != "next") or any(map(is_witness, after)):
        return False
    plain = [*map(plain_word, after)]
    if name == "set" and len(plain) == 2 and plain[1] == "on":
        return False
    return any(word in SMALL_WORDS or word in COURTESY for word in plain) or bool(_QUESTION_END.search(after[-1]))


def _is_talked_about(kind: str, after: Sequence[str], answered_board: int | None) -> bool:
    """Whether something is said of what a command is called after. Below a colon may stand what was meant."""
    if any(map(is_witness, after)) or after[-1].endswith(":"):
        return False
    plain = [*map(plain_word, after)]
    is_in_answer = kind == "open" and answered_board is not None
    return plain[0] in _SAYING_HOW or (is_in_answer and not SMALL_WORDS.isdisjoint(plain))


def _up_to_colon(words: Sequence[str]) -> Sequence[str]:
    return words[: next((place for place, word in enumerate(words, 1) if word.endswith(":")), len(words))]


def without_courtesy(name: str, kind: str, after: Sequence[str]) -> list[str]:
    """The words after a command's name, without polite words: `help, please`.

    Nothing is removed if the last word may be a password.
    """
    kept = list(after)
    if name == "forgot" and [*map(plain_word, kept[-2:])] in (["password"], ["my", "password"]):
        return []
    said = COURTESY | {"me"} if name == "help" else COURTESY
    # No password stands behind the number of an offer, and no opening command has any.
    may_end_so = kind in ("open", "opening") or (name == "accept" and _OFFER.fullmatch(next(iter(kept), "")))
    while may_end_so and kept and plain_word(kept[-1]) in said:
        kept.pop()
    return kept


def yes_or_no(words: Sequence[str]) -> str | None:
    """The answer to a question, if it uses only the words of a closed list.

    Programs answer `Yes, I have received your mail`.

    >>> said = ("Yes.", "yes, please!", "No, thank you.", "Yes, that was me!", "Yes, good move!", "yes?")
    >>> [yes_or_no(line.split()) for line in said]
    ['yes', 'yes', 'no', 'yes', None, None]
    """
    first, *rest = [*map(plain_word, words)] or [""]
    if first not in ANSWERING or any("?" in word for word in words):
        return None
    place = 0
    while place < len(rest):
        said = phrase_at(rest, place, phrases("with_yes" if first == "yes" else "with_no"))
        if not said:
            return None
        place += said
    return first


def given_up(words: Sequence[str]) -> tuple[str, int | None] | None:
    """The command, and the named board if any, when the sender gives up in words that are not a command.

    >>> [given_up(line.split()) for line in ("I resign.", "OK, I resign board 101", "I will not resign", "resign")]
    [('resign', None), ('resign', 101), None, None]
    """
    if not 1 < len(words) <= _LONGEST_RESIGNATION:
        return None
    plain = [*map(plain_word, words)]
    said = NEVER_BY_SLIP.intersection(plain)
    boards = [number for word in words if (number := board_number(word)) is not None and number >= FIRST_BOARD]
    rest = [word for word in plain if word not in said and board_number(word) is None]
    is_clear = (SMALL_WORDS | COURTESY).issuperset(rest) and listed("negations").isdisjoint(rest)
    if len(said) != 1 or not is_clear or words[-1].endswith("?") or len(boards) > 1 or not rest:
        return None
    return next(iter(said)), next(iter(boards), None)


def is_witness(word: str) -> bool:
    """Whether a word occurs only in commands: a board, a square, an option, an address, a token, a key."""
    number = board_number(word)
    return (
        is_cell_like(word)
        or (number is not None and number >= FIRST_BOARD)
        or word.startswith("-")
        or "@" in word
        or _TOKEN.fullmatch(word) is not None
        or plain_word(word) in _KEYS
    )


_ALONE = re.compile(r"(resign|propose|undo|accept|reject|pass|rematch) ?([.,;:!?)]*)", re.IGNORECASE | re.ASCII)
RESULTS = MappingProxyType(
    dict.fromkeys(("1-0", "0-1", "1:0", "0:1"), "resign")
    | dict.fromkeys(
        ("1/2", "1/2-1/2", "1/2:1/2", "1\u20442", "1\u20442-1\u20442", "0.5-0.5", "=", "(=)"), "propose"
    )
)
"""What a result comes to that somebody writes: the game is given up, or is to be drawn."""

_PLAIN_ENDS = ("", ".", "!")


def single_word_reply(words: Sequence[str]) -> tuple[str, bool] | None:
    """The word, and whether it is certain; None if there is anything else.

    >>> [single_word_reply(line.split()) for line in ("Resign.", "accept ?", "undo it", "Pass")]
    [('resign', True), ('accept', False), None, ('pass', True)]
    """
    said = _ALONE.fullmatch(" ".join(words))
    return None if said is None else (said[1].lower(), said[2] in _PLAIN_ENDS)
