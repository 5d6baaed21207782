"""`pbmserv serve`, and each part of it as a command of its own."""

import gc
import logging
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import click
from rich.markup import escape

from pbmserv.cli.bootstrap import alone
from pbmserv.cli.config import Settings, WrongSetting
from pbmserv.cli.database import CannotStart
from pbmserv.cli.lazy import command
from pbmserv.cli.logs import start_logging
from pbmserv.cli.serve import (
    all_parts,
    listener_parts,
    poller_part,
    road_out,
    run_parts,
    shared_health_part,
    tasks,
    web_part,
)
from pbmserv.cli.terminal import Exit, app_or_exit, err, give_up, settings_or_exit
from pbmserv.cli.upkeep import premises
from pbmserv.games import others
from pbmserv.mail.log_words import pairs
from pbmserv.robots import knowing
from pbmserv.server.connections import raise_limit
from pbmserv.server.in_flight import run_isolated
from pbmserv.server.listener import CannotListen
from pbmserv.server.parts import Part, sending, working
from pbmserv.server.scheduler import jobs_with, scheduling
from pbmserv.server.supervisor import Supervisor, stop_at_signals
from pbmserv.services.admin.pulse import KeptCopy, list_copies
from pbmserv.services.app import App, utc_now
from pbmserv.services.failures import tell_quarantined
from pbmserv.services.worker import process_one

T = TypeVar("T")

log = logging.getLogger(__name__)


@command
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


def tell_left_out() -> None:
    """Writes to the log which games and robots of other packages are left out, and why."""
    for point, why in others().left_out.items():
        log.warning("a game of another package is left out %s", pairs(game=point, error=why))
    for point, why in knowing.others()[1].items():
        log.warning("a robot of another package is left out %s", pairs(robot=point, error=why))


@command
def listen() -> None:
    """Receive mail by SMTP or LMTP and store it."""
    settings, app = ready()
    if not settings.listeners:
        give_up("PBMSERV_LISTEN is empty, so there is nothing to listen on", Exit.WRONG_SETTING)
    run_until_told(app, _made_or_exit(lambda: listener_parts(settings, app, threading.Event())))


@command
def poll() -> None:
    """Fetch mail from the mailbox and store it."""
    settings, app = ready()
    if not settings.imap:
        give_up("PBMSERV_IMAP is empty, so there is no mailbox to poll", Exit.WRONG_SETTING)
    run_until_told(app, _made_or_exit(lambda: poller_part(settings, app, threading.Event())))


@command
def work() -> None:
    """Process the stored mails, and run the scheduled jobs, such as clocks and digests."""
    settings, app = ready()
    parts = {
        "worker": working(app, settings.data, threading.Event(), threading.Event()),
        "scheduler": scheduling(app, jobs_with(premises(settings), settings.operator)),
    }
    run_until_told(app, parts | _made_or_exit(lambda: shared_health_part(settings, app)))


@command
@click.argument("task", type=click.Choice(("handle", "tell")), metavar="TASK")
@click.argument("mail_id", type=int)
def apart(task: Literal["handle", "tell"], mail_id: int) -> None:
    """Process one mail, or tell its sender that it was quarantined. Workers run this."""
    run_isolated()
    _, app = ready()
    if task == "handle":
        process_one(app, mail_id, utc_now)
    else:
        tell_quarantined(app, mail_id, utc_now())


@command
def send() -> None:
    """Send the mails in the outbox."""
    settings, app = ready()
    run_until_told(app, _made_or_exit(lambda: {"sender": sending(app, road_out(settings), threading.Event())}))


@command
def web() -> None:
    """Serve the web pages."""
    settings, app = ready()
    if settings.web_place is None:
        give_up("PBMSERV_WEB is empty, so there are no web pages", Exit.WRONG_SETTING)
    run_until_told(app, _made_or_exit(lambda: web_part(settings, app)))


def _serve(settings: Settings) -> None:
    app = app_or_exit(settings, bring_up_to_date=True)
    copies = list_copies(app)
    if settings.workers == 1:
        parts = _made_or_exit(lambda: all_parts(settings, app))
        stop = stop_at_signals()
        greet(settings, [name for name in parts if "://" in name], copies)
        run_until_told(app, parts, stop)
        return
    processes, listeners = _made_or_exit(lambda: tasks(settings, app))
    # A connection must not be shared by processes.
    app.engine.dispose()
    supervisor = Supervisor()
    greet(settings, listeners, copies)
    if not supervisor.run(processes):
        raise SystemExit(Exit.FAILED)


def ready() -> tuple[Settings, App]:
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


def run_until_told(app: App, parts: dict[str, Part], stop: threading.Event | None = None) -> None:
    # What was loaded at the start is never garbage, so do not scan it again and again.
    gc.freeze()
    ended_well = run_parts(parts, stop or stop_at_signals())
    app.engine.dispose()
    if not ended_well:
        raise SystemExit(Exit.FAILED)


def greet(settings: Settings, listeners: Sequence[str], copies: Sequence[KeptCopy]) -> None:
    """Tells where mail is taken, where it goes, how to try it out, and what copies were left by updates."""
    server = settings.server()
    called = Path(sys.argv[0])
    # Print it as it was called, if it must be called with its folder.
    program = called.name if called.is_absolute() and not called.is_relative_to(Path.cwd()) else called
    places = escape(" ".join(listeners) or "-")
    lines = [
        f"pbmserv is running; it receives mail for [bold]{server.address}[/] at {places}",
        f"  data       {escape(str(settings.data.resolve()))}",
        f"  mail out   {escape(settings.way_out)}",
        f"  web pages  {escape(server.site_url or (settings.web and f'http://{settings.web}') or 'off')}",
    ]
    if settings.outgoing and settings.is_web_at_home:
        mailbox = f"http://{settings.web}/mailbox"
        lines.append(f"  mailbox    {mailbox}: read and answer all this mail in a browser on this machine")
    lines += [
        f"  copy       {escape(str(copy.place))}: from before an update, of schema {copy.schema}; yours to delete"
        for copy in copies
    ]
    if settings.confirm == "from":
        lines.append("  confirm    from: every From address is believed. For loopback and tests only!")
    if settings.is_open_to_strangers():
        lines.append("  [bold red]Mail is received from other machines, and anybody can forge a From address.[/]")
    if listeners and settings.way_out.startswith("maildir:"):
        lines += [
            "Try, in other terminals:",
            f'  {program} mail --from alice@example.org "signup alice"',
            f'  {program} mail --from bob@example.org "signup bob"',
            f'  {program} mail --from alice@example.org "cephalopod challenge alice bob"',
        ]
    else:
        lines.append(f'Try: mail "help" to {server.address} from any other address.')
    lines += [
        "Press Ctrl-C to stop it.",
    ]
    for line in lines:
        err.print(line, highlight=False, soft_wrap=True)
