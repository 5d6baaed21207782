"""`pbmserv admin games`, `show`, `resend` and `players`: boards and who plays on them."""

from dataclasses import asdict
from datetime import timedelta
from typing import Final, get_args

import click

from pbmserv.cli import terminal
from pbmserv.cli.lazy import command
from pbmserv.matches.queries import Filter, ListingQuery
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import ordered, render
from pbmserv.services.admin.mails import CannotResend
from pbmserv.services.admin.mails import resend as resend_board
from pbmserv.services.app import App, utc_now
from pbmserv.services.views import list_boards, list_players, load_board

IDLE: Final = timedelta(days=30)
"""After so long a game without clocks is stuck."""

count_option = click.option(
    "--count", type=click.IntRange(1, 10_000), default=50, help="show at most this many, the newest"
)
board_argument = click.argument("board", type=int, help="number of a board")


@command
@click.option("--player", multiple=True, help="userid; may be repeated")
@click.option("--game", default="", help="only boards of this game")
@click.option(
    "--filter", "shown", type=click.Choice(get_args(Filter)), default="active", metavar="all|active|inactive|next"
)
@click.option("--stuck", is_flag=True, help="only those that do not go on, and why")
@count_option
@terminal.scripted_option
def games(
    player: tuple[str, ...], game: str, shown: Filter, stuck: bool, count: int, scripted: bool | None
) -> None:
    """List boards, the latest moves first.

    Examples:
        pbmserv admin games --player alice --filter next
        pbmserv admin games --stuck
        pbmserv admin games --filter all --count 10000 --csv > games.csv
    """
    if stuck:
        _print_stuck(terminal.app_or_exit(), scripted)
        return
    listing = list_boards(terminal.app_or_exit(), ListingQuery(game or None, player, shown, count=count))
    rows = [
        {
            "board": line.number,
            "game": " ".join(filter_empty(line.game, ordered(line.options))),
            "players": list(line.userids),
            "status": line.summary.status,
            "to_move": line.to_move,
            "plies": line.summary.plies,
            "last_move": line.summary.last_move,
            "last_at": line.summary.last_at,
        }
        for line in listing.lines
    ]
    terminal.print_rows(rows, scripted, f"{listing.total} boards in all" if rows else "boards")


@command
@board_argument
@terminal.json_option
def show(board: int, json: bool) -> None:
    """Show a board with all its moves.

    Examples:
        pbmserv admin show 101
    """
    seen = load_board(terminal.app_or_exit(), board)
    if seen is None:
        terminal.give_up(f"there is no board {board}")
    if json:
        turns = [{"ply": turn.ply, "seat": turn.seat, "move": turn.move} for turn in seen.state.turns]
        match = seen.match
        facts = {
            "board": match.number,
            "rules": match.rules,
            "options": dict(match.options),
            "players": match.userids,
        }
        terminal.out.print_json(
            data={**facts, "status": seen.state.status, "to_move": seen.players.to_move, "turns": turns}
        )
        return
    text = render("mail/notice.txt", view=seen, alone=True, server=terminal.settings_or_exit().server())
    terminal.out.print(laid_out(text), highlight=False, markup=False, soft_wrap=True, end="")


@command
@terminal.scripted_option
def players(scripted: bool | None) -> None:
    """List everybody who has an account."""
    terminal.print_rows(
        [{"userid": each.userid, "address": each.address} for each in list_players(terminal.app_or_exit())],
        scripted,
        "players",
    )


def filter_empty(*words: str) -> list[str]:
    """The words that are not empty."""
    return [word for word in words if word]


@command
@board_argument
@click.option("--to", default="", help="only to this userid")
def resend(board: int, to: str) -> None:
    """Mail a board again to all its players, or to one.

    Examples:
        pbmserv admin resend 101 --to bob
    """
    with terminal.or_give_up(CannotResend):
        sent_to = resend_board(terminal.app_or_exit(), board, to or None, utc_now())
    terminal.out.print(f"Board {board} is queued for {', '.join(sent_to)}.", highlight=False)


def _print_stuck(app: App, scripted: bool | None) -> None:
    """Prints the boards that do not go on; exits with 1 if there are any."""
    # It replays games, which a listing need not.

    from pbmserv.services.admin.stuck import stuck_boards

    with terminal.progress_bar() as progress:
        task = progress.add_task("replaying", total=None)
        found = stuck_boards(
            app, IDLE, utc_now(), lambda done, of: progress.update(task, completed=done, total=of)
        )
    terminal.print_rows([asdict(each) for each in found], scripted, "stuck boards")
    if found:
        raise SystemExit(terminal.Exit.FAILED)
