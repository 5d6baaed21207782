"""`pbmserv status`, `config`, `migrate`, `tidy`, `receive` and `admin parts`: how the club is, and upkeep."""

import time
from contextlib import nullcontext
from datetime import timedelta
from typing import Final

import click
from rich.table import Column
from rich.text import Text
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.cli import terminal
from pbmserv.cli.bootstrap import alone, bring_up, build_app
from pbmserv.cli.config import KNOWN, PREFIX, Settings, WrongSetting
from pbmserv.cli.database import CannotStart, opened
from pbmserv.cli.lazy import command
from pbmserv.cli.logs import start_logging
from pbmserv.cli.receive import store_mail
from pbmserv.server.scheduler import PURGE_REST
from pbmserv.services.admin.findings import Finding, Verdict, see_room
from pbmserv.services.admin.pulse import list_parts, retire_part
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.app import utc_now
from pbmserv.services.scheduler.retention import Purged, count_old
from pbmserv.services.scheduler.retention import purge as purge_mails
from pbmserv.store.engine import first_line
from pbmserv.store.operating import LISTENER, POLLER, ROBOTS, SCHEDULER, SENDER, WORKER
from pbmserv.store.schema import NEWEST, stored_version

SOON: Final = 2.0
"""Seconds after which a purge shows how far it is."""


@command
def tidy() -> None:
    """Delete mails older than PBMSERV_KEEP_DAYS now; `serve` does it every day."""
    settings = terminal.settings_or_exit()
    app = terminal.app_or_exit(settings)
    keep = timedelta(days=settings.keep_days)
    done, began = Purged(), time.monotonic()
    now = utc_now()
    with terminal.progress_bar() as progress:
        task = progress.add_task("deleting", total=count_old(app, now - keep), visible=False)
        for step in purge_mails(app, now - keep, now):
            done += step
            progress.update(task, completed=done.mails, visible=time.monotonic() - began > SOON)
            time.sleep(PURGE_REST)
    app.engine.dispose()
    mails = f"{done.received} received mails, {done.sent} sent mails and {done.bounces} bounces were deleted"
    terminal.print_line(f"Older than {settings.keep_days} days: {mails}.")


@command
def migrate() -> None:
    """Update the schema of the database, and rate the games played before there were ratings."""
    settings = terminal.settings_or_exit()
    start_logging(settings.log)
    try:
        with opened(settings) as engine:
            is_new = stored_version(engine) == NEWEST
            with nullcontext() if is_new else alone(settings):
                bring_up(settings, engine)
    except WrongSetting as error:
        terminal.give_up(str(error), terminal.Exit.WRONG_SETTING)
    except CannotStart as error:
        terminal.give_up(str(error), terminal.Exit.WRONG_SETTING if error.is_for_good else terminal.Exit.TRY_LATER)
    terminal.out.print(f"The schema is at version {NEWEST}.")


@command
@click.option("--mail-from", help="envelope sender, empty for a bounce; default: Return-Path or From")
@click.option("--rcpt-to", multiple=True, help="envelope recipient; may be repeated")
def receive(mail_from: str | None, rcpt_to: tuple[str, ...]) -> None:
    """Store one raw mail from standard input, for an MTA's pipe.

    Exit codes: 0 if it is stored, 65 if it is not a mail or too large, 75 if the operator has to fix something.

    Examples:
        pbmserv receive --mail-from alice@example.org < mail.eml
    """
    store_mail(mail_from, rcpt_to)


@command
@terminal.scripted_option
def status(scripted: bool | None) -> None:
    """Tell whether all is well: exit code 0 if so, 1 if something needs attention, 2 if mail has stopped.

    Examples:
        pbmserv status
        pbmserv status --json
    """
    settings = terminal.settings_or_exit()
    try:
        found = look_around(build_app(settings), premises(settings), utc_now())
    except CannotStart as error:
        found = [_away(str(error)), *see_room([settings.data])]
    except SQLAlchemyError as error:
        found = [_away(f"it does not answer: {first_line(error)}"), *see_room([settings.data])]
    terminal.print_findings(found, scripted)


def premises(settings: Settings) -> Premises:
    """What there should be: the data folder, and the parts that run on this host or another."""
    parts = [
        *([LISTENER] if settings.listen else []),
        *([POLLER] if settings.imap else []),
        *(WORKER, SENDER, SCHEDULER),
        *([ROBOTS] if settings.thinkers else []),
    ]
    return Premises(settings.data, tuple(parts))


def _away(said: str) -> Finding:
    return Finding("database", Verdict.BROKEN, said, "see whether it runs, and what `database` says")


@command
@click.option(
    "--retire", default="", help="forget this part, which was taken out of use: clocks no longer wait for it"
)
@terminal.scripted_option
def parts(retire: str, scripted: bool | None) -> None:
    """List the parts of the server that have been heard of, on any host; or retire one.

    Examples:
        pbmserv admin parts
        pbmserv admin parts --retire poller
    """
    app = terminal.app_or_exit()
    if not retire:
        rows = [{"part": part, "last_heartbeat": at} for part, at in sorted(list_parts(app).items())]
        terminal.print_rows(rows, scripted, "parts")
        return
    if not retire_part(app, retire):
        terminal.give_up(f"no part {retire} was heard of; `pbmserv admin parts` lists those that were")
    terminal.out.print(f"{retire} is retired. Should it run again, it is back.", highlight=False)


@command
@terminal.scripted_option
def config(scripted: bool | None) -> None:
    """Show the current settings, with secrets masked.

    Examples:
        pbmserv config
        pbmserv config --json | jq -r .PBMSERV_DATABASE
    """
    rows = described(terminal.settings_or_exit())
    if scripted:
        terminal.out.print_json(data={name: value for name, value, _ in rows})
        return
    if scripted is False:
        terminal.print_rows([{"setting": name, "value": value} for name, value, _ in rows], scripted, "settings")
        return
    columns = [Column("setting", no_wrap=True), Column("value", overflow="fold"), Column("meaning")]
    terminal.print_table(columns, [[Text(part) for part in row] for row in rows])


def described(settings: Settings) -> list[tuple[str, str, str]]:
    """Name, value with secrets masked, and meaning of each setting."""
    rows = []
    for name, field in KNOWN.items():
        value = getattr(settings, name)
        shown = "***" if value and field.metadata["is_secret"] else str(value or "")
        if name == "database":
            shown = make_url(settings.database_url).render_as_string(hide_password=True)
        if name == "out":
            shown = settings.way_out
        if name == "site_url":
            shown = settings.server().site_url
        rows.append((PREFIX + name.upper(), shown, field.metadata["told"]))
    return rows
