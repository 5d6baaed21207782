"""A club on several machines: each takes mail in, handles and sends, and all share one PostgreSQL.

The cable of one is pulled while a worker of it has a mail in hand. The others go on, with that mail too; plugged
in again it goes on by itself.
"""

import os
import re
import signal
import smtplib
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from itertools import count
from pathlib import Path

import psycopg
import pytest
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.services.admin.check import check
from pbmserv.services.app import App
from tests.bench.club import PASSWORD, PLIES, Board, Club, address, move_mail
from tests.cli.processes import PATIENCE, Running, running, wait_for
from tests.conftest import ADDRESS, make_house
from tests.faults import hindered
from tests.faults.cluster import Cluster, running_cluster
from tests.machines.network import (
    CLIENTS,
    HUB,
    SINK_PORT,
    Network,
    go_inside,
    running_network,
    sink_inside,
)
from tests.servers.sink import Sink

SOAK = os.environ.get("PBMSERV_SOAK") == "1"
HOSTS = ("one", "two", "three", "four") if SOAK else ("one", "two", "three")
CUT, OTHERS = "two", tuple(name for name in HOSTS if name != "two")
PAIRS, BOARDS = (12, 36) if SOAK else (4, 8)
STAGES = (7, 14, 20) if SOAK else (3, 5, 6)
"""Plies on each board by the time that the cable is pulled, plugged in again, and at the end."""

MAIL_PORT = 2526
WAIT_FOR_A_HOST = 5.0
HANDLED = re.compile(r"handled mail=([0-9]+) fate=handled")


@dataclass
class Host:
    """A machine's processes."""

    folder: Path
    listener: Running
    workers: tuple[Running, Running]
    sender: Running

    @property
    def processes(self) -> tuple[Running, ...]:
        """All of them."""
        return (self.listener, *self.workers, self.sender)

    @property
    def commit(self) -> Path:
        """While it exists, the first worker waits with the next commit of a mail's handling."""
        return self.folder / "commit"


@dataclass
class Table:
    """How far each board is, and how far it is to be played; watched and moved on by many threads."""

    cluster: Cluster
    boards: Sequence[Board]
    hosts: Sequence[str] = HOSTS
    plies: dict[int, int] = field(default_factory=dict)
    stage: int = 0
    over: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)
    faults: list[BaseException] = field(default_factory=list)

    def watch(self) -> None:
        """Looks again and again how far the boards are."""
        where = f"host={self.cluster.folder} port={self.cluster.port} user=postgres dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            while not self.over:
                found: dict[int, int] = dict(connection.execute("SELECT number, plies FROM matches").fetchall())
                with self.changed:
                    if found != self.plies:
                        self.plies = found
                    self.changed.notify_all()
                    self.changed.wait(0.05)

    def wait_until(self, board: Board, ply: int) -> bool:
        """Until a ply is played; False when all is over before."""
        with self.changed:
            self.changed.wait_for(lambda: self.over or self.plies.get(board.match.number, 0) >= ply)
        return not self.over

    def wait_for_stage(self, ply: int) -> bool:
        """Until it may be played; False when all is over before."""
        with self.changed:
            self.changed.wait_for(lambda: self.over or ply <= PLIES + self.stage)
        return not self.over

    def play_until(self, stage: int) -> None:
        """Lets the boards go on to a stage, and waits until they all are there."""
        self.let_play(stage)
        wait_for(lambda: bool(self.faults) or self.is_at(stage))
        assert not self.faults, self.faults

    def let_play(self, stage: int) -> None:
        """Lets the boards go on to a stage."""
        with self.changed:
            self.stage = stage

    def is_at(self, stage: int) -> bool:
        """Whether all boards have come to a stage."""
        return all(self.plies.get(board.match.number, 0) >= PLIES + stage for board in self.boards)


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """The machines."""
    with running_network(*HOSTS) as made:
        yield made


@pytest.fixture(scope="module")
def cluster(network: Network) -> Iterator[Cluster]:
    """The PostgreSQL of them all, on the hub."""
    with running_cluster(HUB, CLIENTS, network.inside("hub")) as server:
        yield server


