"""`pbmserv mail` and `demo`: trying the server out without a mail program, or with a server of its own."""

import smtplib
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import click
from rich.rule import Rule

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.database import CannotStart
from pbmserv.cli.lazy import command
from pbmserv.cli.terminal import Exit, err, give_up, out, print_line, settings_or_exit
from pbmserv.mail.mail_urls import split
from pbmserv.mail.reading.headers import one_address
from pbmserv.mail.sending.from_web import compose, put_in_thread, subject_of_answer
from pbmserv.mail.sending.maildir import MaildirMail, read_all
from pbmserv.services.app import App, utc_now
from pbmserv.services.posting import PostedOutcome, find_posted, see_fate
from pbmserv.services.receipts import WAIT_FOR_ROBOT
from pbmserv.services.views import list_outbox

PATIENCE: Final = 20.0
ROBOTS_PATIENCE: Final = WAIT_FOR_ROBOT.total_seconds() + PATIENCE
"""As long as an answer may wait for a robot's move, which it then tells."""

LOOK_EVERY: Final = 0.02
SHOWN_HEADERS: Final = ("From", "To", "Subject", "Date")


class NoAnswer(Exception):
    """Nothing came back within a reasonable time."""


@dataclass(frozen=True, slots=True)
class CameBack:
    """What came of a mail: the answer, if there was one, and what became of the mail itself, if that is known."""

    letter: MaildirMail | None
    told: str


@command
@click.argument("subject", default="", help='the Subject, such as "signup alice"')
@click.argument("text", default="", help="the text; \\n begins a new line")
@click.option("--from", "sender", default="", help="your mail address")
@click.option("--answer", default="", help="answer the last mail to you with this text")
@click.option("--read", is_flag=True, help="print what has arrived for that address")
@click.option("--count", type=click.IntRange(1), default=5, help="with --read: at most this many, the newest")
def mail(subject: str, text: str, sender: str, answer: str, read: bool, count: int) -> None:
    """Send a mail to the running server and print its answer, or read what has arrived.

    Examples:
        pbmserv mail --from alice@example.org "signup alice"
        pbmserv mail --from alice@example.org --answer "c3"
        pbmserv mail --from bob@example.org --read --count 1
    """
    settings = settings_or_exit()
    folder = _maildir(settings)
    if not sender or not (subject or text or read or answer):
        give_up('say who writes and what: pbmserv mail --from alice@example.org "help"', Exit.USAGE)
    if answer and (subject or text):
        give_up("an answer has the Subject of the mail that it answers: give --answer alone", Exit.USAGE)
    if one_address([sender.encode("ascii", "replace")]) != sender.lower():
        give_up(f"{sender!a} is no mail address", Exit.USAGE)
    if read:
        _print_arrived(folder, sender, count)
    if not (subject or text or answer):
        return
    written = write(settings.address, sender, subject, text.replace("\\n", "\n"))
    if answer:
        written = answer_to(_last_letter(folder, sender), sender, answer.replace("\\n", "\n"))
    url = settings.listeners[0] if settings.listeners else give_up("PBMSERV_LISTEN is empty", Exit.WRONG_SETTING)
    with err.status("waiting for the answer ..."):
        try:
            came = send_and_wait(url, folder, written, _app_here(settings))
        except (OSError, smtplib.SMTPException) as error:
            give_up(f"the server does not take mail at {url}: is `make serve` running? ({error})")
        except NoAnswer:
            give_up(f"no answer after {PATIENCE:.0f} seconds; is the server's log telling why?", Exit.TRY_LATER)
    if came.told:
        out.print(came.told, style="bold", highlight=False, markup=False, soft_wrap=True)
        out.print()
    if came.letter is not None:
        print_letter(came.letter)


def _app_here(settings: Settings) -> App | None:
    """The App on the server's database; None where that is elsewhere, and only answers tell what came."""
    try:
        return build_app(settings)
    except CannotStart:
        return None


def send_and_wait(url: str, folder: Path, written: EmailMessage, app: App | None = None) -> CameBack:
    """Sends a mail to a listener and gives what comes of it: the answer in the Maildir, what the inbox says.

    With `app` it ends when the mail is handled and all that it caused is sent, answer or not; it waits longer if
    the answer waits for a robot's move. Raises NoAnswer.
    """
    hand_over(url, written["To"], written["From"], written.as_bytes())
    began = time.monotonic()
    deadline = began + PATIENCE
    fate: PostedOutcome | None = None
    while time.monotonic() < deadline:
        fate = None if app is None else _fate(app, written)
        told = fate.told if fate else ""
        for letter in reversed(list(read_all(folder))):
            if letter.header("In-Reply-To") == written["Message-ID"]:
                return CameBack(letter, told)
        if fate is not None and fate.state == "done":
            return CameBack(None, told)
        if fate is not None and fate.state == "held":
            deadline = began + ROBOTS_PATIENCE
        time.sleep(LOOK_EVERY)
    if fate is None or fate.state == "waiting":
        raise NoAnswer
    return CameBack(None, fate.told)


def _fate(app: App, written: EmailMessage) -> PostedOutcome | None:
    number = find_posted(app, written["From"], written["Message-ID"])
    return None if number is None else see_fate(app, number, written["From"])


def hand_over(url: str, address: str, sender: str, raw: bytes) -> None:
    """Gives a mail to a listener. Raises OSError, SMTPException."""
    kind, host, port = split(url)
    connect = smtplib.LMTP if kind == "lmtp" else smtplib.SMTP
    with connect(host, port, timeout=PATIENCE) as client:
        client.sendmail(sender, [address], raw)


def write(address: str, sender: str, subject: str, text: str) -> EmailMessage:
    """A mail to the server, as a mail program writes it."""
    return compose(sender, address, subject, text, utc_now())


def answer_to(letter: MaildirMail, sender: str, text: str) -> EmailMessage:
    """An answer as mail programs write it: to where the mail came from, in its thread, quoted below."""
    _, _, address = letter.header("From").rpartition("<")
    body = letter.message.get_body(("plain",))
    lines = body.get_content().splitlines() if body else []
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    whole = f"{text}\n\nOn {letter.header('Date')}, pbmserv wrote:\n{quoted}"
    written = write(address.removesuffix(">"), sender, subject_of_answer(letter.header("Subject")), whole)
    put_in_thread(written, letter.header("Message-ID"), letter.header("References"))
    return written


def _maildir(settings: Settings) -> Path:
    kind, _, path = settings.way_out.partition(":")
    if kind != "maildir":
        give_up("answers go out by SMTP, not into a Maildir that could be read here", Exit.WRONG_SETTING)
    return Path(path)


def _last_letter(folder: Path, address: str) -> MaildirMail:
    found = _letters_for(folder, address)
    return found[-1] if found else give_up(f"nothing has arrived for {address} that could be answered")


def _letters_for(folder: Path, address: str) -> list[MaildirMail]:
    return [letter for letter in read_all(folder) if letter.header("To").lower() == address.lower()]


def _print_arrived(folder: Path, address: str, count: int) -> None:
    found = _letters_for(folder, address)
    if not found:
        out.print(f"Nothing has arrived for {address}.", highlight=False)
    for letter in found[-count:]:
        print_letter(letter)


def print_letter(letter: MaildirMail) -> None:
    for name in SHOWN_HEADERS:
        out.print(f"[dim]{name}:[/] ", end="")
        print_line(letter.header(name))
    body = letter.message.get_body(("plain",))
    out.print()
    print_line(body.get_content() if body else "")


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
    # Slow to import, and `pbmserv mail` needs none of it.
    from pbmserv.cli.serve import all_parts, run_parts

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
