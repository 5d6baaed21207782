"""The listener: mail that comes in over a socket, on a thread of its own."""

import asyncio
import contextlib
import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import MappingProxyType
from typing import Final, Literal, cast
from urllib.parse import urlsplit

from pbmserv.commands.server import Server
from pbmserv.entrypoints.descriptors import places_for_clients
from pbmserv.entrypoints.door import BACKLOG, Door, Room
from pbmserv.mail.lmtp import TOO_MANY, LmtpConnection, SmtpConnection
from pbmserv.mail.reception import Patience, Reception, attempt
from pbmserv.mail.together import Keep, Together

PORTS = MappingProxyType({"smtp": 25, "lmtp": 24})
MOST_OF_A_HOST: Final = 20
"""So many connections an MTA opens to one destination (Postfix's default)."""


class CannotListen(Exception):
    """The address is in use, not ours, or not permitted; the text is one sentence that says so."""


class Listener:
    """Takes mail at one URL, `smtp://HOST[:PORT]` or `lmtp://HOST[:PORT]`; each is given to `keep` before its 250.

    What waits at the same time is given to it together, from one thread of the listener's.

    ValueError for any other URL. Port 0 lets the system choose; `url` and `port` tell which, once started.
    """

    def __init__(
        self,
        url: str,
        server: Server,
        keep: Keep,
        *,
        max_size: int = 2**20,
        patience: Patience = Patience(),  # noqa: B008 - it is frozen
    ) -> None:
        self._kind, self._host, self.port = split(url)
        self._server, self._keep, self._max_size, self._patience = server, keep, max_size, patience
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told_to_stop = asyncio.Event()

    @property
    def url(self) -> str:
        """Where to send mail to."""
        return f"{self._kind}://{f'[{self._host}]' if ':' in self._host else self._host}:{self.port}"

    @property
    def alive(self) -> bool:
        """Whether mail is being taken; False before `start`, after `stop`, and should the thread have died."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Take mail from now on. Raises CannotListen."""
        # aiosmtpd logs each command, and so the tokens in addresses.
        logging.getLogger("mail.log").setLevel(logging.CRITICAL)
        listening = self._bind()
        self.port = listening.getsockname()[1]
        self._told_to_stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, args=(listening,), name=self.url, daemon=True)
        self._loop = asyncio.new_event_loop()
        self._thread.start()

    def stop(self) -> None:
        """Take no more mail, send idle clients away, and come back when each mail being kept has its reply."""
        if self._thread is None or self._loop is None:
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended by itself
            self._loop.call_soon_threadsafe(self._told_to_stop.set)
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
        with ThreadPoolExecutor(1, thread_name_prefix="keep") as pool:
            store = Together(partial(attempt, self._keep), pool)
            reception = Reception(self._server, store, self._max_size, self._patience)
            speak = LmtpConnection if self._kind == "lmtp" else SmtpConnection
            refusal = f"{TOO_MANY}\r\n".encode()
            room = Room(places_for_clients(), MOST_OF_A_HOST)
            door = Door(listening, room, lambda: speak(reception, loop), refusal, f"clients at {self.url}")
            door.open()
            await self._told_to_stop.wait()
            door.close()
            leaving = door.guests
            for each in leaving:
                each.leave()
            for each in leaving:
                await each.ended.wait()


def split(url: str) -> tuple[Literal["smtp", "lmtp"], str, int]:
    """Kind, host and port of a listener's URL. Raises ValueError with one sentence.

    >>> split("lmtp://127.0.0.1:8024")
    ('lmtp', '127.0.0.1', 8024)
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in PORTS or not parts.hostname or parts.username or parts.path.strip("/") or parts.query:
        raise ValueError(f"a listener is smtp://HOST:PORT or lmtp://HOST:PORT, not {url!r}")
    kind = cast(Literal["smtp", "lmtp"], parts.scheme)
    return kind, parts.hostname, PORTS[kind] if port is None else port
