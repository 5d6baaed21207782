"""Asking before something that cannot be undone: it says first what it would do."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import click

from pbmserv.cli.terminal import Exit, give_up, out

if TYPE_CHECKING:
    from pbmserv.services.admin.referee import Effect
    from pbmserv.services.app import App

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
