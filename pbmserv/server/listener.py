"""The listener: receives mail over a socket, on a thread of its own."""

import asyncio
import contextlib
import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.mail.mail_urls import split
from pbmserv.mail.receiving import smtp_handler
from pbmserv.mail.receiving.smtp_handler import ReceiveTimeouts, StoreMails
from pbmserv.mail.receiving.smtp_server import TOO_MANY, LmtpConnection, SmtpConnection
from pbmserv.server.connections import BACKLOG, Capacity, ConnectionGate, places_for_clients

MOST_OF_A_HOST: Final = 20
"""As many as an MTA opens to one destination (Postfix's default)."""


class CannotListen(Exception):
    """The address is in use, not ours, or not permitted. The text is one sentence."""


class Listener:
    """Receives mail at one URL, `smtp://HOST[:PORT]` or `lmtp://HOST[:PORT]`. `store` stores it before its 250.

    Mails that arrive together are stored together, from a thread of the listener's.

    Raises ValueError for any other URL. Port 0 lets the system choose; once bound, `url` and `port` have it.
    """

    def __init__(
        self,
        url: str,
        server: Server,
        store: StoreMails,
        *,
        max_size: int = 2**20,
        patience: ReceiveTimeouts = ReceiveTimeouts(),  # noqa: B008 - it is frozen
    ) -> None:
        self._kind, self._host, self.port = split(url)
        self._server, self._store, self._max_size, self._patience = server, store, max_size, patience
        self._bound: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()

    @property
    def url(self) -> str:
        """Where to send mail to."""
        return f"{self._kind}://{f'[{self._host}]' if ':' in self._host else self._host}:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether mail is being received: False before `start`, after `stop`, and if the thread has died."""
        return self._thread is not None and self._thread.is_alive()

    def bind(self) -> None:
        """Takes the address; clients wait until `start`, here or in a forked process. Raises CannotListen."""
        self._bound = self._bind()
        self.port = self._bound.getsockname()[1]

    def start(self) -> None:
        """Receive mail from now on. Raises CannotListen."""
        # aiosmtpd logs each command, and so the tokens in addresses.
        logging.getLogger("mail.log").setLevel(logging.CRITICAL)
        if self._bound is None:
            self.bind()
        listening, self._bound = self._bound, None
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(listening,), name=self.url, daemon=True)
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def stop(self) -> None:
        """Stop receiving mail and disconnect idle clients. Returns when each mail being stored has its reply."""
        if self._thread is None or self._loop is None:
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        self._thread = None

    def _bind(self) -> socket.socket:
        try:
            found = socket.getaddrinfo(self._host, self.port, type=socket.SOCK_STREAM)[0]
            # Not create_server: asyncio turns Nagle's delay off only for a socket that names its protocol.
            listening = socket.socket(*found[:3])
            try:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listening.bind(found[4])
                listening.listen(BACKLOG)
            except OSError:
                listening.close()
                raise
        except OSError as error:
            raise CannotListen(f"cannot take mail at {self.url}: {error.strerror or error}") from error
        return listening

    def _run(self, listening: socket.socket) -> None:
        loop = self._loop
        assert loop is not None
        with listening, asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._serve(listening))

    async def _serve(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, thread_name_prefix="store") as pool:
            group_commit = smtp_handler.GroupCommit(partial(smtp_handler.store_and_reply, self._store), pool)
            handler = smtp_handler.SmtpHandler(self._server, group_commit, self._max_size, self._patience)
            connection_class = LmtpConnection if self._kind == "lmtp" else SmtpConnection
            refusal = f"{TOO_MANY}\r\n".encode()
            capacity = Capacity(places_for_clients(), MOST_OF_A_HOST)
            gate = ConnectionGate(
                listening, capacity, lambda: connection_class(handler, loop), refusal, f"clients at {self.url}"
            )
            gate.open()
            await self._stop.wait()
            gate.close()
            leaving = gate.clients
            for each in leaving:
                each.leave()
            for each in leaving:
                await each.ended.wait()
