"""The generated parts of the documentation, as they should be.

`python -m tests.docs` writes them anew: a board mail, the commands, the settings, the command line, the
names that templates may use, the budgets, the attacks.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click
from jinja2 import Environment

from pbmserv.cli.config import KNOWN, PREFIX
from pbmserv.cli.lazy import LazyGroup, PlainCommand
from pbmserv.cli.main import cli
from pbmserv.commands.command import commands
from pbmserv.commands.policy import AT_A_TIME, DAY, HOUR, POLICY, Limit
from pbmserv.games import games
from pbmserv.games.info import Group, Info
from pbmserv.mail.log_words import LogWords
from pbmserv.rendering.templates import environment
from tests.attacks import attacks_tables
from tests.bench.ladder import ladder_table
from tests.house.budgets import budget_table

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"


def board_mail() -> str:
    """The text of a board mail, from a golden conversation: the first there that shows what can be captured."""
    mails = re.split(r"(?m)^(?====> |<=== |@ )", (ROOT / "tests" / "golden" / "reading.txt").read_text())
    text = next(mail for mail in mails if mail.startswith("<=== ") and "Captures:" in mail).partition("\n\n")[2]
    return "\n" + textwrap.indent(text.rstrip("\n") + "\n", "    ") + "\n"


def commands_table() -> str:
    """Each command with its forms, summary and example."""
    rows = [
        f"| {'<br>'.join(f'`{form}`' for form in command.forms)} | {command.summary} | `{command.example}` |"
        for command in commands().values()
    ]
    return "\n".join(["| command | what it does | example |", "| --- | --- | --- |", *rows, ""])


def games_table() -> str:
    """Each game with its name as it is typed, its players, sizes, a move, and whom it is owed to."""
    order = get_args(Group)
    infos = sorted((game.info for game in games().values()), key=lambda info: order.index(info.group))
    rows = [
        f"| {of.title} | `{of.name}` | {_seats(of)} | {_choices(of)} | `{of.example}` | {_credit(of)} |"
        for of in infos
    ]
    head = "| game | as you type it | players | options | a move | owed to |"
    return "\n".join([head, "| --- | --- | --- | --- | --- | --- |", *rows, ""])


def _seats(info: Info) -> str:
    return f"{info.least_seats}" + (f" to {info.most_seats}" if info.most_seats > info.least_seats else "")


def _choices(info: Info) -> str:
    """The options with what they may be, the default first; without variants."""
    listed = []
    for option in info.options:
        first, *others = sorted(option.choices, key=lambda choice: choice != option.default)
        listed.append(f"`-{option.name}={first}`" + "".join(f", `{choice}`" for choice in others))
    return "; ".join(listed)


def _credit(info: Info) -> str:
    credit = info.credit
    site = f", [{credit.site}](https://{credit.site})" if credit.site else ""
    return f"{credit.inventor} ({credit.year}){site}" if credit.year else credit.inventor


def settings_table() -> str:
    """Each setting by its name in the environment, with its default and what it is."""
    rows = [
        f"| `{PREFIX}{name.upper()}` | {_default(field.default)} | {_cell(field.metadata['told'])} |"
        for name, field in KNOWN.items()
    ]
    return "\n".join(["| setting | default | what it is |", "| --- | --- | --- |", *rows, ""])


_CAUSES = {
    "without proof": "A mail that proves nothing, and so may be forged",
    "strangers": "A stranger",
    "newcomers": "Somebody who signs up",
    "invited": "Somebody who is invited",
    "players": "A player",
    "anybody": "Anybody",
}


def limits_table() -> str:
    """Each limit: who causes what, how many of it, counted by what, and what comes then."""
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for limit in POLICY:
        rows.setdefault((_CAUSES[limit.cause], limit.what, limit.by, limit.then), []).append(_most(limit))
    lines = [
        f"| {cause} | {what} | {' and '.join(most)} | {'in all' if by == 'all' else by} | {then} |"
        for (cause, what, by, then), most in rows.items()
    ]
    head = "| who causes it | what | at most | counted by | what comes then |"
    return "\n".join([head, "| --- | --- | --- | --- | --- |", *lines, ""])


def _most(limit: Limit) -> str:
    spans = {AT_A_TIME: "at a time", HOUR: "an hour", DAY: "a day"}
    return f"{limit.most:,} {spans.get(limit.per, f'in {limit.per.days} days')}"


def log_words() -> dict[str, str]:
    """Each key of the log with its meaning, from the docstrings of its fields."""
    (body,) = ast.parse(inspect.getsource(LogWords)).body
    assert isinstance(body, ast.ClassDef)
    return {
        field.target.id: told.value.value
        for field, told in zip(body.body, body.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(told, ast.Expr)
        and isinstance(told.value, ast.Constant)
        and isinstance(told.value.value, str)
    }


def log_table() -> str:
    """Each key of the log, and what it is."""
    rows = [f"| `{word.rstrip('_')}` | {_cell(told)} |" for word, told in log_words().items()]
    return "\n".join(["| key | what it is |", "| --- | --- |", *rows, ""])


_WITHOUT_DOCSTRING = {
    "gap": "What parts columns: two blanks, in words a comma.",
    "is_mastered_by_open_spiel": "Whether `robot.master` plays a game with OpenSpiel.",
    "leaves": "What a player does who leaves, by the kind of entry in the log: resigns.",
    "newcomer": "The rating of somebody who has played nothing.",
    "rules_of": "The rules of a game, as a template says them.",
    "width": "How many columns a line of a mail has.",
}


def template_names_table() -> str:
    """Each filter and global of our own that a template may use, and what it gives."""
    env, plain = environment(), Environment()
    filters = {name: it for name, it in env.filters.items() if name not in plain.filters}
    names = {name: it for name, it in env.globals.items() if name not in plain.globals}
    rows = [
        *(f"| `value \\| {name}{_further(it, 1)}` | {_told(name, it)} |" for name, it in sorted(filters.items())),
        *(f"| `{name}{_further(it, 0)}` | {_told(name, it)} |" for name, it in sorted(names.items())),
    ]
    return "\n".join(["| in a template | what it gives |", "| --- | --- |", *rows, ""])


def _further(it: Any, first: int) -> str:
    """The parameters that a template may give, from the first one on; nothing for a constant."""
    if isinstance(it, type) or not callable(it):
        return ""
    bound = it.keywords if isinstance(it, partial) else {}
    given = [name for name in inspect.signature(it).parameters if name not in (*bound, "context")][first:]
    return f"({', '.join(given)})" if given or not first else ""


def _told(name: str, it: Any) -> str:
    told = _WITHOUT_DOCSTRING.get(name) or inspect.getdoc(it.func if isinstance(it, partial) else it)
    assert told, f"{name} has no docstring"
    return _cell(" ".join(told.partition("\n\n")[0].split()))


def cli_reference() -> str:
    """Each command of the command line, with a line for each argument and option."""
    return "\n\n".join(_command_lines(cli, ("pbmserv",))) + "\n"


def cli_commands() -> set[str]:
    """The commands of the command line by their full names, such as `pbmserv admin inbox retry`."""
    return {" ".join(path) for path, command in all_commands(cli, ("pbmserv",)) if not command.hidden}


@dataclass(frozen=True)
class Part:
    """A part of a page between `<!-- NAME -->` and `<!-- /NAME -->`, and what makes it."""

    page: Path
    name: str
    make: Callable[[], str]

    def read(self) -> str:
        """The part as it stands."""
        return _between(self.page.read_text(), self.name)

    def write(self) -> None:
        """Writes the part anew."""
        before, begin, rest = self.page.read_text().partition(f"<!-- {self.name} -->\n")
        _, end, after = rest.partition(f"<!-- /{self.name} -->\n")
        assert begin, f"{self.page.name} has no place for {self.name}"
        assert end, f"{self.page.name} has no end of {self.name}"
        self.page.write_text(before + begin + self.make() + end + after)


GENERATED = (
    Part(README, "mail", board_mail),
    Part(DOCS / "playing.md", "mail", board_mail),
    Part(DOCS / "playing.md", "games", games_table),
    Part(DOCS / "playing.md", "commands", commands_table),
    Part(DOCS / "playing.md", "limits", limits_table),
    Part(DOCS / "operating.md", "settings", settings_table),
    Part(DOCS / "operating.md", "log", log_table),
    Part(DOCS / "cli.md", "cli", cli_reference),
    Part(DOCS / "extending.md", "templates", template_names_table),
    Part(DOCS / "robots.md", "ladder", ladder_table),
    Part(DOCS / "benchmarks.md", "budgets", budget_table),
    Part(DOCS / "attacks.md", "attacks", lambda: _between(attacks_tables(), "attacks")),
)


def _between(text: str, name: str) -> str:
    return text.partition(f"<!-- {name} -->\n")[2].partition(f"<!-- /{name} -->\n")[0]


def _default(value: object) -> str:
    return "" if value in (None, "") else f"`{value}`"


def all_commands(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], PlainCommand]]:
    """Each command with the words that call it."""
    assert isinstance(command, PlainCommand)
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from all_commands(below, (*path, name))


def _command_lines(root: click.Command, start: tuple[str, ...]) -> Iterator[str]:
    for path, command in all_commands(root, start):
        if command.hidden:
            continue
        context = click.Context(command)
        words = [
            *path,
            *(each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)),
        ]
        shown = [each for each in command.params if not getattr(each, "hidden", False)]
        if any(isinstance(each, click.Option) for each in shown):
            words.append("[OPTIONS]")
        if isinstance(command, click.Group):
            words.append("COMMAND" if not command.invoke_without_command or path == start else "[COMMAND]")
        yield f"{'#' * (len(path) + 1)} {' '.join(path)}"
        yield f"    {' '.join(words)}"
        yield command.help or ""
        rows = [row for each in shown if (row := _parameter(each, context))]
        if rows:
            yield "\n".join(["| | |", "| --- | --- |", *rows])
        if command.examples:
            yield "For example:"
            yield textwrap.indent("\n".join(command.examples), "    ")
        if isinstance(command, LazyGroup):
            yield "\n".join(_sections(command, path))


def _sections(group: LazyGroup, path: tuple[str, ...]) -> Iterator[str]:
    """The commands of a group, section by section, with links to what follows."""
    shown = [each for each in group.listed if not each.hidden]
    yield from ("| | |", "| --- | --- |")
    for section in dict.fromkeys(each.section for each in shown):
        links = (f"[{each.name}](#{'-'.join((*path, each.name))})" for each in shown if each.section == section)
        yield f"| {section} | {', '.join(links)} |"


_WITHOUT_BRACKETS = str.maketrans("", "", "[]")


def _parameter(parameter: Any, context: click.Context) -> str:
    """A row of the table; empty for an argument whose name says all."""
    told = parameter.help or ""
    if isinstance(parameter, click.Argument):
        name = parameter.make_metavar(context).translate(_WITHOUT_BRACKETS)
        return f"| `{name}` | {_cell(told)} |" if told else ""
    value = "" if parameter.is_flag else f" {parameter.metavar}"
    has_default = parameter.show_default and isinstance(parameter.default, str | int | float)
    default = f" (default: {parameter.default})" if has_default and parameter.default else ""
    return f"| `{', '.join((*parameter.opts, *parameter.secondary_opts))}{value}` | {_cell(told)}{default} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Writes all parts anew."""
    for part in GENERATED:
        part.write()


if __name__ == "__main__":
    main()
