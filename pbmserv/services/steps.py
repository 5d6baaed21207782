"""The lines of a mail as they are carried out: in the place of a `yes` what was asked about."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.library import commands
from pbmserv.commands.line import read_line
from pbmserv.commands.message import Arguments, Parsed, Unparsed
from pbmserv.commands.refusals.common import WhichOne
from pbmserv.services.incoming import Opened
from pbmserv.services.standing import open_question
from pbmserv.store import confirmations


@dataclass(frozen=True, slots=True)
class Step:
    """A line, and the question that it answers or, when it is `confirmed`, comes from."""

    line: Parsed | Unparsed
    asked: Confirmation | None = None
    confirmed: bool = False


def steps(connection: Connection, opened: Opened) -> tuple[Step, ...]:
    """What is to be done, in order. Questions about commands are closed: their commands take their place."""
    return tuple(_steps(connection, opened))


def _steps(connection: Connection, opened: Opened) -> Iterator[Step]:
    lines = [_answer(connection, line, opened) for line in (*_first_answer(opened), *opened.asked.lines)]
    answers: dict[str, set[str]] = {}
    for line, asked in lines:
        if asked is not None and isinstance(line, Parsed):
            answers.setdefault(asked.about, set()).add(line.command.name)
    answered: set[str] = set()
    for line, asked in lines:
        if asked is None or asked.about in answered:
            # A second answer to the same question answers nothing.
            yield Step(line)
            continue
        if len(answers[asked.about]) > 1:
            yield Step(Unparsed(line.line, WhichOne(choices=("yes", "no"))))
            continue
        answered.add(asked.about)
        if asked.kind == "commands" and answers[asked.about] == {"yes"}:
            confirmations.forget(connection, asked.about)
            parsed = (read_line(text, None).parsed for text in asked.lines)
            yield from (Step(each, asked, confirmed=True) for each in parsed if each is not None)
        else:
            yield Step(line, asked)


def _answer(
    connection: Connection, line: Parsed | Unparsed, opened: Opened
) -> tuple[Parsed | Unparsed, Confirmation | None]:
    """The line, and the open question that it answers.

    A word that may be a token or a new password is a token where a question has it, and else a password where the
    mail that is answered asks for one.
    """
    if not isinstance(line, Parsed) or line.command.kind != "token":
        return line, None
    standing = opened.standing
    if line.token is None:
        return line, standing.confirmation
    may_be_password = line.token == line.new_password
    tokens, sender, now = (line.token.value,), opened.mail.sender, opened.kept.kept_at
    asked = open_question(connection, tokens, sender, standing.player, now)
    if asked is not None:
        return replace(line, new_password=None) if may_be_password else line, asked
    wants_password = standing.confirmation is not None and standing.confirmation.kind == "password"
    return line, standing.confirmation if may_be_password and wants_password else None


def _first_answer(opened: Opened) -> tuple[Parsed, ...]:
    """The `yes` of somebody new who answers the first mail with other commands at once."""
    asked, lines = opened.standing.confirmation, opened.asked.lines
    named = [line.command for line in lines if isinstance(line, Parsed)]
    if asked is None or asked.kind != "sign-up" or not named or any(each.kind == "token" for each in named):
        return ()
    return (Parsed("yes", commands()["yes"], Arguments()),)
