"""The command line: `pbmserv serve` and its single parts, settings, migration, the pipe for MTAs."""

import gc
import os
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Column
from rich.text import Text

from pbmserv.entrypoints import admin, tidying, tryout
from pbmserv.entrypoints.apart import live_apart
from pbmserv.entrypoints.bootstrap import CannotStart, alone, bring_up, opened, start_logging, utc_now
from pbmserv.entrypoints.config import Settings, WrongSetting, described
from pbmserv.entrypoints.descriptors import raise_limit
from pbmserv.entrypoints.listener import CannotListen
from pbmserv.entrypoints.parts import Part, sending, working
from pbmserv.entrypoints.serve import all_parts, listener_parts, poller_part, run_parts, stop_at_signals, web_part
from pbmserv.entrypoints.steward import duties_with, stewarding
from pbmserv.entrypoints.terminal import Exit, err, give_up, house_or_exit, out, print_table, settings_or_exit
from pbmserv.mail.read import envelope_sender_of, is_mail
from pbmserv.mail.reception import MOST_HOPS, hops
from pbmserv.services.handle import handle_one
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.services.mishaps import tell_set_aside
from pbmserv.store.schema import NEWEST, stored_version

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Play abstract board games by simply answering a mail.",
)
app.add_typer(admin.app, name="admin")
app.command("mail")(tryout.mail)
app.command("demo")(tryout.demo)
app.command("tidy")(tidying.tidy)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="show the version and end")] = False,
) -> None:
    """Play abstract board games by simply answering a mail."""
    # What people wrote, and their addresses, are for this user's eyes only.
    os.umask(0o077)
    if show_version:
        out.print(version("pbmserv"), highlight=False)
        raise typer.Exit
    if context.invoked_subcommand is None:
        out.print(context.get_help(), markup=False, highlight=False)
        raise typer.Exit(Exit.USAGE)


@app.command()
def serve() -> None:
    """Run everything in one process: listener, poller, worker, sender, web."""
    settings = settings_or_exit()
    start_logging()
    raise_limit()
    try:
        with alone(settings):
            _serve(settings)
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except CannotStart as error:
        give_up(str(error), Exit.TRY_LATER)


@app.command()
def listen() -> None:
    """Take mail in by SMTP or LMTP, and only keep it."""
    settings, house = _ready()
    if not settings.listeners:
        give_up("PBMSERV_LISTEN is empty, so no mail is taken", Exit.WRONG_SETTING)
    _run(house, _made(lambda: listener_parts(settings, house, threading.Event())))


@app.command()
def poll() -> None:
    """Fetch mail from the mailbox, and only keep it."""
    settings, house = _ready()
    if not settings.imap:
        give_up("PBMSERV_IMAP is empty, so no mailbox is polled", Exit.WRONG_SETTING)
    _run(house, _made(lambda: poller_part(settings, house, threading.Event())))


@app.command()
def work() -> None:
    """Handle the mails that were kept, and do what the hour asks for: clocks, digests, robots."""
    settings, house = _ready()
    worker = working(house, settings.data, threading.Event(), threading.Event())
    _run(house, {"worker": worker, "steward": stewarding(house, duties_with(settings.data))})


@app.command(hidden=True)
def apart(task: Literal["handle", "tell"], mail_id: int) -> None:
    """Handle one mail, or tell its sender that it was set aside. Workers run this."""
    live_apart()
    _, house = _ready()
    if task == "handle":
        handle_one(house, mail_id, utc_now)
    else:
        tell_set_aside(house, mail_id, utc_now())


@app.command()
def send() -> None:
    """Send what waits in the outbox."""
    settings, house = _ready()
    _run(house, _made(lambda: {"sender": sending(house, settings.road_out(), threading.Event())}))


@app.command()
def web() -> None:
    """Show the web pages."""
    settings, house = _ready()
    if settings.web_place is None:
        give_up("PBMSERV_WEB is empty, so there are no web pages", Exit.WRONG_SETTING)
    _run(house, _made(lambda: web_part(settings, house)))


