"""The whole road from outside, beside two programs that bound it: what `test_road` measures by.

* *plain*: an aiosmtpd listener that stores nothing takes 2,000 mails on ten connections: what Python can do at
  all.
* *floor*: `floor.py`, the smallest honest program that does one game's durable job.
* *pbmserv*: a server as in service. All moves of one ply go in over ten connections at once; the next ply
  follows when all opponents' board mails have come to the relay.

Clients and relay are plain smtplib and aiosmtpd processes. A heavier driver takes its processor time from the
listener beside which everything is measured, and so flatters whatever is measured.
"""

import multiprocessing
import re
import smtplib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any, Final

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.bench import floor as floor_program
from tests.cli.processes import Running, wait_for
from tests.cli.usage import Usage, usage_of
from tests.free_port import free_port

ADDRESS: Final = "pbmserv@club.test"
CELLS: Final = ("a1", "c1", "e1", "a3", "c3", "e3", "a5", "c5", "e5")
SIDES: Final = ("al", "bo")
BOARD: Final = re.compile(rb"^Subject: .*Board (\d+)", re.MULTILINE)
CONNECTIONS: Final = 10
PLAIN_MAILS: Final = 2000
PATIENCE: Final = 300.0

fork = multiprocessing.get_context("fork")

Mail = tuple[str, bytes]
"""An envelope sender and a whole mail."""


def mail(sender: str, subject: str, ident: str) -> Mail:
    """A mail of a Subject alone."""
    head = f"From: {sender}\r\nTo: {ADDRESS}\r\nSubject: {subject}\r\nMessage-ID: <{ident}@x.example>\r\n"
    return sender, f"{head}MIME-Version: 1.0\r\nContent-Type: text/plain\r\n\r\n\r\n".encode()


