"""A whole mail: which lines are commands, what is the comment, and which board it answers.

Commands stand in the Subject, or else in the body: up to three lines of greeting, then the block of command lines,
then the comment. Nothing here asks any record; time taken is linear in the mail's size.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from pbmserv.commands.library import commands
from pbmserv.commands.line import BLOT, PROSE, Line, read_line, secrets_of
from pbmserv.commands.message import Claim, IncomingMail, Parsed, Unparsed
from pbmserv.commands.refusals import MisplacedAs, TooManyCommands
from pbmserv.commands.slips import board_number
from pbmserv.commands.words import normalised
from pbmserv.games.library import games

MOST_COMMANDS = 20
MOST_GREETING_LINES = 3
MOST_COMMENT_CHARACTERS = 4000

_MOST_LINES = 5 * MOST_COMMANDS
"""After so many command lines nothing more of a mail is read; it is no letter to anybody."""

_MOST_SEARCHED = 10 * MOST_COMMENT_CHARACTERS
"""So much of a comment is searched for secrets before it is cut: a secret must not be cut in two."""

_MOST_SECRETS = 50
"""A mail with more is not searched for each of them, but goes on without its comment."""

_SHORTEST_STRAY = 4
"""What is shorter cannot be a password, and is mostly prose: `As you are`."""

_ANSWER = re.compile(
    r"\s*(?:(?:re|aw|sv|antw|vs|odp|ynt|rif)(?:\[[0-9]+\])?\s*:|\[[^\]\n]{0,60}\])\s*", re.IGNORECASE
)
_FORWARD = re.compile(r"\s*(?:fwd|fw|wg|tr|rv|vl|doorst)\s*:", re.IGNORECASE)
_BOARD_SUBJECT = re.compile(r"\S.{0,60}? Board ([0-9]{1,9}): ", re.IGNORECASE)
_OUR_SUBJECT = re.compile(r"pbmserv: ", re.IGNORECASE)
_STOPS = frozenset({"--", "stop", "quit", "end"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What a mail asks for, in order; `comment` is for the other players, with every secret of the mail blotted.

    `claim` is the one of a line `as userid password`; it holds for the whole mail. `secrets` are the passwords
    themselves, to be blotted from whatever is kept of the mail. `board` is the one whose mail is answered;
    `forwarded` mails hold nothing that is meant for us.
    """

    lines: tuple[Parsed | Unparsed, ...] = ()
    comment: str = ""
    claim: Claim | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    board: int | None = None
    forwarded: bool = False


@dataclass(frozen=True, slots=True)
class _Block:
    lines: tuple[Line, ...]
    rest: str


def understand(mail: IncomingMail) -> Reading:
    """What the mail asks for."""
    subject, answers = _without_prefixes(normalised(mail.subject))
    if _FORWARD.match(subject):
        return Reading(forwarded=True)
    board_subject = _BOARD_SUBJECT.match(subject)
    board = int(board_subject[1]) if board_subject and answers else None
    titled = PROSE if board_subject or _OUR_SUBJECT.match(subject) else read_line(subject, None)
    if titled.parsed is not None:
        if titled.parsed.command.kind == "open":
            # It says nothing to anybody else, so what stands below is no comment: a move there must not be lost.
            below = _block(mail.text, None).lines
            # A claim above other commands is theirs; one that stands alone may be prose: `as you like`.
            top = below[:1] if len(below) > 1 and below[0].claim else ()
            return _reading((*top, titled, *below[len(top) :]), "")
        claimed, rest = _claim_on_top(mail.text)
        return _reading((claimed, titled), rest)
    block = _block(mail.text, board)
    if block.lines:
        return _reading((titled, *block.lines) if titled.claim else block.lines, block.rest)
    if titled.is_prose:
        return Reading(board=board)
    return _reading((titled,), mail.text)


def as_kept(reading: Reading) -> str:
    """What is kept of a mail once it is handled: what was understood of it, without any secret.

    The rest goes: words that were not understood may be a password in a command that nobody could read.
    """
    lines = "\n".join(line.line for line in reading.lines)
    return "\n\n".join(part for part in (_blot(lines, reading.secrets), reading.comment) if part)