@app.command()
def receive(
    mail_from: Annotated[
        str | None, typer.Option(help="envelope sender, empty for a bounce; else Return-Path or From is taken")
    ] = None,
    rcpt_to: Annotated[list[str] | None, typer.Option(help="envelope recipient; may be given again")] = None,
) -> None:
    """Keep one raw mail from standard input, for an MTA's pipe.

    Exit code 0 once it is kept, 65 when it is no mail or too large, 75 for all that the operator can mend.
    """
    settings = settings_or_exit(Exit.TRY_LATER)
    raw = sys.stdin.buffer.read(settings.max_size + 1)
    if len(raw) > settings.max_size:
        give_up(f"the mail is larger than {settings.max_size} bytes", Exit.NO_MAIL)
    if not is_mail(raw):
        give_up("that is no mail: it has no header", Exit.NO_MAIL)
    if hops(raw) > MOST_HOPS:
        give_up(f"the mail has more than {MOST_HOPS} Received lines: it goes in circles", Exit.NO_MAIL)
    sender = envelope_sender_of(raw) if mail_from is None else mail_from or "<>"
    house = house_or_exit(settings)
    try:
        keep(house, raw, sender, rcpt_to or [settings.address], utc_now())
    except Exception as error:
        # Whatever it is: any other exit code would make the MTA send the mail back.
        give_up(f"the mail could not be kept: {type(error).__name__}", Exit.TRY_LATER)


@app.command()
def migrate() -> None:
    """Bring the database's schema up to date, and rate the games from before there were ratings."""
    settings = settings_or_exit()
    start_logging()
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


@app.command()
def config(json: Annotated[bool, typer.Option("--json", help="for scripts")] = False) -> None:
    """Show the settings in force, secrets masked."""
    rows = described(settings_or_exit())
    if json:
        out.print_json(data={name: value for name, value, _ in rows})
        return
    columns = [Column("setting", no_wrap=True), Column("value", overflow="fold"), Column("meaning")]
    print_table(columns, ([Text(part) for part in row] for row in rows))


def _serve(settings: Settings) -> None:
    house = house_or_exit(settings, bring_up_to_date=True)
    parts = _made(lambda: all_parts(settings, house))
    stop = stop_at_signals()
    _greet(settings, [name for name in parts if "://" in name])
    _run(house, parts, stop)


def _ready() -> tuple[Settings, House]:
    settings = settings_or_exit()
    start_logging()
    raise_limit()
    return settings, house_or_exit(settings)


def _made(make: Callable[[], dict[str, Part]]) -> dict[str, Part]:
    try:
        parts = make()
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)
    except (CannotListen, OSError) as error:
        give_up(str(error))
    return parts


def _run(house: House, parts: dict[str, Part], stop: threading.Event | None = None) -> None:
    # What was loaded to begin with is never garbage: nobody need look through it again and again.
    gc.freeze()
    ended_well = run_parts(parts, stop or stop_at_signals())
    house.engine.dispose()
    if not ended_well:
        raise typer.Exit(Exit.FAILED)


def _greet(settings: Settings, listeners: list[str]) -> None:
    server = settings.server()
    called = Path(sys.argv[0])
    # As it was called, if it must be called with its folder.
    program = called.name if called.is_absolute() and not called.is_relative_to(Path.cwd()) else called
    lines = [
        f"pbmserv is running; it takes mail to [bold]{server.address}[/] at {escape(' '.join(listeners) or '-')}",
        f"  data       {escape(str(settings.data.resolve()))}",
        f"  mail out   {escape(settings.way_out)}",
        f"  web pages  {escape(server.site_url or (settings.web and f'http://{settings.web}') or 'off')}",
    ]
    if settings.outgoing and settings.is_web_at_home:
        mailbox = f"http://{settings.web}/mailbox"
        lines.append(f"  mailbox    {mailbox}: to read and answer all this mail in a browser on this machine")
    if settings.confirm == "from":
        lines.append("  confirm    from: whoever writes a From address is believed. Loopback and tests only!")
    if settings.is_open_to_strangers():
        lines.append("  [bold red]Mail is taken from other machines, and anybody can write any From address.[/]")
    if listeners and settings.way_out.startswith("maildir:"):
        lines += [
            "Try, in other terminals:",
            f'  {program} mail --from alice@example.org "signup alice sesame"',
            f'  {program} mail --from bob@example.org "signup bob poppy"',
            f'  {program} mail --from alice@example.org "cephalopod challenge alice bob"',
        ]
    else:
        lines.append(f'Try: mail "help" to {server.address} from any other address.')
    lines += [
        "Ctrl-C ends it.",
    ]
    for line in lines:
        err.print(line, highlight=False, soft_wrap=True)
