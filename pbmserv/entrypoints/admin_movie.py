"""`pbmserv admin movie`: a whole game as one animated picture."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pbmserv.entrypoints.terminal import give_up, house_or_exit, out, settings_or_exit
from pbmserv.matches.match import BrokenLog
from pbmserv.rendering.picture.draw import movie_of
from pbmserv.services.views.boards import see_replayed


def movie(
    board: Annotated[int, typer.Argument(help="a board's number")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="an SVG; - for standard output")],
) -> None:
    """Write a game, ply by ply, as an animated SVG that any browser shows."""
    house = house_or_exit(settings_or_exit())
    try:
        found = see_replayed(house, board)
    except BrokenLog as error:
        give_up(str(error))
    if found is None:
        give_up(f"there is no board {board}")
    drawn = movie_of(found)
    if str(file) == "-":
        sys.stdout.write(f"{drawn}\n")
        return
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        give_up(f"{file} cannot be written: {error.strerror or error}")
    out.print(f"Board {board} is in {file}.", markup=False, highlight=False, soft_wrap=True)