@contextmanager
def running_host(network: Network, cluster: Cluster, name: str, folder: Path) -> Iterator[Host]:
    """A machine's listener, two workers and sender, with a data folder of their own."""
    folder.mkdir()
    settings = {
        "PBMSERV_DATABASE": cluster.url,
        "PBMSERV_DATA": str(folder / "data"),
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": f"smtp://{network.addresses[name]}:{MAIL_PORT}",
        "PBMSERV_OUT": f"smtp://{HUB}:{SINK_PORT}?starttls=no",
        "PBMSERV_WEB": "",
        "HINDER_COMMIT": str(folder / "commit"),
    }
    with ExitStack() as stack:

        def start(part: str, program: Path | None = None) -> Running:
            place = folder / f"{part}-{len([*folder.iterdir()])}"
            place.mkdir()
            return stack.enter_context(
                running(settings, place, part, program=program, behind=network.inside(name))
            )

        workers = start("work", Path(hindered.__file__)), start("work")
        yield Host(folder, start("listen"), workers, start("send"))


def bring(network: Network, hosts: Sequence[str], first: int, raw: bytes) -> None:
    """Brings a mail to a host, or where it does not take it, to the next, as a sending mail server does."""
    turns = count(first)

    def is_taken() -> bool:
        place = network.addresses[hosts[next(turns) % len(hosts)]]
        try:
            with smtplib.SMTP(place, MAIL_PORT, "client.test", timeout=WAIT_FOR_A_HOST) as link:
                link.sendmail("somebody@example.org", [ADDRESS], raw)
        except OSError:
            return False
        return True

    wait_for(is_taken)


def later_mail(board: Board, ply: int) -> bytes:
    """A mail of whose move it is that changes no board; of the same sender, and so it comes after the move.

    It asks for what the last assertions count: that every move is answered.
    """
    mail = EmailMessage()
    mail["From"], mail["To"] = address(board.mover(ply)), ADDRESS
    mail["Subject"] = f"set {board.mover(ply)} {PASSWORD} receipts on"
    mail["Message-ID"] = f"<later-{board.match.number}-{ply}@example.org>"
    mail.set_content("")
    return mail.as_bytes()


def play(network: Network, table: Table, club: Club, board: Board) -> None:
    """Both players of a board at their mail programs: every move goes to two hosts, another mail to a third."""
    go_inside(network, "hub")
    for ply in range(PLIES + 1, PLIES + STAGES[-1] + 1):
        if not table.wait_for_stage(ply):
            return
        move, turn = move_mail(club.house, board, ply), board.match.number + ply
        for offset, raw in enumerate((move, move, later_mail(board, ply))):
            bring(network, table.hosts, turn + offset, raw)
        if not table.wait_until(board, ply):
            return


@contextmanager
def playing(network: Network, table: Table, club: Club) -> Iterator[None]:
    """Somebody at each board, in threads."""

    def guarded(board: Board) -> None:
        try:
            play(network, table, club, board)
        except BaseException as error:
            table.faults.append(error)

    threads = [threading.Thread(target=guarded, args=(board,)) for board in table.boards]
    threads.append(threading.Thread(target=table.watch))
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        with table.changed:
            table.over = True
            table.changed.notify_all()
        for thread in threads:
            thread.join(PATIENCE)


