"""Connections of clients that bring mail by LMTP or SMTP: one mail becomes one thing to store, its end the reply.

The protocol machine is aiosmtpd's. DATA is ours, because aiosmtpd's reads an oversized mail for as long as it is
sent, keeps the whole of an endless line in memory, refuses for good every mail with a line above 998 octets, and
gives LMTP one reply however many recipients there are.
"""

import asyncio
import logging
from collections import defaultdict
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, syntax

from pbmserv.mail.reception import KEPT, NOT_NOW, TAKEN, TOO_LARGE, Reception, told
from pbmserv.mail.together import Arrival

log = logging.getLogger(__name__)

COMMAND_OCTETS = 1024  # RFC 5321 4.5.3.1.4 asks for 512, RFC 1870 for 26 and RFC 6531 for 10 more
TOO_MANY = "421 4.3.2 too many connections, please try again later"
ENDLESS = 8  # that many times max_size are read for the sake of a polite reply, then the connection is closed


class SmtpConnection(SMTP):
    """One client's connection speaking SMTP; `ended` is set when it is over."""

    line_length_limit = 2**16  # no limit on lines: how much is buffered before a long one is taken in pieces
    command_size_limit = COMMAND_OCTETS
    is_handed_on = False

    def __init__(self, reception: Reception, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            reception,
            data_size_limit=reception.max_size,
            enable_SMTPUTF8=True,
            hostname=reception.server.domain,  # else aiosmtpd asks the DNS, on the event loop, each time
            ident="pbmserv",
            timeout=reception.patience.idle,
            loop=loop,
        )
        # aiosmtpd has one for all connections: an EHLO raises it, a new connection lowers it under the others.
        self.command_size_limits = defaultdict(lambda: COMMAND_OCTETS)
        self._reception, self._patience = reception, reception.patience
        self._since = loop.time()  # of the last mail, or the beginning
        self._replies_since = 0
        self._reading_since: float | None = None
        self._read = 0
        self._keeping = False
        self._leaving = False
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has come (asyncio)."""
        super().connection_made(transport)
        assert self._handler_coroutine is not None
        self._handler_coroutine.add_done_callback(self._end)
        if self._leaving:
            self.leave()

    def connection_lost(self, error: Exception | None) -> None:
        """The connection is gone (asyncio)."""
        super().connection_lost(error)
        self.ended.set()

    @property
    def waiting_since(self) -> float | None:
        """Since when we wait for the client's next mail, by the loop's clock; None while a mail is being kept."""
        return None if self._keeping or self.transport is None else self._since

    def make_room(self) -> None:
        """Send the client away, since others want its place."""
        self._send_away(TOO_MANY)

    def leave(self) -> None:
        """Send the client away; where a mail of it is being kept, once that has its reply."""
        self._leaving = True
        if not self._keeping:
            self._send_away("421 4.3.2 this server is going down, please come again")

    async def push(self, status: AnyStr) -> None:
        """Reply; a client that has had too many replies and brought no mail is sent away."""
        said = status if isinstance(status, str) else status.decode()
        if said != TAKEN:
            self._replies_since += 1
        if self._replies_since > self._patience.commands:
            self._send_away("421 4.7.0 too many commands without a mail")
            await asyncio.sleep(0)  # which ends this task
        await super().push(status)

    @syntax("DATA")
    async def smtp_DATA(self, arg: str | None) -> None:  # noqa: N802
        """Read a mail, have it kept, reply."""
        if await self.check_helo_needed():
            return
        envelope = self.envelope
        assert envelope is not None
        if not envelope.rcpt_tos:
            await self.push("503 5.5.1 need RCPT command")
            return
        if arg:
            await self.push("501 5.5.4 Syntax: DATA")
            return
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        self._reading_since, self._read = self.loop.time(), 0
        super()._reset_timeout(self._patience.data)
        raw, ended = await self._read_mail()
        self._reading_since = None
        self.envelope = self._create_envelope()
        status = await self._keep(raw, envelope)
        await self.push("\r\n".join(self._replies(status, envelope)))
        if not ended:
            self._send_away("421 4.7.0 closing")
        elif self._leaving:
            self.leave()

    def _replies(self, status: str, envelope: Envelope) -> list[str]:
        return [status]

    async def _read_mail(self) -> tuple[bytes | None, bool]:
        """The mail without its transparency dots, or None where it is too large; and whether its end was read.

        Only CR LF ends a line, so only CR LF . CR LF ends a mail: what takes a bare CR or LF for a line end can be
        made to see two mails where the server before it saw one (RFC 5321 2.3.8, "SMTP smuggling").
        """
        most = self._reception.max_size
        raw, size, at_line_start = bytearray(), 0, True
        while size <= most * ENDLESS:
            try:
                piece = await self._reader.readuntil(b"\r\n")
            except asyncio.LimitOverrunError as overrun:
                piece = await self._reader.read(overrun.consumed)
            if at_line_start and piece == b".\r\n":
                return (bytes(raw) if size <= most else None), True
            if at_line_start and piece.startswith(b"."):
                piece = piece[1:]
            at_line_start = piece.endswith(b"\r\n")
            size += len(piece)
            self._read = min(size, most)
            if size <= most:
                raw += piece
            else:
                raw.clear()
        return None, False

    async def _keep(self, raw: bytes | None, envelope: Envelope) -> str:
        assert self.session is not None
        host = (self.session.peer or ("?",))[0]
        if raw is None:
            log.info("a mail from %s: larger than %d bytes, refused", host, self._reception.max_size)
            return TOO_LARGE
        assert self._timeout_handle is not None
        self._timeout_handle.cancel()  # from here on the client waits for us
        self._keeping = True
        mail = Arrival(raw, envelope.mail_from or "<>", tuple(envelope.rcpt_tos), host, self.is_handed_on)
        try:
            async with asyncio.timeout(self._patience.store):
                status = await self._reception.store.keep(mail)
        except Exception as error:  # no end in time (it may be kept yet, and come twice), or no thread to be had
            log.error("a mail from %s: no answer from the store, %s", host, told(error))
            status = NOT_NOW
        finally:
            self._keeping = False
        if status == KEPT:
            self._since, self._replies_since = self.loop.time(), 0
        self._reset_timeout()
        return status

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        # The standard library's parser below raises IndexError and AttributeError on some malformed addresses.
        try:
            address, parameters = super()._getaddr(arg)
        except Exception:
            return None, None
        return address, parameters

    def _reset_timeout(self, duration: float | None = None) -> None:
        left = self._since + self._patience.without_mail - self.loop.time()
        super()._reset_timeout(max(min(duration or self._patience.idle, left), 0.001))

    def _timeout_cb(self) -> None:
        if self._reading_since is not None:
            allowed = self._patience.data + self._read / self._patience.octets
            left = self._reading_since + allowed - self.loop.time()
            if left > 0:
                super()._reset_timeout(left)
                return
        self._send_away("421 4.4.2 nothing heard for too long")

    def _send_away(self, farewell: str) -> None:
        transport = self.transport
        if not isinstance(transport, asyncio.WriteTransport):
            return
        transport.write(farewell.encode() + b"\r\n")
        if transport.get_write_buffer_size():
            transport.abort()  # the client does not read, and a mere close would wait for it
        else:
            transport.close()
        assert self._handler_coroutine is not None
        self._handler_coroutine.cancel()

    def _end(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not report a client that went away as an error
        if self.transport is not None:
            self.transport.close()


class LmtpConnection(SmtpConnection, LMTP):
    """One client's connection speaking LMTP (RFC 2033): LHLO, and after DATA one reply for each recipient."""

    is_handed_on = True

    async def check_helo_needed(self, helo: str = "LHLO") -> bool:
        """Whether the client has not greeted yet, which it is told."""
        return await super().check_helo_needed("LHLO")

    def _replies(self, status: str, envelope: Envelope) -> list[str]:
        return [status] * len(envelope.rcpt_tos)
