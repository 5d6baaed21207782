"""Boards without a match: a puzzle, and a practice board before its first move, as text and as HTML with links."""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Final

from pbmserv.commands.practice import NOT_THERE_YET
from pbmserv.commands.server import Server
from pbmserv.games.info import Info
from pbmserv.matches.log import rules_of
from pbmserv.matches.puzzles import Puzzle, board_number_of, puzzle_board
from pbmserv.matches.replay import GameState
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


_MOST_CELLS: Final = 30
"""The first mail to an address is small: larger boards are drawn as text there."""

_MOST_LINKS: Final = 6
_MOST_LOOKED_AT: Final = 400


@dataclass(frozen=True)
class PracticeView:
    """What a newcomer sees before the first move: the context of `mail/practice.txt` and `mail/practice.html`."""

    view: BoardView
    # Which question an answer answers, where our address cannot tell it.
    word: str = field(default="", repr=False)

    @property
    def shown(self) -> tuple[int, int]:
        """What a mail with it is noted to show: a board that is not there yet, and no ply."""
        return NOT_THERE_YET, 0

    @cached_property
    def game(self) -> Info:
        """The game."""
        return rules_of(self.view.match).info

    @cached_property
    def some(self) -> tuple[str, ...]:
        """A few first moves from all over the board, where a tap on a cell is not enough."""
        game, position = rules_of(self.view.match), self.view.state.position
        moves = [*islice(game.moves(position), _MOST_LOOKED_AT)]
        step = max(1, len(moves) // _MOST_LINKS)
        return tuple(game.write(position, move).lower() for move in moves[step // 2 :: step][:_MOST_LINKS])


class PracticeLinks(MoveLinks):
    """Links that begin a practice board."""

    __slots__ = ()

    def command(self, text: str) -> str:
        """The command that the link writes."""
        return f"practice {text.lower()}"


def view_practice(board: GameState) -> PracticeView:
    """What its player sees of a practice board that is to come."""
    return PracticeView(view_board(board, board.on_turn))


def practice_text(practice: PracticeView, server: Server, words: bool = False) -> str:
    """The practice board in a text."""
    return filled(render("mail/practice.txt", words=words, practice=practice, server=server))


def draw_practice(practice: PracticeView, address: str) -> str:
    """The board in HTML, with links that write mails to `address` and hold its word, if there is one."""
    view, board = practice.view, practice.view.diagram.scene.board
    links = PracticeLinks(view, address, is_personal=True, alone=True)
    is_one_touch = all(each.move and len(each.move) == 1 for each in view.open_moves.choices)
    is_drawn = is_one_touch and len(board.names) <= _MOST_CELLS
    grid = grid_of(board, practice.game.sides) if is_drawn else None
    drawn = "" if grid is None else draw_grid(view, links, grid)
    html = render("mail/practice.html", practice=practice, link=links, drawn=drawn, shape=str(board.layout.shape))
    return html.replace("?subject=", f"?body=yes%20{practice.word}%0A") if practice.word else html
