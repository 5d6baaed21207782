"""What a mail asks for, and what of its text is its sender's own to be passed on: one reading for both."""

from dataclasses import dataclass, replace
from typing import Final

from pbmserv.commands.block import MOST_COMMANDS, MOST_GREETING_LINES
from pbmserv.commands.language import Reading, understand
from pbmserv.commands.line import BLOT, read_line
from pbmserv.commands.message import IncomingMail
from pbmserv.commands.prefixes import title_of
from pbmserv.commands.spoken import said_on
from pbmserv.commands.words import normalised
from pbmserv.mail.doubt import Signs, sift, told_lines
from pbmserv.mail.our_words import OurWords

_MOST_ABOVE: Final = 60
"""Lines above the commands that are looked at, blank and quoted ones among them."""

_MOST_GREETING_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A mail without copies of ours; its reading, whose comment is its sender's beyond doubt; what is in doubt.

    `left_out` holds the lines that may be the sender's all the same, free of secrets.
    """

    mail: IncomingMail
    reading: Reading
    left_out: tuple[str, ...] = ()


def own_words(
    mail: IncomingMail, ours: OurWords, board: int | None, our_address: str, addresses: frozenset[str]
) -> OwnWords:
    """Reads a mail; `ours`: the words of the mails that it answers, `board`: theirs, `addresses`: its sender's."""
    begin = _copy(mail.text, ours, board)
    text, below = (mail.text, "") if begin is None else (mail.text[:begin], mail.text[begin:])
    mail = replace(mail, text=text)
    title = title_of(normalised(mail.subject))
    signs = Signs(our_address, addresses, title.text if title.is_answer else "", ours)
    reading = understand(mail, board, lambda words: sift(words, signs, below).own)
    # What is said on a command's own line is meant to be said, whatever it is.
    lines = reading.comment.split("\n")
    said = said_on(reading.lines)
    on_lines = said.count("\n") + 1 if said else 0
    sifted = sift("\n".join(lines[on_lines:]), signs, below)
    comment = "\n".join([*lines[:on_lines], *([sifted.own] if sifted.own else [])])
    # Below a command in the Subject all of the body goes on.
    above = [line for line in _above(text, board, signs) if line not in comment] if reading.lines else []
    told = told_lines((*above, *sifted.left_out))
    left_out = tuple(_blotted(line, reading) for line in told)
    return OwnWords(mail, replace(reading, comment=comment), left_out)


def _above(text: str, board: int | None, signs: Signs) -> list[str]:
    """The lines above the first command of a body, where they say more than a greeting does."""
    lines = text.split("\n")[:_MOST_ABOVE]
    first = next(
        (place for place, line in enumerate(lines) if not read_line(normalised(line), board).is_prose), None
    )
    if first is None:
        return []
    said = [line for line in sift("\n".join(lines[:first]), signs).own.split("\n") if line.strip()]
    if len(said) > MOST_GREETING_LINES:
        return []
    said = [line for line in said if not _is_greeting(line)]
    return said if len(said) > 1 or any(len(line.split()) > _MOST_GREETING_WORDS for line in said) else []


def _is_greeting(line: str) -> bool:
    """`Dear Anna and all the others,`, and a bare answer: that is read, or stands above a move as a greeting."""
    return line.rstrip().endswith((",", ":")) or len(line.split()) == 1


def _copy(text: str, ours: OurWords, board: int | None) -> int | None:
    """Where words of ours begin that nobody means to send: a command that our mail holds is there to be sent.

    It counts as a copy all the same where the next line is ours too.
    """
    start = 0
    for _ in range(MOST_COMMANDS):
        begin = ours.begin(text[start:])
        if begin is None:
            return None
        begin += start
        first = text.rfind("\n", 0, begin) + 1
        end = text.find("\n", begin)
        line = normalised(text[first:end] if end >= 0 else text[first:])
        below = text[end:].lstrip() if end >= 0 else ""
        if read_line(line, board).is_prose or ours.begin(below.partition("\n")[0]) == 0:
            return begin
        if not below:
            return None
        start = len(text) - len(below)
    return None


def _blotted(line: str, reading: Reading) -> str:
    plain = normalised(line)
    for secret in reading.secrets:
        plain = plain.replace(secret, BLOT)
    return line if plain == normalised(line) else plain
