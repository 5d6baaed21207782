"""A club in the middle of its games, a server on it, and the people outside: what `test_road` measures by."""

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal

from argon2 import PasswordHasher
from sqlalchemy import update

from pbmserv.commands.base.changes import NewSetting
from pbmserv.commands.base.server import Server
from pbmserv.services.app import App, utc_now
from pbmserv.store import accounts, outbox, players
from pbmserv.store.engine import writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.tables import outbox as outbox_table
from tests.bench import bare_listener, road_clients
from tests.bench.club import PLIES, Club, address, answer_to
from tests.bench.road_clients import Step
from tests.cli.processes import Running, running
from tests.cli.usage import Usage, usage_of
from tests.conftest import ADDRESS, make_house
from tests.free_port import free_port

PAIRS = 20
SITE = "https://club.example"
WARM_UP = 0.2
"""As much of a run is not counted: caches fill, templates are compiled."""


@dataclass(frozen=True)
class Story:
    """What is going to happen on each board: the board mails that ask for moves, and the answers."""

    letters: Sequence[OutboxMessage]
    boards: Sequence[Sequence[Step]]

    @property
    def moves(self) -> int:
        """How many moves there are."""
        return sum(map(len, self.boards))


def club_at(url: str, hasher: PasswordHasher) -> Club:
    """A club on an empty database, whose games began a while ago."""
    house = make_house(url, hasher, Server(ADDRESS, variants=True, confirm="ask", site_url=SITE))
    return Club(house, PAIRS, utc_now() - timedelta(hours=PLIES + 2))


def tell_story(club: Club, boards: int, plies: int) -> Story:
    """The next plies of so many new boards."""
    letters, steps = [], []
    for board in [club.open_board() for _ in range(boards)]:
        told = []
        for ply in range(PLIES + 1, PLIES + 1 + plies):
            letter = club.board_mail(board, ply)
            letters.append(letter)
            raw = answer_to(letter, board, ply)
            told.append(Step(board.match.number, ply, address(board.mover(ply)), raw))
        steps.append(told)
    return Story(letters, steps)


def furnish(url: str, hasher: PasswordHasher, story: Story, receipts: str) -> None:
    """Puts players, boards, and the board mails of a story, sent long ago, into an empty database."""
    club = club_at(url, hasher)
    for _ in story.boards:
        club.open_board()
    house: App = club.house
    with writing(house.engine) as connection:
        outbox.queue(connection, story.letters, club.now)
        connection.execute(update(outbox_table).values(status="sent", sent_at=club.now))
        for player in players.everybody(connection):
            accounts.write_account_change(connection, NewSetting(player.id, "receipts", receipts), club.now)
    house.engine.dispose()


@dataclass(frozen=True)
class Course:
    """When mails were taken and board mails had come, in seconds, and how many mails came in all."""

    taken: Sequence[float]
    come: Sequence[float]
    mails: int

    @property
    def taken_a_second(self) -> float:
        """Mails accepted a second."""
        return len(self.taken) / self.taken[-1]

    @property
    def answered_a_second(self) -> float:
        """Moves answered a second."""
        cold = int(len(self.come) * WARM_UP)
        return (len(self.come) - cold) / (self.come[-1] - (self.come[cold - 1] if cold else 0.0))


@dataclass
class Outside:
    """The process with the clients and the relay."""

    process: "subprocess.Popen[str]"

    def bring(self, manner: Literal["chain", "flood"]) -> Course:
        """Comes back when the story has been told."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{manner}\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        assert said, "the people outside have given up"
        return Course(**json.loads(said))


@contextmanager
def outside(story: Story, folder: Path, server: int, relay: int = 0) -> Iterator[Outside]:
    """People who bring a story to a port, and the relay at another."""
    plan = folder / f"plan-{server}"
    plan.write_bytes(pickle.dumps([[tuple(step) for step in steps] for steps in story.boards]))
    with _program(road_clients.__file__, str(plan), str(server), str(relay)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield Outside(process)


def bare_rate(story: Story, folder: Path) -> float:
    """Mails a second that a listener takes that stores nothing, the median of three."""
    with _program("-m", bare_listener.__name__) as process:
        assert process.stdout is not None
        with outside(story, folder, int(process.stdout.readline())) as people:
            return sorted(people.bring("flood").taken_a_second for _ in range(3))[1]


@contextmanager
def _program(*words: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@dataclass
class Service:
    """A running server, in one process or several that were started apart."""

    port: int
    relay: int
    processes: list[Running] = field(default_factory=list)

    def usage(self) -> list[Usage]:
        """What each of its processes has used so far."""
        return [each for process in self.processes for each in usage_of(process.process.pid)]


@contextmanager
def service(folder: Path, settings: dict[str, str], *parts: str) -> Iterator[Service]:
    """A server of these parts: `serve`, or several apart."""
    found = Service(free_port(), free_port())
    needed = {
        "PBMSERV_DATA": str(folder / "data"),
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_SITE_URL": SITE,
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{found.port}",
        "PBMSERV_WEB": f"127.0.0.1:{free_port()}",
        "PBMSERV_OUT": f"smtp://127.0.0.1:{found.relay}",
    }
    with ExitStack() as stack:
        # Its way out is tried at the start.
        for number, part in enumerate(parts):
            place = folder / f"{number}"
            place.mkdir()
            found.processes.append(stack.enter_context(running(needed | settings, place, part)))
        for each in found.processes:
            each.wait_for("started parts=")
        yield found
        for each in found.processes:
            assert each.stop() == 0, each.log
            assert "Traceback" not in each.log, each.log
