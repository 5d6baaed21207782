"""A kept mail, read and understood: what every later step of handling starts from."""

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.language import Reading, understand
from pbmserv.commands.message import IncomingMail, Parsed
from pbmserv.mail.read import read
from pbmserv.services.echo import HEAD, without_echo
from pbmserv.services.house import House
from pbmserv.services.standing import Standing, open_question, sender_beside_token, stand
from pbmserv.store import outbox
from pbmserv.store.inbox import Kept


@dataclass(frozen=True, slots=True)
class Opened:
    """A kept mail that was read. `standing` is who it is from, `understood` its lines, and `named` the open
    question that a word in these lines names."""

    kept: Kept
    mail: IncomingMail
    standing: Standing
    understood: Reading
    named: Confirmation | None = None

    @property
    def asked(self) -> Reading:
        """The lines that may be carried out: none, when no person wrote it."""
        return self.understood if self.mail.automatic is None else Reading()


def read_kept(house: House, kept: Kept) -> IncomingMail:
    """Reads a kept mail's bytes."""
    server = house.server
    return read(
        kept.raw, kept.envelope_sender, server.address, server.delimiter, kept.recipients, server.authserv_id
    )


def open_mail(connection: Connection, house: House, kept: Kept) -> Opened:
    """Reads a mail and understands its lines. Of one that was too large to be kept whole nothing is understood."""
    mail = read_kept(house, kept)
    if mail.sender is None:
        mail = replace(mail, sender=sender_beside_token(connection, mail, kept.kept_at))
    standing = stand(connection, mail, house.server, kept.kept_at)
    if standing.answered is not None or standing.confirmation is not None:
        ours = outbox.beginnings_of(connection, mail.tokens, mail.thread_words, HEAD)
        mail = replace(mail, text=without_echo(mail.text, ours))
    reading = understand(mail, standing.board) if kept.full_size is None else Reading()
    return Opened(kept, mail, standing, reading, _named(connection, mail, standing, reading, kept.kept_at))


def stand_anew(connection: Connection, house: House, opened: Opened) -> Opened:
    """The same mail with its sender as the database knows them now."""
    mail, now = opened.mail, opened.kept.kept_at
    standing = stand(connection, mail, house.server, now)
    return replace(opened, standing=standing, named=_named(connection, mail, standing, opened.understood, now))


def _named(
    connection: Connection, mail: IncomingMail, standing: Standing, reading: Reading, now: datetime
) -> Confirmation | None:
    tokens = [line.token.value for line in reading.lines if isinstance(line, Parsed) and line.token]
    return open_question(connection, tokens, mail.sender, standing.player, now) if tokens else None
