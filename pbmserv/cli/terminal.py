"""What the command line tools share: consoles, settings or one clear sentence, exit codes as in sysexits.h."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from typing import Annotated, Final, NoReturn

import typer
from pydantic import SecretStr
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text
from sqlalchemy import make_url

from pbmserv.cli.bootstrap import CannotStart, build_app
from pbmserv.cli.config import PREFIX, Settings, WrongSetting, load_settings
from pbmserv.services.admin.findings import Finding, Verdict, worst
from pbmserv.services.app import App

WIDE = 160

Json = Annotated[bool, typer.Option("--json", help="for scripts")]


class Exit(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NO_MAIL = 65
    TRY_LATER = 75
    WRONG_SETTING = 78


out = Console()
err = Console(stderr=True)


def print_table(columns: Iterable[Column], rows: Iterable[Iterable[Text]], title: str = "") -> None:
    """Prints a table; in a pipe or a file it is as wide as it needs to be."""
    table = Table(*columns, title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    (out if out.is_terminal else Console(file=out.file, width=WIDE)).print(table)


def print_rows(rows: Sequence[Mapping[str, object]], as_json: bool, what: str) -> None:
    """Prints what was found as a table, one sentence, or JSON; `what` names it, in the plural."""
    if as_json:
        out.print_json(data=[{name: _plain(value) for name, value in row.items()} for row in rows])
        return
    if not rows:
        out.print(f"No {what}.", highlight=False)
        return
    columns = [Column(name, overflow="fold") for name in rows[0]]
    print_table(columns, ([Text(_text(value)) for value in row.values()] for row in rows), what)


def print_findings(findings: Sequence[Finding], as_json: bool) -> None:
    """Prints findings, one a line and what mends it below, or JSON, and exits with the worst of them."""
    verdict = worst(findings)
    if as_json:
        rows = [
            {
                "name": each.name,
                "verdict": each.verdict.name.lower(),
                "found": each.found,
                "mend": each.mend,
                **each.figures,
            }
            for each in findings
        ]
        out.print_json(data={"verdict": verdict.name.lower(), "findings": rows})
        raise typer.Exit(verdict)
    wide = max((len(each.name) for each in findings), default=0)
    for each in findings:
        mark = _MARKS[each.verdict]
        line = f"{mark} {escape(each.name.ljust(wide))}  {escape(each.found)}"
        out.print(line, highlight=False, soft_wrap=True)
        if each.mend:
            out.print(f"{' ' * (_MARK_WIDTH + wide + 3)}{escape(each.mend)}", highlight=False, soft_wrap=True)
    raise typer.Exit(verdict)


_MARK_WIDTH: Final = len("attention")
_MARKS: Final = {
    Verdict.FINE: "[green]fine     [/]",
    Verdict.ATTENTION: "[yellow]attention[/]",
    Verdict.BROKEN: "[bold red]broken   [/]",
}


def give_up(sentence: str, code: Exit = Exit.FAILED) -> NoReturn:
    """Exits with a sentence on standard error."""
    err.print(f"[bold red]pbmserv:[/] {escape(sentence)}", highlight=False, soft_wrap=True)
    raise typer.Exit(code)


def settings_or_exit(code: Exit = Exit.WRONG_SETTING) -> Settings:
    """The current settings; exits with `code` if one of them is wrong."""
    try:
        return load_settings()
    except WrongSetting as error:
        give_up(str(error), code)


def app_or_exit(settings: Settings, bring_up_to_date: bool = False) -> App:
    """The App; exits if it cannot be built."""
    try:
        return build_app(settings, bring_up_to_date)
    except CannotStart as error:
        give_up(str(error), Exit.TRY_LATER)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def described(settings: Settings) -> list[tuple[str, str, str]]:
    """Name, value with secrets masked, and meaning of each setting."""
    rows = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        shown = ("***" if value.get_secret_value() else "") if isinstance(value, SecretStr) else str(value or "")
        if name == "database":
            shown = make_url(settings.database_url).render_as_string(hide_password=True)
        if name == "out":
            shown = settings.way_out
        if name == "site_url":
            shown = settings.server().site_url
        rows.append((PREFIX + name.upper(), shown, field.description or ""))
    return rows
