"""`pbmserv demo`: a whole game by mail, through a server of its own."""

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from rich.rule import Rule

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.lazy import command
from pbmserv.cli.serve import all_parts, run_parts
from pbmserv.cli.terminal import out, settings_or_exit
from pbmserv.cli.try_out import LOOK_EVERY, PATIENCE, NoAnswer, answer_to, print_letter, send_and_wait, write
from pbmserv.mail.sending.maildir import MaildirMail, read_all
from pbmserv.services.app import App
from pbmserv.services.views import list_outbox

DEMO_GAME: Final = "d1 d2 d3 g1 b1 f1 d4 f2 c1 d5 a1"
"""A short whole game of four in a row."""


@command
def demo() -> None:
    """Play a short game between two players through a server of its own, and print every mail."""
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="pbmserv-demo-") as folder,
        _server(Path(folder)) as (settings, app, url),
    ):
        mails = Path(folder) / "outgoing"
        last: dict[str, MaildirMail] = {}
        printed: set[Path] = set()
        for sender, about, text in _demo_mails():
            address = f"{sender}@example.org"
            written = write(settings.address, address, about, text)
            if not about:
                written = answer_to(last[sender], address, text)
            out.print(Rule(f"[bold]{sender}[/] writes: {written['Subject']}", align="left"))
            if text:
                out.print(text, highlight=False)
            came = send_and_wait(url, mails, written, app)
            if came.letter is None:
                out.print(came.told, highlight=False, markup=False)
            _wait_until_sent(app)
            for letter in [each for each in read_all(mails) if each.path not in printed]:
                printed.add(letter.path)
                last[letter.header("To").partition("@")[0]] = letter
                print_letter(letter)
    out.print(Rule(f"a whole game by mail, in {time.monotonic() - started:.1f} seconds"))


def _wait_until_sent(app: App) -> None:
    deadline = time.monotonic() + PATIENCE
    while list_outbox(app, "waiting", 1):
        if time.monotonic() > deadline:
            raise NoAnswer
        time.sleep(LOOK_EVERY)


def _demo_mails() -> Iterator[tuple[str, str, str]]:
    yield "alice", "signup alice sesame", ""
    yield "bob", "signup bob poppy", ""
    yield "alice", "four-in-a-row challenge alice bob", "Good luck!"
    for ply, move in enumerate(DEMO_GAME.split()):
        yield ("alice", "bob")[ply % 2], "", move


@contextmanager
def _server(folder: Path) -> Iterator[tuple[Settings, App, str]]:
    own: dict[str, Any] = {
        "data": folder,
        "database": "",
        "address": "pbmserv@localhost",
        "listen": "smtp://127.0.0.1:0",
        "out": "",
        "web": "",
        "site_url": "",
        "confirm": "from",
        "games": "",
        "robots": "0",  # two people play, so nothing would come of another process
    }
    settings = replace(settings_or_exit(), **own)
    stop = threading.Event()
    app = build_app(settings, bring_up_to_date=True)
    parts = all_parts(settings, app)
    url = next(name for name in parts if "://" in name)
    running = threading.Thread(target=run_parts, args=(parts, stop))
    running.start()
    try:
        yield settings, app, url
    finally:
        stop.set()
        running.join()
