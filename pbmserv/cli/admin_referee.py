"""`pbmserv admin end`, `undo`, `extend`, `pause`, `resume` and `announce`: refereeing."""

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

import click
from rich.progress import Progress, TaskID

from pbmserv.cli import terminal
from pbmserv.cli.lazy import command
from pbmserv.services.admin import referee
from pbmserv.services.admin.check import recount_all
from pbmserv.services.admin.mails import announce as announce_to
from pbmserv.services.admin.mails import announce_on, audience, drafted
from pbmserv.services.admin.referee import CannotRule, Ruled, Ruler
from pbmserv.services.app import App, utc_now

QUIET: Final = 2.0
"""Seconds of work before a terminal shows the progress."""

board_argument = click.argument("board", type=int, help="number of a board")
reason_option = click.option(
    "--reason", default="", help="why; told to the players by mail, and stored nowhere else"
)


@command
@board_argument
@click.option("--annul", is_flag=True, help="make the game void; it will not count")
@click.option("--award", default="", metavar="USERID", help="this player has won")
@reason_option
@terminal.yes_option
@terminal.dry_run_option
def end(board: int, annul: bool, award: str, reason: str, yes: bool, dry_run: bool) -> None:
    """End a game, or change its result. Before that it asks, or needs --yes.

    Examples:
        pbmserv admin end 101 --award alice
        pbmserv admin end 101 --annul
    """
    if annul == bool(award):
        terminal.give_up("use either --annul or --award USERID", terminal.Exit.USAGE)
    if annul:
        _tell(_ruled(board, referee.annul(reason), yes, dry_run), "is void")
    else:
        _tell(_ruled(board, referee.award(award, reason), yes, dry_run), f"is won by {award}")


@command
@board_argument
@click.argument("ply", type=int, required=False, help="the last ply to keep; default: take back one")
@reason_option
@terminal.yes_option
@terminal.dry_run_option
def undo(board: int, ply: int | None, reason: str, yes: bool, dry_run: bool) -> None:
    """Take back moves, or the end of a game. Players who left after that ply are back in.

    Before that it asks, or needs --yes.

    Examples:
        pbmserv admin undo 101
        pbmserv admin undo 101 12 --reason "Both have asked for it."
    """
    ruled = _ruled(board, referee.take_back(ply, reason), yes, dry_run)
    _tell(ruled, f"stands as after ply {ruled.board.state.plies}; {ruled.board.on_turn} is to move")


@command
@board_argument
@click.argument("userid")
@click.argument("days", type=int)
@reason_option
def extend(board: int, userid: str, days: int, reason: str) -> None:
    """Give a player more days.

    Examples:
        pbmserv admin extend 101 bob 7 --reason "Bob is in hospital."
    """
    ruled = _ruled(board, referee.extend(userid, days, reason), yes=True)
    _tell(ruled, f"gives {userid} {days} {'day' if days == 1 else 'days'} more")


boards_argument = click.argument("boards", nargs=-1, type=int, metavar="[BOARD]...", help="numbers of boards")
all_option = click.option("--all", "all_boards", is_flag=True, help="every running board with clocks")


@command
@boards_argument
@all_option
@reason_option
def pause(boards: tuple[int, ...], all_boards: bool, reason: str) -> None:
    """Stop the clocks; moves can still be played.

    Examples:
        pbmserv admin pause 101 102
        pbmserv admin pause --all --reason "The provider is down."
    """
    _each(boards, all_boards, referee.pause(reason), paused=False)


@command
@boards_argument
@all_option
@reason_option
def resume(boards: tuple[int, ...], all_boards: bool, reason: str) -> None:
    """Restart the clocks."""
    _each(boards, all_boards, referee.resume(reason), paused=True)


