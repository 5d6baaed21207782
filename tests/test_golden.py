"""Golden conversations: mails in and whole answers out, in process; three through a real listener as well."""

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Connection

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.serve import all_parts, run_parts
from pbmserv.cli.try_out import hand_over
from pbmserv.commands.command import Reply, commands
from pbmserv.commands.letter import AnsweredLine, Letter
from pbmserv.commands.server import Server
from pbmserv.mail.sending.maildir import read_all
from pbmserv.mail.sending.transport import Delivered
from pbmserv.matches.errors import CommandError
from pbmserv.matches.replay import GameState
from pbmserv.parser.parsed import Parsed
from pbmserv.rendering.templates import say
from pbmserv.server.scheduler import JOBS
from pbmserv.services import line_reports, worker, writer
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.app import App, TeachingBacklog
from pbmserv.services.deliver import note
from pbmserv.services.play import find_play_link
from pbmserv.services.play import play as play_by
from pbmserv.services.receive import receive_mail
from pbmserv.services.robots import play_robots
from pbmserv.services.run import CommandResult
from pbmserv.services.teaching import teach
from pbmserv.services.unsubscribe import unsubscribe
from pbmserv.services.views import list_inbox, list_outbox
from pbmserv.services.worker import process_next, process_some
from pbmserv.services.writer import write_due
from pbmserv.store import letters
from pbmserv.store.engine import reading, writing
from pbmserv.store.operating import ROBOTS
from tests.conftest import ADDRESS, Clock, make_house, prepared, with_shared_statements
from tests.conversation import Script, parse, play, without_chance
from tests.held import nothing_slow_while_held
from tests.operating import operate
from tests.services.post import form_of

FOLDER = Path(__file__).parent / "golden"
FILES = sorted(FOLDER.glob("*.txt"))
LONG = ("teacher",)
"""In them robots think for long."""

IN_PROCESS = [
    pytest.param(file, id=file.stem, marks=[pytest.mark.slow] if file.stem in LONG else []) for file in FILES
]
THROUGH_A_LISTENER = ("confirming", "dressed", "moves")
"""Played on a real clock as well: a server that asks back, one that believes, letters beyond ASCII."""

WRITTEN_LATER = ("moves", "digest", "robot")
"""Those of which the quick run shows that letters are written alike from their rows."""

PATIENCE = 30.0


