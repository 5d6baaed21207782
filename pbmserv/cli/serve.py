"""The parts of a server, put together: all in one process, or a few in each of several.

Within a process the parts are threads; when one ends, all do.
"""

import errno
import logging
import shlex
import threading
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path

from pbmserv.cli.config import PREFIX, Settings, WrongSetting
from pbmserv.cli.logs import LogForm, start_logging
from pbmserv.cli.upkeep import premises
from pbmserv.mail.bearer import TokenCommand
from pbmserv.mail.log_words import pairs
from pbmserv.mail.mail_urls import mailbox_address, relay_address
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapMailbox, open_mailbox
from pbmserv.mail.sending.destination import Transport, open_transport
from pbmserv.server.listener import Listener
from pbmserv.server.parts import (
    WORKERS_MAKE_WAY,
    Bell,
    Part,
    Wakeup,
    batch_store,
    heartbeat,
    listening,
    make_way,
    sending,
    working,
)
from pbmserv.server.poller import polling
from pbmserv.server.robots import playing, playing_apart
from pbmserv.server.scheduler import jobs_with, purging, scheduling
from pbmserv.server.supervisor import ServiceManager, Task
from pbmserv.services.admin.pulse import WriteTrial
from pbmserv.services.admin.status import look_around
from pbmserv.services.app import App, utc_now
from pbmserv.store.operating import ROBOTS

log = logging.getLogger(__name__)


def all_parts(settings: Settings, app: App) -> dict[str, Part]:
    """Every part that the settings ask for, for one process. Raises CannotListen, WrongSetting, OSError."""
    kept, done = threading.Event(), threading.Event()
    parts: dict[str, Part] = {
        "worker": working(app, settings.data, kept, done),
        "sender": sending(app, road_out(settings), done),
        "scheduler": scheduling(app, jobs_with(premises(settings), settings.operator)),
        **{name: playing_apart(settings.environment()) for name in robot_names(settings)},
        "tidier": purging(app, timedelta(days=settings.keep_days)),
    }
    parts |= poller_part(settings, app, kept) | health_part(settings, app)
    return parts | web_part(settings, app, kept) | listener_parts(settings, app, kept)


def tasks(settings: Settings, app: App) -> tuple[list[Task], list[str]]:
    """The same for several processes, none of which runs yet, and the URLs where mail is taken or fetched.

    Sockets are bound here and so stay open while a process is started again. Raises what `all_parts` raises.
    """
    kept, done = Bell(), Bell()
    receiving = listener_parts(settings, app, kept) | poller_part(settings, app, kept)
    processes: dict[str, dict[str, Part]] = {
        "listener": receiving,
        **{
            f"worker-{number}": {"worker": making_way(working(app, settings.data, kept, done))}
            for number in range(1, settings.workers + 1)
        },
        "sender": {"sender": sending(app, road_out(settings), done)},
        "scheduler": {
            "scheduler": scheduling(app, jobs_with(premises(settings), settings.operator)),
            "tidier": purging(app, timedelta(days=settings.keep_days)),
            **health_part(settings, app),
        },
        **{name: {"robot player": playing(app)} for name in robot_names(settings)},
        "web": web_part(settings, app, kept),
    }
    found = [
        Task(name, partial(_run_process, name, settings.log, app, parts), is_vital=not name.startswith(ROBOTS))
        for name, parts in processes.items()
        if parts
    ]
    return found, [*receiving]


def robot_names(settings: Settings) -> list[str]:
    """What the processes are called in which robots think."""
    return [ROBOTS if number == 1 else f"{ROBOTS}-{number}" for number in range(1, settings.thinkers + 1)]


def making_way(part: Part) -> Part:
    """The same part in a process of its own, which lets those go first that accept and send mail."""

    def run(stop: threading.Event) -> None:
        make_way(WORKERS_MAKE_WAY)
        part(stop)

    return run


def _run_process(name: str, form: LogForm, app: App, parts: Mapping[str, Part], stop: threading.Event) -> bool:
    start_logging(form, name)
    # Of the connections that there may have been before the fork, none is this process's own.
    app.engine.dispose(close=False)
    ended_well = run_parts(parts, stop)
    app.engine.dispose()
    return ended_well


def listener_parts(settings: Settings, app: App, kept: Wakeup) -> dict[str, Part]:
    """A part for each listener; from now on clients wait for it. Raises CannotListen."""
    parts: dict[str, Part] = {}
    for url in settings.listeners:
        listener = Listener(url, app.server, batch_store(app, kept), max_size=settings.max_size)
        listener.bind()
        parts[listener.url] = listening(listener, heartbeat(app, "listener"))
    return parts


