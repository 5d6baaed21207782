"""What is taken and what is refused where mail comes in by LMTP or SMTP, and how a mail is kept."""

import hashlib
import logging
import re
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress

from aiosmtpd.smtp import SMTP, Envelope, Session

from pbmserv.commands.server import Server
from pbmserv.mail.together import Arrival, Keep, NotNow, Together

log = logging.getLogger(__name__)

MOST_RECIPIENTS = 100  # RFC 5321 4.5.3.1.8: the least a server must take
MOST_HOPS = 50

KEPT = "250 2.0.0 kept"
TAKEN = "250 2.1.5 OK"
NOT_NOW = "451 4.3.0 not now, please try again later"
TOO_LARGE = "552 5.3.4 mail is larger than this server takes"
LOOPS = "554 5.4.6 too many Received lines, this mail goes round in circles"
UNKNOWN = "550 5.1.1 no such address here"


def known(server: Server, recipient: str) -> bool:
    """Whether this server takes mail for the recipient; what its tag is worth is asked later, so nobody can probe.

    >>> known(Server("pbm@club.test"), "PBM-any.tag@Club.test"), known(Server("pbm@club.test"), "bob@club.test")
    (True, False)
    """
    return server.owns(recipient) or recipient.casefold() == "postmaster"  # RFC 5321 4.5.1


def hops(raw: bytes) -> int:
    """How many Received lines a mail's header holds (RFC 5321 6.3: a way to find mail that loops)."""
    end = re.search(rb"\r?\n\r?\n", raw)
    return len(re.findall(rb"(?im)^received[ \t]*:", raw[: end.start()] if end else raw))


def strange(address: str, smtputf8: bool) -> str | None:
    """The reply that refuses an address for what it is made of, None for a good one (RFC 6531 3.5)."""
    try:
        address.encode()
    except UnicodeEncodeError:  # octets that were no UTF-8
        return "553 5.1.3 malformed address"
    if not address.isprintable():
        return "553 5.1.3 malformed address"
    if not (smtputf8 or address.isascii()):
        return "553 5.6.7 non-ASCII address without SMTPUTF8"
    return None


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a client may keep us waiting, in seconds, and how long the store may keep the client waiting.

    `without_mail` is for a whole session, from one mail to the next, in which so many `commands` are answered, not
    counting recipients that were taken. A mail has to come within `data` seconds, and one more for each `octets`.
    """

    idle: float = 120.0
    without_mail: float = 300.0
    commands: int = 50
    data: float = 60.0
    octets: int = 4096
    store: float = 10.0


# Without slots: aiosmtpd looks at all members of its handler, and those of a class with slots raise on the first
# releases of Python 3.11 (https://github.com/python/cpython/issues/102069).
@dataclass(frozen=True)
class Reception:
    """Whose mail is taken, how much of it, where it goes, and how long it may take.

    Also aiosmtpd's handler: the methods below are called by name.
    """

    server: Server
    store: Together
    max_size: int
    patience: Patience

    async def handle_MAIL(  # noqa: N802
        self, smtp: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """The reply to MAIL."""
        if refusal := strange(address, envelope.smtp_utf8):
            return refusal
        envelope.mail_from = address
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802
        self, smtp: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """The reply to RCPT."""
        if refusal := strange(address, envelope.smtp_utf8):
            return refusal
        if not known(self.server, address):
            return UNKNOWN
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return TAKEN

    async def handle_exception(self, error: Exception) -> str:
        """The reply to a command that made the code raise; aiosmtpd's own is a 500 that tells the error."""
        log.error("a command failed: %s", told(error))
        return NOT_NOW


def told(error: BaseException) -> str:
    """An error's kind and place: its text may hold the mail it was raised over, and with it secrets."""
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + "".join(f" at {frame.filename}:{frame.lineno}" for frame in place)


def attempt(keep: Keep, mails: Sequence[Arrival]) -> list[str]:
    """Keep mails together and give the reply to each, in their order; it blocks, and never raises."""
    good = [hops(mail.raw) <= MOST_HOPS for mail in mails]
    outcomes = iter(_outcomes(keep, [*compress(mails, good)]))
    return [
        _reply(mail, next(outcomes)) if is_good else _refused(mail)
        for mail, is_good in zip(mails, good, strict=True)
    ]


def _outcomes(keep: Keep, mails: Sequence[Arrival]) -> Sequence[BaseException | None]:
    try:
        return keep(mails) if mails else ()
    except BaseException as error:  # even SystemExit: in an event loop it would end the whole listener
        return [error] * len(mails)


def _reply(mail: Arrival, error: BaseException | None) -> str:
    if isinstance(error, NotNow):
        log.info("%s: not now", _name(mail))
        return NOT_NOW
    if error is not None:
        log.error("%s: not kept, %s", _name(mail), told(error))
        return NOT_NOW
    log.info("%s: kept", _name(mail))
    return KEPT


def _refused(mail: Arrival) -> str:
    log.info("%s: more than %d hops, refused", _name(mail), MOST_HOPS)
    return LOOPS


def _name(mail: Arrival) -> str:
    # By its digest, never by its words.
    digest = hashlib.sha256(mail.raw).hexdigest()[:12]
    return f"mail {digest} of {len(mail.raw)} bytes from {mail.host} for {len(mail.recipients)}"
