"""Commands and groups of them. A group imports a command only when it is run, so that `pbmserv` starts fast.

Help is plain text, with examples as they were written: the same in a terminal, in a pipe and in a mail to somebody
who asks.
"""

import gc
import importlib
import inspect
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import click
from click.exceptions import NoSuchCommand
from click.shell_completion import CompletionItem, get_completion_class

EXAMPLES: Final = "Examples:\n"
"""What the last paragraph of a docstring begins with: a command line a line below it."""


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command that is not imported yet; `place` is MODULE:NAME in `pbmserv.cli`."""

    name: str
    place: str
    summary: str = ""
    section: str = ""
    hidden: bool = False


class PlainCommand(click.Command):
    """A command whose docstring may end with examples, and whose help says `--count COUNT` where it would name the
    type."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        told, _, listed = inspect.cleandoc(self.help or "").partition(EXAMPLES)
        self.help, self.examples = told.strip(), [line.strip() for line in listed.splitlines() if line.strip()]
        for each in self.params:
            if isinstance(each, click.Option) and not each.is_flag:
                each.metavar = each.metavar or each.opts[0].lstrip("-").upper()
                each.show_default = each.default != ""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the examples."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"{' ' * formatter.current_indent}{line}\n" for line in self.examples))


class PlainGroup(PlainCommand, click.Group):
    """A group of such commands, which are in the same module."""

    command_class = PlainCommand

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the module."""
        return [*self.commands]


class LazyGroup(PlainGroup):
    """A group whose help and completion need none of its commands imported."""

    def __init__(self, *arguments: Any, listed: tuple[LazyCommand, ...], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.listed = listed

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names."""
        return [each.name for each in self.listed]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported."""
        return next((_loaded(each) for each in self.listed if each.name == cmd_name), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant, imported."""
        try:
            name, command, others = super().resolve_command(ctx, args)
        except NoSuchCommand as error:
            raise NoSuchCommand(error.command_name, possibilities=self.list_commands(ctx), ctx=ctx) from None
        if not isinstance(command, LazyGroup) and not gc.isenabled():
            # `start.main` has switched it off: what was imported is never garbage.
            gc.freeze()
            gc.enable()
        return name, command, others

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command. Trouble with the database that it does not tell of itself is one sentence, too."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(128 + signal.SIGINT)
        except Exception as error:
            _give_up_over(error)
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes name and summary of each command, section by section."""
        shown = [each for each in self.listed if not each.hidden]
        wide = max(len(each.name) for each in shown)
        for section in dict.fromkeys(each.section for each in shown):
            with formatter.section(section):
                formatter.write_dl(
                    [(each.name.ljust(wide), each.summary) for each in shown if each.section == section]
                )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names of commands with their summaries, and options."""
        found = [
            CompletionItem(each.name, help=each.summary)
            for each in self.listed
            if each.name.startswith(incomplete) and not each.hidden
        ]
        return found + click.Command.shell_complete(self, ctx, incomplete)


def command(function: Callable[..., None]) -> PlainCommand:
    """A function with options and arguments as a command, for a lazy group to name."""
    return click.command(cls=PlainCommand)(function)


def _give_up_over(error: Exception) -> None:
    """Exits if it is trouble with the database; with another code where waiting does not help."""
    if "sqlalchemy" not in sys.modules:  # slow to import, and not the cause then
        return
    from pbmserv.cli.terminal import Exit, give_up
    from pbmserv.store.engine import first_line, is_damage, is_database_trouble

    if is_database_trouble(error):
        code = Exit.FAILED if is_damage(error) else Exit.TRY_LATER
        give_up(f"the database does not do it: {first_line(error)}; `pbmserv status` looks closer", code)


@cache
def _loaded(listed: LazyCommand) -> click.Command:
    module, _, name = listed.place.partition(":")
    found: click.Command = getattr(importlib.import_module(f"pbmserv.cli.{module}"), name)
    found.name, found.hidden = listed.name, listed.hidden
    return found


@command
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")), metavar="bash|zsh|fish")
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what completes commands in your shell.

    Put it where your shell looks for such files, or evaluate it in its start file. It asks `pbmserv` itself, so it
    need not be renewed with each version.

    Examples:
        pbmserv completion bash | sudo tee /etc/bash_completion.d/pbmserv
        pbmserv completion zsh > ~/.zfunc/_pbmserv
        pbmserv completion fish > ~/.config/fish/completions/pbmserv.fish
    """
    completing = get_completion_class(shell)
    assert completing is not None
    click.echo(completing(context.find_root().command, {}, "pbmserv", "_PBMSERV_COMPLETE").source())
