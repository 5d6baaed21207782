"""The database: its schema, and its clock."""

from datetime import datetime

from sqlalchemy import Engine, text

from pbmserv.services.admin.doctor import compare_clocks
from pbmserv.services.admin.findings import Finding, Verdict
from pbmserv.store.engine import reading
from pbmserv.store.schema import NEWEST, knows_version, stored_version


def see_schema(engine: Engine) -> Finding:
    """Whether the schema is the one that this program works on."""
    version = stored_version(engine)
    figures: dict[str, object] = {"schema": version, "wanted": NEWEST}
    if version == NEWEST:
        return Finding("schema", Verdict.FINE, f"{NEWEST}, as this program needs it", figures=figures)
    if version is None:
        return Finding(
            "schema", Verdict.BROKEN, "there are no tables of ours in the database", "pbmserv migrate", figures
        )
    if knows_version(version):
        return Finding(
            "schema",
            Verdict.BROKEN,
            f"{version} is older than {NEWEST}, which this program needs",
            "stop the server, pbmserv admin backup FILE, pbmserv migrate, start it again",
            figures,
        )
    return Finding(
        "schema",
        Verdict.BROKEN,
        f"{version} is of a newer program; this one knows {NEWEST}",
        "install the program that has worked on this database last",
        figures,
    )


def see_clock(engine: Engine, now: datetime) -> Finding:
    """Whether the database's clock and ours agree."""
    if engine.dialect.name != "postgresql":
        return Finding("clock", Verdict.FINE, "the database has no clock of its own")
    with reading(engine) as connection:
        theirs: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    return compare_clocks("clock", "the database's clock", theirs, now, now)
