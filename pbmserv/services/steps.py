"""The lines of a mail in the order in which they run: a `yes` is replaced by what it confirms."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Arguments, Confirmation, commands
from pbmserv.matches.errors import CommandError
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed, Unparsed, WhichOne
from pbmserv.services.authenticate import VerifiedCredentials
from pbmserv.services.pending import PendingMail
from pbmserv.services.sender import SenderIdentity, open_question
from pbmserv.store import confirmations, listing, matches, offers, players


class MoreThanYes(CommandError):
    """A `yes` to a question stands beside another word, as in replies that programs write: it confirms nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line to run."""

    line: Parsed | Unparsed
    # The question that the line answers; when it is confirmed, the question that it comes from.
    question: Confirmation | None = None
    confirmed: bool = False
    # Those that were kept with the question.
    words: str = ""


def steps(connection: Connection, pending: PendingMail) -> Iterator[Step]:
    """What to run, in order. Confirmed questions about commands are closed: their commands take their place."""
    lines = [_answer(connection, line, pending) for line in (*_implied_yes(pending), *pending.runnable.lines)]
    answers: dict[str, set[str]] = {}
    for line, question in lines:
        if question is not None and isinstance(line, Parsed):
            answers.setdefault(question.about, set()).add(line.command.name)
    answered: set[str] = set()
    for line, question in lines:
        if question is None or question.about in answered:
            # A second answer to the same question answers nothing.
            yield Step(line)
            continue
        if len(answers[question.about]) > 1:
            yield Step(Unparsed(line.line, WhichOne(choices=("yes", "no"))))
            continue
        answered.add(question.about)
        says_yes = answers[question.about] == {"yes"}
        waiting: tuple[str, ...] = ()
        if question.kind == "commands" and says_yes:
            confirmations.forget(connection, question.about)
            waiting = question.lines
        else:
            yield Step(line, question)
        if question.kind == "own address" and says_yes:
            _, *rest = question.lines
            waiting = tuple(rest)
        for text in waiting:
            command, _, words = text.partition("\n")
            if (parsed := parse_line(command, None).parsed) is not None:
                yield Step(parsed, question, confirmed=True, words=words)


_TAKE_PASSWORDS: Final = frozenset({"password", "sign-up"})
"""The questions that a `yes` with a new password behind it answers; to others a word more is no plain answer."""


def _answer(
    connection: Connection, line: Parsed | Unparsed, pending: PendingMail
) -> tuple[Parsed | Unparsed, Confirmation | None]:
    """The line, and the open question that it answers.

    A word that may be a token or a new password is a token if a question has it. If not, it is a password if the
    mail that is answered asks for one.
    """
    if not isinstance(line, Parsed) or line.command.kind != "token":
        return line, None
    identity = pending.identity
    if line.token is None:
        asked = identity.confirmation
        if line.new_password is not None and asked is not None and asked.kind not in _TAKE_PASSWORDS:
            return Unparsed("yes ...", MoreThanYes()), None
        return line, asked
    may_be_password = line.token == line.new_password
    question = open_question(
        connection, (line.token.value,), pending.mail.sender, identity.player, pending.message.received_at
    )
    if question is not None:
        return replace(line, new_password=None) if may_be_password else line, question
    wants_password = identity.confirmation is not None and identity.confirmation.kind == "password"
    return line, identity.confirmation if may_be_password and wants_password else None


def _implied_yes(pending: PendingMail) -> tuple[Parsed, ...]:
    """The `yes` of a newcomer who answers the first mail with a move, or with other commands, at once; or of
    somebody who answers so, from an address, the question whether it is theirs.

    Nobody wrote it, so it has no line to be told.
    """
    question, lines = pending.identity.confirmation, pending.runnable.lines
    named = [line.command for line in lines if isinstance(line, Parsed)]
    if question is None or not named or any(each.kind == "token" for each in named):
        return ()
    if question.kind != "sign-up" and not (question.kind == "own address" and pending.elsewhere):
        return ()
    return (Parsed("", commands()["yes"], Arguments()),)


LEAVING: Final = frozenset({"delete", "signoff"})
"""Commands after which a player has no running boards."""


def hold(connection: Connection, lines: Iterable[Parsed | Unparsed], acting: Collection[str]) -> None:
    """Locks what the lines are about until the transaction ends; `acting` are those who may have sent them.

    A player who leaves is locked against everybody, so that nobody starts a board with them meanwhile. Players who
    start a board or are seated at it are locked against those who leave. A board that may get a rematch is locked
    too, since it can have only one at a time.
    """
    parsed = [line for line in lines if isinstance(line, Parsed)]
    leavers = acting if any(line.command.name in LEAVING for line in parsed) else ()
    wanted = [line.arguments.offer for line in parsed if line.arguments.offer is not None]
    offers.lock(connection, wanted, leavers)
    opening = [line for line in parsed if line.command.kind == "opening" or line.arguments.offer is not None]
    again = [ref.number for line in opening for ref in line.arguments.boards]
    seated = [userid for line in opening for userid in line.arguments.userids]
    seated += [*offers.players_of(connection, wanted), *matches.sitting_at(connection, again)]
    players.lock(connection, [*leavers, *seated, *(acting if opening else ())], alone=bool(leavers))
    bound = [ref.number for line in parsed if line.command.kind == "binding" for ref in line.arguments.boards]
    matches.lock(connection, [*bound, *again, *listing.running_of(connection, leavers)])


def acting(todo: Iterable[Step], identity: SenderIdentity, credentials: VerifiedCredentials) -> frozenset[str]:
    """The userids of all in whose name a line may run, except for accounts that the mail itself opens."""
    known = [identity.player.userid] if identity.player else []
    asked = [step.question.userid for step in todo if step.question]
    return frozenset([*known, *asked, *(each.userid for each in credentials.verified)])