@pytest.fixture
def house(cluster: Cluster) -> Iterator[App]:
    """The house over that database, for the test's own looks at it."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    made = make_house(cluster.local_url, hasher, Server(ADDRESS, variants=True))
    yield made
    made.engine.dispose()


@contextmanager
def paused(workers: Sequence[Running]) -> Iterator[None]:
    """They stand still meanwhile."""
    for worker in workers:
        worker.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for worker in workers:
            worker.process.send_signal(signal.SIGCONT)


def test_one_of_several_machines_is_cut_off(
    network: Network, cluster: Cluster, house: App, tmp_path: Path
) -> None:
    club = Club(house, pairs=PAIRS)
    table = Table(cluster, [club.open_board() for _ in range(BOARDS)])
    with ExitStack() as stack:
        sink = stack.enter_context(sink_inside(network))
        hosts = {
            name: stack.enter_context(running_host(network, cluster, name, tmp_path / name)) for name in HOSTS
        }
        stack.enter_context(playing(network, table, club))
        table.play_until(STAGES[0])
        assert_each_once(cluster, sink)

        hosts[CUT].commit.touch()
        # The others would do all that there is to do before it came to that worker, some day.
        workers = [worker for host in hosts.values() for worker in host.workers]
        with paused([worker for worker in workers if worker is not hosts[CUT].workers[0]]):
            table.let_play(STAGES[1])
            wait_for(hosts[CUT].commit.with_suffix(".held").exists)
            network.cut(CUT)
        table.play_until(STAGES[1])
        # That it had in hand too, which the server kept for it until it noticed that nobody was there.
        wait_for(lambda: cluster.ask("SELECT count(*) FROM inbox WHERE status = 'waiting'") == [(0,)])
        network.join(CUT)
        hosts[CUT].commit.unlink()
        hosts[CUT].workers[0].wait_for("the database is back part=worker")

        for name in OTHERS:
            for process in hosts[name].processes:
                assert process.stop() == 0, process.log
                assert "is away" not in process.log
        table.hosts = (CUT,)
        table.play_until(STAGES[2])
        # Who plays sends another mail behind each move, which nobody has waited for yet.
        wait_for(lambda: cluster.ask("SELECT count(*) FROM inbox WHERE status = 'waiting'") == [(0,)])
        # What its sender had in hand when it was cut off is leased for some minutes: let them be over.
        cluster.ask("UPDATE outbox SET not_before = created_at WHERE status = 'waiting' RETURNING id")
        wait_for(lambda: cluster.ask("SELECT count(*) FROM outbox WHERE status <> 'sent'") == [(0,)])
        for process in hosts[CUT].processes:
            assert process.stop() == 0, process.log
            assert "Traceback" not in process.log
            assert process.mail_log.count("is away") == process.mail_log.count("is back") <= 1
    assert_all_done(cluster, table, sink)
    told = [each for host in hosts.values() for worker in host.workers for each in HANDLED.findall(worker.log)]
    assert len(told) == len(set(told))
    assert check(house) == []


def assert_each_once(cluster: Cluster, sink: Sink) -> None:
    """Every answer is sent, none of them twice."""
    wait_for(lambda: cluster.ask("SELECT count(*) FROM outbox WHERE status <> 'sent'") == [(0,)])
    assert Counter(mail.message["Message-ID"] for mail in sink.mails) == Counter(
        row[0] for row in cluster.ask("SELECT message_id FROM outbox")
    )


def assert_all_done(cluster: Cluster, table: Table, sink: Sink) -> None:
    """Every mail handled once, in order; every answer sent, and sent again only what was in hand at the cut."""
    plies = len(table.boards) * STAGES[-1]
    fates = dict(cluster.ask("SELECT status, count(*) FROM inbox GROUP BY status"))
    assert fates["handled"] == 2 * plies
    assert fates.keys() == {"handled", "duplicate"}
    assert cluster.ask("SELECT count(*) FROM inbox WHERE tries + kills > 0") == [(0,)]
    for board in table.boards:
        log = f"SELECT text FROM entries WHERE match = {board.match.number} ORDER BY seq"
        assert [text for (text,) in cluster.ask(log)] == [*board.moves[: PLIES + STAGES[-1]]]
    answers = "SELECT inbox_id, count(*) FROM outbox GROUP BY inbox_id"
    found = Counter(count for _, count in cluster.ask(answers))
    assert found.keys() == {1, 2}
    assert found.total() == 2 * plies
    # News that were not written when the worker was cut off may have been told by a later letter.
    assert plies - 2 <= found[2] <= plies
    handled = cluster.ask("SELECT sender, id FROM inbox WHERE status = 'handled' ORDER BY handled_at, id")
    assert sorted(handled, key=lambda row: row[0]) == sorted(handled), "in the order in which they came"
    sent = Counter(mail.message["Message-ID"] for mail in sink.mails)
    assert sent.keys() == {message_id for (message_id,) in cluster.ask("SELECT message_id FROM outbox")}
    assert sent.total() - len(sent) <= 1, "one sender was cut off"