def poller_part(settings: Settings, app: App, kept: Wakeup) -> dict[str, Part]:
    """A part for the mailbox, if there is one. Raises WrongSetting."""
    if not settings.imap:
        return {}
    place = mailbox_address(settings.imap).place
    return {place: polling(mailbox(settings), place, app, settings.max_size, kept)}


def web_part(settings: Settings, app: App, kept: Wakeup | None = None) -> dict[str, Part]:
    """The web pages, if they are on; `kept` tells a worker of the same process. Raises OSError."""
    place = settings.web_place
    if place is None:
        return {}
    # Slow to import: `receive`, which runs once a mail, must not pay for it.
    from pbmserv.web.server import WebPart
    from pbmserv.web.site import Site

    ring = (lambda: None) if kept is None else kept.set
    return {"web": WebPart(Site(app, settings.outgoing, ring, settings.trusted_proxy), *place).run}


def health_part(settings: Settings, app: App) -> dict[str, Part]:
    """The health pages, if they are on. Raises OSError."""
    place, wanted = settings.health_place, premises(settings)
    if place is None:
        return {}
    # Slow to import: `receive`, which runs once a mail, must not pay for it.
    from pbmserv.server.health import HealthPages, showing_health

    trial = WriteTrial()
    return {"health": showing_health(HealthPages(*place, lambda: look_around(app, wanted, utc_now(), trial)))}


def shared_health_part(settings: Settings, app: App) -> dict[str, Part]:
    """The same for one of several programs on a host: none where another one shows them. Raises OSError."""
    try:
        return health_part(settings, app)
    except OSError as error:
        if getattr(error.__cause__, "errno", None) != errno.EADDRINUSE:
            raise
        log.info("another program shows the health pages %s", pairs(part="health"))
        return {}


def run_parts(parts: Mapping[str, Part], stop: threading.Event) -> bool:
    """Runs until `stop` is set or a part ends; returns False if a part ended by itself."""
    ended_early: list[str] = []

    def run(name: str, part: Part) -> None:
        try:
            part(stop)
        except BaseException:  # even SystemExit, which would end this thread alone
            log.exception("a part has failed %s", pairs(part=name))
        if not stop.is_set():
            ended_early.append(name)
            log.error("a part has ended, and so does all beside it %s", pairs(part=name))
            stop.set()

    threads = [threading.Thread(target=run, args=each, name=each[0]) for each in parts.items()]
    for thread in threads:
        thread.start()
    log.info("started %s", pairs(parts=tuple(parts)))
    manager = ServiceManager()
    manager.ready()
    while not stop.wait(manager.every):
        manager.alive()
    manager.stopping()
    for thread in threads:
        thread.join()
    log.info("stopped")
    return not ended_early


def road_out(settings: Settings) -> Callable[[], Transport]:
    """What opens the way out, any number of times. Raises WrongSetting, and what it gives nothing."""
    user = relay_user(settings)
    password = _password("OUT_PASSWORD", settings.out_password, settings.out_password_file)
    opening = partial(
        open_transport,
        settings.way_out,
        password=password or (tokens(settings, user) if user and settings.token_command else ""),
        hostname=settings.server().domain,
    )
    try:
        opening().close()
    except ValueError as error:
        raise WrongSetting(f"{PREFIX}OUT: {error}") from error
    return opening


def mailbox(settings: Settings) -> Callable[[], ImapMailbox]:
    """What connects to the mailbox, which must be named. Raises WrongSetting."""
    address, filing = mailbox_address(settings.imap), Disposition(settings.imap_done, settings.imap_kept)
    password = _password("IMAP_PASSWORD", settings.imap_password, settings.imap_password_file)
    if not password and not settings.token_command:
        raise WrongSetting(
            f"{PREFIX}IMAP names a mailbox, and {PREFIX}IMAP_PASSWORD and {PREFIX}TOKEN_COMMAND are empty"
        )
    if filing.done == "move" and filing.folder.casefold() == address.folder.casefold():
        raise WrongSetting(f"{PREFIX}IMAP_KEPT must be another folder than the one that mail comes to")
    return partial(open_mailbox, address, password or tokens(settings, address.user), filing)


def relay_user(settings: Settings) -> str:
    """Our user at the relay, "" where nobody logs in."""
    return "" if settings.outgoing is not None else relay_address(settings.way_out).user


def tokens(settings: Settings, user: str) -> TokenCommand:
    """What prints tokens for a user; whether it does shows when one is asked for."""
    return TokenCommand(tuple(shlex.split(settings.token_command)), user)


def _password(name: str, value: str, file: Path | None) -> str:
    try:
        return value if file is None else file.read_text().strip()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", "") or "it is not text"
        raise WrongSetting(f"{PREFIX}{name}_FILE cannot be read: {reason}") from None
