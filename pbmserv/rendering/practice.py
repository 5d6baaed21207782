"""A practice board that is not there yet: in a text, and in HTML with a link on each cell that plays there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from urllib.parse import quote

from pbmserv.commands.practice import NOT_THERE_YET
from pbmserv.commands.server import Server
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState
from pbmserv.rendering.board_text import draw_sheet
from pbmserv.rendering.html_cells import mailto
from pbmserv.rendering.markup import filled
from pbmserv.rendering.open_moves import OpenMoves, open_moves_of
from pbmserv.rendering.templates import render

_MOST_CELLS: Final = 30
"""The first mail to an address is small: larger boards are drawn as text there."""

_MOST_LINKS: Final = 6
_MOST_LOOKED_AT: Final = 400


@dataclass(frozen=True, slots=True)
class PracticeView:
    """What a newcomer sees before the first move: the context of `mail/practice.txt` and `mail/practice.html`."""

    game: str
    title: str
    # The empty board, as text.
    text: str
    # The first and the last cell.
    ends: tuple[str, str]
    # A legal first move.
    example: str
    # The cells of each row, from the top, where a first move is one cell; empty if it is not, or they are many.
    rows: tuple[tuple[str, ...], ...]
    # Some first moves, for a board without such rows.
    some: tuple[str, ...]
    # Which question an answer answers, where our address cannot tell it.
    word: str = field(default="", repr=False)

    @property
    def shown(self) -> tuple[int, int]:
        """What a mail with it is noted to show: a board that is not there yet, and no ply."""
        return NOT_THERE_YET, 0


def view_practice(board: GameState) -> PracticeView:
    """What its player sees of a practice board that is to come."""
    game, position = rules_of(board.match), board.state.position
    scene = game.scene(position)
    open_moves = open_moves_of(game, position, scene)
    names = scene.board.names
    return PracticeView(
        game=board.match.game,
        title=game.info.title,
        text=draw_sheet(scene),
        ends=(names[0], names[-1]),
        example=open_moves.example,
        rows=_rows(board, open_moves),
        some=_spread(
            [game.write(position, move).lower() for move in islice(game.moves(position), _MOST_LOOKED_AT)]
        ),
    )


def practice_text(practice: PracticeView, server: Server, words: bool = False) -> str:
    """The practice board in a text."""
    return filled(render("mail/practice.txt", words=words, practice=practice, server=server))


def draw_practice(view: PracticeView, address: str) -> str:
    """The board in HTML, with links that write mails to `address`."""
    return render("mail/practice.html", practice=view, link=lambda move: _link(view, address, move))


def _spread(moves: Sequence[str]) -> tuple[str, ...]:
    """A few of many moves, from all over the board."""
    step = max(1, len(moves) // _MOST_LINKS)
    return tuple(moves[step // 2 :: step][:_MOST_LINKS])


def _link(view: PracticeView, address: str, move: str) -> str:
    """A mail with the first move as its Subject; with the word that its text must hold, if there is one."""
    command = f"practice {move.lower()}"
    if not view.word:
        return mailto(address, command)
    body = quote(f"yes {view.word}\n{command}", safe="")
    return f"mailto:{quote(address, safe='@')}?body={body}"


def _rows(board: GameState, open_moves: OpenMoves) -> tuple[tuple[str, ...], ...]:
    scene = rules_of(board.match).scene(board.state.position)
    names, layout = scene.board.names, scene.board.layout
    playable = {choice.step for choice in open_moves.choices if choice.move and len(choice.move) == 1}
    rows = tuple(row.cells for row in layout.rows)
    is_plain = len(names) <= _MOST_CELLS and len({len(row) for row in rows}) == 1 and layout.shape == "square"
    if not is_plain or any(cell not in playable for row in rows for cell in row):
        return ()
    return tuple(tuple(names[cell] for cell in row) for row in rows)