class _Sink:
    def __init__(self) -> None:
        self.came: Counter[str] = Counter()
        self.boards: dict[int, dict[str, str]] = {}
        self.last = 0.0

    async def handle_DATA(self, _: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        recipient = envelope.rcpt_tos[0]
        self.came[recipient[:2]] += 1
        if found := BOARD.search(envelope.original_content or b""):
            self.boards.setdefault(int(found[1]), {})[recipient[:2]] = recipient
        self.last = time.monotonic()
        return "250 OK"


def _take_mail(port: int, pipe: "Connection[Any, Any]") -> None:
    sink = _Sink()
    controller = Controller(sink, hostname="127.0.0.1", port=port)
    controller.start()
    pipe.send(None)
    while True:
        pipe.send(sink.boards if pipe.recv() == "boards" else (sink.came, sink.last))


class Relay:
    """A process that takes mails, stores nothing, and counts those of each side: "al", "bo" and others."""

    def __init__(self) -> None:
        self.port = free_port()
        self._pipe, end = fork.Pipe()
        self._process = fork.Process(target=_take_mail, args=(self.port, end), daemon=True)
        self._process.start()
        self._pipe.recv()

    def stop(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.join()

    def boards(self) -> dict[int, dict[str, str]]:
        """The players' addresses by board and side."""
        self._pipe.send("boards")
        found: dict[int, dict[str, str]] = self._pipe.recv()
        return found

    def count(self, side: str = "") -> int:
        """How many mails have come, to one side or to all."""
        came, _ = self._seen()
        return came[side] if side else sum(came.values())

    def wait(self, least: int, side: str = "", still: float = 0.0) -> float:
        """When the last mail came, once there are this many and none has come for `still` seconds."""
        deadline = time.monotonic() + PATIENCE
        while True:
            came, last = self._seen()
            if (came[side] if side else sum(came.values())) >= least and time.monotonic() - last >= still:
                return last
            assert time.monotonic() < deadline, f"only {self.count(side)} of {least} mails have come"
            time.sleep(0.01)

    def _seen(self) -> tuple[Counter[str], float]:
        self._pipe.send("seen")
        seen: tuple[Counter[str], float] = self._pipe.recv()
        return seen


@contextmanager
def relay() -> Iterator[Relay]:
    """A relay for a while."""
    made = Relay()
    try:
        yield made
    finally:
        made.stop()


def _bring(port: int, mails: Sequence[Mail], start: Barrier, times: Any) -> None:
    with smtplib.SMTP("127.0.0.1", port) as link:
        link.ehlo()
        start.wait()
        begun = time.monotonic()
        for sender, raw in mails:
            link.sendmail(sender, [ADDRESS], raw)
        times.put((begun, time.monotonic()))


def bring(port: int, mails: Sequence[Mail], connections: int = CONNECTIONS) -> tuple[float, float]:
    """Brings mails over several connections at once: when the first was begun, and the last taken."""
    times, start = fork.Queue(), fork.Barrier(connections)
    clients = [
        fork.Process(target=_bring, args=(port, mails[each::connections], start, times))
        for each in range(connections)
    ]
    for client in clients:
        client.start()
    taken = [times.get(timeout=PATIENCE) for _ in clients]
    for client in clients:
        client.join()
    return min(begun for begun, _ in taken), max(ended for _, ended in taken)


def plain_rate(mails: int = PLAIN_MAILS) -> float:
    """Mails a second that a listener takes that stores nothing."""
    with relay() as listener:
        begun, ended = bring(listener.port, [mail("x@example.org", "hello", f"p{each}") for each in range(mails)])
    return mails / (ended - begun)


@dataclass(frozen=True)
class Course:
    """How a server did."""

    moves: int
    accepted: float
    """Mails a second taken while they are handled."""
    answered: float
    """Moves a second whose opponent's mail had come to the relay."""
    letters: float
    """A move."""
    used: Sequence[Usage]
    """What each process took of the processor for all moves."""

    @property
    def cpu_ms(self) -> float:
        """Milliseconds of the processor a move."""
        return 1000 * sum(each.seconds for each in self.used) / self.moves


def play(port: int, out: Relay, pid: int, boards: dict[int, dict[str, str]], plies: int) -> Course:
    """Plays that many plies on each board, the sides in turn, as fast as they are answered."""
    before, first_count = usage_of(pid), out.count()
    taking = answering = 0.0
    for ply in range(plies):
        mover, other = SIDES[ply % 2], SIDES[1 - ply % 2]
        had = out.count(other)
        moves = [
            mail(sides[mover], f"move {number} {CELLS[ply]}", f"m{ply}-{number}")
            for number, sides in boards.items()
        ]
        begun, taken = bring(port, moves)
        taking += taken - begun
        # Acknowledgements go to the mover's side, so only opponents' mails count here.
        answering += out.wait(had + len(boards), other) - begun
        out.wait(0, still=0.3)
    count = len(boards) * plies
    return Course(
        count, count / taking, count / answering, (out.count() - first_count) / count, spent(before, usage_of(pid))
    )


def spent(before: Sequence[Usage], after: Sequence[Usage]) -> list[Usage]:
    """What each process has used between two looks."""
    had = {each.pid: each.seconds for each in before}
    return [
        Usage(each.pid, each.name, each.seconds - had.get(each.pid, 0.0), each.rss, each.pss) for each in after
    ]


def floor(folder: Path, boards: int, plies: int) -> Course:
    """How the smallest honest program does."""
    with relay() as out:
        port = free_port()
        command = [sys.executable, floor_program.__file__, str(folder / "floor.db"), str(port), str(out.port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            program.stdout.readline()
            before, answering = usage_of(program.pid), 0.0
            for ply in range(plies):
                had = out.count()
                moves = [
                    mail(f"{SIDES[ply % 2]}{each}@host.example", f"move {each} {CELLS[ply]}", f"f{ply}-{each}")
                    for each in range(boards)
                ]
                begun, _ = bring(port, moves)
                answering += out.wait(had + 2 * boards) - begun
            used = spent(before, usage_of(program.pid))
            program.kill()
    count = boards * plies
    return Course(count, count / answering, count / answering, 2.0, used)


def open_boards(port: int, out: Relay, boards: int, still: float) -> dict[int, dict[str, str]]:
    """Players sign up and begin their games: the addresses of each board's players, by side."""
    pairs = max(boards // 2, 1)
    address = {f"{side}{each}": f"{side}{each}@host{each % 40}.example" for each in range(pairs) for side in SIDES}
    had = out.count()
    bring(port, [mail(where, f"signup {name} sesame{name}", f"s{name}") for name, where in address.items()], 4)
    out.wait(had + len(address), still=still)
    had = out.count()
    games = [
        mail(address[f"al{each % pairs}"], f"cephalopod challenge al{each % pairs} bo{each % pairs}", f"c{each}")
        for each in range(boards)
    ]
    bring(port, games, 1)
    out.wait(had + 2 * boards, still=still)
    found = {number: sides for number, sides in sorted(out.boards().items()) if len(sides) == len(SIDES)}
    assert len(found) == boards
    return found


def settings(folder: Path, port: int, out: Relay) -> dict[str, str]:
    """What a server of a bench needs: a From address is proof, and its letters go to a relay."""
    return {
        "PBMSERV_DATA": str(folder),
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{port}",
        "PBMSERV_WEB": f"127.0.0.1:{free_port()}",
        "PBMSERV_OUT": f"smtp://127.0.0.1:{out.port}",
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_SITE_URL": "http://127.0.0.1",
        "PBMSERV_CONFIRM": "from",
    }


def at_rest(server: Running, seconds: float) -> list[Usage]:
    """What a server that has nothing to do takes of the processor meanwhile."""
    before = usage_of(server.process.pid)
    time.sleep(seconds)
    return spent(before, usage_of(server.process.pid))


def until_ready(servers: Sequence[Running]) -> None:
    """Until each part has begun."""
    for each in servers:
        each.wait_for("started parts=")
    wait_for(lambda: all(each.process.poll() is None for each in servers))