def play_in_process(
    script: Script, folder: Path, hasher: PasswordHasher, process: Callable[[App, Clock], bool] = process_next
) -> str:
    """The conversation on a fixed clock with tokens that count up; no mail is read under SQLite's write lock."""
    clock = Clock()
    server = Server(
        ADDRESS,
        variants=script.variants,
        confirm="ask" if script.confirm == "ask" else "from",
        site_url="https://club.test",
    )
    made = make_house(f"sqlite:///{folder / 'golden.db'}", hasher, server)
    house = replace(made, backlog=TeachingBacklog(script.analysis))

    def send(raw: bytes, sender: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        size = re.search(rb"(?m)^Content-Length: ([0-9]+)", raw)
        record_heartbeat(house, ROBOTS, clock())
        receive_mail(house, raw, sender, [ADDRESS], clock(), int(size[1]) if size else None)
        while process(house, clock):
            pass
        yield from hand_out(house, clock())

    def later(text: str) -> None:
        clock.move(**{name: float(value) for name, value in (part.split("=") for part in text.split())})

    def wait(span: timedelta) -> Iterator[bytes]:
        step = timedelta(hours=1) if span % timedelta(days=1) else timedelta(hours=6)
        for _ in range(round(span / step)):
            clock.now += step
            for duty in JOBS:
                while duty.do(house, clock()):
                    pass
            while play_robots(house, clock()) or teach(house, clock()):
                pass
            while write_due(house, clock()):
                pass
            yield from hand_out(house, clock())

    def at_the_desk(text: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        operate(house, text, clock())
        yield from hand_out(house, clock())

    def click(number: int, key: str, move: str, words: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        door = find_play_link(house, number, key, clock())
        assert door is not None
        assert play_by(house, door, form_of(door, move, words), clock()) is not None
        while process(house, clock):
            pass
        yield from hand_out(house, clock())

    def leave(key: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        assert unsubscribe(house, key, clock()) is not None
        for duty in JOBS:
            while duty.do(house, clock()):
                pass
        yield from hand_out(house, clock())

    try:
        with nothing_slow_while_held():
            return play(script, send, later, wait, at_the_desk, click, leave)
    finally:
        house.engine.dispose()


def hand_out(house: App, now: datetime) -> Iterator[bytes]:
    """What waits is handed over, and noted as a sender does."""
    for mail in reversed(list_outbox(house, "waiting", 1000)):
        if mail.not_before > now:
            continue
        with writing(house.engine) as connection:
            note(connection, [(mail, Delivered())], now)
        yield mail.raw


@contextmanager
def running_server(
    folder: Path, confirm: Literal["ask", "from"], hasher: PasswordHasher
) -> Iterator[tuple[str, Path, App]]:
    """A whole server in threads, but for its hasher: its listener's URL, its Maildir, its house."""
    settings = Settings(
        data=folder,
        address=ADDRESS,
        listen="smtp://127.0.0.1:0",
        web="",
        confirm=confirm,
        site_url="https://club.test",
        variants=True,
    )
    prepared(settings.database_url).dispose()
    built = build_app(settings, bring_up_to_date=True)
    house = replace(built, engine=with_shared_statements(built.engine), hasher=hasher)
    parts = all_parts(settings, house)
    url = next(name for name in parts if "://" in name)
    stop = threading.Event()
    running = threading.Thread(target=run_parts, args=(parts, stop))
    running.start()
    try:
        yield url, folder / "outgoing", house
    finally:
        stop.set()
        running.join()
        house.engine.dispose()


def play_over_the_wire(script: Script, folder: Path, hasher: PasswordHasher) -> str:
    """The conversation through a listener, a worker and a sender."""
    with running_server(folder, script.confirm, hasher) as (url, mails, house):
        read: set[Path] = set()

        def send(raw: bytes, sender: str) -> Iterator[bytes]:
            hand_over(url, ADDRESS, sender, raw)
            deadline = time.monotonic() + PATIENCE
            while list_inbox(house, "waiting", 1) or is_unwritten(house) or list_outbox(house, "waiting", 1):
                assert time.monotonic() < deadline, "the server hangs"
                time.sleep(0.005)
            for letter in read_all(mails):
                if letter.path not in read:
                    read.add(letter.path)
                    yield letter.raw

        def cannot(*_: object) -> Any:
            pytest.fail("a real clock cannot be moved")

        return play(script, send, cannot, cannot, cannot, cannot, cannot)


def is_unwritten(house: App) -> bool:
    """Whether letters are yet to become mails."""
    with reading(house.engine) as connection:
        return letters.next_due(connection) is not None


@dataclass(frozen=True)
class Played:
    """A conversation as it went: the whole of it, and which kinds of sentences and which commands occurred."""

    text: str
    said: list[str]
    run: list[str]


@pytest.fixture(scope="session")
def played(
    tmp_path_factory: pytest.TempPathFactory, worker_id: str, quick_hasher: PasswordHasher
) -> Callable[[Path], Played]:
    """Plays a file's conversation in process: once, though two tests look at it and many workers may run them."""
    own = tmp_path_factory.getbasetemp()
    shelf = (own if worker_id == "master" else own.parent) / "played"
    shelf.mkdir(exist_ok=True)

    def play_once(file: Path) -> Played:
        kept = shelf / f"{file.stem}.json"
        if not kept.exists():
            written = kept.with_suffix(f".{os.getpid()}")
            written.write_text(json.dumps(asdict(play_anew(file))))
            written.rename(kept)
        return Played(**json.loads(kept.read_text()))

    def play_anew(file: Path) -> Played:
        said: set[str] = set()
        run: set[str] = set()
        tell = line_reports.answered_line

        def noted(what: Reply | CommandError, server: Server, words: bool = False) -> str:
            said.add(type(what).__name__)
            return say(what, server, words)

        def noted_line(result: CommandResult, *others: Any) -> AnsweredLine:
            if isinstance(result.line, Parsed):
                run.add(result.line.command.name)
            return tell(result, *others)

        with pytest.MonkeyPatch.context() as patch:
            for module in ("board_mail", "compose", "letters", "line_reports"):
                patch.setattr(f"pbmserv.services.{module}.say", noted, raising=False)
            patch.setattr("pbmserv.services.respond.answered_line", noted_line)
            text = play_in_process(parse(file.read_text()), tmp_path_factory.mktemp(file.stem), quick_hasher)
        return Played(text, sorted(said), sorted(run))

    return play_once


@pytest.mark.parametrize("file", IN_PROCESS)
def test_in_process(file: Path, played: Callable[[Path], Played], request: pytest.FixtureRequest) -> None:
    """Every byte of every answer is as it was reviewed."""
    said = played(file).text
    if request.config.getoption("--regen"):
        file.write_text(said)
    assert said == file.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_decided_without_the_lock(file: Path, tmp_path: Path, quick_hasher: PasswordHasher) -> None:
    """What workers decide on a snapshot is answered as what they decide under the lock, above."""
    reviewed = file.read_text()
    said = play_in_process(parse(reviewed), tmp_path, quick_hasher, process_some)
    assert without_chance(said) == without_chance(reviewed)


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=() if file.stem in WRITTEN_LATER else pytest.mark.slow)
        for file in FILES
        if file.stem != "leaving"
    ],
    ids=lambda file: file.stem,
)
def test_written_from_the_rows(
    file: Path, tmp_path: Path, quick_hasher: PasswordHasher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a process has ended once it had decided, another writes the same."""
    due = letters.due

    def write_later(app: App, decided: Sequence[Letter], now: datetime, _: Sequence[GameState] = ()) -> None:
        keys = {each.key for each in decided}

        def due_of_these(connection: Connection, now: datetime, most: int) -> list[letters.WaitingLetter]:
            return [each for each in due(connection, now, 100 * most) if each.key in keys]

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(letters, "LEFT_ALONE", timedelta())
            patch.setattr(letters, "due", due_of_these)
            while write_due(app, now):
                pass

    for module in (worker, writer):
        monkeypatch.setattr(module, "write_now", write_later)
    reviewed = file.read_text()
    assert play_in_process(parse(reviewed), tmp_path, quick_hasher) == reviewed


@pytest.mark.slow
@pytest.mark.parametrize("name", THROUGH_A_LISTENER)
def test_through_a_listener(name: str, tmp_path: Path, quick_hasher: PasswordHasher) -> None:
    """The same mails through real sockets and threads bring the same answers."""
    reviewed = (FOLDER / f"{name}.txt").read_text()
    said = play_over_the_wire(parse(reviewed), tmp_path, quick_hasher)
    assert without_chance(said) == without_chance(reviewed)


@pytest.mark.slow
def test_every_sentence_is_shown(played: Callable[[Path], Played]) -> None:
    """Each command, each reply and each refusal occurs in a golden conversation."""
    said = {kind for file in FILES for kind in played(file).said}
    run = {name for file in FILES for name in played(file).run}
    missing = {kind.__name__ for root in (Reply, CommandError) for kind in root.__subclasses__()}
    # They need a club without a default game, one that has lost a game or is in trouble, or a very large mail: see
    # tests of their own.
    missing -= said | {"WhichGame", "GameMissing", "NeedsYou", "IsOver", "TooMuchAtOnce"}
    assert not missing, f"no conversation in tests/golden/ has {sorted(missing)} in it"
    untried = set(commands()) - run
    assert not untried, f"no conversation in tests/golden/ gives the commands {sorted(untried)}"
