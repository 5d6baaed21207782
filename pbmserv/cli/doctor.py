"""`pbmserv doctor`: looks at all that mail needs, one thing after the other, and says what mends it."""

import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import click
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import FILE, Settings, WrongSetting, load_settings
from pbmserv.cli.database import CannotStart, opened
from pbmserv.cli.lazy import command
from pbmserv.cli.serve import mailbox, road_out
from pbmserv.cli.terminal import Exit, err, give_up, print_findings, scripted_option
from pbmserv.mail.mail_urls import mailbox_address, relay_address
from pbmserv.mail.reading.headers import Headers, head_of
from pbmserv.services.admin.doctor import round_trip
from pbmserv.services.admin.doctor.files import see_clock, see_data, see_schema, see_secret_files
from pbmserv.services.admin.doctor.pages import NO_MAILBOX, NO_RELAY, see_mailbox, see_pages, see_relay
from pbmserv.services.admin.doctor.records import Names, NoNameserver, is_reserved, see_records
from pbmserv.services.admin.doctor.round_trip import depart, see_tag, see_trip, wait_for
from pbmserv.services.admin.findings import Finding, Verdict, see_room
from pbmserv.services.admin.pulse import WriteTrial
from pbmserv.services.admin.status import see_writing
from pbmserv.services.app import App, utc_now
from pbmserv.store.engine import first_line

DNS_PORT: Final = 53


@command
@click.option("--wait", type=click.FloatRange(0), default=60, help="seconds that mail to itself has to come back")
@click.option("--no-mail", is_flag=True, help="do not mail anything, not even to itself")
@click.option("--nameserver", default="", help="HOST:PORT of the nameserver to ask")
@scripted_option
def doctor(wait: float, no_mail: bool, nameserver: str, scripted: bool | None) -> None:
    """Look whether all is well: settings, database, mail both ways, DNS, pages, disk.

    Two mails go to the server itself and must come back, so it has to be running. Nothing else is changed.
    Exit codes: 0 all is well, 1 something needs attention, 2 something is broken.

    Examples:
        pbmserv doctor
        pbmserv doctor --no-mail --nameserver 127.0.0.1:53
    """
    asked = _nameserver(nameserver)
    with err.status("settings") as status:

        def say(what: str) -> None:
            status.update(f"looking at {what}")

        findings = list(examine(None if no_mail else wait, asked, say))
    print_findings(findings, scripted)


def _nameserver(typed: str) -> tuple[str, int] | None:
    if not typed:
        return None
    host, _, port = typed.rpartition(":") if ":" in typed else (typed, "", str(DNS_PORT))
    try:
        return str(ip_address(host.strip("[]"))), int(port)
    except ValueError:
        give_up(f"--nameserver {typed} is not ADDRESS:PORT, such as 127.0.0.1:53", Exit.USAGE)


Say = Callable[[str], None]
"""Tells an operator who waits what is looked at."""


def examine(wait: float | None, nameserver: tuple[str, int] | None, say: Say) -> Iterator[Finding]:
    """All findings, in order. Mail to ourselves has `wait` seconds to come back; None: there is none.

    `nameserver` is the address and port of the one to ask; None: the system's.
    """
    try:
        settings = load_settings()
    except WrongSetting as error:
        yield Finding("settings", Verdict.BROKEN, str(error), f"correct it in {FILE} or the environment")
        return
    if settings.is_open_to_strangers():
        found = 'confirm = "from" believes every From address, and strangers can write to us'
        yield Finding("settings", Verdict.ATTENTION, found, 'confirm = "ask"')
    else:
        yield Finding("settings", Verdict.FINE, "every one can be read")
    yield from see_secret_files(_password_files(settings), _file_with_passwords())
    yield see_data(settings.data)
    yield from see_room(_folders(settings))
    say("the database")
    database = list(_database(settings))
    yield from database
    say("the mailbox")
    yield _mailbox(settings)
    say("the relay")
    relay = _relay(settings)
    yield relay
    head = None
    if relay is not NO_RELAY and wait is not None and relay.verdict is not Verdict.BROKEN:
        if any(each.verdict is Verdict.BROKEN for each in database):
            yield Finding("mail to itself", Verdict.BROKEN, "not tried, since the database is not in order")
        else:
            trips = _Trips(settings, wait, say)
            yield from trips.findings()
            head = trips.head
    elif relay is not NO_RELAY:
        why = "left out" if wait is None else "not tried, since the relay does not take it"
        yield Finding("mail to itself", Verdict.FINE if wait is None else Verdict.BROKEN, why)
    say("the DNS")
    yield from _records(settings, head, nameserver)
    say("the pages")
    yield see_pages(settings.site_url, settings.server())


