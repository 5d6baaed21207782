"""A kept mail, read and understood: what every later step of handling starts from."""

from dataclasses import dataclass, replace

from sqlalchemy import Connection

from pbmserv.commands.language import Reading, understand
from pbmserv.commands.message import IncomingMail
from pbmserv.mail.read import read
from pbmserv.services.echo import HEAD, without_echo
from pbmserv.services.house import House
from pbmserv.services.standing import Standing, sender_beside_token, stand
from pbmserv.store import outbox
from pbmserv.store.inbox import Kept


@dataclass(frozen=True, slots=True)
class Opened:
    """A kept mail that was read. `standing` is who it is from, `understood` its lines."""

    kept: Kept
    mail: IncomingMail
    standing: Standing
    understood: Reading

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
        ours = outbox.beginnings_of(connection, mail.tokens, HEAD)
        mail = replace(mail, text=without_echo(mail.text, ours))
    reading = understand(mail, standing.board) if kept.full_size is None else Reading()
    return Opened(kept, mail, standing, reading)


def stand_anew(connection: Connection, house: House, opened: Opened) -> Opened:
    """The same mail with its sender as the database knows them now."""
    return replace(opened, standing=stand(connection, opened.mail, house.server, opened.kept.kept_at))
