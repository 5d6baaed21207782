"""PostgreSQL goes and comes back while everybody mails: nobody is told yes for nothing, nothing is done twice."""

import os
import random
import re
import signal
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url
from sqlalchemy.exc import OperationalError

from pbmserv.mail.sending.transport import Delivered, Outcome, Outgoing
from pbmserv.services.deliver import Sender
from pbmserv.store.engine import open_engine
from tests.cli.processes import PATIENCE, running, wait_for
from tests.conftest import ADDRESS, Clock
from tests.faults import hindered
from tests.faults.cluster import Cluster, running_cluster
from tests.faults.feeding import (
    NOT_NOW,
    TRY_LATER,
    assert_each_handled_once,
    challenge,
    feeding,
    house_at,
    receive,
    sign_up,
    wait_until_quiet,
)
from tests.free_port import free_port
from tests.mail.one_by_one import OneByOne

PEOPLE = ("alice", "bob", "carol", "dave")
HINDERED = Path(hindered.__file__)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL with players in it."""
    with running_cluster() as server:
        sign_up(server.local_url, PEOPLE)
        yield server


def settings_for(url: str, folder: Path) -> dict[str, str]:
    """Those of a server on a free port."""
    return {
        "PBMSERV_DATABASE": url,
        "PBMSERV_DATA": str(folder / "data"),
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": "",
        "PBMSERV_PROCESSES": "2",
    }


def port_of(settings: dict[str, str]) -> int:
    """Where the server takes mail."""
    return int(settings["PBMSERV_LISTEN"].rpartition(":")[2])


def close_to_writers(cluster: Cluster) -> None:
    """As a standby is, before it is its turn."""
    set_read_only(cluster, "on")


def open_to_writers(cluster: Cluster) -> None:
    """As it was."""
    set_read_only(cluster, "off")


def set_read_only(cluster: Cluster, value: str) -> None:
    cluster.ask(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
    cluster.ask("SELECT pg_reload_conf()")


TOLD = {"listener": 1, "worker": 2, "sender": 1}
"""By how many processes an outage is told, if all of them notice it."""

TOLD_BY_WRITERS = {"listener": 1}
"""The same where the database only refuses to be written to: others may have nothing to write meanwhile."""

OUTAGES: tuple[tuple[Callable[[Cluster], None], Callable[[Cluster], None], dict[str, int]], ...] = (
    (lambda cluster: cluster.stop("fast"), Cluster.start, TOLD),
    (lambda cluster: cluster.stop("immediate"), Cluster.start, TOLD),
    (close_to_writers, open_to_writers, TOLD_BY_WRITERS),
)


def test_it_goes_and_comes_back_under_load(cluster: Cluster, tmp_path: Path) -> None:
    """Stopped in order, crashed, closed to writers: 451 and 75, one line each in the log, then all goes on."""
    settings = settings_for(cluster.url, tmp_path)
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        with feeding(port_of(settings), PEOPLE) as feed:
            for outages, (go, come, noticed) in enumerate(OUTAGES, 1):
                feed.wait_for_more(250, 10)
                go(cluster)
                feed.wait_for_more(NOT_NOW)
                for part, times in noticed.items():
                    gone = re.compile(rf"the database is away.* part={part}")
                    wait_for(lambda gone=gone, told=outages * times: len(gone.findall(server.log)) >= told)  # type: ignore[misc]
                assert receive(settings, tmp_path, challenge("alice", "bob", 10**6)) == TRY_LATER
                come(cluster)
                for part, times in noticed.items():
                    back = f"the database is back part={part}"
                    wait_for(lambda back=back, told=outages * times: server.log.count(back) >= told)  # type: ignore[misc]
            feed.wait_for_more(250, 10)
        assert receive(settings, tmp_path, challenge("alice", "bob", 10**6)) == 0
        wait_until_quiet(cluster.local_url)
        assert_each_handled_once(cluster.local_url, len(PEOPLE) + feed.brought + 1)
        # The robots' process looks twice a second, and may miss a short one.
        told = Counter(re.findall(r"the database is away.* part=(?!\W?robot)\W?(\w+)", server.mail_log))
        assert told.keys() == TOLD.keys()
        assert all(told[part] <= times * len(OUTAGES) for part, times in TOLD.items()), "once for each outage"
        assert server.log.count("a mail was not stored") == 0
        assert server.stop() == 0
        assert "Traceback" not in server.log
    assert feed.replies.keys() <= {250, NOT_NOW}


def test_killed_in_the_moment_of_a_commit(cluster: Cluster, tmp_path: Path) -> None:
    """The worker has decided and answered, and says COMMIT to nobody: nothing is there, and it does it again."""
    commit = tmp_path / "commit"
    commit.touch()
    settings = settings_for(cluster.url, tmp_path) | {"HINDER_COMMIT": str(commit)}
    assert receive(settings, tmp_path, challenge("alice", "bob", 0)) == 0
    with running(settings, tmp_path, "work", program=HINDERED) as worker:
        wait_for(commit.with_suffix(".held").exists)
        cluster.stop("immediate")
        cluster.start()
        assert cluster.ask("SELECT status FROM inbox WHERE sender = 'alice@example.org' AND tries = 0")[-1:] == [
            ("waiting",)
        ]
        commit.unlink()
        worker.wait_for("the database is back part=worker")
        wait_until_quiet(cluster.local_url)
        assert worker.stop() == 0
    assert_each_handled_once(cluster.local_url, len(PEOPLE) + 1)


def test_a_process_that_hangs_lets_go_of_its_mail(cluster: Cluster, tmp_path: Path) -> None:
    """Stopped in the midst of a mail it holds sender and board for as long as the session may idle, no longer."""
    commit = tmp_path / "commit"
    commit.touch()
    url = f"{cluster.url}?options=-cidle_in_transaction_session_timeout%3D1s"
    settings = settings_for(url, tmp_path) | {"HINDER_COMMIT": str(commit)}
    assert receive(settings, tmp_path, challenge("alice", "bob", 0)) == 0
    with running(settings, tmp_path, "work", program=HINDERED) as hanging:
        wait_for(commit.with_suffix(".held").exists)
        hanging.process.send_signal(signal.SIGSTOP)
        with running(settings, tmp_path / "data", "work") as other:
            wait_until_quiet(cluster.local_url)
            other.wait_for(" fate=handled ")
            commit.unlink()
            hanging.process.send_signal(signal.SIGCONT)
            hanging.wait_for("the database is back part=worker")
            assert other.stop() == hanging.stop() == 0
    assert_each_handled_once(cluster.local_url, len(PEOPLE) + 1)


def test_both_ends_notice_a_silent_other_end(cluster: Cluster) -> None:
    """Within seconds, where the system by itself takes hours; what the operator chose for us goes before it."""
    query = "SELECT name, setting FROM pg_settings WHERE name ~ '^tcp_|^idle_in'"

    def settings(url: str) -> dict[str, str]:
        engine = open_engine(url)
        with engine.connect() as connection:
            connection.rollback()
            found = dict(row for row in connection.exec_driver_sql(query))
            connection.rollback()
            there: psycopg.Connection = connection.connection.dbapi_connection  # type: ignore[assignment]
            with socket.socket(fileno=os.dup(there.fileno())) as ours:
                found["our end"] = str(ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT))
                found["our probes"] = str(ours.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE))
        engine.dispose()
        return found

    found = settings(cluster.url)
    silence = int(found["tcp_keepalives_idle"]) + int(found["tcp_keepalives_interval"]) * int(
        found["tcp_keepalives_count"]
    )
    assert silence == 11
    assert found["tcp_user_timeout"] == found["our end"] == "11000"
    assert found["our probes"] == "5"
    assert found["idle_in_transaction_session_timeout"] == "60000"
    chosen = settings(f"{cluster.url}?keepalives_idle=30&options=-cidle_in_transaction_session_timeout%3D5s")
    assert (chosen["idle_in_transaction_session_timeout"], chosen["our probes"]) == ("5000", "30")
    assert chosen["tcp_user_timeout"] == "11000"


FATES = ("before", "after", *("",) * 8)


@dataclass
class Wire:
    """A wire to PostgreSQL that breaks at commits, before or after the server has heard of them."""

    server: tuple[str, int]
    chance: random.Random
    breaks: bool = False
    broken: dict[str, int] = field(default_factory=lambda: {"before": 0, "after": 0})

    def serve(self, listening: socket.socket) -> None:
        """Joins each client with the server, until the socket is closed."""
        with suppress(OSError):
            while True:
                client = listening.accept()[0]
                threading.Thread(target=self.join, args=(client,), daemon=True).start()

    def join(self, client: socket.socket) -> None:
        """Carries one connection's messages to and fro, as long as the wire holds."""
        with client, socket.create_connection(self.server) as server, suppress(OSError, EOFError):
            (greeting,) = struct.unpack("!I", client.recv(4, socket.MSG_PEEK))
            server.sendall(receive_exactly(client, greeting))
            threading.Thread(target=self.answer, args=(server, client), daemon=True).start()
            while True:
                kind, size = struct.unpack("!cI", head := receive_exactly(client, 5))
                message = head + receive_exactly(client, size - 4)
                is_commit = kind == b"Q" and message[5:] == b"COMMIT\0"
                fate = self.chance.choice(FATES) if is_commit and self.breaks else ""
                if fate == "before":
                    self.broken[fate] += 1
                    break
                if fate == "after":
                    self.broken[fate] += 1
                    client.shutdown(socket.SHUT_RDWR)
                    server.sendall(message)
                    server.shutdown(socket.SHUT_WR)
                    while server.recv(65536):
                        pass
                    break
                server.sendall(message)
            for end in (server, client):
                end.shutdown(socket.SHUT_RDWR)

    def answer(self, server: socket.socket, client: socket.socket) -> None:
        """Carries what the server says."""
        with suppress(OSError):
            while said := server.recv(65536):
                client.sendall(said)


