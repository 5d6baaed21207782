"""`pbmserv admin resend`, `as`, `password` and `check`: what an operator does to boards and players."""

import sys
from typing import Annotated

import typer
from rich.progress import Progress

from pbmserv.cli.asking import DryRun, Yes, after_asking
from pbmserv.cli.terminal import Exit, Scripted, app_or_exit, err, give_up, out, print_rows, settings_or_exit
from pbmserv.services.admin.act import CannotOperate, run_as, set_password
from pbmserv.services.admin.check import Check, rebuild
from pbmserv.services.admin.mails import CannotResend
from pbmserv.services.admin.mails import resend as resend_board
from pbmserv.services.app import App, utc_now
from pbmserv.store.matches import FIRST_NUMBER

Board = Annotated[int, typer.Argument(help="number of a board")]


def resend(board: Board, to: Annotated[str, typer.Option(help="only to this userid")] = "") -> None:
    """Mail a board again to all its players, or to one.

    Examples:
        pbmserv admin resend 101 --to bob
    """
    try:
        sent_to = resend_board(_app(), board, to or None, utc_now())
    except CannotResend as error:
        give_up(str(error))
    out.print(f"Board {board} is queued for {', '.join(sent_to)}.", highlight=False)


def password(userid: str) -> None:
    """Set a player's password, asked for twice, or read from standard input when that is no terminal."""
    app = _app()
    if sys.stdin.isatty():
        secret = typer.prompt(f"New password of {userid}", hide_input=True, confirmation_prompt=True)
    else:
        secret = sys.stdin.readline().rstrip("\n")
    try:
        set_password(app, userid, secret, utc_now())
    except CannotOperate as error:
        give_up(str(error))
    out.print(f"{userid} has a new password.", highlight=False)


def check(
    repair: Annotated[
        bool, typer.Option("--rebuild", help="rewrite summaries and ratings that differ from the logs")
    ] = False,
    first: Annotated[int, typer.Option("--from", help="begin with this board")] = FIRST_NUMBER,
    scripted: Scripted = None,
) -> None:
    """Replay every log and compare summaries and ratings with it. Exit code 1 if a difference remains.

    Examples:
        pbmserv admin check
        pbmserv admin check --rebuild
    """
    if repair and first > FIRST_NUMBER:
        give_up("--rebuild needs a check of all boards: leave --from out", Exit.USAGE)
    checking = Check(_app(), first)
    is_whole = _run(checking)
    differences = checking.differences
    print_rows([{"board": each.number, "difference": each.what} for each in differences], scripted, "differences")
    if not is_whole:
        err.print(
            f"Interrupted. To go on: pbmserv admin check --from {checking.next_board}",
            highlight=False,
            soft_wrap=True,
        )
        raise typer.Exit(Exit.FAILED)
    if repair and differences:
        err.print(f"{rebuild(checking.app, differences)} summaries were rewritten.", highlight=False)
        differences = [each for each in differences if not each.can_be_mended]
    if differences:
        raise typer.Exit(Exit.FAILED)


def _run(checking: Check) -> bool:
    """Checks all boards and shows how far it is; False if the operator has interrupted it."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("replaying", total=None)
        try:
            checking.run(lambda done, of: progress.update(task, completed=done, total=of))
        except KeyboardInterrupt:
            return False
    return True


def as_player(
    userid: str,
    line: Annotated[str, typer.Argument(metavar="COMMAND", help='such as "move 101 c3"')],
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Run one command for a player; boards that it changes are mailed to all their players.

    Before it ends a game or erases an account it asks, or needs --yes.

    Examples:
        pbmserv admin as bob "move 101 c3"
        pbmserv admin as bob --dry-run delete
    """
    try:
        operated = after_asking(
            _app(), lambda app: run_as(app, userid, line, utc_now()), lambda done: done.effect, yes, dry_run
        )
    except CannotOperate as error:
        give_up(str(error))
    out.print(operated.text, highlight=False, markup=False, soft_wrap=True, end="")
    if not operated.done:
        raise typer.Exit(Exit.FAILED)


def _app() -> App:
    return app_or_exit(settings_or_exit())
