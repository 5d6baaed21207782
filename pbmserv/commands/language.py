"""A whole mail: which lines are commands, what is the comment, and which board it answers.

Commands stand in the Subject, or else in the body: up to three lines of greeting, then the block of command lines,
then the comment. Nothing here asks any record; time taken is linear in the mail's size.
"""

import re
from dataclasses import dataclass

from pbmserv.commands.line import AS, BLOT, PROSE, Line, read_line, secrets_of
from pbmserv.commands.message import Claim, IncomingMail, Parsed, Unparsed
from pbmserv.commands.words import normalised
from pbmserv.matches.refusals import TooManyCommands

MOST_COMMANDS = 20
MOST_GREETING_LINES = 3
MOST_COMMENT_CHARACTERS = 4000

_ANSWER = re.compile(
    r"\s*(?:(?:re|aw|sv|antw|vs|odp|ynt|rif)(?:\[[0-9]+\])?\s*:|\[[^\]\n]{0,60}\])\s*", re.IGNORECASE
)
_FORWARD = re.compile(r"\s*(?:fwd|fw|wg|tr|rv|vl|doorst)\s*:", re.IGNORECASE)
_BOARD_SUBJECT = re.compile(r"[a-z0-9-]+ Board ([0-9]{1,9}): ", re.IGNORECASE)
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
    secrets: tuple[str, ...] = ()
    board: int | None = None
    forwarded: bool = False


@dataclass(frozen=True, slots=True)
class _Block:
    lines: tuple[Line, ...]
    rest: str


def understand(mail: IncomingMail) -> Reading:
    """What the mail asks for."""
    subject = normalised(mail.subject)
    if _FORWARD.match(subject):
        return Reading(forwarded=True)
    subject, answers = _without_prefixes(subject)
    board_subject = _BOARD_SUBJECT.match(subject)
    board = int(board_subject[1]) if board_subject and answers else None
    titled = PROSE if board_subject or _OUR_SUBJECT.match(subject) else read_line(subject, None)
    if titled.parsed is not None:
        return _reading((titled,), mail.text)
    block = _block(mail.text, board)
    if block.lines:
        return _reading((titled, *block.lines) if titled.claim else block.lines, block.rest)
    return _reading((titled,), mail.text) if not titled.is_prose else Reading(board=board)


def masked(mail: IncomingMail, reading: Reading) -> tuple[str, str] | None:
    """Subject and text with what is, or may be, a secret blotted; None when there is nothing to hide."""
    if not reading.secrets and not any(isinstance(line, Unparsed) for line in reading.lines):
        return None
    if any(isinstance(line, Unparsed) for line in reading.lines):
        kept = "\n".join(line.line for line in reading.lines)
        return BLOT, "\n\n".join(part for part in (_blot(kept, reading.secrets), reading.comment) if part)
    return _blot(normalised(mail.subject), reading.secrets), _blot(_normalised_text(mail.text), reading.secrets)


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
        elif found or greeted == MOST_GREETING_LINES:
            return _Block(tuple(found), "\n".join(lines[number:]) if found else "")
        else:
            greeted += 1
    return _Block(tuple(found), "")


def _reading(lines: tuple[Line, ...], comment: str) -> Reading:
    claim: Claim | None = None
    kept: list[Parsed | Unparsed] = []
    secrets: set[str] = set()
    for line in lines:
        if line.claim is not None:
            claim = line.claim
            secrets.add(line.claim.password.value)
        elif line.unparsed is not None:
            kept.append(line.unparsed)
        elif line.parsed is not None:
            kept.append(line.parsed)
            secrets.update(secrets_of(line.parsed.claim, line.parsed.new_password))
    if claim is not None and not kept:
        kept.append(Unparsed(f"as {claim.userid} {BLOT}", AS))
    if len(kept) > MOST_COMMANDS:
        kept[MOST_COMMANDS:] = [Unparsed("...", TooManyCommands(limit=MOST_COMMANDS))]
    ordered = tuple(sorted(secrets, key=len, reverse=True))
    return Reading(tuple(kept), _comment(comment, ordered), claim, ordered)


def _comment(text: str, secrets: tuple[str, ...]) -> str:
    return _blot(text.strip()[:MOST_COMMENT_CHARACTERS].rstrip(), secrets)


def _normalised_text(text: str) -> str:
    return "\n".join(normalised(line) for line in text.split("\n"))


def _blot(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, BLOT)
    return text
