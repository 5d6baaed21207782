"""The command `pbmserv` and its subcommands, except those of `pbmserv admin`."""

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from importlib.metadata import version
from typing import Annotated, Final, Literal, TypeVar

import typer
from rich.progress import Progress
from rich.table import Column
from rich.text import Text

from pbmserv.cli import admin, game_tools, status, try_out
from pbmserv.cli import robots as robot_tools
from pbmserv.cli.bootstrap import CannotStart, alone, bring_up, opened
from pbmserv.cli.config import Settings, WrongSetting
from pbmserv.cli.doctor import doctor
from pbmserv.cli.game_tools import tell_left_out
from pbmserv.cli.greeting import greet
from pbmserv.cli.login import login
from pbmserv.cli.logs import start_logging
from pbmserv.cli.roads import premises, road_out
from pbmserv.cli.serve import (
    all_parts,
    listener_parts,
    poller_part,
    run_parts,
    stop_at_signals,
    tasks,
    web_part,
)
from pbmserv.cli.terminal import Exit, app_or_exit, described, err, give_up, out, print_table, settings_or_exit
from pbmserv.mail.reading.read import envelope_sender_of, is_mail
from pbmserv.mail.receiving.smtp_handler import MOST_HOPS, count_hops
from pbmserv.server.connections import raise_limit
from pbmserv.server.isolation import end_with_parent, run_isolated
from pbmserv.server.listener import CannotListen
from pbmserv.server.parts import Part, sending, working
from pbmserv.server.robots import playing
from pbmserv.server.scheduler import PURGE_REST, jobs_with, scheduling, summary_of
from pbmserv.server.supervisor import Supervisor
from pbmserv.services.admin.pulse import list_copies
from pbmserv.services.app import App, utc_now
from pbmserv.services.failures import tell_quarantined
from pbmserv.services.receive import receive_mail
from pbmserv.services.scheduler.retention import Purged, count_old
from pbmserv.services.scheduler.retention import purge as purge_mails
from pbmserv.services.worker import process_one
from pbmserv.store.schema import NEWEST, stored_version

T = TypeVar("T")

SOON: Final = 2.0
"""Seconds after which a purge shows how far it is."""


def tidy() -> None:
    """Delete mails older than PBMSERV_KEEP_DAYS now; `serve` does it every day."""
    settings = settings_or_exit()
    app = app_or_exit(settings)
    keep = timedelta(days=settings.keep_days)
    done, began = Purged(), time.monotonic()
    now = utc_now()
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("deleting", total=count_old(app, now - keep), visible=False)
        for step in purge_mails(app, now - keep, now):
            done += step
            progress.update(task, completed=done.mails, visible=time.monotonic() - began > SOON)
            time.sleep(PURGE_REST)
    app.engine.dispose()
    out.print(f"Older than {settings.keep_days} days: {summary_of(done)}.", highlight=False, soft_wrap=True)


cli = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Play abstract board games by simply answering a mail.",
)
cli.add_typer(game_tools.cli, name="games")
cli.add_typer(robot_tools.cli, name="robots")
cli.add_typer(admin.cli, name="admin")
cli.command("mail")(try_out.mail)
cli.command("demo")(try_out.demo)
cli.command("tidy")(tidy)
cli.command("status")(status.status)
cli.command("doctor")(doctor)
cli.command("login")(login)


@cli.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="show the version and exit")] = False,
) -> None:
    """Play abstract board games by simply answering a mail."""
    # Only this user may read what people wrote, and their addresses.
    os.umask(0o077)
    if show_version:
        out.print(version("pbmserv"), highlight=False)
        raise typer.Exit
    if context.invoked_subcommand is None:
        out.print(context.get_help(), markup=False, highlight=False)
        raise typer.Exit(Exit.USAGE)


@cli.command()
def serve() -> None:
    """Run everything: listener, poller, workers, sender, scheduler, robots, web."""
    settings = settings_or_exit()
    start_logging(settings.log)
    tell_left_out()
    raise_limit()
    try:
        with alone(settings):
            _serve(settings)
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except CannotStart as error:
        give_up(str(error), Exit.TRY_LATER)


@cli.command()
def listen() -> None:
    """Receive mail by SMTP or LMTP and store it."""
    settings, app = _ready()
    if not settings.listeners:
        give_up("PBMSERV_LISTEN is empty, so there is nothing to listen on", Exit.WRONG_SETTING)
    _run(app, _made_or_exit(lambda: listener_parts(settings, app, threading.Event())))


@cli.command()
def poll() -> None:
    """Fetch mail from the mailbox and store it."""
    settings, app = _ready()
    if not settings.imap:
        give_up("PBMSERV_IMAP is empty, so there is no mailbox to poll", Exit.WRONG_SETTING)
    _run(app, _made_or_exit(lambda: poller_part(settings, app, threading.Event())))


@cli.command()
def work() -> None:
    """Process the stored mails, and run the scheduled jobs, such as clocks and digests."""
    settings, app = _ready()
    worker = working(app, settings.data, threading.Event(), threading.Event())
    _run(app, {"worker": worker, "scheduler": scheduling(app, jobs_with(premises(settings), settings.operator))})


