"""Wires between the parts and the servers they speak with, on which a kill can wait for what is being said."""

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.free_port import free_port

CHUNK = 65536


@dataclass
class Trap:
    """Springs, once, at the `countdown`-th chunk that comes and matches; once that is handed on, or instead."""

    spring: Callable[[], None]
    pattern: re.Pattern[bytes]
    countdown: int = 1
    is_instead: bool = True


@dataclass
class Wire:
    """Hands on to `target` whatever comes to `port`, both on 127.0.0.1, and back."""

    target: int
    port: int = field(default_factory=free_port)
    _trap: Trap | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def lay(self, trap: Trap) -> None:
        """From now on the trap waits."""
        with self._lock:
            self._trap = trap

    def take_up(self) -> bool:
        """Takes away a trap; False when it has sprung."""
        with self._lock:
            was_there, self._trap = self._trap is not None, None
            return was_there

    def serve(self, listening: socket.socket) -> None:
        """Takes connections until the socket is closed."""
        while True:
            try:
                near, _ = listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                near.close()
                continue
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._hand_on, args=(source, sink), daemon=True).start()

    def _hand_on(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(CHUNK):
                trap = self._sprung_by(chunk)
                if trap is not None and trap.is_instead:
                    trap.spring()
                    break
                sink.sendall(chunk)
                if trap is not None:
                    trap.spring()
        for each in (source, sink):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _sprung_by(self, chunk: bytes) -> Trap | None:
        with self._lock:
            trap = self._trap
            if trap is None or not trap.pattern.search(chunk):
                return None
            trap.countdown -= 1
            if trap.countdown:
                return None
            self._trap = None
            return trap


@contextmanager
def running_wire(target: int) -> Iterator[Wire]:
    """A wire to a port, until the block ends."""
    wire = Wire(target)
    listening = socket.create_server(("127.0.0.1", wire.port), backlog=100)
    accepting = threading.Thread(target=wire.serve, args=(listening,), daemon=True)
    accepting.start()
    try:
        yield wire
    finally:
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join()
