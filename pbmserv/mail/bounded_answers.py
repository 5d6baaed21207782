"""Answers of other servers, bounded in time and size.

A server that sends an octet now and then never hits a socket's timeout, and an endless answer fills the memory.
"""

import io
import socket
from http.client import HTTPResponse
from time import monotonic
from typing import Any


class BoundedReader(io.RawIOBase):
    """Reads from a socket. Raises TimeoutError if an answer takes too long, OSError if it is too large."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        # Holds the connection open as long as it is read from, as all files of sockets do.
        self._file = connection.makefile("rb", buffering=0)
        self._until, self._octets = 0.0, 0

    def begin(self, seconds: float, octets: int) -> None:
        """Begin to wait for an answer, which must be complete in `seconds` and at most `octets` long."""
        self._until, self._octets = monotonic() + seconds, octets

    def readable(self) -> bool:
        """Yes (io.RawIOBase)."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Reads available bytes, waiting at most for the remaining time (io.RawIOBase)."""
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        if self._octets <= 0:
            raise OSError("the answer does not end")
        timeout = self._connection.gettimeout()
        self._connection.settimeout(left if timeout is None else min(left, timeout))
        try:
            count = self._file.readinto(buffer)
        finally:
            self._connection.settimeout(timeout)
        self._octets -= count or 0
        return count

    def close(self) -> None:
        """Lets go of the connection."""
        self._file.close()
        super().close()


def bounded_response(seconds: float, octets: int) -> type[HTTPResponse]:
    """A response class for http.client: its answer must be complete in `seconds` and at most `octets` long."""

    class Bounded(HTTPResponse):
        def __init__(self, sock: socket.socket, *rest: Any, **named: Any) -> None:
            super().__init__(sock, *rest, **named)
            self.fp.close()
            reader = BoundedReader(sock)
            reader.begin(seconds, octets)
            self.fp = io.BufferedReader(reader)

    return Bounded