@command
@click.argument("text", default="", help="what to say; else it is read from standard input")
@click.option("--board", type=int, default=0, help="only to the players of this board")
@terminal.yes_option
@click.option("--dry-run", is_flag=True, help="show the mail, and to how many it would go")
def announce(text: str, board: int, yes: bool, dry_run: bool) -> None:
    """Write to all players, or to those of one board. Before it writes to everybody it asks, or needs --yes.

    Examples:
        pbmserv admin announce --dry-run "The club moves house on Sunday."
        pbmserv admin announce --yes < news.txt
    """
    app = terminal.app_or_exit()
    said = (text or sys.stdin.read()).strip()
    if not said:
        terminal.give_up("there is nothing to announce", terminal.Exit.USAGE)
    to = [] if board else audience(app)
    if dry_run:
        _show_announcement(app, said, board)
        return
    whom = f"the players of board {board}" if board else f"{len(to)} {'player' if len(to) == 1 else 'players'}"
    if not yes and (terminal.is_terminal() or not board):
        terminal.ask(f"Send to {whom}?", f"this would go to {whom}", "nothing was announced")
    if board:
        with terminal.or_give_up(CannotRule):
            terminal.print_line(mails_queued(announce_on(app, board, said, utc_now())))
        return
    with Progress(console=terminal.err, transient=True) as progress:
        task = progress.add_task("announcing", total=len(to))
        announce_to(app, said, utc_now(), lambda done: progress.update(task, completed=done))
    terminal.print_line(mails_queued(len(to)))


def _show_announcement(app: App, said: str, board: int) -> None:
    with terminal.or_give_up(CannotRule):
        mail, to = drafted(app, board or None, said, utc_now())
    if mail:
        terminal.print_line(mail)
    terminal.print_line(f"Nothing is sent. It would go to {to} {'player' if to == 1 else 'players'}.")


def _each(boards: Sequence[int], all_boards: bool, ruler: Ruler, paused: bool) -> None:
    """Rules on each of several boards; one that cannot be ruled on does not keep the others."""
    if bool(boards) == all_boards:
        terminal.give_up("name boards, or say --all", terminal.Exit.USAGE)
    app = terminal.app_or_exit()
    done, failed = 0, 0
    with Progress(console=terminal.err, transient=True) as progress:
        for number in progress.track(boards or referee.with_clocks(app, paused=paused)):
            try:
                referee.rule(app, number, ruler, utc_now())
                done += 1
            except CannotRule as error:
                terminal.err.print(f"pbmserv: {error}", highlight=False, markup=False, soft_wrap=True)
                failed += 1
    what = "set going again" if paused else "stopped"
    terminal.print_line(f"The clocks of {done} {'board' if done == 1 else 'boards'} are {what}.")
    if failed:
        raise SystemExit(terminal.Exit.FAILED)


def _ruled(board: int, ruler: Ruler, yes: bool, dry_run: bool = False) -> Ruled:
    app = terminal.app_or_exit()
    with terminal.or_give_up(CannotRule):
        ruled = terminal.after_asking(
            app, lambda app: referee.rule(app, board, ruler, utc_now()), lambda ruled: ruled.effect, yes, dry_run
        )
    _recount(app)
    return ruled


def _recount(app: App) -> None:
    """Has the ratings follow at once; where that takes long, a terminal shows how far it is."""
    shown_from = time.monotonic() + QUIET
    with ExitStack() as stack:
        bar: list[tuple[Progress, TaskID]] = []

        def progress(done: int, of: int) -> None:
            if not bar and terminal.err.is_terminal and time.monotonic() >= shown_from:
                shown = stack.enter_context(Progress(console=terminal.err, transient=True))
                bar.append((shown, shown.add_task("counting ratings anew", total=of)))
            for shown, task in bar:
                shown.update(task, completed=done)

        recount_all(app, progress)


def _tell(ruled: Ruled, what: str) -> None:
    terminal.print_line(f"Board {ruled.board.match.number} {what}. {mails_queued(ruled.mails)}")


def mails_queued(count: int) -> str:
    """How many mails wait to go out, as a sentence."""
    return f"{count} {'mail is' if count == 1 else 'mails are'} queued."


def listed(numbers: tuple[int, ...]) -> str:
    """Boards by their numbers."""
    return f"{'board' if len(numbers) == 1 else 'boards'} {', '.join(map(str, numbers))}"
