"""`pbmserv status`, `config` and `admin parts`: whether the club is well, how it is set, which parts live."""

import click
from rich.table import Column
from rich.text import Text
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import KNOWN, PREFIX, Settings
from pbmserv.cli.database import CannotStart
from pbmserv.cli.lazy import command
from pbmserv.cli.terminal import (
    app_or_exit,
    give_up,
    out,
    print_findings,
    print_rows,
    print_table,
    scripted_option,
    settings_or_exit,
)
from pbmserv.services.admin.findings import Finding, Verdict, see_room
from pbmserv.services.admin.pulse import list_parts, retire_part
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.app import utc_now
from pbmserv.store.engine import first_line
from pbmserv.store.operating import LISTENER, POLLER, ROBOTS, SCHEDULER, SENDER, WORKER


@command
@scripted_option
def status(scripted: bool | None) -> None:
    """Tell whether all is well: exit code 0 if so, 1 if something needs attention, 2 if mail has stopped.

    Examples:
        pbmserv status
        pbmserv status --json
    """
    settings = settings_or_exit()
    try:
        found = look_around(build_app(settings), premises(settings), utc_now())
    except CannotStart as error:
        found = [_away(str(error)), *see_room([settings.data])]
    except SQLAlchemyError as error:
        found = [_away(f"it does not answer: {first_line(error)}"), *see_room([settings.data])]
    print_findings(found, scripted)


def premises(settings: Settings) -> Premises:
    """What there should be: the data folder, and the parts that run on this host or another."""
    parts = [
        *([LISTENER] if settings.listen else []),
        *([POLLER] if settings.imap else []),
        *(WORKER, SENDER, SCHEDULER),
        *([ROBOTS] if settings.thinkers else []),
    ]
    return Premises(settings.data, tuple(parts))


def _away(said: str) -> Finding:
    return Finding("database", Verdict.BROKEN, said, "see whether it runs, and what `database` says")


@command
@click.option(
    "--retire", default="", help="forget this part, which was taken out of use: no clock waits for it any more"
)
@scripted_option
def parts(retire: str, scripted: bool | None) -> None:
    """List the parts of the server that have been heard of, on any host; or retire one.

    Examples:
        pbmserv admin parts
        pbmserv admin parts --retire poller
    """
    app = app_or_exit()
    if not retire:
        rows = [{"part": part, "last_heartbeat": at} for part, at in sorted(list_parts(app).items())]
        print_rows(rows, scripted, "parts")
        return
    if not retire_part(app, retire):
        give_up(f"no part {retire} was heard of; `pbmserv admin parts` lists those that were")
    out.print(f"{retire} is retired. Should it run again, it is back.", highlight=False)


@command
@scripted_option
def config(scripted: bool | None) -> None:
    """Show the current settings, with secrets masked.

    Examples:
        pbmserv config
        pbmserv config --json | jq -r .PBMSERV_DATABASE
    """
    rows = described(settings_or_exit())
    if scripted:
        out.print_json(data={name: value for name, value, _ in rows})
        return
    if scripted is False:
        print_rows([{"setting": name, "value": value} for name, value, _ in rows], scripted, "settings")
        return
    columns = [Column("setting", no_wrap=True), Column("value", overflow="fold"), Column("meaning")]
    print_table(columns, [[Text(part) for part in row] for row in rows])


def described(settings: Settings) -> list[tuple[str, str, str]]:
    """Name, value with secrets masked, and meaning of each setting."""
    rows = []
    for name, field in KNOWN.items():
        value = getattr(settings, name)
        shown = "***" if value and field.metadata["is_secret"] else str(value or "")
        if name == "database":
            shown = make_url(settings.database_url).render_as_string(hide_password=True)
        if name == "out":
            shown = settings.way_out
        if name == "site_url":
            shown = settings.server().site_url
        rows.append((PREFIX + name.upper(), shown, field.metadata["told"]))
    return rows
