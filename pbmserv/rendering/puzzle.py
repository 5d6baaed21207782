"""A puzzle in a text, and in HTML with a link on each square that answers it."""

from dataclasses import dataclass
from functools import cached_property

from pbmserv.commands.server import Server
from pbmserv.matches.log import rules_of
from pbmserv.matches.puzzles import Puzzle, board_number_of, puzzle_board
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_board import LISTED, Listed, MoveLink
from pbmserv.rendering.html_cells import MoveLinks, anchor, draw_grid, mailto
from pbmserv.rendering.html_grid import HtmlGrid, grid_of
from pbmserv.rendering.markup import filled
from pbmserv.rendering.templates import render

LARGEST_PUZZLE = 28_000
"""Bytes of a drawn puzzle; a larger one is shown as text."""


# Without slots, so that what is derived can be kept.
@dataclass(frozen=True)
class PuzzleView:
    """A puzzle as it is sent: the context of `mail/puzzle.txt` and `mail/puzzle.html`."""

    puzzle: Puzzle
    view: BoardView
    """Its position, as the side to move sees it; the players are called by their sides."""

    by_number: bool = False
    """An answer has to name the puzzle, since nothing else tells which one it is about."""

    @property
    def side(self) -> str:
        """The side to move."""
        return self.view.viewer or ""

    @property
    def mark(self) -> str:
        """What that side's pieces look like in text, a die as one that shows a three."""
        seat = self.view.state.to_move or 0
        return self.view.marks[seat].replace("n", "3")

    @property
    def shown(self) -> tuple[int, int]:
        """What a mail with it is noted to show: a board that is none, so that an answer tells which puzzle."""
        return board_number_of(self.puzzle.number), self.view.plies

    @cached_property
    def shape(self) -> str:
        """What the cells look like."""
        return str(self.view.diagram.scene.board.layout.shape)


class PuzzleLinks(MoveLinks):
    """Links that answer a puzzle: with the move alone where the address is that of this mail."""

    __slots__ = ()

    def command(self, text: str) -> str:
        """The command that the link writes."""
        return text.lower() if self.is_personal else f"puzzle {-self.view.number} {text.lower()}"


def view_puzzle(puzzle: Puzzle, by_number: bool = False) -> PuzzleView:
    """The puzzle as its solver sees it. Raises BrokenLog if its moves do not replay."""
    board = puzzle_board(puzzle)
    return PuzzleView(puzzle, view_board(board, board.on_turn), by_number)


def puzzle_text(shown: PuzzleView, server: Server, words: bool = False) -> str:
    """The puzzle in a text."""
    return filled(render("mail/puzzle.txt", words=words, shown=shown, view=shown.view, server=server))


def draw_puzzle(shown: PuzzleView, address: str, is_personal: bool) -> str:
    """The puzzle in HTML, with links that write mails to `address`, which may be that of this mail alone."""
    view = shown.view
    grid = grid_of(view.diagram.scene.board, rules_of(view.match).info.sides)
    for listed in LISTED if grid is not None else ():
        html = _drawn(shown, grid, address, is_personal, listed)
        if len(html) <= LARGEST_PUZZLE:
            return html
    return _drawn(shown, None, address, is_personal, "not")


def _drawn(shown: PuzzleView, grid: HtmlGrid | None, address: str, is_personal: bool, listed: Listed) -> str:
    """The puzzle with its board drawn, or as text where there is no grid."""
    view = shown.view
    links = PuzzleLinks(view, address, is_personal, alone=True, has_list=listed != "not")
    several = view.open_moves.several if listed != "not" else ()
    return render(
        "mail/puzzle.html",
        shown=shown,
        view=view,
        drawn="" if grid is None else draw_grid(view, links, grid),
        signs=() if grid is None else grid.signs,
        choices=[
            (
                name,
                anchor(view, name),
                [MoveLink(text.lower(), links(text) if listed == "links" else "") for text in texts],
            )
            for name, texts in several
        ],
        ways=[MoveLink(word.lower(), links(word)) for word in view.open_moves.words],
        solution=mailto(address, f"puzzle {shown.puzzle.number} solution"),
        rules=mailto(address, f"help {shown.puzzle.game}"),
        is_personal=is_personal,
    )
