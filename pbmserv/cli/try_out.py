"""Trying the server out without a mail program: `pbmserv mail` writes and reads, `pbmserv demo` plays."""

import smtplib
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.rule import Rule

from pbmserv.cli.bootstrap import CannotStart, build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.serve import all_parts, run_parts
from pbmserv.cli.terminal import Exit, err, give_up, out, settings_or_exit
from pbmserv.mail.reading.headers import one_address
from pbmserv.mail.sending.from_web import compose, put_in_thread, subject_of_answer
from pbmserv.mail.sending.maildir import MaildirMail, read_all
from pbmserv.server.listener import split
from pbmserv.services.app import App, utc_now
from pbmserv.services.receive import PostedOutcome, find_posted, see_fate
from pbmserv.services.views import list_outbox

PATIENCE: Final = 20.0
LOOK_EVERY: Final = 0.02
SHOWN_HEADERS: Final = ("From", "To", "Subject", "Date")

DEMO_GAME: Final = "d1 d2 d3 g1 b1 f1 d4 f2 c1 d5 a1"
"""A short whole game of four in a row."""


class NoAnswer(Exception):
    """Nothing came back within a reasonable time."""


@dataclass(frozen=True, slots=True)
class CameBack:
    """What came of a mail: the answer, if there was one, and what became of the mail itself, if that is known."""

    letter: MaildirMail | None
    told: str


def mail(
    subject: Annotated[str, typer.Argument(help='the Subject, such as "signup alice sesame"')] = "",
    text: Annotated[str, typer.Argument(help="the text; \\n begins a new line")] = "",
    sender: Annotated[str, typer.Option("--from", help="your mail address")] = "",
    answer: Annotated[str, typer.Option("--answer", help="answer the last mail to you with this text")] = "",
    read: Annotated[bool, typer.Option("--read", help="print what has arrived for that address")] = False,
    count: Annotated[int, typer.Option(min=1, help="with --read: at most so many, the newest")] = 5,
) -> None:
    """Send a mail to the running server and print its answer, or read what has arrived."""
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
    written = _written(settings.address, sender, subject, text.replace("\\n", "\n"))
    if answer:
        written = _answering(_last_letter(folder, sender), sender, answer.replace("\\n", "\n"))
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
        _print_letter(came.letter)


def _app_here(settings: Settings) -> App | None:
    """The App on the server's database; None where that is elsewhere, and only answers tell what came."""
    try:
        return build_app(settings)
    except CannotStart:
        return None


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
            written = _written(settings.address, address, about, text)
            if not about:
                written = _answering(last[sender], address, text)
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
                _print_letter(letter)
    out.print(Rule(f"a whole game by mail, in {time.monotonic() - started:.1f} seconds"))


def send_and_wait(url: str, folder: Path, written: EmailMessage, app: App | None = None) -> CameBack:
    """Sends a mail to a listener and gives what comes of it: the answer in the Maildir, what the inbox says.

    With `app` it ends when the mail is handled and all that it caused is sent, answer or not. Raises NoAnswer.
    """
    hand_over(url, written["To"], written["From"], written.as_bytes())
    deadline = time.monotonic() + PATIENCE
    fate: PostedOutcome | None = None
    while time.monotonic() < deadline:
        fate = None if app is None else _fate(app, written)
        told = fate.told if fate else ""
        for letter in reversed(list(read_all(folder))):
            if letter.header("In-Reply-To") == written["Message-ID"]:
                return CameBack(letter, told)
        if fate is not None and fate.state == "done":
            return CameBack(None, told)
        time.sleep(LOOK_EVERY)
    if fate is None or fate.state == "waiting":
        raise NoAnswer
    return CameBack(None, fate.told)


def _fate(app: App, written: EmailMessage) -> PostedOutcome | None:
    number = find_posted(app, written["From"], written["Message-ID"])
    return None if number is None else see_fate(app, number, written["From"])


def _wait_until_sent(app: App) -> None:
    deadline = time.monotonic() + PATIENCE
    while list_outbox(app, "waiting", 1):
        if time.monotonic() > deadline:
            raise NoAnswer
        time.sleep(LOOK_EVERY)


def hand_over(url: str, address: str, sender: str, raw: bytes) -> None:
    """Gives a mail to a listener. Raises OSError, SMTPException."""
    kind, host, port = split(url)
    connect = smtplib.LMTP if kind == "lmtp" else smtplib.SMTP
    with connect(host, port, timeout=PATIENCE) as client:
        client.sendmail(sender, [address], raw)


def _demo_mails() -> Iterator[tuple[str, str, str]]:
    yield "alice", "signup alice sesame", ""
    yield "bob", "signup bob poppy", ""
    yield "alice", "four-in-a-row challenge alice bob", "Good luck!"
    for ply, move in enumerate(DEMO_GAME.split()):
        yield ("alice", "bob")[ply % 2], "", move


@contextmanager
def _server(folder: Path) -> Iterator[tuple[Settings, App, str]]:
    own = {
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
    settings = settings_or_exit().model_copy(update=own)
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


def _written(address: str, sender: str, subject: str, text: str) -> EmailMessage:
    return compose(sender, address, subject, text, utc_now())


def _answering(letter: MaildirMail, sender: str, text: str) -> EmailMessage:
    """An answer as mail programs write it: to where the mail came from, in its thread, quoted below."""
    _, _, address = letter.header("From").rpartition("<")
    body = letter.message.get_body(("plain",))
    lines = body.get_content().splitlines() if body else []
    quoted = "\n".join(f"> {line}".rstrip() for line in lines)
    whole = f"{text}\n\nOn {letter.header('Date')}, pbmserv wrote:\n{quoted}"
    written = _written(address.removesuffix(">"), sender, subject_of_answer(letter.header("Subject")), whole)
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
        _print_letter(letter)


def _print_letter(letter: MaildirMail) -> None:
    for name in SHOWN_HEADERS:
        out.print(f"[dim]{name}:[/] ", end="")
        out.print(letter.header(name), highlight=False, markup=False, soft_wrap=True)
    body = letter.message.get_body(("plain",))
    out.print()
    out.print(body.get_content() if body else "", highlight=False, markup=False, soft_wrap=True)
