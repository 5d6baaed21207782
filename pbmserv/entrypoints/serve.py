"""Runs parts together: one thread each, and when one ends, all do."""

import logging
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from pbmserv.entrypoints.config import Settings
from pbmserv.entrypoints.listener import Listener
from pbmserv.entrypoints.parts import Part, keeper, listening, sending, working
from pbmserv.entrypoints.poller import polling
from pbmserv.entrypoints.pulse import pulse
from pbmserv.entrypoints.steward import duties_with, stewarding
from pbmserv.entrypoints.tidying import tidying
from pbmserv.mail.imap.address import mailbox_address
from pbmserv.services.house import House

log = logging.getLogger(__name__)


def all_parts(settings: Settings, house: House) -> dict[str, Part]:
    """Every part that the settings ask for. Raises CannotListen, WrongSetting, OSError."""
    kept, done = threading.Event(), threading.Event()
    parts: dict[str, Part] = {
        "worker": working(house, settings.data, kept, done),
        "sender": sending(house, settings.road_out(), done),
        "steward": stewarding(house, duties_with(settings.data)),
        "tidier": tidying(house, timedelta(days=settings.keep_days)),
    }
    parts |= poller_part(settings, house, kept)
    return parts | web_part(settings, house, kept) | listener_parts(settings, house, kept)


def listener_parts(settings: Settings, house: House, kept: threading.Event) -> dict[str, Part]:
    """A part for each listener, started already. Raises CannotListen."""
    parts: dict[str, Part] = {}
    for url in settings.listeners:
        listener = Listener(url, house.server, keeper(house, kept), max_size=settings.max_size)
        listener.start()
        parts[listener.url] = listening(listener, pulse(house, "listener"))
    return parts


def poller_part(settings: Settings, house: House, kept: threading.Event) -> dict[str, Part]:
    """A part for the mailbox, if there is one. Raises WrongSetting."""
    if not settings.imap:
        return {}
    place = mailbox_address(settings.imap).place
    return {place: polling(settings.mailbox(), place, house, settings.max_size, kept)}


def web_part(settings: Settings, house: House, kept: threading.Event | None = None) -> dict[str, Part]:
    """The web pages, if they are on; `kept` tells a worker of the same process. Raises OSError."""
    place = settings.web_place
    if place is None:
        return {}
    # FastAPI takes longer to import than all the rest: `receive`, run once a mail, must not pay for it.
    from pbmserv.entrypoints.web.serving import WebPart
    from pbmserv.entrypoints.web.site import Site

    ring = (lambda: None) if kept is None else kept.set
    return {"web": WebPart(Site(house, settings.outgoing, ring), *place).run}


def run_parts(parts: Mapping[str, Part], stop: threading.Event) -> bool:
    """Runs until `stop` is set or a part ends; False when a part ended that was not told to."""
    ended_early: list[str] = []

    def run(name: str, part: Part) -> None:
        try:
            part(stop)
        except BaseException:  # even SystemExit, which would end this thread alone
            log.exception("%s failed", name)
        if not stop.is_set():
            ended_early.append(name)
            log.error("%s has ended, and so does the server", name)
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
