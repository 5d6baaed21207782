"""A game of each kind, ply by ply, played again from a file and compared with all of it.

In `tests/games/golden/NAME.txt` a game begins with a line `== 2 seats, size=3x3`; then come its plies,
`1. Paren: B2`, and leavings, `Paren leaves`, each followed by what happened and the board. With PBMSERV_REGEN=1 in
the environment the file is written anew from those lines, so that a new file needs no more than them.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from pbmserv.games import games
from pbmserv.games.board import Board
from pbmserv.games.game import Event, Game, ManySeats
from pbmserv.games.info import Info
from pbmserv.services.laws.setups import board_of
from tests.every import for_each
from tests.games.drawing import draw_board
from tests.games.setups import NAMES

GOLDEN = Path(__file__).parent / "golden"


@for_each("name", NAMES)
def test_golden_game(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    text = path.read_text("ascii")
    assert re.search(r"(?m)^== ", text), f"{path} needs a game"
    told = "\n".join(tell_games(games()[name], text)) + "\n"
    if os.environ.get("PBMSERV_REGEN") == "1":
        path.write_text(told, "ascii")
    assert path.read_text("ascii") == told


@for_each("name", NAMES)
def test_a_golden_game_is_whole(name: str) -> None:
    assert re.search(r"(?m)^over by ", (GOLDEN / f"{name}.txt").read_text("ascii"))


def tell_games(game: Game, script: str) -> Iterator[str]:
    """The lines of a golden file from its headers, plies and leavings."""
    for number, part in enumerate(re.split(r"(?m)^== ", script)[1:]):
        header, *lines = part.splitlines()
        seats, *options = re.findall(r"([0-9]+) seats|(\S+)=([^\s,]+)", header)
        position = game.start(int(seats[0]), {name: value for _, name, value in options})
        board = board_of(game, position)
        if number:
            yield ""
        yield from (f"== {header}", "", draw_board(game.scene(position)))
        for line in lines:
            if ply := re.fullmatch(r"([0-9]+\. \w+): (\S+)", line):
                move = game.read(position, ply[2])
                mover = game.to_move(position)
                assert mover is not None
                assert ply[1].endswith(f". {game.info.sides[mover].name}"), f"it is not {ply[1]}'s turn"
                yield from ("", f"{ply[1]}: {game.write(position, move)}")
                position, events = game.play(position, move)
            elif leaver := re.fullmatch(r"(\w+) leaves", line):
                yield from ("", line)
                seat = [side.name for side in game.info.sides].index(leaver[1])
                position, events = cast(ManySeats, game).leave(position, seat)
            else:
                continue
            yield from (tell_event(game.info, board, event) for event in events)
            yield from ("", draw_board(game.scene(position)))
        yield from ("", tell_end(game, position))


def tell_event(info: Info, board: Board, event: Event) -> str:
    """An event as `   captured Angle B2 piece=1`."""
    parts = [event.kind, info.sides[event.seat].name]
    parts += [",".join(board.names[cell] for cell in event.cells)] if event.cells else []
    parts += [f"piece={event.piece}"] if event.piece else []
    parts += [f"count={event.count}"] if event.count else []
    return "   " + " ".join(parts)


def tell_end(game: Game, position: Any) -> str:
    """Who is to move, or how it ended."""
    outcome = game.outcome(position)
    if outcome is None:
        return f"to move: {game.info.sides[game.to_move(position) or 0].name}"

    def told(numbers: tuple[int, ...]) -> str:
        return ", ".join(f"{side.name} {number}" for side, number in zip(game.info.sides, numbers, strict=False))

    scores = f"; scores: {told(outcome.scores)}" if outcome.scores else ""
    return f"over by {outcome.reason}; ranks: {told(outcome.ranks)}{scores}"
