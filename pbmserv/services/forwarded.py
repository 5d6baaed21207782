"""Mail to a personal address from elsewhere: the player's own, who has mail forwarded, or somebody else's."""

from sqlalchemy import Connection

from pbmserv.commands import policy
from pbmserv.commands.address import ask_own_address
from pbmserv.commands.command import Actor, Arguments, Decision, Notifications, commands
from pbmserv.commands.letter import Asked, Letter, MailCause
from pbmserv.parser.parsed import Parsed
from pbmserv.services.compose import ReplyContext
from pbmserv.services.limits import left, may_be_mailed, send
from pbmserv.services.pending import PendingMail
from pbmserv.services.run import CommandResult
from pbmserv.services.unit_of_work import UnitOfWork
from pbmserv.store import accounts, confirmations, players
from pbmserv.store.queries import TransactionQueries


def ask_owner(work: UnitOfWork, pending: PendingMail) -> bool:
    """Asks the player whose word a mail bears whether its From address is theirs, unless they were asked lately or
    have denied it; nothing goes to that address, and what the mail says waits. False where nobody is asked.
    """
    connection, now = work.connection, work.now
    player, address = pending.identity.player, pending.identity.elsewhere
    if player is None or address is None or player.is_banned or work.app.server.owns(address):
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
    said = Asked(question.words, question.confirmation)
    opened = confirmations.ask(connection, question.confirmation, now, again=True)
    if opened is None:
        return False
    cause = MailCause(pending.message.id, proven=False)
    send(work, Letter(said, "address", player.address, cause=cause, owner=player.userid, asks=opened.id))
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


def warn_owner(work: UnitOfWork, pending: PendingMail) -> bool:
    """Tells the owner of a personal address of a mail to it that they do not seem to have sent, unless they were
    told recently. Nothing in it is done. False where nobody is told.
    """
    connection, now = work.connection, work.now
    owner = players.addressed_by(connection, pending.mail.tokens)
    if owner is None or not owner.is_confirmed or not may_be_mailed(connection, owner.address, now):
        return False
    if left(connection, policy.NOT_THEIRS, owner.address, now) <= 0:
        return False
    mail, size = pending.mail, pending.message.size
    to = ReplyContext(pending.message.id, mail, owner.address, owner, "not theirs", False, now, size=size)
    send(
        work,
        to.fixed_answer(
            "mail/odd_from.txt", "your mail", "not theirs", userid=owner.userid, address=owner.address
        ),
    )
    return True
