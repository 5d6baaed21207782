"""What a service manager such as systemd is told: that the server is ready, that it lives, that it stops.

The protocol is that of sd_notify(3): datagrams to the socket that NOTIFY_SOCKET names. Without one nobody is told.
"""

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

_MICRO: Final = 1_000_000


class ServiceManager:
    """Whoever has started this process, if they want to know."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        name = environment.get("NOTIFY_SOCKET", "")
        # Names that begin with @ are not in the file system (abstract sockets, unix(7)).
        self._place = f"\0{name[1:]}" if name.startswith("@") else name
        has_asked = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = environment.get("WATCHDOG_USEC", "") if self._place and has_asked else ""
        self.every: float | None = int(microseconds) / _MICRO / 3 if microseconds.isdigit() else None
        """Seconds between two signs of life; None: none are wanted."""

    def ready(self) -> None:
        """Everything has been started."""
        self._tell("READY=1")

    def alive(self) -> None:
        """All is still at work."""
        self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """The end has begun."""
        self._tell("STOPPING=1")

    def _tell(self, said: str) -> None:
        if not self._place:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as road:
            road.connect(self._place)
            road.send(said.encode())
