"""Several machines in one: network namespaces, joined by a bridge whose cables can be pulled."""

import asyncio
import ctypes
import os
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from aiosmtpd.smtp import SMTP

from tests.cli.processes import PATIENCE
from tests.servers.sink import Sink

HUB = "10.231.0.1"
CLIENTS = "10.231.0.0/24"
SINK_PORT = 2525
CLONE_NEWNET = 0x40000000  # sched.h


@dataclass(frozen=True)
class Network:
    """Machines by name, each with its address, around a hub that no cable leads out of."""

    prefix: str
    addresses: dict[str, str]

    def inside(self, name: str) -> Sequence[str]:
        """What a command runs behind to run on a machine."""
        return ["ip", "netns", "exec", self.prefix + name]

    def cut(self, name: str) -> None:
        """Pulls a machine's cable: nobody is told, nothing arrives."""
        self._cable(name, "down")

    def join(self, name: str) -> None:
        """Plugs it in again."""
        self._cable(name, "up")

    def _cable(self, name: str, state: str) -> None:
        ip("-n", f"{self.prefix}hub", "link", "set", f"to-{name}", state)


def ip(*words: str) -> None:
    """Runs `ip`."""
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=60)


@contextmanager
def running_network(*names: str) -> Iterator[Network]:
    """Machines of these names; skips the test where this machine has no namespaces to make them of."""
    prefix = f"pbmserv{os.getpid()}-"
    network = Network(prefix, {"hub": HUB} | {name: f"10.231.0.{10 + i}" for i, name in enumerate(names, 1)})
    try:
        try:
            ip("netns", "add", f"{prefix}hub")
            ip("-n", f"{prefix}hub", "link", "add", "bridge", "type", "bridge")
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no network namespaces can be made on this machine: {error}")
        ip("-n", f"{prefix}hub", "addr", "add", f"{HUB}/24", "dev", "bridge")
        for link in ("lo", "bridge"):
            ip("-n", f"{prefix}hub", "link", "set", link, "up")
        for name in names:
            add_machine(network, name)
        yield network
    finally:
        for name in network.addresses:
            with suppress(OSError, subprocess.CalledProcessError):
                ip("netns", "del", prefix + name)


def add_machine(network: Network, name: str) -> None:
    """Makes a machine and plugs it in."""
    hub, there, cable = f"{network.prefix}hub", network.prefix + name, f"to-{name}"
    ip("netns", "add", there)
    ip("-n", hub, "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", there)
    ip("-n", hub, "link", "set", cable, "master", "bridge")
    ip("-n", there, "addr", "add", f"{network.addresses[name]}/24", "dev", "eth0")
    ip("-n", there, "link", "set", "lo", "up")
    ip("-n", there, "link", "set", "eth0", "up")
    network.join(name)


def go_inside(network: Network, name: str) -> None:
    """From now on the sockets that this thread makes are a machine's."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(Path("/run/netns") / (network.prefix + name), os.O_RDONLY)
    try:
        if libc.setns(descriptor, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
    finally:
        os.close(descriptor)


@contextmanager
def sink_inside(network: Network) -> Iterator[Sink]:
    """The relay of all machines, on the hub: takes every mail and remembers it."""
    sink, loop, ready = Sink(SINK_PORT), asyncio.new_event_loop(), threading.Event()

    def serve() -> None:
        go_inside(network, "hub")

        def connection() -> SMTP:
            return SMTP(sink, enable_SMTPUTF8=True, hostname="sink.test", loop=loop)

        server = loop.run_until_complete(loop.create_server(connection, HUB, SINK_PORT))
        ready.set()
        loop.run_forever()
        server.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield sink
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
