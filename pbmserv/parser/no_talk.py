"""Finds lines below a command that are not meant for others: plans, passwords, and further commands.

A command without its first word is not talk either. Such a line is sent to nobody, nor is any other text of its
mail, since a plan may be wrapped over several lines. The sender is asked.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, Literal

from pbmserv.commands import queue_notation
from pbmserv.commands.command import commands
from pbmserv.commands.queue_notation import Misread, is_wrapped
from pbmserv.commands.typed_moves import CELLS, Spelling, any_spelling, clear_move, is_letter, is_of_words
from pbmserv.commands.vocabulary import SMALL_WORDS
from pbmserv.matches.errors import CommandError
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed, ParsedMail, Unparsed
from pbmserv.parser.prose import TALKING, is_witness
from pbmserv.parser.words import board_number, listed, normalised

_LONGEST_LINE: Final = 300
_MOST_LINES: Final = 20
_UNTOLD: Final = "?"
"""A move that cannot become part of a `queue` line."""
_LONGEST_CLAIM: Final = 3
_NUMBERED: Final = re.compile(r"(?<![^\s(\[])(?:[0-9]{1,3} ?\.+(?: \.{2,})?|\.{2,}) ?(?=[^\s.])")
_ABROAD: Final = re.compile(r"[^\W\d_a-z]{1,2}[x:-]?[a-h]?[1-8]?[x:-]?[a-h][1-8][+#]{0,2}")
"""A move in chess with the letter that its piece has in another language: `Sc6`, `Lxb5`, `\u041ac6`."""
_ARROWS: Final = re.compile(r"(?<![-=])[-=]*+>|\u2192|[;|/]")
_EAST: Final = re.compile("([\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]+)")
_AROUND: Final = "\"'`*_~()[]{}<>\u00ab\u00bb.,:!?-/"
_OPTION: Final = re.compile(r"--?[a-z]+=\S+|--(?:un)?rated", re.IGNORECASE | re.ASCII)

NotTalkKind = Literal["plan", "password", "command"]


class NotTalk(CommandError):
    """A line below a command may be a plan, a password or another command, so no text of the mail was sent.

    `ready` is the command that queues the plan, or plays its first move; empty if that is not clear. It may be
    only an example of what can be queued.
    """

    kind: NotTalkKind
    ready: str = ""
    is_example: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    # What it says in the language of `queue`; empty where that cannot be told.
    said: str
    # Whether it can hardly be anything else.
    is_clear: bool


def without_no_talk(
    reading: ParsedMail, own: str, spelling: Spelling = CELLS, userid: str = "", is_marked: bool = False
) -> ParsedMail:
    """The parsed mail, without its text for others if a line of that may not be meant for them.

    Of the words those count that are certainly the sender's `own`. `spelling` is how moves are typed on the board
    that is answered, `userid` the sender's where that is known. What is sent by a command for words may speak of
    anything, and where they are marked as such, of commands. `queue` itself refuses a line that was broken.
    """
    changing = [line for line in reading.lines if isinstance(line, Parsed) and line.command.kind != "open"]
    if not own or not changing or any(line.command.name in TALKING for line in changing):
        return reading
    ahead = changing[0].arguments.ahead
    if len(changing) == 1 and ahead and is_wrapped(ahead, own):
        return reading
    board = next((ref.number for line in changing for ref in line.arguments.boards), None)
    lines = [plain for line in own.split("\n") if (plain := normalised(line[:_LONGEST_LINE]))]
    plans = [plan for line in lines if (plan := _plan(line, spelling)) is not None]
    kind: NotTalkKind | None = None
    if any(is_password(line, userid) for line in lines):
        kind = "password"
    elif plans:
        kind = "plan"
    elif not is_marked and any(_is_command(line, userid) for line in lines):
        kind = "command"
    if kind is None:
        return reading
    return without_words(reading, board, kind, _queue(board, plans))


def without_words(reading: ParsedMail, board: int | None, kind: NotTalkKind, ready: str = "") -> ParsedMail:
    """The parsed mail without its text for others, of which a line is none, and with that said."""
    refused = Unparsed("...", NotTalk(board=board, kind=kind, ready=ready))
    return replace(reading, lines=(*reading.lines, refused), comment="")


def asked_plan(text: str, board: int, spelling: Spelling) -> ParsedMail | None:
    """The question for a mail of text about a board in which one line is a plan; None if none is."""
    lines = (normalised(line[:_LONGEST_LINE]) for line in text.split("\n")[:_MOST_LINES])
    plans = [plan for line in lines if line and (plan := _plan(line, spelling)) is not None]
    if not any(plan.is_clear and plan.said for plan in plans):
        return None
    return ParsedMail((Unparsed("...", NotTalk(board=board, kind="plan", ready=_queue(board, plans))),))


def is_password(line: str, userid: str) -> bool:
    """Whether a normalised line may contain a password: after its sender's userid, or words that announce it.

    >>> said = ("alice sesame", "Alice Smith", "alice old new", "password: sesame", "I lost my password", "alice,")
    >>> [is_password(line, "alice") for line in said]
    [True, False, True, True, False, False]
    >>> [is_password(line, "alice") for line in ("login alice sesame", "pw sesame", "pass: sesame", "pass it on")]
    [True, True, True, False]
    """
    words = line.split()
    known = listed("logging_in")
    while len(words) > 1 and words[0].lower() in known and userid.lower() not in known:
        words = words[1:]
    is_claim = 1 < len(words) <= _LONGEST_CLAIM and words[0].lower() == userid.lower() and bool(userid)
    is_name = all(word[:1].isupper() for word in words)
    is_talk = any(word.lower() in SMALL_WORDS for word in words[1:])
    return (is_claim and not is_name and not is_talk) or _password().search(line) is not None


@cache
def _password() -> re.Pattern[str]:
    called = "|".join(listed("passwords"))
    return re.compile(
        rf"\b(?:{called})\b ?(?:[:=-]|(?:is|ist|est|es|\u00e8|\u00e9)\b) ?\S|\b(?:pass|pwd|pin|login) ?[:=] ?\S"
        rf"|^(?:{called}|pwd) \S+$",
        re.IGNORECASE,
    )


def is_plan(line: str, spelling: Spelling = CELLS) -> bool:
    """Whether a normalised line is a plan in the language of `queue`, as people of many languages write it.

    >>> chess = Spelling(dialects=("n?[a-h][1-8]",))
    >>> said = ("if Nc6 then e5", "2...Nc6 3.e5", "wenn c6 dann e5", "If Nc6 comes I think that e5 is strong")
    >>> [is_plan(line, chess) for line in said]
    [True, True, True, True]
    >>> [is_plan(line, chess) for line in ("if Nc6 I am sad", "Now e5", "d4 was better than e5", "If only!")]
    [False, False, False, False]
    """
    return _plan(line, spelling) is not None


def _plan(line: str, spelling: Spelling) -> _Plan | None:
    known = spelling if spelling.is_known else any_spelling()
    line = _EAST.sub(r" \1 ", line)
    numbered = _NUMBERED.sub(" ", line)
    words = [word.strip(_AROUND) for word in _ARROWS.sub(" > ", numbered).split()]
    kinds = list(_kinds([word for word in words if word], known))
    moves = [said for kind, said in kinds if kind == "move"]
    has_condition = any(kind == "if" for kind, _ in kinds)
    if not moves:
        return None
    is_closed = all(kind for kind, _ in kinds)
    is_led = has_condition or any(kind == "then" for kind, _ in kinds) or numbered != line
    is_led = is_led or not listed("planned").isdisjoint(word.lower() for word in words)
    if is_closed and (is_led or len(moves) > 1):
        return _Plan(_in_english(kinds), has_condition or (numbered != line and len(moves) > 1))
    is_plain = has_condition or any(word.lower() == "then" for word in words)
    return _Plan("", True) if is_plain and len(moves) > 1 else None


def _kinds(words: Sequence[str], spelling: Spelling) -> Iterator[tuple[str, str]]:
    """The role of each word in a plan: a move, `if`, `then`, `or`, a filler; "" for any other."""
    for word in words:
        low = word.lower()
        move = clear_move(word, spelling)
        is_word = is_letter(word) or is_of_words(move, spelling) if move else False
        if low in listed("conditional", "supposing"):
            yield "if", "if"
        elif low in listed("consequence"):
            yield "then", "then"
        elif low in listed("alternatives"):
            yield "or", ";"
        elif move and not (is_word and (low in listed("between", "in_plans") or not spelling.is_of_one)):
            yield "move", word
        elif _ABROAD.fullmatch(word):
            yield "move", _UNTOLD
        else:
            yield ("beside" if low in listed("between", "in_plans") else ""), word


def _in_english(kinds: Iterable[tuple[str, str]]) -> str:
    """The plan in the language of `queue`; empty if it cannot be translated."""
    told = [said for kind, said in kinds if kind not in ("", "beside")]
    if "if" not in told:
        moves = [said for said in told if said not in ("then", ";")]
        # Of an odd number the first one is one's own.
        told = [queue_notation.in_turns(moves, is_own=len(moves) % 2 == 1)]
    elif "then" not in told:
        told = [word for place, each in enumerate(told) for word in _with_then(told, place, each)]
    line = " ".join(told)
    return "" if _UNTOLD in told or isinstance(queue_notation.read(line), Misread) else line


def _with_then(told: Sequence[str], place: int, word: str) -> tuple[str, ...]:
    """A move behind that of a condition answers it: `if Nc6 Bb5`."""
    return ("then", word) if place > 1 and told[place - 2] == "if" and word != "if" else (word,)


def _queue(board: int | None, plans: Sequence[_Plan]) -> str:
    """The command that queues the whole plan; empty if that is not clear."""
    line = "; ".join(plan.said for plan in plans)
    is_clear = board is not None and all(plan.said for plan in plans)
    return f"queue {board} {line}" if is_clear and not isinstance(queue_notation.read(line), Misread) else ""


def _is_command(line: str, userid: str) -> bool:
    """Whether a line is another command or ends in options, and is not something people say.

    >>> said = ("102 resign", "propose", "block bob", "message carl: hi", "challenge alice carl", "move 102 d4")
    >>> all(_is_command(line, "alice") for line in said)
    True
    >>> said = ("Challenge accepted!", "Message received: thanks", "block it", "Undo that? No!", "101 reasons")
    >>> any(_is_command(line, "alice") for line in said)
    False
    """
    words = line.split()
    first, rest = words[0].lower(), words[1:]
    if any(map(_OPTION.fullmatch, words)):
        return True
    if board_number(first) is not None and (any(map(is_witness, rest)) or _is_alone(rest)):
        return True
    if _is_alone(words) or (
        first in ("block", "unblock") and len(rest) == 1 and rest[0].lower() not in SMALL_WORDS
    ):
        return True
    said = parse_line(line, None).parsed
    if said is None:
        return False
    name = said.command.name
    is_of_hers = name == "challenge" and bool(userid) and userid.lower() in map(str.lower, words)
    is_to_somebody = name == "message" and len(words) > 1 and words[1].endswith(":")
    begins = first in {name.split()[0] for name in commands()}
    return is_of_hers or is_to_somebody or (begins and any(map(is_witness, words)))


def _is_alone(words: Sequence[str]) -> bool:
    return len(words) == 1 and words[0].lower().rstrip(".!") in listed("alone_on_lines")
