"""Groups of commands that are imported only when one of them is run, so that `pbmserv` starts fast.

A group knows of each command its name, its summary, the section of the help that lists it, and where it is. Help
is plain text: the same in a terminal, in a pipe and in a mail to somebody who asks.
"""

import gc
import importlib
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

# Typer keeps its copy of Click to itself, so commands, contexts and formatters have no public types.
Command: TypeAlias = Any
Context: TypeAlias = Any
Formatter: TypeAlias = Any

VARIABLE: Final = "_PBMSERV_COMPLETE"
"""Where a shell says that it wants completions: `complete_bash`, for example."""

EXAMPLES: Final = "Examples:\n"
"""What the last paragraph of a docstring begins with: a command line a line below it."""


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command that is not imported yet; `place` is MODULE:NAME, a function or a Typer, in `pbmserv.cli`."""

    name: str
    place: str
    summary: str = ""
    section: str = ""
    hidden: bool = False


class PlainCommand(TyperCommand):
    """A command whose help is plain text, with its examples as they were written."""

    def format_help_text(self, ctx: Context, formatter: Formatter) -> None:
        """Writes what it does, without the examples."""
        told, self.help = self.help, told_of(self.help)
        try:
            super().format_help_text(ctx, formatter)
        finally:
            self.help = told

    def format_epilog(self, ctx: Context, formatter: Formatter) -> None:
        """Writes the examples."""
        if listed := examples_of(self.help):
            with formatter.section("Examples"):
                formatter.write("".join(f"{' ' * formatter.current_indent}{line}\n" for line in listed))


def told_of(text: str | None) -> str:
    """What a docstring says before its examples."""
    return (text or "").partition(EXAMPLES)[0].strip()


def examples_of(text: str | None) -> list[str]:
    """The command lines below `Examples:` in a docstring."""
    return [line.strip() for line in (text or "").partition(EXAMPLES)[2].splitlines() if line.strip()]


class LazyCommands(Mapping[str, Command]):
    """The commands of a group by name. Looking one up imports it."""

    def __init__(self, listed: tuple[LazyCommand, ...]) -> None:
        self.listed = listed
        self._places = {each.name: each for each in listed}

    def __getitem__(self, name: str) -> Command:
        return _loaded(self._places[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class LazyGroup(TyperGroup):
    """A group whose help and completion need none of its commands imported."""

    listed: tuple[LazyCommand, ...] = ()

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": None})
        self.commands = LazyCommands(self.listed)  # type: ignore[assignment]

    def list_commands(self, ctx: Context) -> list[str]:
        """The names."""
        return list(self.commands)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command, list[str]]:
        """The command that is meant, imported."""
        name, command, others = super().resolve_command(ctx, args)
        if not isinstance(command, LazyGroup) and not gc.isenabled():
            # `start.main` has switched it off: what was imported is never garbage.
            gc.freeze()
            gc.enable()
        return name, command, others

    def invoke(self, ctx: Context) -> Any:
        """Runs a command. Trouble with the database that it does not tell of itself is one sentence, too."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            _give_up_over(error)
            raise

    def format_commands(self, ctx: Context, formatter: Formatter) -> None:
        """Writes name and summary of each command, section by section."""
        shown = [each for each in self.listed if not each.hidden]
        wide = max(len(each.name) for each in shown)
        for section in dict.fromkeys(each.section for each in shown):
            with formatter.section(section or "Commands"):
                formatter.write_dl(
                    [(each.name.ljust(wide), each.summary) for each in shown if each.section == section]
                )

    def shell_complete(self, ctx: Context, incomplete: str) -> list[Any]:
        """Names of commands with their summaries, and options."""
        from typer._click.shell_completion import CompletionItem

        found = [
            CompletionItem(each.name, help=each.summary)
            for each in self.listed
            if each.name.startswith(incomplete) and not each.hidden
        ]
        return found + super(TyperGroup, self).shell_complete(ctx, incomplete)


def group_of(*listed: LazyCommand) -> type[LazyGroup]:
    """The class of a group with these commands, for `typer.Typer(cls=...)`."""
    return type("GroupOfCommands", (LazyGroup,), {"listed": listed})


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
def _loaded(command: LazyCommand) -> Command:
    module, _, name = command.place.partition(":")
    found = getattr(importlib.import_module(f"pbmserv.cli.{module}"), name)
    if isinstance(found, typer.Typer):
        made = get_command(found)
    else:
        alone = typer.Typer(add_completion=False, rich_markup_mode=None)
        alone.command(command.name, cls=PlainCommand, hidden=command.hidden)(found)
        made = get_command(alone)
    made.name = command.name
    # The commands of a lazy group get theirs when they are imported.
    below = () if isinstance(made, LazyGroup) else getattr(made, "commands", {}).values()
    for each in (made, *below):
        _name_values(each)
    return made


def _name_values(command: Command) -> None:
    """Has the help say `--count COUNT`, where it would name the type."""
    for option in command.params:
        if option.param_type_name == "option" and not option.is_flag and option.metavar is None:
            option.metavar = option.opts[0].lstrip("-").upper()


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="bash|zsh|fish")],
    context: typer.Context,
) -> None:
    """Print what completes commands in your shell.

    Put it where your shell looks for such files, or evaluate it in its start file. It asks `pbmserv` itself, so it
    need not be renewed with each version.

    Examples:
        pbmserv completion bash | sudo tee /etc/bash_completion.d/pbmserv
        pbmserv completion zsh > ~/.zfunc/_pbmserv
        pbmserv completion fish > ~/.config/fish/completions/pbmserv.fish
    """
    from typer._completion_classes import completion_init
    from typer.completion import shell_complete

    completion_init()
    shell_complete(context.find_root().command, {}, "pbmserv", VARIABLE, f"source_{shell}")
