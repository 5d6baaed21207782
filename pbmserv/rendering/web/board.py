"""The page of one board."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.games.game import Scene, Seat
from pbmserv.matches.match import Match, rules_of
from pbmserv.matches.state import State, Turn
from pbmserv.rendering.board import BoardView, draw_squares
from pbmserv.rendering.web.page import Page

LEFT_MARGIN = " " * 4
"""Of the board in a mail; a page has its own."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A bit of the drawn board: a square, or what stands between two (`square` is empty then)."""

    text: str
    square: str = ""
    seat: Seat | None = None
    is_last: bool = False
    is_taken: bool = False


@dataclass(frozen=True, slots=True)
class Sitting:
    """One seat: its side, its player, its score; its rank once the game is over."""

    seat: Seat
    side: str
    mark: str
    userid: str
    score: int
    rank: int | None
    has_gone: bool
    is_on_turn: bool


@dataclass(frozen=True, slots=True)
class Board(Page):
    """One board. `squares` add up to the drawn text, `across` is its width rounded up to fives.

    `rounds` are the moves in the order of play, one place for each seat, None where it has no turn in the round.
    """

    template = "web/board.html"
    section = "games"
    match: Match
    state: State
    view: BoardView
    sittings: tuple[Sitting, ...]
    squares: tuple[Piece, ...]
    across: int
    rounds: tuple[tuple[Turn | None, ...], ...]


def board_page(match: Match, state: State, view: BoardView) -> Board:
    """The page of a board, from its view for anybody."""
    game = rules_of(match)
    scene = game.scene(state.position)
    squares = _pieces(scene)
    widest = max(map(len, "".join(piece.text for piece in squares).split("\n")))
    ranks = view.outcome.ranks if view.outcome else (None,) * len(match.userids)
    sittings = tuple(
        Sitting(
            seat=seat,
            side=game.info.sides[seat].name,
            mark=game.info.sides[seat].mark,
            userid=userid,
            score=scene.scores[seat],
            rank=ranks[seat],
            has_gone=seat in state.gone,
            is_on_turn=seat == state.to_move,
        )
        for seat, userid in enumerate(match.userids)
    )
    return Board(match, state, view, sittings, squares, -(-widest // 5) * 5, _rounds(state.turns, len(sittings)))


def _pieces(scene: Scene) -> tuple[Piece, ...]:
    """The drawing cut where a square begins and ends; how it is laid out is known to `draw_squares` alone."""
    text = "\n".join(line.removeprefix(LEFT_MARGIN) for line in draw_squares(scene).split("\n"))
    pieces: list[Piece] = []
    done = 0
    for cell in (cell for row in scene.cells for cell in row):
        start = text.index(cell.text, done)
        pieces.append(Piece(text[done:start]))
        done = start + len(cell.text)
        is_last, is_taken = cell.square in scene.last, cell.square in scene.taken
        pieces.append(Piece(cell.text, cell.square, cell.seat, is_last, is_taken))
    return (*pieces, Piece(text[done:]))


def _rounds(turns: Sequence[Turn], seats: int) -> tuple[tuple[Turn | None, ...], ...]:
    rounds: list[dict[Seat, Turn]] = []
    for turn in turns:
        if not rounds or any(seat >= turn.seat for seat in rounds[-1]):
            rounds.append({})
        rounds[-1][turn.seat] = turn
    return tuple(tuple(each.get(seat) for seat in range(seats)) for each in rounds)
