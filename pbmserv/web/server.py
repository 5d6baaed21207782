"""One visitor's connection: uvicorn's, with an end to its patience.

uvicorn itself waits for ever for a request that never becomes whole, and for a reader who does not read.
"""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pbmserv.server.connections import BACKLOG, Capacity, ConnectionGate, places_for_visitors
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from pbmserv.web.streams import LONGEST as LONGEST_STREAM
from pbmserv.web.streams import PATH as STREAM_PATH

REQUEST_WITHIN: Final = 15.0
"""Seconds in which a whole request has to come, head and body, from the connection or its first octet."""

IDLE: Final = 5
"""Seconds between two requests of one connection."""

ANSWER_WITHIN: Final = 120.0
"""Seconds in which a page has to be made and read."""

STREAM_WITHIN: Final = LONGEST_STREAM + 30.0
"""Seconds in which a stream has to be over."""

WRITTEN_AHEAD: Final = 2**17
"""Octets that the system may hold for a visitor who has not read them yet; Linux takes this twice.

Left to itself it holds megabytes: hundreds of pages that are made one after the other for somebody who reads none,
each with `ANSWER_WITHIN` of its own, and the memory of them times all visitors.
"""


class _Stage(Enum):
    NOTHING = auto()
    REQUEST = auto()
    ANSWER = auto()


class Visitor(H11Protocol):
    """Serves requests, one after the other; `ended` is set when the connection is gone."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.ended = asyncio.Event()
        self._stage = _Stage.REQUEST
        self._since = self.loop.time()
        self._answered: object = None
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A visitor has come (asyncio)."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._enter(_Stage.REQUEST)

    def data_received(self, data: bytes) -> None:
        """Something has come (asyncio)."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """An answer was written (uvicorn)."""
        super().on_response_complete()
        self._look()

    def resume_writing(self) -> None:
        """Most of what was written has been read (asyncio)."""
        super().resume_writing()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone (asyncio)."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        if self._end is not None:
            self._end.cancel()
        self.ended.set()

    @property
    def waiting_since(self) -> float | None:
        """Since when it is up to the visitor to ask or to read, by the loop's clock; None while we are at work."""
        if self.transport is None:
            return None
        # A stream waits for news, and its page can do without: it makes room for a visitor who asks for a page.
        if self._stage is _Stage.ANSWER and not self.flow.write_paused and not self._is_stream:
            return None
        return self._since

    def make_room(self) -> None:
        """Cut the visitor off, since others want the place."""
        self.transport.abort()

    @property
    def _is_stream(self) -> bool:
        return self.cycle is not None and self.cycle.scope["path"] == STREAM_PATH

    def _look(self) -> None:
        stage = self._stage_now()
        if stage is not self._stage or (stage is _Stage.ANSWER and self.cycle is not self._answered):
            self._enter(stage)

    def _stage_now(self) -> _Stage:
        if self.cycle is None or self.conn.their_state is h11.SEND_BODY:
            return _Stage.REQUEST
        if self.flow.write_paused or not self.cycle.response_complete:
            return _Stage.ANSWER
        has_begun = self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]
        return _Stage.REQUEST if has_begun else _Stage.NOTHING

    def _enter(self, stage: _Stage) -> None:
        self._stage, self._answered, self._since = stage, self.cycle, self.loop.time()
        if self._end is not None:
            self._end.cancel()
        # Not a mere close, which would wait for what the visitor does not read.
        answer_within = STREAM_WITHIN if self._is_stream else ANSWER_WITHIN
        within = answer_within if stage is _Stage.ANSWER else REQUEST_WITHIN
        self._end = self.loop.call_later(within, self.transport.abort)


DATE_EVERY: Final = 1.0
"""Seconds between two times that the date is renewed which answers bear."""

LONGEST_GOODBYE: Final = 3

MOST_OF_A_HOST: Final = 40
"""A browser opens six connections, and a school may be one host."""

_COME_AGAIN: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


class WebPart:
    """Shows the pages at a host and port; port 0 lets the system choose, and `url` tells which.

    From the start it holds the port: visitors who come before `run` wait. Raises OSError when it cannot be had.
    """

    def __init__(self, site: Site, host: str, port: int) -> None:
        self._app = make_app(site)
        self._socket = _listening(host, port)
        self.url = _url(host, self._socket.getsockname()[1])

    def run(self, stop: threading.Event) -> None:
        """Shows the pages until `stop` is set, then lets go of the port."""
        config = uvicorn.Config(
            self._app,
            lifespan="off",
            ws="none",
            http=Visitor,
            timeout_keep_alive=IDLE,
            log_config=None,
            # A client that sends something else than HTTP must not write our log.
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=LONGEST_GOODBYE,
        )
        with self._socket:
            asyncio.run(self._serve(config, stop))

    async def _serve(self, config: uvicorn.Config, stop: threading.Event) -> None:
        leaving, loop = asyncio.Event(), asyncio.get_running_loop()

        def wait() -> None:
            stop.wait()
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                loop.call_soon_threadsafe(leave)

        def leave() -> None:
            self._app.state.streams.close()
            leaving.set()

        threading.Thread(target=wait, daemon=True).start()
        await _Server(config, self._socket, f"visitors of {self.url}", leaving).serve()


class _Server(uvicorn.Server):
    """Serves those that come in by a door of ours, which uvicorn knows nothing of."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket, who: str, leaving: asyncio.Event) -> None:
        super().__init__(config)
        self._listening, self._who, self._leaving = listening, who, leaving

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets visitors in from now on."""
        await super().startup(sockets=[])
        room = Capacity(places_for_visitors(), MOST_OF_A_HOST)
        self._door = ConnectionGate(self._listening, room, self._visitor, _COME_AGAIN, self._who)
        self._door.open()

    async def main_loop(self) -> None:
        """Waits for the end. uvicorn's own looks ten times a second whether it has come."""
        while not (self._leaving.is_set() or await self.on_tick(0)):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leaving.wait(), DATE_EVERY)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close to new visitors, and let those finish who are there."""
        self._door.close()
        self._listening.close()
        await super().shutdown(sockets=[])

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals to those who run the parts."""
        yield

    def _visitor(self) -> Visitor:
        return Visitor(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, WRITTEN_AHEAD)  # also of who is accepted
            listening.bind(place)
            listening.listen(BACKLOG)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise OSError(f"cannot show the pages at {_url(host, port)}: {error.strerror or error}") from error
    return listening


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
