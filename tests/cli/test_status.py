"""`pbmserv status`, `admin parts`, and what a service manager is told."""

import os
import shutil
import signal
import socket
import urllib.request
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbmserv.server.supervisor import ServiceManager
from pbmserv.services.admin.pulse import record_heartbeat
from tests.cli.processes import PATIENCE, running
from tests.cli.terminal import Terminal
from tests.free_port import free_port

PARTS = ("listener", "worker", "sender", "scheduler", "robots")


@pytest.fixture
def lively(club: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A club whose parts have just been heard of, and that has a backup and room."""
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=5 * 10**9, total=10**10))
    post = club.post()
    for part in PARTS:
        record_heartbeat(post.house, part, post.clock())
    post.house.engine.dispose()
    club.succeed("admin", "backup", str(club.folder / "copy"))
    return club


def test_all_is_well(lively: Terminal) -> None:
    """One finding a line, and the exit code for scripts; a backup is known of."""
    done = lively.run("status")
    assert done.code == 0, done.out
    assert "fine worker runs" in " ".join(done.out.split())
    assert f"{lively.folder / 'copy'}" in done.out
    shown = lively.run("status", "--json").rows
    assert shown["verdict"] == "fine"
    assert {each["verdict"] for each in shown["findings"]} == {"fine"}


def test_a_part_that_is_expected(lively: Terminal) -> None:
    """A setting that asks for it is enough; one that was retired and is not asked for is no part any more."""
    lively.settings["PBMSERV_IMAP"] = "imaps://me@mail.test"
    done = lively.run("status")
    assert done.code == 2
    assert "broken poller has never run" in " ".join(done.out.split())


def test_retired(lively: Terminal) -> None:
    """The list does not name it any more, nor does status when no setting asks for it."""
    lively.settings["PBMSERV_LISTEN"] = ""
    assert {row["part"] for row in lively.run("admin", "parts", "--json").rows} == set(PARTS)
    assert "listener is retired" in lively.succeed("admin", "parts", "--retire", "listener")
    assert {row["part"] for row in lively.run("admin", "parts", "--json").rows} == set(PARTS) - {"listener"}
    assert "listener" not in lively.run("status").out
    done = lively.run("admin", "parts", "--retire", "listener")
    assert done.code == 1
    assert "no part listener was heard of" in done.sentence


def test_without_a_database(terminal: Terminal) -> None:
    """It is broken, and says what is missing."""
    done = terminal.run("status")
    assert done.code == 2
    assert "broken database there is no database" in " ".join(done.out.split())


def test_a_service_manager_is_told(tmp_path: Path) -> None:
    """By datagrams to the socket that it names; signs of life come thrice as often as it wants them."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(tmp_path / "notify"))
        environment = {
            "NOTIFY_SOCKET": str(tmp_path / "notify"),
            "WATCHDOG_USEC": "60000000",
            "WATCHDOG_PID": str(os.getpid()),
        }
        manager = ServiceManager(environment)
        assert manager.every == 20
        manager.ready()
        manager.alive()
        manager.stopping()
        assert [heard.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"STOPPING=1"]
    manager.alive()
    assert ServiceManager({**environment, "WATCHDOG_PID": "1"}).every is None
    assert ServiceManager({}).every is None
    ServiceManager({}).ready()


def said_until_silent(heard: socket.socket) -> list[bytes]:
    """What comes until nothing has come for a second."""
    said = []
    heard.settimeout(1)
    with suppress(TimeoutError):
        while True:
            said.append(heard.recv(100))
    heard.settimeout(PATIENCE)
    return said


@pytest.mark.slow
def test_a_server_lets_its_service_manager_know(club: Terminal) -> None:
    """That it is ready, that it lives, that it stops; one that hangs says nothing more."""
    place = club.folder / "notify"
    club.settings |= {
        "NOTIFY_SOCKET": str(place),
        "WATCHDOG_USEC": "300000",
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": "",
        "PBMSERV_ROBOTS": "0",
        "PBMSERV_PROCESSES": "2",
    }
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(place))
        heard.settimeout(PATIENCE)
        with running(club.settings, club.folder, "serve") as server:
            assert [heard.recv(100) for _ in range(3)] == [b"READY=1", b"WATCHDOG=1", b"WATCHDOG=1"]
            server.process.send_signal(signal.SIGSTOP)
            said_until_silent(heard)
            server.process.send_signal(signal.SIGCONT)
            assert heard.recv(100) == b"WATCHDOG=1"
            assert server.stop() == 0
            assert said_until_silent(heard)[-1] == b"STOPPING=1"


@pytest.mark.slow
def test_workers_of_a_host_share_the_health_pages(club: Terminal) -> None:
    """The first one shows them; the second works all the same."""
    port = free_port()
    club.settings |= {"PBMSERV_HEALTH": f"127.0.0.1:{port}", "PBMSERV_LISTEN": "", "PBMSERV_WEB": ""}
    (folder := club.folder / "second").mkdir()
    with running(club.settings, club.folder, "work") as first:
        first.wait_for("started parts=")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
            assert answer.read() == b"alive\n"
        second_settings = club.settings | {"PBMSERV_DATA": str(club.folder / "data")}
        with running(second_settings, folder, "work") as second:
            second.wait_for("another program shows the health pages")
            second.wait_for("started parts=worker,scheduler")
            assert second.stop() == 0
        assert first.stop() == 0
