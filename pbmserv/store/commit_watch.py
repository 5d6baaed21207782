"""Notices that something was committed, by whatever process, program or host: not all of them can ring a bell."""

from contextlib import closing, suppress
from typing import Any, Final

from sqlalchemy import Engine

_STATE_OF_SQLITE: Final = "PRAGMA data_version"
_STATE_OF_POSTGRESQL: Final = "SELECT CAST(txid_current_snapshot() AS text)"
"""What differs after each commit of another connection, and costs next to nothing to ask."""


class CommitWatch:
    """Tells whether anything was committed since it was asked last. For one thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._statement = _STATE_OF_SQLITE if engine.dialect.name == "sqlite" else _STATE_OF_POSTGRESQL
        self._connection: Any = None
        self._seen: object = None

    def has_news(self) -> bool:
        """Whether there may be something new; True also where the database does not say so."""
        before = self._seen
        try:
            self._seen = self._state()
        except Exception:  # of either driver, or of SQLAlchemy; whoever looks now meets it, too, and tells of it
            self.close()
            return True
        return self._seen != before

    def close(self) -> None:
        """Closes the connection. The next question opens another, and counts as news."""
        connection, self._connection, self._seen = self._connection, None, None
        if connection is not None:
            with suppress(Exception):
                connection.close()

    def _state(self) -> object:
        if self._connection is None:
            # Not the pool's any longer: its transactions would hide what others commit.
            fairy = self._engine.raw_connection()
            self._connection = fairy.driver_connection
            fairy.detach()
            if self._engine.dialect.name != "sqlite":
                self._connection.autocommit = True
        with closing(self._connection.cursor()) as cursor:
            return cursor.execute(self._statement).fetchone()
