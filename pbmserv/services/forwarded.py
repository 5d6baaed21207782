"""Mail to a personal address from elsewhere: the player's own, who has mail forwarded, or somebody else's."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import ask_own_address
from pbmserv.commands.command import Actor, Arguments, Decision, Notifications, commands
from pbmserv.parser.parsed import Parsed
from pbmserv.services.app import App
from pbmserv.services.compose import ReplyContext, plain_answer, question_mail
from pbmserv.services.limits import left, may_be_mailed, send
from pbmserv.services.pending import PendingMail
from pbmserv.services.run import CommandResult
from pbmserv.store import accounts, confirmations, players
from pbmserv.store.queries import TransactionQueries


def ask_owner(connection: Connection, app: App, pending: PendingMail, now: datetime) -> bool:
    """Asks the player whose word a mail bears whether its From address is theirs, unless they were asked lately or
    have denied it; nothing goes to that address, and what the mail says waits. False where nobody is asked.
    """
    player, address = pending.identity.player, pending.identity.elsewhere
    if player is None or address is None or player.is_banned or app.server.owns(address):
        return False
    may_be_asked = left(connection, policy.OWN_ADDRESS, player.address, now) > 0
    if not may_be_asked or not may_be_mailed(connection, player.address, now):
        return False
    if accounts.has_denied(connection, player.id, address):
        return False
    answered = pending.identity.answered
    question = ask_own_address(
        player, address, _waiting(connection, pending), answered.shown if answered is not None else ()
    )
    opened = confirmations.ask(connection, question.confirmation, now, again=True)
    if opened is None:
        return False
    mail = question_mail(app, question, pending.message.id, now)
    send(connection, replace(mail, kind="address", player_id=player.id, asks=opened.id), now)
    return True


def ask_along(records: TransactionQueries, pending: PendingMail, to: ReplyContext) -> tuple[CommandResult, ...]:
    """The same question in the answer to a newcomer who has answered their first mail from elsewhere."""
    asked, player = pending.identity.confirmation, to.player
    if pending.elsewhere is None or asked is None or asked.kind != "sign-up" or player is None:
        return ()
    question = ask_own_address(player, pending.elsewhere)
    decision = Decision(question.words, notifications=Notifications(question=question))
    actor = Actor(player, pending.mail.sender, "none")
    return (CommandResult(Parsed("", commands()["yes"], Arguments()), decision, actor),)


def _waiting(connection: Connection, pending: PendingMail) -> tuple[str, ...]:
    """What a mail asks for; of a `yes` what that would do, if the question was about commands."""
    lines = [line for line in pending.parsed.lines if isinstance(line, Parsed)]
    written = tuple(line.line for line in lines if line.command.kind != "token")
    if not any(line.command.name == "yes" for line in lines):
        return written
    asked = confirmations.find(connection, pending.mail.tokens, pending.message.received_at)
    return (*asked.lines, *written) if asked is not None and asked.kind == "commands" else written


def warn_owner(connection: Connection, app: App, pending: PendingMail, now: datetime) -> bool:
    """Tells the owner of a personal address of a mail to it that they do not seem to have sent, unless they were
    told recently. Nothing in it is done. False where nobody is told.
    """
    owner = players.addressed_by(connection, pending.mail.tokens)
    if owner is None or not owner.is_confirmed or not may_be_mailed(connection, owner.address, now):
        return False
    if left(connection, policy.NOT_THEIRS, owner.address, now) <= 0:
        return False
    to = ReplyContext(pending.message.id, pending.mail, owner.address, owner, "not theirs", proven=False, now=now)
    warning = plain_answer(app, to, "mail/odd_from.txt", "your mail", "not theirs", player=owner)
    send(connection, warning, now, pending.message.size)
    return True
