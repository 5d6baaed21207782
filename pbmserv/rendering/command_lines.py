"""Commands that are values: whether one can be sent as it stands, and how an example with a secret is filled in.

Lines that a template writes itself bear a sign in its source (`markup`).
"""

import re
from typing import Final

from pbmserv.commands.command import BLOT
from pbmserv.parser.fitting import secrets_of
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed
from pbmserv.parser.words import FIRST_BOARD
from pbmserv.rendering.document import CommandUse
from pbmserv.rendering.markup import marked_command

_PLACEHOLDER: Final = re.compile(r"(?<!\S)[A-Z]{2,}(?!\S)")

_USES: Final[dict[str, CommandUse]] = {"open": "send", "token": "answer"}


def offered(line: str) -> str:
    """A line that is proposed, marked when it can be sent as it stands."""
    parsed = sendable(line)
    if parsed is None:
        return line
    return marked_command(line, "answer" if parsed.command.kind == "token" else "send")


def example(line: str) -> str:
    """A line that shows what a command looks like, marked: one that anybody may give can be sent."""
    parsed = sendable(line)
    if parsed is None or parsed.command.name == "signup":
        filled_in = to_fill_in(line)
        return marked_command(line, "example", filled_in) if filled_in else line
    return marked_command(line, _USES.get(parsed.command.kind, "example"))


def sendable(line: str) -> Parsed | None:
    """The command that a line with single blanks is, when it can be sent as it stands.

    None for what is no command or lacks its board, and where it holds a secret or a word to be replaced.

    >>> sendable("show 101").command.name, sendable("show"), sendable("signup alice sesame")
    ('show', None, None)
    """
    parsed = _read(line)
    if parsed is None or secrets_of(parsed.claim, parsed.new_password) or _PLACEHOLDER.search(line):
        return None
    return parsed


def to_fill_in(line: str) -> str:
    """An example with words to be replaced for a secret and for whose it is; "" where there is nothing to replace.

    That is also so for the name that somebody signs up with: each has their own.

    >>> to_fill_in("move 101 alice sesame c3"), to_fill_in("signup alice"), to_fill_in("show 101")
    ('move 101 USERID PASSWORD c3', 'signup USERID', '')
    """
    parsed = _read(line)
    if parsed is None or _PLACEHOLDER.search(line):
        return ""
    if parsed.command.name != "signup" and not secrets_of(parsed.claim, parsed.new_password):
        return ""
    whose = (parsed.claim.userid,) if parsed.claim else parsed.arguments.userids
    secrets = iter(("PASSWORD", "NEWPASSWORD"))
    words = (next(secrets, BLOT) if word == BLOT else word for word in parsed.line.split())
    return " ".join("USERID" if word in whose else word for word in words)


def _read(line: str) -> Parsed | None:
    """A numbered row of a table is taken by the language for a move on a board that there cannot be."""
    parsed = parse_line(line, None).parsed
    if parsed is None or any(ref.number < FIRST_BOARD for ref in parsed.arguments.boards):
        return None
    return parsed