def _without_prefixes(subject: str) -> tuple[str, bool]:
    answers = False
    while found := _ANSWER.match(subject):
        answers = answers or ":" in found[0]
        subject = subject[found.end() :]
    return subject, answers


def _block(text: str, board: int | None) -> _Block:
    """The command lines of a body and what comes after them. A blank line neither starts nor ends the block."""
    lines = text.split("\n")
    found: list[Line] = []
    greeted = 0
    for number, line in enumerate(lines):
        plain = normalised(line)
        if not plain:
            continue
        if plain.lower() in _STOPS:
            return _Block(tuple(found), "\n".join(lines[number + 1 :]) if found else "")
        read = read_line(plain, board)
        if not read.is_prose:
            found.append(read)
            if len(found) > _MOST_LINES:
                return _Block(tuple(found), "")
        elif found or greeted == MOST_GREETING_LINES:
            return _Block(tuple(found), "\n".join(lines[number:]) if found else "")
        else:
            greeted += 1
    return _Block(tuple(found), "")


def _claim_on_top(text: str) -> tuple[Line, str]:
    """The line `as userid password` that stands first, and the text below it."""
    first, _, rest = text.lstrip().partition("\n")
    top = read_line(normalised(first), None)
    return (top, rest) if top.claim is not None else (PROSE, text)


def _reading(lines: tuple[Line, ...], comment: str) -> Reading:
    claim: Claim | None = None
    kept: list[Parsed | Unparsed] = []
    comment = comment.strip()[:_MOST_SEARCHED]
    secrets = set(_stray_secrets(comment))
    for line in lines:
        if line.claim is not None:
            secrets.add(line.claim.password.value)
            if claim is None and not kept:
                claim = line.claim
            else:
                kept.append(_misplaced(line.claim))
        elif line.unparsed is not None:
            kept.append(line.unparsed)
        elif line.parsed is not None:
            kept.append(line.parsed)
            secrets.update(secrets_of(line.parsed.claim, line.parsed.new_password))
    if claim is not None and not kept:
        kept.append(_misplaced(claim))
    if len(kept) > MOST_COMMANDS:
        kept[MOST_COMMANDS:] = [Unparsed("...", TooManyCommands(limit=MOST_COMMANDS))]
    ordered = _longest_first(secrets)
    return Reading(tuple(kept), _comment(comment, ordered), claim, ordered)


def _misplaced(claim: Claim) -> Unparsed:
    return Unparsed(f"as {claim.userid} {BLOT}", MisplacedAs(userid=claim.userid))


def _stray_secrets(text: str) -> tuple[str, ...]:
    """What stands in a text that is not carried out where a command of that line would have its secrets."""
    found: set[str] = set()
    openings = {"as", *(name.split()[0] for name in commands()), *games()}
    for line in map(normalised, text.split("\n")):
        first = line.partition(" ")[0]
        if first.lower() not in openings and board_number(first) is None:
            continue
        read = read_line(line, None)
        if read.claim is not None:
            found.add(read.claim.password.value)
        elif read.parsed is not None:
            found.update(secrets_of(read.parsed.claim, read.parsed.new_password))
    return _longest_first(secret for secret in found if len(secret) >= _SHORTEST_STRAY)


def _longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(secrets, key=len, reverse=True))


def _comment(text: str, secrets: tuple[str, ...]) -> str:
    if len(secrets) > _MOST_SECRETS:
        return ""
    lines = text.split("\n")
    if secrets:
        lines = [_without(line, secrets) for line in lines]
    return "\n".join(lines)[:MOST_COMMENT_CHARACTERS].rstrip()


def _without(line: str, secrets: tuple[str, ...]) -> str:
    """The line as written, unless a secret stands in it, in whatever dress."""
    plain = normalised(line)
    blotted = _blot(plain, secrets)
    return line if blotted == plain else blotted


def _blot(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, BLOT)
    return text
