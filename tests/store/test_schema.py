"""The migrations make what the tables say, and no part works on another schema."""

from collections.abc import Iterator

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.database import CannotStart
from pbmserv.store.engine import open_engine, reading, writing
from pbmserv.store.schema import NEWEST, OtherSchema, migrate, migrations_folder, require_newest
from pbmserv.store.tables import metadata

SQLITE = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '%alembic%' AND sql IS NOT NULL"
POSTGRESQL = """
    SELECT tablename || ' ' || indexname, indexdef FROM pg_indexes
    WHERE schemaname = current_schema() AND tablename <> 'alembic_version'
    UNION ALL SELECT conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace AND conrelid <> 'alembic_version'::regclass
    UNION ALL SELECT table_name || '.' || column_name,
    concat_ws(' ', data_type, character_maximum_length, is_nullable, is_identity, column_default)
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'alembic_version'
"""


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """An empty database of either kind."""
    opened = open_engine(database_url)
    yield opened
    opened.dispose()


def described(engine: Engine) -> dict[str, str]:
    """All that the database itself says of tables, indexes and constraints, but for blanks, quotes and order."""
    query = SQLITE if engine.dialect.name == "sqlite" else POSTGRESQL
    with reading(engine) as connection:
        rows = connection.execute(text(query)).all()
    return {name: " ".join(sorted(sql.replace(",", " ").replace(chr(34), "").split())) for name, sql in rows}


def downgrade(engine: Engine) -> None:
    """Goes back to nothing."""
    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")


def set_version(engine: Engine, version: str) -> None:
    """Has the database say that it is at another version."""
    migrate(engine)
    with writing(engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def test_autogenerate_finds_nothing(engine: Engine) -> None:
    migrate(engine)
    with reading(engine) as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []


def test_the_database_itself_sees_no_difference(engine: Engine) -> None:
    """Autogenerate is blind to check constraints and to the conditions of indexes."""
    migrate(engine)
    migrated = described(engine)
    downgrade(engine)
    with writing(engine) as connection:
        metadata.create_all(connection)
    assert "ix_inbox_waiting" in " ".join(migrated)
    assert described(engine) == migrated


def test_up_and_down_and_up(engine: Engine) -> None:
    migrate(engine)
    before = described(engine)
    downgrade(engine)
    assert set(inspect(engine).get_table_names()) <= {"alembic_version"}
    migrate(engine)
    assert described(engine) == before
    migrate(engine)
    require_newest(engine)


def test_an_empty_database_is_refused(engine: Engine) -> None:
    with pytest.raises(OtherSchema, match=rf"schema none, this program needs {NEWEST}: .*pbmserv migrate"):
        require_newest(engine)


@pytest.mark.parametrize(
    ("version", "said"),
    [("0000", f"schema 0000, this program needs {NEWEST}: .*migrate"), ("9999", "made by a newer version")],
)
def test_another_version_is_refused(engine: Engine, version: str, said: str) -> None:
    set_version(engine, version)
    with pytest.raises(OtherSchema, match=said):
        require_newest(engine)


def test_a_newer_database_is_not_touched(engine: Engine) -> None:
    """An old program on a new database says so, and changes nothing."""
    set_version(engine, "9999")
    before = described(engine)
    with pytest.raises(OtherSchema, match="9999"):
        migrate(engine)
    assert described(engine) == before


@pytest.mark.parametrize("bring_up_to_date", [False, True])
def test_no_house_on_a_newer_database(engine: Engine, bring_up_to_date: bool) -> None:
    set_version(engine, "9999")
    settings = Settings(database=engine.url.render_as_string(hide_password=False))
    with pytest.raises(CannotStart, match="9999"):
        build_app(settings, bring_up_to_date)


def test_only_sqlite_is_brought_up_to_date_by_itself(engine: Engine) -> None:
    settings = Settings(database=engine.url.render_as_string(hide_password=False))
    if engine.dialect.name == "sqlite":
        build_app(settings, bring_up_to_date=True).engine.dispose()
    else:
        with pytest.raises(CannotStart, match="pbmserv migrate"):
            build_app(settings, bring_up_to_date=True)
