"""What the command line tools share: consoles, questions, settings or a clear sentence, exit codes."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import IntEnum
from typing import TYPE_CHECKING, Final, NoReturn

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from pbmserv.cli.config import Settings, WrongSetting, load_settings
from pbmserv.mail.log_words import cell, harmless
from pbmserv.services.admin.findings import Finding, Verdict, worst

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from pbmserv.services.app import App

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pbmserv.services.admin.referee import Effect
    from pbmserv.services.app import App


json_option = click.option("--json", is_flag=True, help="for scripts")

scripted_option = click.option(
    "--json/--csv", "scripted", default=None, help="for scripts: JSON, or CSV that begins with the names"
)
"""How a listing is printed: True as JSON, False as CSV, None for people."""


class Exit(IntEnum):
    """Exit codes."""

    OK = 0
    FAILED = 1
    USAGE = 2
    TRY_LATER = 75
    WRONG_SETTING = 78


class HarmlessConsole(Console):
    """A console that shows no character of a text as anything but a character."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of anything; those by which rich itself moves the cursor stay as they are."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(harmless(segment.text), segment.style)


out = HarmlessConsole()
err = HarmlessConsole(stderr=True)


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Text]], title: str = "") -> None:
    """Prints a table. In a pipe or a file a row is a line, as wide as it needs to be, and nothing is drawn."""
    if not out.is_terminal:
        _print_plain([[str(column.header) for column in columns], *([str(cell) for cell in row] for row in rows)])
        return
    table = Table(*columns, title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    out.print(table)


def _print_plain(lines: Sequence[Sequence[str]]) -> None:
    wide = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for cells in lines:
        line = "  ".join(cell.replace("\n", " ").ljust(width) for cell, width in zip(cells, wide, strict=True))
        out.print(line.rstrip(), highlight=False, markup=False, emoji=False, soft_wrap=True)


def print_rows(rows: Sequence[Mapping[str, object]], scripted: bool | None, what: str) -> None:
    """Prints what was found as a table or one sentence, or as `Scripted` says; `what` names it, in the plural."""
    if scripted is not None:
        _print_scripted(rows, scripted)
        return
    if not rows:
        out.print(f"No {what}.", highlight=False)
        return
    columns = [Column(name, overflow="fold") for name in rows[0]]
    print_table(columns, [[Text(_text(value)) for value in row.values()] for row in rows], what)


def _print_scripted(rows: Sequence[Mapping[str, object]], as_json: bool) -> None:
    plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
    if as_json:
        out.print_json(data=plain)
        return
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    if plain:
        writer.writerow(plain[0])
    for row in plain:
        writer.writerow(map(_cell, row.values()))
    out.file.write(written.getvalue())


def print_findings(findings: Sequence[Finding], scripted: bool | None) -> None:
    """Prints findings, one a line and what mends it below, or as `Scripted` says; exits with the worst of them."""
    verdict = worst(findings)
    if scripted is not None:
        _print_found(findings, verdict, scripted)
        raise SystemExit(verdict)
    wide = max((len(each.name) for each in findings), default=0)
    for each in findings:
        mark = _MARKS[each.verdict]
        line = f"{mark} {escape(each.name.ljust(wide))}  {escape(each.found)}"
        out.print(line, highlight=False, soft_wrap=True)
        if each.mend:
            out.print(f"{' ' * (_MARK_WIDTH + wide + 3)}{escape(each.mend)}", highlight=False, soft_wrap=True)
    raise SystemExit(verdict)


def _print_found(findings: Sequence[Finding], verdict: Verdict, as_json: bool) -> None:
    rows: list[dict[str, object]] = [
        {"name": each.name, "verdict": each.verdict.name.lower(), "found": each.found, "mend": each.mend}
        for each in findings
    ]
    if not as_json:
        _print_scripted(rows, as_json)
        return
    told = [{**row, **each.figures} for row, each in zip(rows, findings, strict=True)]
    out.print_json(data={"verdict": verdict.name.lower(), "findings": told})


_MARK_WIDTH: Final = len("attention")
_MARKS: Final = {
    Verdict.FINE: "[green]fine     [/]",
    Verdict.ATTENTION: "[yellow]attention[/]",
    Verdict.BROKEN: "[bold red]broken   [/]",
}


def progress_bar(*columns: "str | ProgressColumn") -> "Progress":
    """A bar on standard error, which only a terminal shows."""
    from rich.progress import Progress  # slow to import

    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def give_up(sentence: str, code: Exit = Exit.FAILED) -> NoReturn:
    """Exits with a sentence on standard error."""
    err.print(f"[bold red]pbmserv:[/] {escape(sentence)}", highlight=False, soft_wrap=True)
    raise SystemExit(code)


@contextmanager
def or_give_up(*refusals: type[Exception]) -> Iterator[None]:
    """Exits with the sentence of one of these errors, if it is raised."""
    try:
        yield
    except refusals as error:
        give_up(str(error))


def settings_or_exit() -> Settings:
    """The current settings; exits if one of them is wrong."""
    try:
        return load_settings()
    except WrongSetting as error:
        give_up(str(error), Exit.WRONG_SETTING)


def app_or_exit(settings: Settings | None = None, bring_up_to_date: bool = False) -> "App":
    """The App, by the current settings if by no others; exits if it cannot be built."""
    settings = settings or settings_or_exit()
    # What needs no database starts without what opens one.
    from pbmserv.cli.bootstrap import build_app
    from pbmserv.cli.database import CannotStart

    try:
        return build_app(settings, bring_up_to_date)
    except CannotStart as error:
        give_up(str(error), Exit.WRONG_SETTING if error.is_for_good else Exit.TRY_LATER)


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _cell(value: object) -> object:
    text = " ".join(map(str, value)) if isinstance(value, list) else value
    return cell(text) if isinstance(text, str) else text


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


yes_option = click.option("--yes", is_flag=True, help="do not ask before")
dry_run_option = click.option("--dry-run", is_flag=True, help="say what would happen, and do nothing")

MOST_NAMED: Final = 10

T = TypeVar("T")


def after_asking(
    app: "App", act: Callable[["App"], T], effect_of: "Callable[[T], Effect | None]", yes: bool, dry_run: bool
) -> T:
    """Acts, after a question if that is final; exits if it is not to be. What has no effect asks nobody."""
    # A listing of the same module starts without what this needs.
    from pbmserv.services.admin.referee import rehearsal

    if yes and not dry_run:
        return act(app)
    rehearsed = act(rehearsal(app))
    effect = effect_of(rehearsed)
    if effect is None:
        return rehearsed
    if dry_run:
        _print_effect(effect)
        print_line("Nothing is done.")
        raise SystemExit
    if effect.is_final:
        if is_terminal():
            _print_effect(effect)
        ask("Go on?", "this cannot be undone", "nothing was done")
    return act(app)


def ask(question: str, what: str, refused: str) -> None:
    """Goes on only after a yes; where nobody can be asked, it exits with `what` is the matter."""
    if not is_terminal():
        give_up(f"{what}: say --yes, or --dry-run to see it", Exit.USAGE)
    if not click.confirm(question):
        give_up(refused)


def is_terminal() -> bool:
    """Whether somebody sits there who can be asked."""
    return sys.stdin.isatty()


def print_line(sentence: str) -> None:
    """Prints a sentence as it is, on one line."""
    out.print(sentence, highlight=False, markup=False, soft_wrap=True)


def named(names: Sequence[str]) -> str:
    """The first of some names."""
    return ", ".join(names[:MOST_NAMED]) + (", ..." if len(names) > MOST_NAMED else "")


def _print_effect(effect: "Effect") -> None:
    from pbmserv.rendering.board import view_board
    from pbmserv.rendering.templates import render

    for board in effect.boards:
        view = view_board(board)
        standing = " ".join(render("mail/standing.txt", view=view).split())
        print_line(
            f"Board {view.number} ({', '.join(board.match.userids)}), after ply {board.state.plies}: {standing}"
        )
    if effect.erases:
        print_line(f"{effect.erases} is erased.")
    if effect.bans:
        print_line(f"{effect.bans} is banned.")
    to = tuple(sorted(set(effect.to)))
    print_line(f"Mail goes to {named(to)}." if to else "Nobody gets mail.")
