"""Schemas on PostgreSQL that tests lend and give back: to empty one takes a tenth of the time of making one."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache

from sqlalchemy import Connection, Engine, create_engine, create_mock_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import ExecutableDDLElement

from pbmserv.store.schema import NEWEST
from pbmserv.store.tables import metadata

MOST_USES = 20
"""After so many tests a schema has had its day: what was deleted still lies about in it."""

_EMPTY = ";".join(f"DELETE FROM {table.name}" for table in reversed(metadata.sorted_tables))
_COUNT_ANEW = text(
    "SELECT setval(oid::regclass, 1, false) FROM pg_class"
    " WHERE relkind = 'S' AND relnamespace = current_schema()::regnamespace"
)
_MAKE = text(
    "SELECT md5(string_agg(part, ',' ORDER BY part)) FROM ("
    " SELECT concat_ws(' ', c.relname, a.attname, a.atttypid, a.attnotnull, a.atthasdef, a.attisdropped)"
    "  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid"
    "  WHERE c.relnamespace = current_schema()::regnamespace"
    " UNION ALL SELECT concat_ws(' ', n.conname, n.convalidated) FROM pg_constraint n"
    "  WHERE n.connamespace = current_schema()::regnamespace"
    " UNION ALL SELECT concat_ws(' ', t.tgname, t.tgenabled) FROM pg_trigger t"
    "  JOIN pg_class c ON c.oid = t.tgrelid"
    "  WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"
    " UNION ALL SELECT p.proname::text FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace"
    " UNION ALL SELECT version_num FROM alembic_version) AS parts (part)"
)
"""A digest of all that a test may have changed in a schema besides its rows."""


@dataclass
class Shelf:
    """Schemas of a server, lent to one test after the other; `engine` is on its maintenance database."""

    engine: Engine
    prefix: str = "lent"
    waiting: list[str] = field(default_factory=list)
    uses: Counter[str] = field(default_factory=Counter)
    makes: dict[str, str] = field(default_factory=dict)

    def lend(self) -> str:
        """The name of a schema with today's tables, all of them empty."""
        if self.waiting:
            return self.waiting.pop()
        name = f"{self.prefix}{len(self.makes)}"
        with self.inside(name) as connection:
            connection.exec_driver_sql(f"CREATE SCHEMA {name}")
            connection.exec_driver_sql(postgresql_schema())
            self.makes[name] = make_of(connection)
        return name

    def take_back(self, name: str) -> None:
        """Empties a schema for another test, unless it is worn out, no longer what it was, or still in use."""
        self.uses[name] += 1
        if self.uses[name] < MOST_USES and self._is_emptied(name):
            self.waiting.append(name)

    def _is_emptied(self, name: str) -> bool:
        try:
            with self.inside(name) as connection:
                if make_of(connection) != self.makes[name]:
                    return False
                # Who still holds a row was left behind by a test: let it have the schema.
                connection.execute(text("SET LOCAL lock_timeout = '200ms'"))
                connection.exec_driver_sql(_EMPTY)
                connection.execute(_COUNT_ANEW)
        except DBAPIError:
            return False
        return True

    @contextmanager
    def inside(self, name: str) -> Iterator[Connection]:
        """A transaction in one of them."""
        with self.engine.begin() as connection:
            connection.exec_driver_sql(f"SET LOCAL search_path = {name}")
            yield connection


def make_of(connection: Connection) -> str:
    """How the schema of a connection is made."""
    return str(connection.scalar(_MAKE))


@lru_cache(maxsize=1)
def postgresql_schema() -> str:
    """Today's schema as one text for PostgreSQL: sent at once it is there in a fraction of the time."""
    statements: list[str] = []

    dialect = create_engine("postgresql+psycopg://").dialect

    def noted(made: ExecutableDDLElement, *_: object, **__: object) -> None:
        statements.append(str(made.compile(dialect=dialect)))

    engine = create_mock_engine("postgresql+psycopg://", noted)
    metadata.create_all(engine, checkfirst=False)
    return ";\n".join(
        [
            *statements,
            "CREATE TABLE alembic_version (version_num VARCHAR(32) PRIMARY KEY)",
            f"INSERT INTO alembic_version VALUES ('{NEWEST}')",
        ]
    )