class _Trips:
    """Mail to ourselves, and its head once it is back."""

    def __init__(self, settings: Settings, wait: float, say: Say) -> None:
        self._settings, self._wait, self._say = settings, wait, say
        self.head: Headers | None = None

    def findings(self) -> Iterator[Finding]:
        """Sends, waits, and says what came back. Trouble with the database is one of the findings."""
        try:
            app = build_app(self._settings)
            try:
                yield from self._see(app)
            finally:
                app.engine.dispose()
        except (CannotStart, SQLAlchemyError, OSError) as error:
            words = first_line(error)
            mend = "see what is said about the disk and the database above"
            yield Finding("mail to itself", Verdict.BROKEN, f"the database does not take it: {words}", mend)

    def _see(self, app: App) -> Iterator[Finding]:
        settings, wait = self._settings, self._wait
        has_tags = bool(settings.delimiter)
        self._say("mail to itself")
        with closing(road_out(settings)()) as transport:
            sent = [depart(app, transport, is_tagged, utc_now) for is_tagged in (False, True)[: 1 + has_tags]]
        trips = wait_for(
            app, sent, wait, lambda passed: self._say(f"mail to itself: {passed} of {wait:g} seconds")
        )
        parts = [*(["poller"] if settings.imap else []), *(["listener"] if settings.listeners else [])]
        plain = trips[0]
        yield see_trip(app, plain, wait, parts, utc_now())
        if has_tags:
            yield see_tag(app, trips[1], plain, wait)
        else:
            yield Finding("tagged address", Verdict.FINE, 'delimiter = "": there are none')
        back = plain.returned
        if back is None or back.is_report:
            return
        self.head = head_of(back.head)
        server = settings.server()
        yield round_trip.see_judgement(self.head, server)
        yield round_trip.see_signature(self.head, server, not is_reserved(server.domain))
        if clock := round_trip.see_mail_clock(self.head, plain.sent_at, back.came_at):
            yield clock


def _database(settings: Settings) -> Iterator[Finding]:
    place = make_url(settings.database_url).render_as_string(hide_password=True)
    file = make_url(settings.database_url).database
    if settings.database_url.startswith("sqlite") and not Path(file or "").exists():
        mend = "start the server, or run pbmserv migrate; if there was one, correct `data` or `database`"
        yield Finding("database", Verdict.BROKEN, f"there is no database {file}", mend)
        return
    try:
        with opened(settings) as engine:
            schema, clock = see_schema(engine), see_clock(engine, utc_now())
            trouble = WriteTrial().trouble(engine, utc_now()) if schema.verdict is Verdict.FINE else ""
            engine.dispose()
    except CannotStart as error:
        mend = "see that it runs, who may log in, `database` and `database_password`"
        yield Finding("database", Verdict.BROKEN, str(error), mend)
        return
    yield see_writing(trouble, f"{place} answers")
    yield schema
    yield clock


def _mailbox(settings: Settings) -> Finding:
    if not settings.imap:
        return NO_MAILBOX
    try:
        opening = mailbox(settings)
    except WrongSetting as error:
        return Finding("mailbox", Verdict.BROKEN, str(error), "correct the settings that begin with imap")
    kept = settings.imap_kept if settings.imap_done == "move" else ""
    return see_mailbox(opening, mailbox_address(settings.imap), kept)


def _relay(settings: Settings) -> Finding:
    if settings.outgoing is not None:
        return NO_RELAY
    address = relay_address(settings.way_out)
    place = f"{address.host}:{address.port}"
    try:
        return see_relay(road_out(settings)(), place, settings.server())
    except WrongSetting as error:
        return Finding("relay", Verdict.BROKEN, str(error), "correct the settings that begin with out")


def _records(settings: Settings, head: Headers | None, nameserver: tuple[str, int] | None) -> Iterator[Finding]:
    domain = settings.server().domain.lower()
    if nameserver is None and is_reserved(domain):
        yield Finding("DNS", Verdict.FINE, f"not asked: {domain} is a name for tests and for networks at home")
        return
    try:
        names = Names(nameserver)
    except NoNameserver as error:
        yield Finding("DNS", Verdict.ATTENTION, str(error), "ask another by --nameserver")
        return
    host = mailbox_address(settings.imap).host if settings.imap else ""
    sends_from, signed = (round_trip.sending_address(head), round_trip.signatures(head)) if head else (None, [])
    yield from see_records(names, domain, host, sends_from, signed)


def _folders(settings: Settings) -> Iterator[Path]:
    yield settings.data
    url = make_url(settings.database_url)
    if url.get_backend_name() == "sqlite" and url.database:
        yield Path(url.database).parent


def _password_files(settings: Settings) -> list[tuple[str, Path]]:
    named = (
        ("imap_password_file", settings.imap_password_file),
        ("out_password_file", settings.out_password_file),
    )
    files: dict[Path, list[str]] = {}
    for setting, file in named:
        if file is not None:
            files.setdefault(file, []).append(setting)
    return [(" and ".join(settings_of), file) for file, settings_of in files.items()]


def _file_with_passwords() -> Path | None:
    """The file of settings, if one of them is a password or a secret."""
    file = Path(FILE)
    try:
        written = tomllib.loads(file.read_text())
    except (OSError, ValueError):
        return None
    return file if any(name.endswith("_password") and value for name, value in written.items()) else None
