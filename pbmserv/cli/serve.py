"""Runs the parts of the server in threads; when one ends, all do."""

import logging
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from pbmserv.cli.config import Settings
from pbmserv.mail.receiving.imap_address import mailbox_address
from pbmserv.server.listener import Listener
from pbmserv.server.parts import Part, batch_store, listening, sending, working
from pbmserv.server.poller import polling
from pbmserv.server.robots import playing_apart
from pbmserv.server.scheduler import heartbeat, jobs_with, purging, scheduling
from pbmserv.services.app import App

log = logging.getLogger(__name__)


def all_parts(settings: Settings, app: App) -> dict[str, Part]:
    """Every part that the settings ask for. Raises CannotListen, WrongSetting, OSError."""
    kept, done = threading.Event(), threading.Event()
    parts: dict[str, Part] = {
        "worker": working(app, settings.data, kept, done),
        "sender": sending(app, settings.road_out(), done),
        "scheduler": scheduling(app, jobs_with(settings.data)),
        "robots": playing_apart(settings.environment()),
        "tidier": purging(app, timedelta(days=settings.keep_days)),
    }
    parts |= poller_part(settings, app, kept)
    return parts | web_part(settings, app, kept) | listener_parts(settings, app, kept)


def listener_parts(settings: Settings, app: App, kept: threading.Event) -> dict[str, Part]:
    """A part for each listener, started already. Raises CannotListen."""
    parts: dict[str, Part] = {}
    for url in settings.listeners:
        listener = Listener(url, app.server, batch_store(app, kept), max_size=settings.max_size)
        listener.start()
        parts[listener.url] = listening(listener, heartbeat(app, "listener"))
    return parts


def poller_part(settings: Settings, app: App, kept: threading.Event) -> dict[str, Part]:
    """A part for the mailbox, if there is one. Raises WrongSetting."""
    if not settings.imap:
        return {}
    place = mailbox_address(settings.imap).place
    return {place: polling(settings.mailbox(), place, app, settings.max_size, kept)}


def web_part(settings: Settings, app: App, kept: threading.Event | None = None) -> dict[str, Part]:
    """The web pages, if they are on; `kept` tells a worker of the same process. Raises OSError."""
    place = settings.web_place
    if place is None:
        return {}
    # Slow to import: `receive`, which runs once a mail, must not pay for it.
    from pbmserv.web.server import WebPart
    from pbmserv.web.site import Site

    ring = (lambda: None) if kept is None else kept.set
    return {"web": WebPart(Site(app, settings.outgoing, ring, settings.trusted_proxy), *place).run}


def run_parts(parts: Mapping[str, Part], stop: threading.Event) -> bool:
    """Runs until `stop` is set or a part ends; returns False if a part ended by itself."""
    ended_early: list[str] = []

    def run(name: str, part: Part) -> None:
        try:
            part(stop)
        except BaseException:  # even SystemExit, which would end this thread alone
            log.exception("%s failed", name)
        if not stop.is_set():
            ended_early.append(name)
            log.error("%s has ended, so the server ends too", name)
            stop.set()

    threads = [threading.Thread(target=run, args=each, name=each[0]) for each in parts.items()]
    for thread in threads:
        thread.start()
    log.info("started: %s", ", ".join(parts))
    for thread in threads:
        thread.join()
    log.info("stopped")
    return not ended_early


def stop_at_signals() -> threading.Event:
    """An event that SIGTERM and SIGINT set; a second one ends the process at once."""
    stop = threading.Event()

    def told(number: int, frame: object) -> None:
        stop.set()
        for each in (signal.SIGTERM, signal.SIGINT):
            with suppress(ValueError):
                signal.signal(each, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, told)
    signal.signal(signal.SIGINT, told)
    return stop
