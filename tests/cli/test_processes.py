"""`serve` in several processes: each that is killed is started again, and none outlives the one that watches."""

import os
import signal
import socket
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from pbmserv.cli.config import load_settings
from pbmserv.cli.serve import robot_names
from pbmserv.cli.setting_forms import usable_cores
from pbmserv.server.parts import Bell
from pbmserv.server.supervisor import MOST_DEATHS, PAUSES, WITHIN, Task, _Process
from tests.cli.processes import Running, is_alive, running, wait_for
from tests.cli.terminal import Terminal
from tests.cli.usage import usage_of
from tests.free_port import free_port

pytestmark = pytest.mark.slow

NAMES = ("listener", "worker-1", "worker-2", "sender", "scheduler", "robots", "web")
ALICE = ("--from", "alice@example.org")
LEAST_MEMORY = 350
"""MB for all processes together."""


@pytest.fixture
def settings(terminal: Terminal) -> dict[str, str]:
    """Those of a server with two workers, on free ports."""
    terminal.settings |= {
        "PBMSERV_DATA": str(terminal.folder / "data"),
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": f"127.0.0.1:{free_port()}",
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_PROCESSES": "2",
    }
    return terminal.settings


def kill(server: Running, name: str) -> int:
    """Ends a process at once, and gives the pid of the one that takes its place."""
    old = server.pid_of(name)
    assert old is not None
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: server.pid_of(name) not in (None, old))
    new = server.pid_of(name)
    assert new is not None
    return new


def started(server: Running) -> None:
    """Until all processes are there."""
    server.wait_for("supervisor: started parts=")
    wait_for(lambda: all(server.pid_of(name) for name in NAMES))


def greeted(port: int) -> bytes:
    """What a listener says first, to a client that is let in while nobody listens."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        return link.recv(1000)


def test_whichever_is_killed_is_started_again(terminal: Terminal, settings: dict[str, str]) -> None:
    """And its work goes on."""
    with running(settings, terminal.folder, "serve") as server:
        started(server)
        for name in NAMES:
            kill(server, name)
        assert "Welcome, alice! " in terminal.succeed("mail", *ALICE, "signup alice sesame")
        with urlopen(f"http://{settings['PBMSERV_WEB']}/", timeout=60) as page:
            assert page.status == 200
        for name in NAMES:
            assert f"a process has ended and is started again part={name} " in server.log
        assert server.stop() == 0
        assert "Traceback" not in server.log


def test_a_client_waits_while_nobody_listens(terminal: Terminal, settings: dict[str, str]) -> None:
    """After a second death a second passes, and clients are not refused."""
    port = int(settings["PBMSERV_LISTEN"].rpartition(":")[2])
    with running(settings, terminal.folder, "serve") as server:
        started(server)
        kill(server, "listener")
        pid = server.pid_of("listener")
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: server.pid_of("listener") is None)
        assert greeted(port).startswith(b"220 ")
        assert server.stop() == 0


def test_mail_is_accepted_first(terminal: Terminal, settings: dict[str, str]) -> None:
    """Workers make way for those that take mail and send it, and robots make way for all."""
    with running(settings, terminal.folder, "serve") as server:
        started(server)

        def nice(name: str) -> int:
            threads = Path(f"/proc/{server.pid_of(name)}/task").iterdir()
            return max(os.getpriority(os.PRIO_PROCESS, int(each.name)) for each in threads)

        wait_for(lambda: nice("listener") == nice("sender") < nice("worker-1") < nice("robots"))
        assert nice("worker-2") == nice("worker-1")
        assert server.stop() == 0


@pytest.mark.slow
def test_none_outlives_the_one_that_watches_them(terminal: Terminal, settings: dict[str, str]) -> None:
    """And the next server may start at once: it waits for them."""
    with running(settings, terminal.folder, "serve") as server:
        started(server)
        family = [each.pid for each in usage_of(server.process.pid)]
        assert len(family) == 1 + len(NAMES)
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    (terminal.folder / "next").mkdir()
    with running(settings, terminal.folder / "next", "serve") as following:
        started(following)
        assert not any(is_alive(pid) for pid in family)
        assert following.stop() == 0
    assert "Traceback" not in server.log + following.log


@pytest.mark.slow
def test_one_that_dies_again_and_again_ends_the_server(terminal: Terminal, settings: dict[str, str]) -> None:
    with running(settings, terminal.folder, "serve") as server:
        started(server)
        for _ in range(MOST_DEATHS):
            kill(server, "sender")
        pid = server.pid_of("sender")
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        assert server.end() == 1
        assert "a process has ended too often, so the server ends part=sender " in server.log


def test_pauses_between_deaths() -> None:
    """Longer ones at first; what was long ago is forgotten; robots are started again for ever."""
    process = _Process(Task("sender", lambda stop: True))
    assert [process.pause_after_death(0.0) for _ in range(MOST_DEATHS)] == [0, 1, 2, 5, 5]
    assert process.pause_after_death(WITHIN) is None
    assert process.pause_after_death(WITHIN + 1.0) == PAUSES[1], "five of the six were too long ago"
    robots = _Process(Task("robots", lambda stop: True, is_vital=False))
    assert [robots.pause_after_death(0.0) for _ in range(20)][-1] == PAUSES[-1]


@pytest.mark.slow
def test_ctrl_c_reaches_them_all(terminal: Terminal, settings: dict[str, str]) -> None:
    """As in a terminal, and prints nothing but the log."""
    with running(settings, terminal.folder, "serve", behind=("setsid",)) as server:
        started(server)
        os.killpg(server.process.pid, signal.SIGINT)
        assert server.end() == 0
        assert "Traceback" not in server.log
        assert server.log.count("stopped") == 1 + len(NAMES)


@pytest.mark.slow
def test_everything_in_one_process(terminal: Terminal, settings: dict[str, str]) -> None:
    settings["PBMSERV_PROCESSES"] = "1"
    with running(settings, terminal.folder, "serve") as server:
        server.wait_for("started parts=worker,sender")
        wait_for(lambda: server.pid_of("robots") is not None)
        assert len(usage_of(server.process.pid)) == 2
        assert "Welcome, alice! " in terminal.succeed("mail", *ALICE, "signup alice sesame")
        assert server.stop() == 0


@pytest.mark.slow
def test_memory_of_all(terminal: Terminal, settings: dict[str, str]) -> None:
    """They share what they have loaded."""
    with running(settings, terminal.folder, "serve") as server:
        started(server)
        terminal.succeed("mail", *ALICE, "signup alice sesame")
        assert sum(each.pss for each in usage_of(server.process.pid)) < LEAST_MEMORY * 1024
        assert server.stop() == 0


CHANCE = """
import random, sys
from pathlib import Path
from pbmserv.cli.bootstrap import new_token
from pbmserv.server.supervisor import Supervisor, Task

