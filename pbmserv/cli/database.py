"""Opening the database that the settings name. `pbmserv receive` does it once a mail, so nothing here is slow to
import."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.cli.config import Settings
from pbmserv.store.engine import first_line, is_damage, open_engine
from pbmserv.store.schema import NewerSchema, OtherSchema, require_newest


class CannotStart(Exception):
    """The database is away or has another schema; the message is one sentence."""

    is_for_good = False
    """Whether another try can change nothing, as long as nobody mends it."""


class CannotEverStart(CannotStart):
    """The database was made by a newer program, or is damaged."""

    is_for_good = True


def open_newest(settings: Settings) -> Engine:
    """The engine of a database that is there and of this version. Raises CannotStart."""
    file = make_url(settings.database_url).database
    if settings.database_url.startswith("sqlite"):
        try:
            is_there = Path(file or "").exists()
        except OSError as error:
            raise CannotStart(f"the database {file} is not available: {error.strerror or error}") from error
        if not is_there:
            raise CannotStart(f"there is no database {file}: start in the server's folder, or set PBMSERV_DATA")
    with opened(settings) as engine:
        require_newest(engine)
    return engine


@contextmanager
def opened(settings: Settings) -> Iterator[Engine]:
    """Opens the database; everything that goes wrong is raised as CannotStart."""
    try:
        engine = open_engine(settings.database_url)
    except ImportError as error:
        raise _away(settings, f"{error}; pip install --require-hashes -r deploy/requirements.lock") from error
    except OSError as error:
        raise _away(settings, str(error)) from error
    try:
        yield engine
    except OtherSchema as error:
        engine.dispose()
        raise (CannotEverStart if isinstance(error, NewerSchema) else CannotStart)(str(error)) from error
    except (SQLAlchemyError, OSError) as error:
        engine.dispose()
        # The driver's message contains neither statements nor values.
        raise _away(settings, first_line(error), CannotEverStart if is_damage(error) else CannotStart) from error


def _away(settings: Settings, reason: str, kind: type[CannotStart] = CannotStart) -> CannotStart:
    place = make_url(settings.database_url).render_as_string(hide_password=True)
    return kind(f"the database {place} is not available: {reason}")
