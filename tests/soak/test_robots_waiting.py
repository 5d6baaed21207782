"""A hundred boards wait for robots that think, mail goes on beside it, and a thinking process is killed.

Each board is answered within a minute, once; a person's move by mail is answered within a second meanwhile.
"""

import os
import signal
import smtplib
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from statistics import median

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select, update

from pbmserv.commands.server import Server
from pbmserv.services.admin.act import run_as
from pbmserv.services.app import utc_now
from pbmserv.services.robots import play_robots
from pbmserv.store.engine import open_engine, reading, writing
from pbmserv.store.tables import entries, matches
from tests.cli.processes import Running, running, wait_for
from tests.cli.terminal import RealClock
from tests.conftest import ADDRESS, make_house
from tests.free_port import free_port
from tests.services.post import Post

LONG = os.environ.get("PBMSERV_SOAK") == "1"
BOARDS = 100 if LONG else 20
GAMES = ("cephalopod", "hex", "reversi", "breakthrough")
WITHIN = 60.0
"""Seconds in which each board is to be answered."""

MAIL_WITHIN = 1.0
"""Seconds in which nine of ten moves by mail are to be answered."""

COLD = 2
PATIENCE = 240.0
FIRST = 102
"""The first board that waits for a robot; two people play on the one before."""


@dataclass
class Letters:
    """Two people who move by mail all the time, and how long each move took to arrive at the other."""

    port: int
    outgoing: Path
    stop: threading.Event = field(default_factory=threading.Event)
    seconds: list[float] = field(default_factory=list)

    def write(self) -> None:
        """Sends a move a second until told to stop: Hex on the biggest board, row by row, which nobody wins."""
        cells = [f"{column}{row}" for row in range(1, 20) for column in "abcdefghijklmnopqrs"]
        seen = self._arrived()
        for number, cell in enumerate(cells):
            if self.stop.wait(1.0):
                return
            mover, other = ("alice", "bob") if number % 2 == 0 else ("bob", "alice")
            mail = EmailMessage()
            mail["From"], mail["To"], mail["Subject"] = f"{mover}@example.org", ADDRESS, f"move 101 {cell}"
            mail["Message-ID"] = f"<move-{number}@example.org>"
            mail.set_content("")
            begun = time.monotonic()
            with smtplib.SMTP("127.0.0.1", self.port) as client:
                client.send_message(mail)
            told = (f"To: {other}@example.org", f"{mover} played {cell.upper()}.")
            while not any(all(each in text for each in told) for text in map(_text, self._arrived() - seen)):
                assert time.monotonic() < begun + PATIENCE
                time.sleep(0.005)
            self.seconds.append(time.monotonic() - begun)
            seen = self._arrived()

    def _arrived(self) -> set[Path]:
        return set((self.outgoing / "new").glob("*"))


def _text(file: Path) -> str:
    return file.read_text(errors="replace")


def furnish(url: str) -> None:
    """Two people at a board, and a hundred more who have each challenged a strong robot just now."""
    house = make_house(url, PasswordHasher(1, 8, 1), Server(ADDRESS, variants=True, confirm="from"))
    post = Post(house, RealClock())
    play_robots(house, utc_now())
    post.people(alice="sesame", bob="poppy", **{f"person{number}": "tahini" for number in range(BOARDS)})
    assert run_as(house, "alice", "hex challenge alice bob -size=19", utc_now()).done
    for number in range(BOARDS):
        line = f"{GAMES[number % 4]} challenge robot.master person{number}"
        done = run_as(house, f"person{number}", line, utc_now())
        assert done.done, done.text
    with writing(house.engine) as connection:
        # As if all had been begun at this moment.
        waiting = update(matches).where(matches.c.number >= FIRST)
        connection.execute(waiting.values(started_at=utc_now(), last_at=utc_now()))
    house.engine.dispose()


def waited(url: str, since: datetime) -> list[float]:
    """How many seconds each board waited for the robot's first move since then, of those that have it."""
    engine = open_engine(url)
    query = (
        select(entries.c.at)
        .join(matches, (entries.c.match == matches.c.number) & (entries.c.seq == 1))
        .where(matches.c.number >= FIRST)
    )
    with reading(engine) as connection:
        found = [(at - since) / timedelta(seconds=1) for at in connection.execute(query).scalars()]
        plies = connection.execute(select(matches.c.plies).where(matches.c.number >= FIRST)).scalars().all()
    engine.dispose()
    assert max(plies) <= 1, "a robot has moved twice"
    return found


@pytest.mark.slow
def test_a_hundred_boards(database_url: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """20 of them unless `make soak` asks for all. Two processes think; one is killed in the middle."""
    furnish(database_url)
    settings = {
        "PBMSERV_DATA": str(tmp_path / "data"),
        "PBMSERV_DATABASE": database_url,
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": "",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_PROCESSES": "2",
        "PBMSERV_ROBOTS": "2",
    }
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("robots-2 pbmserv.cli.serve: started parts=")
        up = utc_now()
        letters = Letters(int(settings["PBMSERV_LISTEN"].rpartition(":")[2]), tmp_path / "data" / "outgoing")
        mailing = threading.Thread(target=letters.write)
        mailing.start()
        try:
            wait_for(lambda: len(waited(database_url, up)) >= BOARDS // 4)
            _kill(server)
            deadline = time.monotonic() + PATIENCE
            while len(waited(database_url, up)) < BOARDS and time.monotonic() < deadline:
                time.sleep(1)
        finally:
            letters.stop.set()
            mailing.join()
        assert server.stop() == 0
    # In a server that has just been started the first ones take long, robots or not.
    seconds, mails = sorted(waited(database_url, up)), sorted(letters.seconds[COLD:])
    shortened = sum("a robot thinks fewer iterations" in line for line in server.log.splitlines())
    with capfd.disabled():
        print(
            f"\n{database_url.partition(':')[0]}: {len(seconds)} boards waited {median(seconds):.1f} s, at most"
            f" {seconds[-1]:.1f} s; {shortened} thoughts were shortened; {len(mails)} moves by mail took"
            f" {median(mails):.3f} s, nine of ten {mails[len(mails) * 9 // 10]:.3f} s, at most {mails[-1]:.3f} s"
        )
    assert len(seconds) == BOARDS
    assert "a robot cannot play" not in server.log
    if LONG:
        assert seconds[-1] <= WITHIN
        assert mails[len(mails) * 9 // 10] <= MAIL_WITHIN


def _kill(server: Running) -> None:
    old = server.pid_of("robots")
    assert old is not None
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: server.pid_of("robots") not in (None, old))
