"""This machine: its files and folders, and the schema and the clock of the database."""

import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, text

from pbmserv.services.admin.doctor import compare_clocks
from pbmserv.services.admin.findings import Finding, Verdict
from pbmserv.store.engine import reading
from pbmserv.store.schema import NEWEST, knows_version, stored_version

OTHERS: Final = 0o007
"""What the mode of a file grants those who are neither its owner nor in its group."""


def see_secret_files(files: Iterable[tuple[str, Path]], settings_file: Path | None) -> list[Finding]:
    """Whether we can read the files that hold passwords, and others cannot.

    `files` are settings and the files that they name; `settings_file` is given if it holds passwords itself.
    """
    named = [*files, *([("settings", settings_file)] if settings_file else [])]
    findings = [_secret_file(setting, file) for setting, file in named]
    return findings or [Finding("passwords", Verdict.FINE, "no file holds one")]


def see_data(folder: Path) -> Finding:
    """Whether the data folder is there for us, and for nobody else."""
    what: dict[str, object] = {"folder": str(folder)}
    if not folder.is_dir():
        return Finding(
            "data",
            Verdict.BROKEN,
            f"there is no folder {folder}",
            f"create it: install -d -m 700 -o pbmserv -g pbmserv {folder}, or correct `data`",
            what,
        )
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Finding(
            "data",
            Verdict.BROKEN,
            f"{folder} cannot be written by this user",
            f"chown -R pbmserv:pbmserv {folder}; doctor is run as the service is: sudo pbmserv doctor",
            what,
        )
    if folder.stat().st_mode & OTHERS:
        return Finding(
            "data",
            Verdict.ATTENTION,
            f"{folder} is open to every user of this machine",
            f"chmod 700 {folder}",
            what,
        )
    return Finding("data", Verdict.FINE, f"{folder} is ours alone", figures=what)


def _secret_file(setting: str, file: Path) -> Finding:
    figures: dict[str, object] = {"setting": setting, "file": str(file)}
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            content = opened.read()
    except OSError as error:
        return Finding(
            "passwords",
            Verdict.BROKEN,
            f"{setting}: {file} cannot be read by this user: {error.strerror or error}",
            f"chown root:pbmserv {file} && chmod 640 {file}",
            figures,
        )
    if not content.strip():
        found = f"{setting}: {file} is empty"
        return Finding("passwords", Verdict.BROKEN, found, "put the password in it", figures)
    # Whether the group of the file may read it is the operator's to say.
    if mode & OTHERS:
        found = f"{setting}: {file} has passwords and is open to every user of this machine"
        return Finding("passwords", Verdict.ATTENTION, found, f"chmod 640 {file}", figures)
    return Finding("passwords", Verdict.FINE, f"{setting}: {file} is closed to others", figures=figures)


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
