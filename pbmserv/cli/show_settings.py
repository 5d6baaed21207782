"""`pbmserv config`: the settings in force."""

from rich.table import Column
from rich.text import Text
from sqlalchemy import make_url

from pbmserv.cli.config import KNOWN, PREFIX, Settings
from pbmserv.cli.terminal import Scripted, out, print_rows, print_table, settings_or_exit


def config(scripted: Scripted = None) -> None:
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
