"""`pbmserv admin`: the operator's commands for boards, players and mails."""

import sys
from typing import Annotated

import typer
from rich.progress import Progress

from pbmserv.cli import (
    admin_addresses,
    admin_backup,
    admin_care,
    admin_copy,
    admin_games,
    admin_mail,
    admin_referee,
    status,
)
from pbmserv.cli.terminal import Exit, Json, app_or_exit, err, give_up, out, print_rows, settings_or_exit
from pbmserv.matches.queries import Filter, ListingQuery
from pbmserv.rendering.templates import ordered, render
from pbmserv.rendering.text import laid_out
from pbmserv.services.admin.act import CannotOperate, run_as, set_password
from pbmserv.services.admin.check import Check, rebuild
from pbmserv.services.admin.mails import CannotResend
from pbmserv.services.admin.mails import resend as resend_board
from pbmserv.services.app import App, utc_now
from pbmserv.services.views import list_boards, list_players, load_board
from pbmserv.store.matches import FIRST_NUMBER

cli = typer.Typer(no_args_is_help=True, help="Manage the server: boards, players, mails.")
cli.command("backup")(admin_backup.backup)
cli.command("report")(admin_care.report)
cli.command("copy")(admin_copy.copy)
cli.command("import")(admin_games.import_records)
cli.command("parts")(status.parts)
cli.command("dump")(admin_games.dump)
cli.command("movie")(admin_games.movie)
cli.command("restore")(admin_backup.restore)
cli.command("address")(admin_addresses.address)
cli.command("suspended")(admin_addresses.suspended)
cli.command("lift")(admin_addresses.lift)
cli.command("invite")(admin_addresses.invite)
cli.add_typer(admin_mail.inbox_app, name="inbox")
cli.command("outbox")(admin_mail.outbox)
cli.command("trace")(admin_mail.trace)
for each in (
    admin_referee.end,
    admin_referee.undo,
    admin_referee.extend,
    admin_referee.pause,
    admin_referee.resume,
    admin_care.ban,
    admin_care.unban,
    admin_care.banned,
    admin_referee.announce,
):
    cli.command()(each)

Count = Annotated[int, typer.Option(min=1, max=10_000, help="show at most this many, the newest")]
Board = Annotated[int, typer.Argument(help="number of a board")]


@cli.command()
def resend(board: Board, to: Annotated[str, typer.Option(help="only to this userid")] = "") -> None:
    """Mail a board again to all its players, or to one."""
    try:
        sent_to = resend_board(_app(), board, to or None, utc_now())
    except CannotResend as error:
        give_up(str(error))
    out.print(f"Board {board} is queued for {', '.join(sent_to)}.", highlight=False)


@cli.command()
def games(
    player: Annotated[list[str] | None, typer.Option(help="userid; may be repeated")] = None,
    game: Annotated[str, typer.Option(help="only boards of this game")] = "",
    filter: Annotated[str, typer.Option(help="all, active, inactive or next")] = "active",  # noqa: A002
    stuck: Annotated[bool, typer.Option("--stuck", help="only those that do not go on, and why")] = False,
    count: Count = 50,
    json: Json = False,
) -> None:
    """List boards, the latest moves first."""
    if stuck:
        admin_care.print_stuck(_app(), json)
        return
    which: Filter
    match filter:
        case "all" | "active" | "inactive" | "next":
            which = filter
        case _:
            give_up("the filter must be one of all, active, inactive, next", Exit.USAGE)
    listing = list_boards(_app(), ListingQuery(game or None, tuple(player or ()), which, count=count))
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
    print_rows(rows, json, f"{listing.total} boards in all" if rows else "boards")


@cli.command()
def show(board: Board, json: Json = False) -> None:
    """Show a board with all its moves."""
    seen = load_board(_app(), board)
    if seen is None:
        give_up(f"there is no board {board}")
    if json:
        turns = [{"ply": turn.ply, "seat": turn.seat, "move": turn.move} for turn in seen.state.turns]
        match = seen.match
        facts = {
            "board": match.number,
            "rules": match.rules,
            "options": dict(match.options),
            "players": match.userids,
        }
        out.print_json(
            data={**facts, "status": seen.state.status, "to_move": seen.players.to_move, "turns": turns}
        )
        return
    text = render("mail/notice.txt", view=seen, alone=True, server=settings_or_exit().server())
    out.print(laid_out(text), highlight=False, markup=False, soft_wrap=True, end="")


@cli.command()
def players(json: Json = False) -> None:
    """List everybody who has an account."""
    print_rows(
        [{"userid": each.userid, "address": each.address} for each in list_players(_app())], json, "players"
    )


@cli.command()
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


@cli.command()
def check(
    repair: Annotated[
        bool, typer.Option("--rebuild", help="rewrite summaries and ratings that differ from the logs")
    ] = False,
    first: Annotated[int, typer.Option("--from", help="begin with this board")] = FIRST_NUMBER,
    json: Json = False,
) -> None:
    """Replay every log and compare summaries and ratings with it. Exit code 1 if a difference remains."""
    if repair and first > FIRST_NUMBER:
        give_up("--rebuild needs a check of all boards: leave --from out", Exit.USAGE)
    checking = Check(_app(), first)
    is_whole = _run(checking)
    differences = checking.differences
    print_rows([{"board": each.number, "difference": each.what} for each in differences], json, "differences")
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


@cli.command("as")
def as_player(
    userid: str, line: Annotated[str, typer.Argument(metavar="COMMAND", help='such as "move 101 c3"')]
) -> None:
    """Run one command for a player; boards that it changes are mailed to all their players."""
    try:
        operated = run_as(_app(), userid, line, utc_now())
    except CannotOperate as error:
        give_up(str(error))
    out.print(operated.text, highlight=False, markup=False, soft_wrap=True, end="")
    if not operated.done:
        raise typer.Exit(Exit.FAILED)


def filter_empty(*words: str) -> list[str]:
    """The words that are not empty."""
    return [word for word in words if word]


def _app() -> App:
    return app_or_exit(settings_or_exit())
