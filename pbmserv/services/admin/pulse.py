"""What parts say of themselves: that they live, and what keeps them from their work; and what was done when."""

import logging
from collections.abc import Mapping
from datetime import datetime

from pbmserv.commands.base.log_words import pairs
from pbmserv.services.app import App
from pbmserv.store import condition, heartbeats
from pbmserv.store.engine import reading, run_again, writing

log = logging.getLogger(__name__)


def record_heartbeat(app: App, part: str, now: datetime) -> None:
    """A part is alive."""

    def once() -> None:
        with writing(app.engine) as connection:
            away = heartbeats.record(connection, part, now)
        if away is not None:
            told = pairs(part=part, seconds=int(away.total_seconds()))
            log.warning("a part was away; no clock has run meanwhile %s", told)

    run_again(once)


def record_trouble(app: App, part: str, said: str, now: datetime) -> None:
    """What keeps a part from its work, in a sentence without secrets; "": nothing does any more."""

    def once() -> None:
        with writing(app.engine) as connection:
            condition.tell_trouble(connection, part, said, now)

    run_again(once)


def list_parts(app: App) -> Mapping[str, datetime]:
    """The last heartbeat of each part that was ever heard of."""
    with reading(app.engine) as connection:
        return heartbeats.last_beats(connection)


def retire_part(app: App, part: str) -> bool:
    """Forgets a part that was taken out of use; False if it was never heard of."""
    with writing(app.engine) as connection:
        return condition.retire(connection, part)


def record_backup(app: App, place: str, now: datetime) -> None:
    """A backup was made, and is at that place."""
    with writing(app.engine) as connection:
        condition.reach(connection, condition.BACKUP, now, place)
