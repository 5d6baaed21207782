"""The part that serves the pages."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final

import uvicorn

from pbmserv.entrypoints.descriptors import places_for_visitors
from pbmserv.entrypoints.door import BACKLOG, Door, Room
from pbmserv.entrypoints.web.app import make_app
from pbmserv.entrypoints.web.site import Site
from pbmserv.entrypoints.web.visitor import IDLE, Visitor

LOOK_EVERY: Final = 0.1
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
        # Made here and not by `run`: FastAPI cannot make two of them in two threads at once.
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
            # Whoever sends what is no HTTP must not write our log.
            log_level="error",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=LONGEST_GOODBYE,
        )
        with self._socket:
            asyncio.run(self._serve(_Server(config, self._socket, f"visitors of {self.url}"), stop))

    async def _serve(self, server: uvicorn.Server, stop: threading.Event) -> None:
        serving = asyncio.create_task(server.serve())
        while not (serving.done() or stop.is_set()):
            await asyncio.sleep(LOOK_EVERY)
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    """Serves those that come in by a door of ours, which uvicorn knows nothing of."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket, who: str) -> None:
        super().__init__(config)
        self._listening, self._who = listening, who

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets visitors in from now on."""
        await super().startup(sockets=[])
        room = Room(places_for_visitors(), MOST_OF_A_HOST)
        self._door = Door(self._listening, room, self._visitor, _COME_AGAIN, self._who)
        self._door.open()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Lets nobody in any more, and those go who are there."""
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
