"""The part that serves the pages."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Final

import uvicorn

from pbmserv.entrypoints.web.app import make_app
from pbmserv.entrypoints.web.site import Site

LOOK_EVERY: Final = 0.1
LONGEST_GOODBYE: Final = 3


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
            http="h11",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=LONGEST_GOODBYE,
        )
        with self._socket:
            asyncio.run(self._serve(_Server(config), stop))

    async def _serve(self, server: uvicorn.Server, stop: threading.Event) -> None:
        serving = asyncio.create_task(server.serve(sockets=[self._socket]))
        while not (serving.done() or stop.is_set()):
            await asyncio.sleep(LOOK_EVERY)
        server.should_exit = True
        await serving


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals to those who run the parts."""
        yield


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(place)
            listening.listen(100)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        raise OSError(f"cannot show the pages at {_url(host, port)}: {error.strerror or error}") from error
    return listening


def _url(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
