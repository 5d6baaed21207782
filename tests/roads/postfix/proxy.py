"""A wire between Postfix and the listener that breaks where a test wants it to."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

Place = Literal["in the text", "before the reply", "between the replies"]

KEPT = b"250 2.0.0 stored"


class Wire:
    """Hands on what comes, until it breaks, which happens once; then all is well."""

    def __init__(self, target: int, breaks: Place) -> None:
        self.broken = threading.Event()
        self._target, self._breaks = target, breaks

    def carry(self, listening: socket.socket) -> None:
        """Takes connections for as long as there is a socket to take them from."""
        with suppress(OSError):
            while True:
                near, _ = listening.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                for pump in (self._to_listener, self._to_postfix):
                    threading.Thread(target=pump, args=(near, far), daemon=True).start()

    def _to_listener(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while octets := near.recv(2**16):
                if self._breaks == "in the text" and b"\r\n\r\n" in octets and not self.broken.is_set():
                    far.sendall(octets[: octets.index(b"\r\n\r\n") + 6])
                    self.broken.set()
                    break
                far.sendall(octets)
        _cut(near, far)

    def _to_postfix(self, near: socket.socket, far: socket.socket) -> None:
        with suppress(OSError):
            while octets := far.recv(2**16):
                if self._breaks != "in the text" and KEPT in octets and not self.broken.is_set():
                    first = octets[octets.index(KEPT) :].partition(b"\r\n")[0] + b"\r\n"
                    near.sendall(first if self._breaks == "between the replies" else b"")
                    self.broken.set()
                    break
                near.sendall(octets)
        _cut(near, far)


def _cut(*links: socket.socket) -> None:
    for link in links:
        with suppress(OSError):
            link.shutdown(socket.SHUT_RDWR)
        link.close()


@contextmanager
def wire(port: int, target: int, breaks: Place) -> Iterator[Wire]:
    """A wire from a port of this machine to another."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        built = Wire(target, breaks)
        thread = threading.Thread(target=built.carry, args=(listening,), daemon=True)
        thread.start()
        try:
            yield built
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()
