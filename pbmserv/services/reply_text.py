"""What of a mail's text its sender wrote: one parse for its commands and for the words that are passed on."""

from dataclasses import dataclass, replace
from typing import Final

from pbmserv.commands.command import BLOT
from pbmserv.commands.typed_moves import Spelling, spelling_of
from pbmserv.games.info import Info
from pbmserv.mail.reading.doubt import Signs, extract_reply, told_lines
from pbmserv.mail.reading.our_copies import OurWords
from pbmserv.parser.command_block import LONGEST_LINE, MOST_COMMANDS, MOST_GREETING_LINES
from pbmserv.parser.line import parse_line
from pbmserv.parser.parse import OUR_NAME, inline_text, parse_mail
from pbmserv.parser.parsed import IncomingMail, ParsedMail
from pbmserv.parser.title import title_of
from pbmserv.parser.words import normalised

_MOST_ABOVE: Final = 60
"""The most lines above the commands that are examined, including blank and quoted ones."""

_MOST_GREETING_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class ReplyText:
    """What the sender of a mail wrote."""

    # The mail without copies of ours.
    mail: IncomingMail
    # Its comment is certainly the sender's own.
    parsed: ParsedMail
    # Lines that may be the sender's too, without secrets.
    left_out: tuple[str, ...] = ()
    # The same and more of a signature, of which the sender is not to be reminded.
    unsent: tuple[str, ...] = ()


def reply_text(
    mail: IncomingMail,
    ours: OurWords,
    board: int | None,
    our_address: str,
    addresses: frozenset[str],
    game: Info | None = None,
    club: str = OUR_NAME,
    userid: str = "",
) -> ReplyText:
    """Parses a mail and drops what its sender did not write.

    `ours` is the text of the mails that it answers, `board` the board of these, `game` its game;
    `addresses` and `userid` are its sender's, `club` is the name in our Subjects.
    """
    spelling = spelling_of(game)
    begin = _copy(mail.text, ours, board, spelling)
    text, below = (mail.text, "") if begin is None else (mail.text[:begin], mail.text[begin:])
    mail = replace(mail, text=text)
    title = title_of(normalised(mail.subject))
    signs = Signs(our_address, addresses, title.text if title.is_answer else "", ours)
    parsed = parse_mail(mail, board, lambda words: extract_reply(words, signs, below).own, game, club, userid)
    # Words on the line of a command are meant to be passed on, whatever they look like.
    lines = parsed.comment.split("\n")
    said = inline_text(parsed.lines)
    on_lines = said.count("\n") + 1 if said else 0
    extracted = extract_reply("\n".join(lines[on_lines:]), signs, below)
    comment = "\n".join([*lines[:on_lines], *([extracted.own] if extracted.own else [])])
    # Below a command in the Subject the whole body is passed on.
    above = [line for line in _above(text, board, signs, spelling) if line not in comment] if parsed.lines else []
    told = told_lines((*above, *extracted.left_out))
    left_out = tuple(_blotted(line, parsed) for line in told)
    return ReplyText(mail, replace(parsed, comment=comment), left_out, left_out)


def _above(text: str, board: int | None, signs: Signs, spelling: Spelling) -> list[str]:
    """The lines above the first command of a body, unless they are only a greeting."""
    lines = text.split("\n")[:_MOST_ABOVE]
    if sum(1 for line in lines if line.strip()) < 2:
        return []
    first = next(
        (
            place
            for place, line in enumerate(lines)
            if not parse_line(normalised(line[:LONGEST_LINE]), board, spelling).is_prose
        ),
        None,
    )
    if first is None:
        return []
    said = [line for line in extract_reply("\n".join(lines[:first]), signs).own.split("\n") if line.strip()]
    if len(said) > MOST_GREETING_LINES:
        return []
    said = [line for line in said if not _is_greeting(line)]
    return said if len(said) > 1 or any(len(line.split()) > _MOST_GREETING_WORDS for line in said) else []


def _is_greeting(line: str) -> bool:
    """Whether a line is like `Dear Anna and all the others,`, or one word: a greeting or a bare answer."""
    return line.rstrip().endswith((",", ":")) or len(line.split()) == 1


def _copy(text: str, ours: OurWords, board: int | None, spelling: Spelling) -> int | None:
    """Where a copy of our text begins that nobody meant to send.

    A command of ours is meant to be sent, unless the line below it is ours too.
    """
    start = 0
    for _ in range(MOST_COMMANDS):
        begin = ours.begin(text[start:])
        if begin is None:
            return None
        begin += start
        first = text.rfind("\n", 0, begin) + 1
        end = text.find("\n", begin)
        line = normalised((text[first:end] if end >= 0 else text[first:])[:LONGEST_LINE])
        below = text[end:].lstrip() if end >= 0 else ""
        if parse_line(line, board, spelling).is_prose or ours.begin(below.partition("\n")[0]) == 0:
            return begin
        if not below:
            return None
        start = len(text) - len(below)
    return None


def _blotted(line: str, parsed: ParsedMail) -> str:
    """The line without the secrets of the mail."""
    plain = normalised(line)
    for secret in parsed.secrets:
        plain = plain.replace(secret, BLOT)
    return line if plain == normalised(line) else plain
