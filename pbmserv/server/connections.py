"""Limits on open connections: how many this process accepts, and how many of one host.

Visitors of the web pages must leave enough file descriptors for mail, the database and everything else.
"""

import asyncio
import errno
import logging
import resource
import socket
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, Generic, NamedTuple, Protocol, TypeVar, cast

from pbmserv.mail.log_words import pairs

MOST_VISITORS: Final = 400
MOST_CLIENTS: Final = 100
NOT_FOR_PAGES: Final = 400


def raise_limit() -> None:
    """Raises the limit on open files to the hard limit; most systems start processes with far fewer."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def places_for_visitors() -> int:
    """The most connections to the web pages."""
    limit = _limit()
    return min(max(limit - NOT_FOR_PAGES, limit // 4), MOST_VISITORS)


def places_for_clients() -> int:
    """The most connections to each listener."""
    return min(_limit() // 8, MOST_CLIENTS)


def _limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**20 if soft == resource.RLIM_INFINITY else soft


BACKLOG: Final = 512
"""Clients that the system queues before they are accepted."""

AT_ONCE: Final = 16
"""Clients accepted before the event loop goes on to other work."""

TRY_AGAIN_AFTER: Final = 1.0
SETTLED_AFTER: Final = 10.0
"""Seconds without an error after which it counts as over, so that a recurring error is not logged each time."""

_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

log = logging.getLogger(__name__)


class Client(Protocol):
    """A client's connection, as the gate sees it."""

    ended: asyncio.Event
    """Set once the connection is gone."""

    @property
    def waiting_since(self) -> float | None:
        """Since when (event loop time) we wait for the client; None while the client waits for us."""

    def make_room(self) -> None:
        """Disconnect the client to make room for others."""


ClientT = TypeVar("ClientT", bound=Client)


class Host(NamedTuple):
    """Where a client comes from."""

    name: str
    """An IPv4 address, or the first 64 bits of an IPv6 one: a customer has a whole network of those."""
    is_ours: bool
    """This machine or a private network: an MTA or a web server with many clients behind it."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """The most clients: in all, and from one host that is not ours."""

    in_all: int
    of_a_host: int


class ConnectionGate(Generic[ClientT]):
    """Accepts clients at the socket `listening`, up to a capacity; for one event loop.

    `make` creates the connection of each client. `refusal` is sent to clients that are turned away. `who` is what
    the log calls the clients. The one who closes the gate has to end the connections.
    """

    def __init__(
        self, listening: socket.socket, capacity: Capacity, make: Callable[[], ClientT], refusal: bytes, who: str
    ) -> None:
        self._listening, self._capacity, self._make, self._refusal, self._who = (
            listening,
            capacity,
            make,
            refusal,
            who,
        )
        self._clients: dict[ClientT, Host] = {}
        self._count_by_host: Counter[Host] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._retry: asyncio.TimerHandle | None = None
        self._failed_at: float | None = None

    @property
    def clients(self) -> list[ClientT]:
        """The connected clients, without those being disconnected."""
        return list(self._clients)

    def open(self) -> None:
        """Accept clients from now on."""
        self._listening.setblocking(False)
        self._loop.add_reader(self._listening, self._accept_some)

    def close(self) -> None:
        """Stop accepting clients; the socket stays open."""
        self._loop.remove_reader(self._listening)
        if self._retry is not None:
            self._retry.cancel()

    def _accept_some(self) -> None:
        for _ in range(AT_ONCE):
            try:
                connection, place = self._listening.accept()
            except OSError as error:
                if error.errno in _EXHAUSTED:
                    self._pause(error)
                return  # nobody is waiting, or the client has gone again
            if self._failed_at is not None and self._loop.time() > self._failed_at + SETTLED_AFTER:
                self._failed_at = None
                log.info("connections are accepted again %s", pairs(part=self._who))
            is_crowded = len(self._clients) >= self._capacity.in_all
            self._accept(connection, host_of(place[0]))
            if is_crowded:
                return  # the client that made room holds its descriptor until the event loop's next turn

    def _pause(self, error: OSError) -> None:
        # Otherwise asyncio logs this more than a hundred times a second, each time with a traceback.
        if self._failed_at is None:
            log.error("connections cannot be accepted %s", pairs(part=self._who, error=str(error.strerror)))
        self._failed_at = self._loop.time()
        self._loop.remove_reader(self._listening)
        self._retry = self._loop.call_later(TRY_AGAIN_AFTER, self.open)

    def _accept(self, connection: socket.socket, host: Host) -> None:
        connection.setblocking(False)
        if not self._has_room(host):
            with connection, suppress(OSError):
                connection.send(self._refusal)
            return
        client = self._make()
        self._clients[client] = host
        self._count_by_host[host] += 1
        task = self._loop.create_task(self._serve(client, connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, client: ClientT, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(lambda: cast(asyncio.BaseProtocol, client), connection)
            await client.ended.wait()
        except OSError:
            connection.close()
        finally:
            self._remove(client)

    def _remove(self, client: ClientT) -> None:
        host = self._clients.pop(client, None)
        if host is None:
            return
        self._count_by_host[host] -= 1
        if not self._count_by_host[host]:
            del self._count_by_host[host]

    def _has_room(self, host: Host) -> bool:
        if not host.is_ours and self._count_by_host[host] >= self._capacity.of_a_host:
            return self._make_room(client for client, other in self._clients.items() if other == host)
        return len(self._clients) < self._capacity.in_all or self._make_room(self._clients)

    def _make_room(self, among: Iterable[ClientT]) -> bool:
        """Disconnects one idle client: of a host not ours, then of the busiest host, then the longest idle."""
        waiting = [
            (host.is_ours, -self._count_by_host[host], since, number, client)
            for number, client in enumerate(among)
            for host, since in [(self._clients[client], client.waiting_since)]
            if since is not None
        ]
        if not waiting:
            return False
        client = min(waiting)[-1]
        self._remove(client)
        client.make_room()
        return True


def host_of(address: str) -> Host:
    """The host of a client's address.

    >>> host_of("::ffff:9.9.9.9"), host_of("2001:470:1f0b:2::7")
    (Host(name='9.9.9.9', is_ours=False), Host(name='2001:0470:1f0b:0002', is_ours=False))
    """
    found = address_in(address)
    if found is None:
        return Host(address, is_ours=False)
    return Host(found.exploded[:19] if found.version == 6 else str(found), found.is_private)


def address_in(text: str) -> IPv4Address | IPv6Address | None:
    """The address that a text tells, an IPv4 one as such however it is written; None if it tells none."""
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found
