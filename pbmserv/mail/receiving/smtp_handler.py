"""Receiving by SMTP: what is accepted, and group commit. Mails that arrive together are stored in one commit, and
no client gets its reply before that."""

import asyncio
import hashlib
import logging
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import compress
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from pbmserv.commands.server import Server
from pbmserv.mail.log_words import pairs
from pbmserv.mail.reading.headers import MOST_HOPS, count_hops

ROUNDS: Final = 20
"""Rounds of the event loop in which mails are gathered. A client needs about ten from a reply to its next mail."""


@dataclass(frozen=True, slots=True)
class IncomingEnvelope:
    """A mail as a client sent it, byte for byte, with the recipients as written. The null sender is "<>"."""

    raw: bytes = field(repr=False)
    sender: str
    recipients: tuple[str, ...]
    host: str = "?"
    is_handed_on: bool = False
    """Delivered by a mail server over LMTP, whatever its host."""


class NotNow(Exception):
    """The store is away for all mails. This was logged already."""


StoreMails = Callable[[Sequence[IncomingEnvelope]], Sequence[int | Exception]]
"""Stores mails durably and gives for each, in their order, its id or why it was not stored.

If it raises, none counts as stored.
"""


class GroupCommit:
    """Mails on their way into the store. All methods are for one event loop.

    `commit` blocks, so it runs in `pool`. It gets a mail at once if nothing is being stored, else together with
    all that arrived meanwhile. It gives the reply to each mail. If it raises, all its mails raise the same.
    """

    def __init__(self, commit: Callable[[Sequence[IncomingEnvelope]], Sequence[str]], pool: Executor) -> None:
        self._commit, self._pool = commit, pool
        self._waiting: list[tuple[IncomingEnvelope, asyncio.Future[str]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def store(self, mail: IncomingEnvelope) -> str:
        """Stores a mail and gives the reply. If cancelled before the commit begins, the mail is not stored."""
        reply: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((mail, reply))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store())
        return await reply

    async def _store(self) -> None:
        while mails := [each for each in self._waiting if not each[1].done()]:
            self._waiting = []
            await self._store_all(mails)
            await self._gather(len(mails))
        self._waiting, self._storing = [], None

    async def _gather(self, stored: int) -> None:
        # On a busy server clients soon send their next mail after a reply, and one commit for all costs little
        # more than one for the first. An idle server and a single client never wait.
        rounds = ROUNDS if stored > 1 else 0
        while rounds and len(self._waiting) < stored:
            rounds -= 1
            await asyncio.sleep(0)

    async def _store_all(self, mails: Sequence[tuple[IncomingEnvelope, asyncio.Future[str]]]) -> None:
        envelopes = [mail for mail, _ in mails]
        try:
            replies = await asyncio.get_running_loop().run_in_executor(self._pool, self._commit, envelopes)
            for (_, reply), text in zip(mails, replies, strict=True):
                if not reply.done():
                    reply.set_result(text)
        except Exception as error:  # mostly: no thread could be started
            for _, reply in mails:
                if not reply.done():
                    reply.set_exception(error)


log = logging.getLogger(__name__)

MOST_RECIPIENTS = 100  # RFC 5321 4.5.3.1.8: the least a server must take

STORED = "250 2.0.0 stored"
TAKEN = "250 2.1.5 OK"
NOT_NOW = "451 4.3.0 not now, please try again later"
TOO_LARGE = "552 5.3.4 mail is larger than this server takes"
LOOPS = "554 5.4.6 too many Received lines, this mail goes round in circles"
UNKNOWN = "550 5.1.1 no such address here"


def address_refusal(address: str, smtputf8: bool) -> str | None:
    """The reply that refuses a malformed address; None for a good one (RFC 6531 3.5)."""
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
class ReceiveTimeouts:
    """How long a client may keep us waiting, in seconds, and how long the store may keep the client waiting."""

    idle: float = 120.0
    without_mail: float = 300.0
    """From one mail of a session to the next."""
    commands: int = 50
    """Replies within that time, not counting accepted recipients."""
    data: float = 60.0
    """A mail has to arrive within this time, and one more second for each `octets`."""
    octets: int = 4096
    store: float = 10.0


# No slots: aiosmtpd reads all members of its handler, and with slots that raises on early releases of Python 3.11
# (https://github.com/python/cpython/issues/102069).
@dataclass(frozen=True)
class SmtpHandler:
    """aiosmtpd's handler: which mail is accepted, how large, where it is stored, and how long it may take.

    aiosmtpd calls the methods by name.
    """

    server: Server
    group_commit: GroupCommit
    max_size: int
    patience: ReceiveTimeouts

    async def handle_MAIL(  # noqa: N802
        self, smtp: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """The reply to MAIL."""
        if refusal := address_refusal(address, envelope.smtp_utf8):
            return refusal
        envelope.mail_from = address
        return "250 2.1.0 OK"

    async def handle_RCPT(  # noqa: N802
        self, smtp: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        """The reply to RCPT."""
        if refusal := address_refusal(address, envelope.smtp_utf8):
            return refusal
        if not self.server.takes(address):
            return UNKNOWN
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return TAKEN

    async def handle_exception(self, error: Exception) -> str:
        """The reply to a command that raised an error; aiosmtpd's own reply is a 500 that shows the error."""
        log.error("a command of SMTP has failed %s", pairs(part="listener", error=describe_error(error)))
        return NOT_NOW


def describe_error(error: BaseException) -> str:
    """An error's type and place. Its text may quote the mail, and with it secrets."""
    place = traceback.extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + "".join(f" at {frame.filename}:{frame.lineno}" for frame in place)


def store_and_reply(store: StoreMails, mails: Sequence[IncomingEnvelope]) -> list[str]:
    """Stores mails together and gives the reply to each, in their order. It blocks, and never raises."""
    good = [count_hops(mail.raw) <= MOST_HOPS for mail in mails]
    outcomes = iter(_outcomes(store, [*compress(mails, good)]))
    return [
        _reply(mail, next(outcomes)) if is_good else _refuse_loop(mail)
        for mail, is_good in zip(mails, good, strict=True)
    ]


def _outcomes(store: StoreMails, mails: Sequence[IncomingEnvelope]) -> Sequence[int | BaseException]:
    try:
        return store(mails) if mails else ()
    except BaseException as error:  # even SystemExit, which would end the listener's event loop
        return [error] * len(mails)


def _reply(mail: IncomingEnvelope, outcome: int | BaseException) -> str:
    size, host = len(mail.raw), mail.host
    if isinstance(outcome, int):
        log.info("stored %s", pairs(mail=outcome, host=host, size=size))
        return f"{STORED} mail={outcome}"  # so the log of the MTA before us names it, too
    digest = short_digest(mail.raw)
    if isinstance(outcome, NotNow):
        log.info("a mail was put off %s", pairs(digest=digest, host=host, size=size))
    else:
        error = describe_error(outcome)
        log.error("a mail was not stored %s", pairs(digest=digest, host=host, size=size, error=error))
    return NOT_NOW


def _refuse_loop(mail: IncomingEnvelope) -> str:
    told = pairs(digest=short_digest(mail.raw), host=mail.host, size=len(mail.raw), most=MOST_HOPS)
    log.info("a mail that goes round in circles was refused %s", told)
    return LOOPS


def short_digest(raw: bytes) -> str:
    """What the log calls a mail that has no number: the beginning of its digest, never its text."""
    return hashlib.sha256(raw).hexdigest()[:12]
