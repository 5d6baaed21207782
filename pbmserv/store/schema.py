"""The schema version: migrates the database, and refuses to work on another version."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, inspect, select

from pbmserv.store.engine import reading, writing

if TYPE_CHECKING:  # Alembic takes long to import: what is run once a mail must not pay for it
    from alembic.config import Config

NEWEST: Final = "0023"
"""The schema version that this program works on: the last of the migrations, as a test shows."""

_ALEMBIC_VERSION: Final = Table("alembic_version", MetaData(), Column("version_num", String(32)))
_PACKAGE = Path(__file__).parent.parent


class OtherSchema(Exception):
    """The database has another schema than this program; the message says what to do."""


class NewerSchema(OtherSchema):
    """A newer program has migrated the database, so waiting does not help."""


@lru_cache(maxsize=1)
def migrations_folder() -> Path:
    """`migrations/`, inside an installed package or beside it in a checkout."""
    return next(path for path in (_PACKAGE / "migrations", _PACKAGE.parent / "migrations") if path.is_dir())


def migrate(engine: Engine) -> None:
    """Migrates the schema to the newest version, if needed. Raises OtherSchema if it is newer still."""
    if stored_version(engine) == NEWEST:
        return
    with writing(engine) as connection:
        migrate_in(connection)


def migrate_in(connection: Connection) -> None:
    """Does the same within a transaction, which stays open. Raises OtherSchema."""
    from alembic import command
    from alembic.util import CommandError

    try:
        command.upgrade(_config(connection), "head")
    except CommandError as error:
        raise _other(connection) from error


def knows_version(version: str) -> bool:
    """Whether this program can migrate a database of that schema version."""
    from alembic.script import ScriptDirectory

    return any(
        script.revision == version for script in ScriptDirectory.from_config(_config(None)).walk_revisions()
    )


def stored_version(engine: Engine) -> str | None:
    """The schema version of a database; None if it has no schema of ours."""
    with reading(engine) as connection:
        return _version(connection)


def require_newest(engine: Engine) -> None:
    """Raises OtherSchema unless the database is at the newest version."""
    with reading(engine) as connection:
        if _version(connection) != NEWEST:
            raise _other(connection)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_ALEMBIC_VERSION.name):
        return None
    return connection.scalar(select(_ALEMBIC_VERSION.c.version_num))


def _other(connection: Connection) -> OtherSchema:
    place, version = connection.engine.url.render_as_string(hide_password=True), _version(connection)
    if version is not None and version > NEWEST:
        return NewerSchema(
            f"the database {place} was made by a newer version of pbmserv: it has schema {version}, this program "
            f"knows {NEWEST}: install that version again, or restore a backup from before it"
        )
    return OtherSchema(
        f"the database {place} has schema {version or 'none'}, "
        f"this program needs {NEWEST}: "
        "stop the server and run `pbmserv migrate` with the newest program"
    )


def _config(connection: Connection | None) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
