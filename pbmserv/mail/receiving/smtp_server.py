"""Connections of clients that send mail by SMTP or LMTP.

The protocol is aiosmtpd's, except DATA: aiosmtpd reads an oversized mail to its end, holds an endless line in
memory, permanently refuses mails with lines above 998 octets, and gives LMTP only one reply for all recipients.
"""

import asyncio
import logging
from collections import defaultdict
from typing import AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, syntax

from pbmserv.mail.log_words import pairs
from pbmserv.mail.receiving.smtp_handler import (
    NOT_NOW,
    STORED,
    TAKEN,
    TOO_LARGE,
    IncomingEnvelope,
    SmtpHandler,
    describe_error,
)

log = logging.getLogger(__name__)

COMMAND_OCTETS = 1024  # RFC 5321 4.5.3.1.4 asks for 512, RFC 1870 for 26 and RFC 6531 for 10 more
TOO_MANY = "421 4.3.2 too many connections, please try again later"
ENDLESS = 8  # this many times max_size is read to give a polite reply, then the connection is closed


class SmtpConnection(SMTP):
    """One client's SMTP connection; `ended` is set when it is over."""

    line_length_limit = 2**16  # no limit on lines: how much is buffered before a long one is taken in pieces
    command_size_limit = COMMAND_OCTETS
    is_handed_on = False

    def __init__(self, handler: SmtpHandler, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            handler,
            data_size_limit=handler.max_size,
            enable_SMTPUTF8=True,
            hostname=handler.server.domain,  # else aiosmtpd asks the DNS, on the event loop, each time
            ident="pbmserv",
            timeout=handler.patience.idle,
            loop=loop,
        )
        # aiosmtpd shares one among all connections: an EHLO raises it, and a new connection lowers it for all.
        self.command_size_limits = defaultdict(lambda: COMMAND_OCTETS)
        self._mail_handler, self._patience = handler, handler.patience
        self._since = loop.time()  # of the last mail, or the beginning
        self._replies_since = 0
        self._reading_since: float | None = None
        self._read = 0
        self._storing = False
        self._leaving = False
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio when a client has connected."""
        super().connection_made(transport)
        assert self._handler_coroutine is not None
        self._handler_coroutine.add_done_callback(self._end)
        if self._leaving:
            self.leave()

    def connection_lost(self, error: Exception | None) -> None:
        """Called by asyncio when the connection is gone."""
        super().connection_lost(error)
        self.ended.set()

    @property
    def waiting_since(self) -> float | None:
        """Since when (event loop time) we wait for the client's next mail; None while a mail is being stored."""
        return None if self._storing or self.transport is None else self._since

    def make_room(self) -> None:
        """Disconnect the client to make room for others."""
        self._disconnect(TOO_MANY)

    def leave(self) -> None:
        """Disconnect the client; if its mail is being stored, after the reply."""
        self._leaving = True
        if not self._storing:
            self._disconnect("421 4.3.2 this server is going down, please come again")

    async def push(self, status: AnyStr) -> None:
        """Reply. A client that has had too many replies without sending a mail is disconnected."""
        text = status if isinstance(status, str) else status.decode()
        if text != TAKEN:
            self._replies_since += 1
        if self._replies_since > self._patience.commands:
            self._disconnect("421 4.7.0 too many commands without a mail")
            await asyncio.sleep(0)  # which ends this task
        await super().push(status)

    @syntax("DATA")
    async def smtp_DATA(self, arg: str | None) -> None:  # noqa: N802
        """Read a mail, store it, reply."""
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
        status = await self._store(raw, envelope)
        await self.push("\r\n".join(self._replies(status, envelope)))
        if not ended:
            self._disconnect("421 4.7.0 closing")
        elif self._leaving:
            self.leave()

    def _replies(self, status: str, envelope: Envelope) -> list[str]:
        return [status]

    async def _read_mail(self) -> tuple[bytes | None, bool]:
        """The mail without transparency dots, or None if it is too large; and whether its end was read.

        Only CR LF ends a line, so only CR LF . CR LF ends a mail. A server that accepts a bare CR or LF can be
        made to see two mails where the server before it saw one (RFC 5321 2.3.8, "SMTP smuggling").
        """
        most = self._mail_handler.max_size
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

    async def _store(self, raw: bytes | None, envelope: Envelope) -> str:
        assert self.session is not None
        host = (self.session.peer or ("?",))[0]
        if raw is None:
            log.info("a mail that is too large was refused %s", pairs(host=host, most=self._mail_handler.max_size))
            return TOO_LARGE
        assert self._timeout_handle is not None
        self._timeout_handle.cancel()  # from here on the client waits for us
        self._storing = True
        mail = IncomingEnvelope(raw, envelope.mail_from or "<>", tuple(envelope.rcpt_tos), host, self.is_handed_on)
        try:
            async with asyncio.timeout(self._patience.store):
                status = await self._mail_handler.group_commit.store(mail)
        except Exception as error:  # a timeout (it may still be stored, and arrive twice), or no thread
            log.error("a mail got no answer from the store %s", pairs(host=host, error=describe_error(error)))
            status = NOT_NOW
        finally:
            self._storing = False
        if status.startswith(STORED):
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
        self._disconnect("421 4.4.2 nothing heard for too long")

    def _disconnect(self, reply: str) -> None:
        transport = self.transport
        if not isinstance(transport, asyncio.WriteTransport):
            return
        transport.write(reply.encode() + b"\r\n")
        if transport.get_write_buffer_size():
            transport.abort()  # the client does not read, and close() would wait for it
        else:
            transport.close()
        assert self._handler_coroutine is not None
        self._handler_coroutine.cancel()

    def _end(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log a disconnected client as an error
        if self.transport is not None:
            self.transport.close()


class LmtpConnection(SmtpConnection, LMTP):
    """One client's LMTP connection (RFC 2033): LHLO, and after DATA one reply for each recipient."""

    is_handed_on = True

    async def check_helo_needed(self, helo: str = "LHLO") -> bool:
        """Whether the client has yet to greet; if so, tells it."""
        return await super().check_helo_needed("LHLO")

    def _replies(self, status: str, envelope: Envelope) -> list[str]:
        return [status] * len(envelope.rcpt_tos)
