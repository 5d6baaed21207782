"""Runs the migrations on the connection that `pbmserv.store.schema` hands over.

`alembic revision --autogenerate` (a developer's command) opens PBMSERV_DATABASE by itself.
"""

import os

from alembic import context
from sqlalchemy import Connection

from pbmserv.store.engine import open_engine, writing
from pbmserv.store.tables import metadata


def run(connection: Connection) -> None:
    """Upgrades through one connection; its transaction belongs to the caller."""
    context.configure(connection=connection, target_metadata=metadata, user_module_prefix="")
    context.run_migrations()


handed_over = context.config.attributes.get("connection")
if handed_over is not None:
    run(handed_over)
else:
    with writing(open_engine(os.environ["PBMSERV_DATABASE"])) as opened:
        run(opened)
