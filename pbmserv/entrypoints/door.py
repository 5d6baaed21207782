"""A door: clients are let in from a listening socket, so many in all and so many of one host.

Where there is no place left, whoever has kept us waiting the longest gives up theirs. So a crowd of clients that
say nothing keeps out nobody who has something to say; and where everybody is being served, who comes is told to
come again.
"""

import asyncio
import errno
import logging
import socket
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Final, Generic, NamedTuple, Protocol, TypeVar, cast

BACKLOG: Final = 512
"""Clients that the system lets wait at the door."""

AT_ONCE: Final = 16
"""Clients let in before the others in the event loop have their turn."""

TRY_AGAIN_AFTER: Final = 1.0
SETTLED_AFTER: Final = 10.0
"""Seconds without trouble after which it is over, so that what comes and goes is not told each time."""

_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

log = logging.getLogger(__name__)


class Guest(Protocol):
    """A client's connection, as its door sees it."""

    ended: asyncio.Event
    """Set once the connection is gone."""

    @property
    def waiting_since(self) -> float | None:
        """Since when, by the event loop's clock, it is up to the client to go on; None while it is up to us."""

    def make_room(self) -> None:
        """Send the client away, since others want its place."""


G = TypeVar("G", bound=Guest)


class Host(NamedTuple):
    """Where clients come from. One IPv6 customer has a network of 64 bits, not an address.

    Hosts of one's own (this machine and private networks) are an MTA or a web server that others stand behind.
    """

    name: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class Room:
    """How many clients there is place for: in all, and of one host that is not ours."""

    in_all: int
    of_a_host: int


class Door(Generic[G]):
    """Lets clients in at `listening`, each to a guest of its own that `make` gives; for one event loop.

    `refusal` is said to whom there is no place for; `who` are the clients, as the log calls them. Who closes the
    door sees to the guests.
    """

    def __init__(
        self, listening: socket.socket, room: Room, make: Callable[[], G], refusal: bytes, who: str
    ) -> None:
        self._listening, self._room, self._make, self._refusal, self._who = listening, room, make, refusal, who
        self._guests: dict[G, Host] = {}
        self._crowds: Counter[Host] = Counter()
        self._stays: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._retry: asyncio.TimerHandle | None = None
        self._failed_at: float | None = None

    @property
    def guests(self) -> list[G]:
        """Those that are in, but for those that were sent away already."""
        return list(self._guests)

    def open(self) -> None:
        """Let clients in from now on."""
        self._listening.setblocking(False)
        self._loop.add_reader(self._listening, self._let_in_some)

    def close(self) -> None:
        """Let nobody in any more; the socket stays open."""
        self._loop.remove_reader(self._listening)
        if self._retry is not None:
            self._retry.cancel()

    def _let_in_some(self) -> None:
        for _ in range(AT_ONCE):
            try:
                connection, place = self._listening.accept()
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._shut_for_a_moment(error)
                return  # nobody is there, or somebody has gone again
            if self._failed_at is not None and self._loop.time() > self._failed_at + SETTLED_AFTER:
                self._failed_at = None
                log.info("%s are let in again", self._who)
            is_crowded = len(self._guests) >= self._room.in_all
            self._let_in(connection, host_of(place[0]))
            if is_crowded:
                return  # whoever goes for this one has a descriptor until the event loop's next turn

    def _shut_for_a_moment(self, error: OSError) -> None:
        # Left to itself, asyncio says so a hundred times and more a second, each time with a traceback.
        if self._failed_at is None:
            log.error("%s cannot be let in: %s", self._who, error.strerror)
        self._failed_at = self._loop.time()
        self._loop.remove_reader(self._listening)
        self._retry = self._loop.call_later(TRY_AGAIN_AFTER, self.open)

    def _let_in(self, connection: socket.socket, host: Host) -> None:
        connection.setblocking(False)
        if not self._has_place(host):
            with connection, suppress(OSError):
                connection.send(self._refusal)
            return
        guest = self._make()
        self._guests[guest] = host
        self._crowds[host] += 1
        stay = self._loop.create_task(self._look_after(guest, connection))
        self._stays.add(stay)
        stay.add_done_callback(self._stays.discard)

    async def _look_after(self, guest: G, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: cast(asyncio.BaseProtocol, guest), connection)
            await guest.ended.wait()
        except OSError:
            connection.close()
        finally:
            self._forget(guest)

    def _forget(self, guest: G) -> None:
        host = self._guests.pop(guest, None)
        if host is None:
            return
        self._crowds[host] -= 1
        if not self._crowds[host]:
            del self._crowds[host]

    def _has_place(self, host: Host) -> bool:
        if not host.is_ours and self._crowds[host] >= self._room.of_a_host:
            return self._make_room(guest for guest, other in self._guests.items() if other == host)
        return len(self._guests) < self._room.in_all or self._make_room(self._guests)

    def _make_room(self, among: Iterable[G]) -> bool:
        """Strangers go first, then those of the host that has most here, then who has kept us waiting longest."""
        waiting = [
            (host.is_ours, -self._crowds[host], since, number, guest)
            for number, guest in enumerate(among)
            for host, since in [(self._guests[guest], guest.waiting_since)]
            if since is not None
        ]
        if not waiting:
            return False
        guest = min(waiting)[-1]
        self._forget(guest)
        guest.make_room()
        return True


def host_of(address: str) -> Host:
    """The host of a client's address.

    >>> host_of("::ffff:9.9.9.9"), host_of("2001:470:1f0b:2::7")
    (Host(name='9.9.9.9', is_ours=False), Host(name='2001:0470:1f0b:0002', is_ours=False))
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return Host(address, is_ours=False)
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return Host(found.exploded[:19], found.is_private)
        found = found.ipv4_mapped
    return Host(str(found), found.is_private)
