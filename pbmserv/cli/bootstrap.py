"""Builds the App from the settings: updates the schema, keeps others off it, takes tokens from the system."""

import logging
import os
import secrets
import string
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine, make_url

from pbmserv.cli.config import Settings, WrongSetting
from pbmserv.cli.database import CannotStart, open_newest, opened
from pbmserv.mail.log_words import pairs
from pbmserv.server.in_flight import lock_marker
from pbmserv.services.admin.pulse import record_copy
from pbmserv.services.app import App, TeachingBacklog, password_hasher, utc_now
from pbmserv.store.backup import CannotBackUp, back_up_aside
from pbmserv.store.schema import NEWEST, knows_version, require_newest, stored_version

LETTERS = string.ascii_lowercase + string.digits

LEFTOVERS_END_WITHIN = 4.0
"""Seconds to wait for the processes of a server that was killed; they hold its lock until they have ended."""

LOOK_EVERY = 0.05

log = logging.getLogger(__name__)


def new_token() -> str:
    """A random word of 20 lower-case letters and digits, 96 bits: it survives mail servers that change the case.

    Spam filters dislike seven consonants or eleven hexadecimal digits in a row; two vowels part them.
    """
    return "".join(secrets.choice("iou" if place in (6, 13) else LETTERS) for place in range(20))


def build_app(settings: Settings, bring_up_to_date: bool = False) -> App:
    """The App. On request the schema of SQLite is updated; any other is only checked. Raises CannotStart."""
    if bring_up_to_date:
        with opened(settings) as engine:
            if engine.dialect.name == "sqlite":
                bring_up(settings, engine)
            require_newest(engine)
    else:
        engine = open_newest(settings)
    backlog = TeachingBacklog(settings.analysis)
    return App(engine, settings.server(), new_token, password_hasher(), backlog=backlog)


def bring_up(settings: Settings, engine: Engine) -> None:
    """Updates the schema; of a SQLite file, a copy from before is kept in the data folder.

    `pbmserv status` says where it is for as long as it is there. Raises CannotStart, and changes nothing, if the
    copy cannot be made.
    """
    # Only here: it can replay whole games.
    from pbmserv.services.admin.check import renew

    version, copy = stored_version(engine), None
    if engine.dialect.name == "sqlite" and version not in (None, NEWEST) and knows_version(str(version)):
        try:
            copy = back_up_aside(settings.database_url, settings.data / f"before-{version}.db")
        except CannotBackUp as error:
            raise CannotStart(
                f"the database has schema {version} and is not updated, since it cannot be copied first: {error}"
            ) from error
        log.info(
            "updating the database; a copy from before is kept %s", pairs(schema=str(version), file=str(copy))
        )
    renew(engine)
    if copy is not None:
        record_copy(engine, str(version), copy.resolve(), utc_now())


@contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Keeps other servers off the same SQLite file until the block ends; PostgreSQL allows any number of them.

    Raises WrongSetting if another server is running.
    """
    url = make_url(settings.database_url)
    if url.get_backend_name() != "sqlite":
        yield
        return
    lock = Path(f"{Path(url.database or '').resolve()}.lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        mark = lock_marker(lock)
        given_up_at = time.monotonic() + LEFTOVERS_END_WITHIN
        while mark is None and not _is_alive(lock) and time.monotonic() < given_up_at:
            time.sleep(LOOK_EVERY)
            mark = lock_marker(lock)
    except OSError as error:
        raise CannotStart(f"the database {url.database} is not available: {error.strerror or error}") from error
    if mark is None:
        raise WrongSetting(
            f"another server, process {lock.read_text().strip() or '?'}, is running on {url.database}: "
            "stop it first, or set PBMSERV_DATA to another folder for this one"
        )
    with closing(mark):
        mark.put(os.getpid())
        yield


def _is_alive(lock: Path) -> bool:
    """Whether the server is there that has a lock; if not, its processes are about to end."""
    number = lock.read_text().strip()
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (ValueError, OSError):
        return True
    return True