@robot_tools.cli.callback(invoke_without_command=True)
def robots(context: typer.Context, bound: Annotated[bool, typer.Option("--bound", hidden=True)] = False) -> None:
    """Have the robots play on the boards that wait for them; with a command, do something else with them."""
    if context.invoked_subcommand is not None:
        return
    if bound:
        end_with_parent()
    _, app = _ready()
    _run(app, {"robot player": playing(app)})


@cli.command(hidden=True)
def apart(task: Literal["handle", "tell"], mail_id: int) -> None:
    """Process one mail, or tell its sender that it was quarantined. Workers run this."""
    run_isolated()
    _, app = _ready()
    if task == "handle":
        process_one(app, mail_id, utc_now)
    else:
        tell_quarantined(app, mail_id, utc_now())


@cli.command()
def send() -> None:
    """Send the mails in the outbox."""
    settings, app = _ready()
    _run(app, _made_or_exit(lambda: {"sender": sending(app, road_out(settings), threading.Event())}))


@cli.command()
def web() -> None:
    """Serve the web pages."""
    settings, app = _ready()
    if settings.web_place is None:
        give_up("PBMSERV_WEB is empty, so there are no web pages", Exit.WRONG_SETTING)
    _run(app, _made_or_exit(lambda: web_part(settings, app)))


@cli.command()
def receive(
    mail_from: Annotated[
        str | None, typer.Option(help="envelope sender, empty for a bounce; default: Return-Path or From")
    ] = None,
    rcpt_to: Annotated[list[str] | None, typer.Option(help="envelope recipient; may be repeated")] = None,
) -> None:
    """Store one raw mail from standard input, for an MTA's pipe.

    Exit codes: 0 if it is stored, 65 if it is not a mail or too large, 75 if the operator has to fix something.
    """
    settings = settings_or_exit(Exit.TRY_LATER)
    raw = sys.stdin.buffer.read(settings.max_size + 1)
    if len(raw) > settings.max_size:
        give_up(f"the mail is larger than {settings.max_size} bytes", Exit.NO_MAIL)
    if not is_mail(raw):
        give_up("that is not a mail: it has no header", Exit.NO_MAIL)
    if count_hops(raw) > MOST_HOPS:
        give_up(f"the mail has more than {MOST_HOPS} Received lines: it is looping", Exit.NO_MAIL)
    sender = envelope_sender_of(raw) if mail_from is None else mail_from or "<>"
    app = app_or_exit(settings)
    try:
        receive_mail(app, raw, sender, rcpt_to or [settings.address], utc_now())
    except Exception as error:
        # Any other exit code would make the MTA bounce the mail.
        give_up(f"the mail could not be stored: {type(error).__name__}", Exit.TRY_LATER)


@cli.command()
def migrate() -> None:
    """Update the schema of the database, and rate the games played before there were ratings."""
    settings = settings_or_exit()
    start_logging(settings.log)
    try:
        with opened(settings) as engine:
            is_new = stored_version(engine) == NEWEST
            with nullcontext() if is_new else alone(settings):
                bring_up(settings, engine)
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except CannotStart as error:
        give_up(str(error), Exit.TRY_LATER)
    out.print(f"The schema is at version {NEWEST}.")


@cli.command()
def config(json: Annotated[bool, typer.Option("--json", help="for scripts")] = False) -> None:
    """Show the current settings, with secrets masked."""
    rows = described(settings_or_exit())
    if json:
        out.print_json(data={name: value for name, value, _ in rows})
        return
    columns = [Column("setting", no_wrap=True), Column("value", overflow="fold"), Column("meaning")]
    print_table(columns, ([Text(part) for part in row] for row in rows))


def _serve(settings: Settings) -> None:
    app = app_or_exit(settings, bring_up_to_date=True)
    copies = list_copies(app)
    if settings.workers == 1:
        parts = _made_or_exit(lambda: all_parts(settings, app))
        stop = stop_at_signals()
        greet(settings, [name for name in parts if "://" in name], copies)
        _run(app, parts, stop)
        return
    processes, listeners = _made_or_exit(lambda: tasks(settings, app))
    # A connection must not be shared by processes.
    app.engine.dispose()
    supervisor = Supervisor()
    greet(settings, listeners, copies)
    if not supervisor.run(processes):
        raise typer.Exit(Exit.FAILED)


def _ready() -> tuple[Settings, App]:
    settings = settings_or_exit()
    start_logging(settings.log)
    raise_limit()
    return settings, app_or_exit(settings)


def _made_or_exit(make: Callable[[], T]) -> T:
    try:
        made = make()
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except (CannotListen, OSError) as error:
        give_up(str(error))
    return made


def _run(app: App, parts: dict[str, Part], stop: threading.Event | None = None) -> None:
    # What was loaded at the start is never garbage, so do not scan it again and again.
    gc.freeze()
    ended_well = run_parts(parts, stop or stop_at_signals())
    app.engine.dispose()
    if not ended_well:
        raise typer.Exit(Exit.FAILED)
