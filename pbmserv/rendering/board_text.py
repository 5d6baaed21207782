"""A board drawn as text: its squares, and its moves in columns."""

from collections.abc import Collection, Sequence
from typing import Final

from pbmserv.games.game import Scene
from pbmserv.games.info import Side
from pbmserv.matches.state import State, Turn, rounds
from pbmserv.rendering.language import leaving_word
from pbmserv.rendering.markup import WIDTH

LISTED_WHILE_RUNNING: Final = 8
"""How many of the last moves of a running game are listed, unless all are asked for."""

_NARROWEST_COLUMN: Final = 14


def draw_sheet(scene: Scene, pointed_out: Collection[int] = ()) -> str:
    """The board with what stands on it, in rows of characters; empty cells that are `pointed_out` show a star.

    Brackets stand around each line of the part of the board within which the next ply has to be.
    """
    sheet = scene.board.sheet
    lines = list(sheet.lines)
    for stroke in scene.strokes:
        for line, begin, text in stroke.text:
            lines[line] = _over(lines[line], begin, text)
    for (line, begin), pieces in zip(sheet.slots, scene.cells, strict=True):
        if pieces:
            drawn = column_text([piece.text for piece in pieces], sheet.width)
            lines[line] = f"{lines[line][:begin]}{drawn}{lines[line][begin + sheet.width :]}"
    for cell in pointed_out:
        if not scene.cells[cell]:
            line, begin = sheet.slots[cell]
            middle = begin + sheet.width // 2
            lines[line] = f"{lines[line][:middle]}*{lines[line][middle + 1 :]}"
    return "\n".join(_bracketed(scene, lines))


def _bracketed(scene: Scene, lines: list[str]) -> list[str]:
    """The lines with brackets around what the scene is within, where there is a blank for each."""
    sheet = scene.board.sheet
    inside = {sheet.slots[cell] for cell in scene.within}
    for line, begin in inside:
        text, after = lines[line], begin + sheet.width
        if (line, begin - sheet.width - 1) not in inside and text[begin - 1] == " ":
            text = f"{text[: begin - 1]}[{text[begin:]}"
        if (line, after + 1) not in inside and text[after : after + 1] == " ":
            text = f"{text[:after]}]{text[after + 1 :]}"
        lines[line] = text
    return lines


def _over(line: str, begin: int, text: str) -> str:
    """A line with a text written over it; its blanks cover nothing.

    >>> _over(". . .", 1, "| |"), _over(".", 2, "-")
    ('.|.|.', '. -')
    """
    padded = line.ljust(begin + len(text))
    drawn = "".join(new if new != " " else old for old, new in zip(padded[begin:], text, strict=False))
    return f"{padded[:begin]}{drawn}{padded[begin + len(text) :]}"


def column_text(texts: Sequence[str], width: int) -> str:
    """What stands on a cell, from the bottom to the top, in `width` characters; a high column shows its top.

    >>> column_text(["o", "x"], 5), column_text(["o", "o", "x", "x", "x", "x", "X"], 5)
    (' ox  ', '3xxxX')
    """
    whole = "".join(texts)
    if len(whole) > width:
        whole = f"{len(texts) - width + 1}{''.join(texts[len(texts) - width + 1 :])}"
    before = (width - len(whole)) // 2
    return whole.rjust(len(whole) + before).ljust(width)


def draw_moves(state: State, userids: Sequence[str], sides: Sequence[Side]) -> str:
    """All moves in one column for each seat, or in a list if that is too wide."""
    turns = state.turns
    texts = [_move_text(turn) for turn in turns]
    longest = max(map(len, (*userids, *(_side_text(side) for side in sides), *texts)))
    width = max(_NARROWEST_COLUMN, longest + 6)
    if width * len(userids) > WIDTH:
        numbered = zip(turns, texts, strict=True)
        listed = [f"{turn.ply or '':>3} {userids[turn.seat]} {text}" for turn, text in numbered]
        return "\n".join(listed)
    lines = [
        {seat: f"{turn.ply or '':>3} {_move_text(turn)}" for seat, turn in row.items()} for row in rounds(turns)
    ]
    heads = [
        {seat: f"  {_side_text(side)}" for seat, side in enumerate(sides)},
        {seat: f"  {userid}" for seat, userid in enumerate(userids)},
    ]
    drawn = (
        "".join(f" {line.get(seat, ''):{width - 1}}" for seat in range(len(userids))) for line in heads + lines
    )
    return "\n".join(line.rstrip() for line in drawn)


def _side_text(side: Side) -> str:
    """How a side is called, and what its pieces look like where that is one character."""
    return side.name if "n" in side.mark else f"{side.name} {side.mark}"


def _move_text(turn: Turn) -> str:
    return turn.move or leaving_word(turn.kind)
