"""`pbmserv admin games`, `show` and `players`: boards and who plays on them."""

from typing import Annotated

import typer

from pbmserv.cli.terminal import Json, Scripted, app_or_exit, give_up, out, print_rows, settings_or_exit
from pbmserv.matches.queries import Filter, ListingQuery
from pbmserv.rendering.templates import ordered, render
from pbmserv.rendering.text import laid_out
from pbmserv.services.app import App
from pbmserv.services.views import list_boards, list_players, load_board

Count = Annotated[int, typer.Option(min=1, max=10_000, help="show at most this many, the newest")]
Board = Annotated[int, typer.Argument(help="number of a board")]


def games(
    player: Annotated[list[str] | None, typer.Option(help="userid; may be repeated")] = None,
    game: Annotated[str, typer.Option(help="only boards of this game")] = "",
    filter: Annotated[Filter, typer.Option(metavar="all|active|inactive|next")] = "active",  # noqa: A002
    stuck: Annotated[bool, typer.Option("--stuck", help="only those that do not go on, and why")] = False,
    count: Count = 50,
    scripted: Scripted = None,
) -> None:
    """List boards, the latest moves first.

    Examples:
        pbmserv admin games --player alice --filter next
        pbmserv admin games --stuck
        pbmserv admin games --filter all --count 10000 --csv > games.csv
    """
    if stuck:
        # It can do much more than list, so it takes long to import.
        from pbmserv.cli.admin_care import print_stuck

        print_stuck(_app(), scripted)
        return
    listing = list_boards(_app(), ListingQuery(game or None, tuple(player or ()), filter, count=count))
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
    print_rows(rows, scripted, f"{listing.total} boards in all" if rows else "boards")


def show(board: Board, json: Json = False) -> None:
    """Show a board with all its moves.

    Examples:
        pbmserv admin show 101
    """
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


def players(scripted: Scripted = None) -> None:
    """List everybody who has an account."""
    print_rows(
        [{"userid": each.userid, "address": each.address} for each in list_players(_app())], scripted, "players"
    )


def filter_empty(*words: str) -> list[str]:
    """The words that are not empty."""
    return [word for word in words if word]


def _app() -> App:
    return app_or_exit(settings_or_exit())
