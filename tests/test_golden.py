"""Golden conversations: whole mails in, whole answers out, in process and through a real listener."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.library import commands
from pbmserv.commands.message import Parsed
from pbmserv.commands.replies.common import Reply
from pbmserv.commands.server import Server
from pbmserv.entrypoints.bootstrap import build_house
from pbmserv.entrypoints.config import Settings
from pbmserv.entrypoints.serve import all_parts, run_parts
from pbmserv.entrypoints.steward import DUTIES
from pbmserv.entrypoints.tryout import hand_over
from pbmserv.mail.maildir import read_all
from pbmserv.mail.outgoing import Sent
from pbmserv.matches.refusals import Refused
from pbmserv.rendering.sentences import say
from pbmserv.services import told
from pbmserv.services.deliver import note
from pbmserv.services.handle import handle_next
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.services.play import find_door
from pbmserv.services.play import play as play_by
from pbmserv.services.run import Result
from pbmserv.services.views.mails import see_inbox, see_outbox
from pbmserv.store.engine import writing
from tests.conftest import ADDRESS, Clock, make_house, prepared, with_shared_statements
from tests.conversation import Script, parse, play, without_chance
from tests.operating import operate

FOLDER = Path(__file__).parent / "golden"
FILES = sorted(FOLDER.glob("*.txt"))
ON_A_REAL_CLOCK = [file for file in FILES if not parse(file.read_text()).is_in_process_only]
PATIENCE = 30.0


def play_in_process(script: Script, folder: Path, hasher: PasswordHasher) -> str:
    """The conversation on a fixed clock with tokens that count up."""
    clock = Clock()
    server = Server(ADDRESS, confirm="ask" if script.confirm == "ask" else "from", site_url="https://club.test")
    house = make_house(f"sqlite:///{folder / 'golden.db'}", hasher, server)

    def send(raw: bytes, sender: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        size = re.search(rb"(?m)^Content-Length: ([0-9]+)", raw)
        keep(house, raw, sender, [ADDRESS], clock(), int(size[1]) if size else None)
        while handle_next(house, clock):
            pass
        yield from hand_out(house, clock())

    def later(text: str) -> None:
        clock.move(**{name: float(value) for name, value in (part.split("=") for part in text.split())})

    def wait(span: timedelta) -> Iterator[bytes]:
        for _ in range(round(span / timedelta(hours=1))):
            clock.move(hours=1)
            for duty in DUTIES:
                while duty.do(house, clock()):
                    pass
            yield from hand_out(house, clock())

    def at_the_desk(text: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        operate(house, text, clock())
        yield from hand_out(house, clock())

    def click(number: int, key: str, move: str, words: str) -> Iterator[bytes]:
        clock.move(minutes=1)
        door = find_door(house, number, key, clock())
        assert door is not None
        assert play_by(house, door, move, words, clock()) is not None
        while handle_next(house, clock):
            pass
        yield from hand_out(house, clock())

    try:
        return play(script, send, later, wait, at_the_desk, click)
    finally:
        house.engine.dispose()


def hand_out(house: House, now: datetime) -> Iterator[bytes]:
    """What waits is handed over, and noted as a sender does."""
    for mail in reversed(see_outbox(house, "waiting", 1000)):
        with writing(house.engine) as connection:
            note(connection, mail, Sent(), now)
        yield mail.raw


@contextmanager
def running_server(
    folder: Path, confirm: Literal["ask", "from"], hasher: PasswordHasher
) -> Iterator[tuple[str, Path, House]]:
    """A whole server in threads, but for its hasher: its listener's URL, its Maildir, its house."""
    settings = Settings(
        data=folder,
        address=ADDRESS,
        listen="smtp://127.0.0.1:0",
        web="",
        confirm=confirm,
        site_url="https://club.test",
    )
    prepared(settings.database_url).dispose()
    built = build_house(settings, bring_up_to_date=True)
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
            while see_inbox(house, "waiting", 1) or see_outbox(house, "waiting", 1):
                assert time.monotonic() < deadline, "the server hangs"
                time.sleep(0.005)
            for letter in read_all(mails):
                if letter.path not in read:
                    read.add(letter.path)
                    yield letter.raw

        def cannot(*_: object) -> Any:
            pytest.fail("a real clock cannot be moved")

        return play(script, send, cannot, cannot, cannot, cannot)


@dataclass(frozen=True)
class Played:
    """A conversation as it went: the whole of it, and which kinds of sentences and which commands occurred."""

    text: str
    said: frozenset[type]
    run: frozenset[str]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, quick_hasher: PasswordHasher) -> Callable[[Path], Played]:
    """Plays a file's conversation in process, each but once, since two tests look at them all."""

    @cache
    def play_once(file: Path) -> Played:
        said: set[type] = set()
        run: set[str] = set()
        tell = told.tell

        def noted(what: Reply | Refused, server: Server, words: bool = False) -> str:
            said.add(type(what))
            return say(what, server, words)

        def noted_line(result: Result, *others: Any) -> told.ToldResult:
            if isinstance(result.line, Parsed):
                run.add(result.line.command.name)
            return tell(result, *others)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pbmserv.services.answer.say", noted)
            patch.setattr("pbmserv.services.told.say", noted)
            patch.setattr("pbmserv.services.letters.say", noted)
            patch.setattr("pbmserv.services.answer.tell", noted_line)
            text = play_in_process(parse(file.read_text()), tmp_path_factory.mktemp(file.stem), quick_hasher)
        return Played(text, frozenset(said), frozenset(run))

    return play_once


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_in_process(file: Path, played: Callable[[Path], Played], request: pytest.FixtureRequest) -> None:
    """Every byte of every answer is as it was reviewed."""
    said = played(file).text
    if request.config.getoption("--regen"):
        file.write_text(said)
    assert said == file.read_text()


@pytest.mark.parametrize("file", ON_A_REAL_CLOCK, ids=lambda file: file.stem)
def test_through_a_listener(file: Path, tmp_path: Path, quick_hasher: PasswordHasher) -> None:
    """The same mails through real sockets and threads bring the same answers."""
    script = parse(file.read_text())
    assert without_chance(play_over_the_wire(script, tmp_path, quick_hasher)) == without_chance(file.read_text())


def test_every_sentence_is_shown(played: Callable[[Path], Played]) -> None:
    """Each command, each reply and each refusal occurs in a golden conversation."""
    said = {kind for file in FILES for kind in played(file).said}
    run = {name for file in FILES for name in played(file).run}
    missing = {kind.__name__ for root in (Reply, Refused) for kind in root.__subclasses__()}
    missing -= {kind.__name__ for kind in said} | {"WhichGame", "OtherGame"}  # these need a second game
    assert missing == set()
    assert set(commands()) == run