def receive_exactly(end: socket.socket, count: int) -> bytes:
    """So many bytes. Raises EOFError."""
    found = b""
    while len(found) < count:
        found += (more := end.recv(count - len(found)))
        if not more:
            raise EOFError
    return found


@contextmanager
def running_wire(cluster: Cluster, seed: int) -> Iterator[tuple[Wire, str]]:
    """A wire, and the database's URL at its near end."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wire = Wire((cluster.host, cluster.port), random.Random(seed))
        thread = threading.Thread(target=wire.serve, args=(listening,), daemon=True)
        thread.start()
        near = make_url(cluster.url).set(port=listening.getsockname()[1])
        yield wire, near.render_as_string() + "?sslmode=disable&gssencmode=disable"
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(PATIENCE)


def test_commits_of_which_nobody_knows_the_outcome(cluster: Cluster, tmp_path: Path) -> None:
    """Keeping and handling over a wire that breaks at every third commit: every mail is obeyed once."""
    with running_wire(cluster, seed=7) as (wire, url):
        settings = settings_for(url, tmp_path)
        with (
            running(settings, tmp_path, "listen") as listener,
            running(settings, tmp_path, "work") as worker,
        ):
            with feeding(port_of(settings), PEOPLE, most=5) as feed:
                worker.wait_for(" fate=handled ")
                wire.breaks = True
                wait_for(lambda: feed.brought == 5 * len(PEOPLE), PATIENCE * 3)
            wait_until_quiet(cluster.local_url, PATIENCE * 3)
            assert_each_handled_once(cluster.local_url, len(PEOPLE) + feed.brought)
            assert "Traceback" not in listener.log + worker.log
    assert min(wire.broken.values()) >= 2, wire.broken


def test_what_was_sent_is_noted_when_the_server_is_back(cluster: Cluster, tmp_path: Path) -> None:
    """The database went away between a mail's delivery and the note of it: it is not sent a second time."""
    house = house_at(cluster.url)
    clock = Clock()
    clock.move(days=10**4)

    class Way(OneByOne):
        """Takes a mail, and the database away."""

        def __init__(self) -> None:
            self.taken: list[Outgoing] = []

        def outcome_of(self, mail: Outgoing) -> Outcome:
            self.taken.append(mail)
            if len(self.taken) == 1:
                cluster.stop("immediate")
            return Delivered()

    way = Way()
    sender = Sender(house, lambda: way, clock)
    with pytest.raises(OperationalError):
        sender.send_due()
    cluster.start()
    sender.send_due()
    clock.move(days=1)
    sender.send_due()
    sender.close()
    house.engine.dispose()
    assert len(way.taken) == len(PEOPLE), "the answer to each one's signup"
    assert cluster.ask("SELECT count(*) FROM outbox WHERE status = 'sent'") == [(len(PEOPLE),)]