def write(name):
    def run(stop):
        Path(name).write_text(f"{new_token()} {random.random()}")
        return stop.wait()
    return Task(name, run)

sys.exit(not Supervisor().run([write("one"), write("two")]))
"""


def test_no_two_draw_the_same(tmp_path: Path) -> None:
    """Neither secrets nor chances are those of another process."""
    program, names = tmp_path / "chance.py", ("one", "two")
    program.write_text(CHANCE)
    with running({}, tmp_path, program=program) as server:
        wait_for(lambda: all((tmp_path / name).exists() and (tmp_path / name).read_text() for name in names))
        assert server.stop() == 0
    one, two = ((tmp_path / name).read_text().split() for name in names)
    assert one[0] != two[0]
    assert one[1] != two[1]


def test_a_bell() -> None:
    bell = Bell()
    assert not bell.wait(0)
    for _ in range(100_000):
        bell.set()  # nobody hears it, and nobody is held up
    assert bell.wait(0)
    bell.clear()
    assert not bell.wait(0.01)
    bell.set()
    assert bell.wait(60)


@pytest.mark.parametrize("value", ["0", "65", "-1", "two", "1.5", ""])
def test_a_number_that_cannot_be(terminal: Terminal, value: str) -> None:
    terminal.settings["PBMSERV_PROCESSES"] = value
    done = terminal.run("serve")
    assert done.code == 78
    assert "PBMSERV_PROCESSES: is neither auto nor a number from 1 to 64" in done.sentence


def test_a_number_in_a_file(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(terminal.folder)
    (terminal.folder / "pbmserv.toml").write_text("processes = 3\n")
    assert load_settings({}).workers == 3


@pytest.mark.parametrize("value", ["65", "-1", "two", ""])
def test_a_number_of_thinkers_that_cannot_be(terminal: Terminal, value: str) -> None:
    terminal.settings["PBMSERV_ROBOTS"] = value
    done = terminal.run("serve")
    assert done.code == 78
    assert "PBMSERV_ROBOTS: is neither auto nor a number from 0 to 64" in done.sentence


@pytest.mark.parametrize(("value", "cores", "names"), [("auto", 1, 1), ("auto", 5, 2), ("0", 5, 0), ("3", 1, 3)])
def test_processes_in_which_robots_think(
    value: str, cores: int, names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for two cores, and at least one, unless a number is asked for."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)))
    monkeypatch.setenv("PBMSERV_ROBOTS", value)
    assert robot_names(load_settings()) == ["robots", "robots-2", "robots-3"][:names]


def test_as_many_as_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 2, 5})
    assert usable_cores() == 3
    monkeypatch.setattr(sys, "platform", "darwin")
    assert usable_cores() == 1
