"""Moves that are tried on a page: what can be touched next, what a touch leads to, and the board it would give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pbmserv.games.choices import MOST_LISTED, Choice, choices, ways_on, whole_move
from pbmserv.games.game import Game, Move, MoveError, Scene
from pbmserv.games.notation import names
from pbmserv.matches.log import rules_of
from pbmserv.matches.moves import AmbiguousMove, play
from pbmserv.rendering.accessible import MOST_DESCRIBED, MoveSummary, Occupied, move_summary
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.html_cells import command_of
from pbmserv.rendering.svg.position import middle_of

LONGEST_MOVE: Final = 80
"""Characters: no move of any game is longer, and nobody has to look at what is."""

MOST_POINTED_OUT: Final = 100
"""Of more cells nobody would look for one."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A cell that can be touched: where its middle is in the drawing, and the `text` of what is tried by that.

    `ways` counts the moves that go on so, `takes` the pieces that the only one of them captures. `stands` is what
    is on the cell. Where few cells can be touched, or a move is begun, they are `pointed_out`.
    """

    name: str
    x: int
    y: int
    text: str
    ways: int
    takes: int
    stands: Occupied | None
    pointed_out: bool


@dataclass(frozen=True, slots=True)
class Way:
    """One of several moves, or the beginning of some, as a person types it; of a whole one what it would do."""

    text: str
    deed: MoveSummary | None = None


@dataclass(frozen=True, slots=True)
class Tried:
    """A move that could be played: its stored notation, the `command` that plays it, and the board after it.

    `more` are moves that go on from it, where it need not end there.
    """

    text: str
    command: str
    view: BoardView
    more: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Choosing:
    """The beginning of several moves: its steps, what can be touched next, and the moves that were perhaps meant.

    `whole` is the move that ends here, if one does.
    """

    begun: Move
    names: tuple[str, ...]
    choices: tuple[Choice, ...]
    ways: tuple[Way, ...]
    whole: Way | None


def try_move(view: BoardView, text: str) -> Tried | Choosing:
    """What becomes of a move by the player whose turn it is, written in any way that a mail may have it.

    Raises CommandError where it cannot be played.
    """
    board = view.board
    game, position = rules_of(board.match), board.state.position
    read = text if len(text) <= LONGEST_MOVE else ""
    try:
        entry = play(board, board.state.to_move or 0, read, None, board.state.last_at)
    except AmbiguousMove as error:
        return _choosing(view, error.begun, error.choices)
    steps = game.read(position, entry.text)
    more = ways_on(game, position, steps) if _goes_on(game, position, steps) else ()
    # A player who has touched this many cells may want to touch more.
    if more and read.lower() != entry.text.lower() and "-".join(names(read, game.info.words)) == read.lower():
        return _choosing(view, steps, more)
    return Tried(
        entry.text,
        command_of(view, entry.text),
        view_board(board.apply(entry), previewed=1),
        tuple(Way(each) for each in more if each.lower() != entry.text.lower()),
    )


def first_choices(view: BoardView) -> tuple[Choice, ...]:
    """What the player whose turn it is can touch first."""
    return choices(rules_of(view.match), view.state.position)


def touches(view: BoardView, found: Sequence[Choice], is_begun: bool = False) -> tuple[Touch, ...]:
    """The cells among these choices, row by row; words are none."""
    scene, occupied = view.diagram.scene, _occupied(view)
    rows = [cell for row in scene.board.layout.rows for cell in row.cells]
    order = {cell: place for place, cell in enumerate(rows)}
    is_told = sum(choice.ways for choice in found) <= MOST_DESCRIBED
    unsorted = [(choice, choice.step) for choice in found if isinstance(choice.step, int)]
    cells = sorted(unsorted, key=lambda each: order[each[1]])
    pointed_out = len(cells) <= MOST_POINTED_OUT and (is_begun or _are_few([cell for _, cell in cells], scene))
    made = []
    for choice, cell in cells:
        name = scene.board.names[cell]
        deed = _deed(view, choice.move) if choice.move and is_told else None
        made.append(
            Touch(
                name,
                *middle_of(scene, cell),
                choice.text,
                choice.ways,
                len(deed.captured) if deed else 0,
                occupied.get(name),
                pointed_out,
            )
        )
    return tuple(made)


def words_of(found: Sequence[Choice]) -> tuple[Way, ...]:
    """The words among these choices: `pass`."""
    return tuple(Way(choice.text) for choice in found if isinstance(choice.step, str))


def _choosing(view: BoardView, begun: Move, texts: Sequence[str]) -> Choosing:
    game, position = rules_of(view.match), view.state.position
    cells = view.diagram.scene.board.names
    whole = whole_move(game, position, begun)
    found = choices(game, position, begun)
    ends = "" if whole is None else game.write(position, whole).lower()
    others = [text for text in texts if text.lower() != ends]
    # Of many the board has all that are cells.
    are_listed = len(others) <= MOST_LISTED or not found
    return Choosing(
        begun,
        tuple(step if isinstance(step, str) else cells[step] for step in begun),
        found,
        tuple(_way(view, text) for text in others) if are_listed else words_of(found),
        _way(view, ends) if ends else None,
    )


def _way(view: BoardView, text: str) -> Way:
    """A way with what it would do, where it is a whole move."""
    game, position = rules_of(view.match), view.state.position
    try:
        move = game.read(position, text)
    except MoveError:
        return Way(text)
    is_whole = game.write(position, move).lower() == text.lower()
    return Way(text.lower(), _deed(view, move) if is_whole else None)


def _deed(view: BoardView, move: Move) -> MoveSummary:
    names = view.diagram.scene.board.names
    return move_summary(rules_of(view.match), view.state.position, move, names, view.players.userids)


def _goes_on(game: Game, position: Any, steps: Move) -> bool:
    return any(len(move) > len(steps) for move in game.moves(position, steps))


def _are_few(cells: Sequence[int], scene: Scene) -> bool:
    """Whether these are less than half of the empty cells, so that one would have to look for them."""
    empty = [cell for cell, pieces in enumerate(scene.cells) if not pieces]
    return 2 * len([cell for cell in cells if not scene.cells[cell]]) < len(empty)


def _occupied(view: BoardView) -> dict[str, Occupied]:
    return {each.cell: each for row in view.accessible.rows for each in row.occupied}
