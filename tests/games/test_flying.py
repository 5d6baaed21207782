"""The rules of draughts with flying kings as drawn positions, the published trees, and a second engine."""

from random import Random
from typing import Any, cast

import pytest

from pbmserv.games import boards, draughts
from pbmserv.games.draughts import FlyingDraughts, Position, brazilian, international, russian
from pbmserv.games.game import Event, Game, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written

FLYING = (international, brazilian, russian)
SMALL, LARGE = (boards.squares(size, size, is_chequered=True) for size in (8, 10))


def position_of(figure: str, turn: int = 0, **more: Any) -> Position:
    board = LARGE if len(figure.split()) == 100 else SMALL
    return Position(board, "".join(cells_of(board, figure)), turn, **more)


def cell(name: str) -> int:
    return SMALL.numbers[name]


def seen(count: int) -> tuple[str, ...]:
    return tuple(str(number) for number in range(count))


MEN = """
. . . . . . . .
. . . . . . . .
. . . x . x . .
. . o . . . . .
. x . x . x . .
. . . . . . . .
. . . . . . . .
. . . . . . o .
"""
KING = """
. . . . . . . .
. . . . . . . .
. . . . . x . .
. . . . . . . .
. . . x . . . .
. . . . . . . .
. . . . . . . .
O . . . . . . .
"""
TURNING = """
. . . . . . . .
. . . . x . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . x . . .
. . . . . . . .
. . O . . . . .
"""
CROWNING = """
. . . . . . . .
. x . . . . . .
o . . . x . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
"""
FAR_ROW = """
. . . . . . . .
. x . x . . . .
o . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
"""
QUIET = """
. . . . . X . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. . . . . . . .
. o . O . . . .
. . . . . . . .
"""
STRIKE = """
. . . . . . . .
. . . . . . . .
. x . x . . . .
. . . . . . . .
. . . . . . . .
. . x . . . . .
. . . x . . . .
O . . . . . . .
"""
STRAIGHT = """
. . . . . . . .
. . . . . . . .
. . . . . x . .
. . . . . . . .
. . . . . . . .
. . x . . . . .
. . . . . . . .
O . . . . . . .
"""


def test_the_start() -> None:
    assert figure_of(international.scene(international.start(2, {}))).split("\n") == [
        ". x . x . x . x . x",
        "x . x . x . x . x .",
        ". x . x . x . x . x",
        "x . x . x . x . x .",
        ". . . . . . . . . .",
        ". . . . . . . . . .",
        ". o . o . o . o . o",
        "o . o . o . o . o .",
        ". o . o . o . o . o",
        "o . o . o . o . o .",
    ]
    for game in FLYING:
        assert game.to_move(game.start(2, {})) == 0
        with pytest.raises(BadOption):
            game.start(2, {"size": "12"})


@for_each(
    ("game", "figure", "turn", "expected"),
    [
        (russian, MEN, 0, "C5xA3 C5xE3xG5xE7xC5xA3 C5xE7xG5xE3xC5xA3"),
        (brazilian, MEN, 0, "C5xE3xG5xE7xC5xA3 C5xE7xG5xE3xC5xA3"),
        (russian, KING, 0, "A1xE5xG7 A1xE5xH8"),
        (russian, TURNING, 0, "C1xG5xD8"),
        (russian, CROWNING, 0, "A6xC8xF5 A6xC8xG4 A6xC8xH3"),
        (brazilian, CROWNING, 0, "A6xC8"),
        (russian, FAR_ROW, 0, "A6xC8xE6 A6xC8xF5 A6xC8xG4 A6xC8xH3"),
        (brazilian, FAR_ROW, 0, "A6xC8xE6"),
        (russian, STRIKE, 0, "A1xE5xC7xA5 A1xD4xA7"),
        (brazilian, STRIKE, 0, "A1xE5xC7xA5"),
        (russian, STRAIGHT, 0, "A1xD4xG7 A1xD4xH8"),
        (russian, QUIET, 0, "B2-A3 B2-C3 D2-C1 D2-E1 D2-C3 D2-B4 D2-A5 D2-E3 D2-F4 D2-G5 D2-H6"),
    ],
)
def test_moves_of_a_position(game: FlyingDraughts, figure: str, turn: int, expected: str) -> None:
    assert written(cast(Game, game), position_of(figure, turn)) == set(expected.split())


@for_each(("game", "row", "kind"), [(russian, ". . . . . O . .", "king"), (brazilian, ". . . . o . . .", "")])
def test_a_man_that_passes_the_far_row(game: FlyingDraughts, row: str, kind: str) -> None:
    """It becomes a king there in Russian draughts alone."""
    position = position_of(FAR_ROW)
    text = "a6xc8xf5" if game is russian else "a6xc8xe6"
    after, events = game.play(position, game.read(position, text))
    assert row in figure_of(game.scene(after)).split("\n")
    assert [event.piece for event in events if event.kind == "promoted"] == ([kind] if kind else [])
    assert after.taken == (cell("B7"), cell("D7"))


def test_a_capture_and_what_happened() -> None:
    position = position_of(TURNING)
    after, events = russian.play(position, russian.read(position, "c1xd8"))
    path = (cell("C1"), cell("G5"), cell("D8"))
    assert events == (
        Event("moved", 0, path, "king"),
        Event("captured", 1, (cell("E3"),)),
        Event("captured", 1, (cell("E7"),)),
    )
    scene = russian.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == (path[-1:], path[:1], (cell("E3"), cell("E7")))
    assert scene.cells[path[-1]][0].kind == "king"
    assert russian.outcome(after) == Outcome((1, 2), "bare")


def test_the_most_pieces_must_be_taken() -> None:
    """A king is worth no more than a man there, and who captures no more than what."""
    figure = """
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . . . . . .
    . . . . . x . . . .
    . . X . O . . . . .
    . o . . . x . . . .
    . . . . . . . . . .
    . . . . . . . x . .
    . . . . . . . . . .
    """
    position = position_of(figure)
    assert written(cast(Game, international), position) == {"E5xG3xI1"}
    with pytest.raises(Illegal) as caught:
        international.read(position, "b4xd6")
    assert caught.value.rule == draughts.MUST_CAPTURE
    with pytest.raises(Illegal) as caught:
        international.read(position, "e5-d4")
    assert caught.value.rule == draughts.MUST_CAPTURE


@for_each(
    ("figure", "turn", "text", "rule"),
    [
        (QUIET, 0, "c3-j4", draughts.THE_BOARD),
        (QUIET, 0, "f8-e7", draughts.OWN_PIECE),
        (QUIET, 0, "b2-a1", draughts.MEN_MOVE),
        (QUIET, 0, "b2-b3", draughts.MEN_MOVE),
        (QUIET, 0, "d2-d3", draughts.KINGS_MOVE),
        (QUIET, 0, "d2-f5", draughts.KINGS_MOVE),
        (KING, 0, "a1-b2", draughts.MUST_CAPTURE),
        (KING, 0, "a1xf6", draughts.CAPTURING),
        (TURNING, 0, "c1xf4", draughts.CAPTURING),
        (STRIKE, 0, "a1xe5xc7xa5xe1", draughts.CAPTURING),
    ],
)
def test_illegal_moves(figure: str, turn: int, text: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        russian.read(position_of(figure, turn), text)
    assert caught.value.rule == rule


@for_each(
    ("figure", "text", "stored"),
    [
        (STRAIGHT, "a1xd4xg7", "A1xD4xG7"),
        (STRAIGHT, "A1 g7", "A1xD4xG7"),
        (STRAIGHT, "a1:e5:h8", "A1xD4xH8"),
        (TURNING, "c1", "C1xG5xD8"),
        (MEN, "c5xe7xa3", None),
        (MEN, "c5xe3", "C5xE3xG5xE7xC5xA3"),
    ],
)
def test_reading(figure: str, text: str, stored: str | None) -> None:
    """A king that goes straight on may be said to stop anywhere on its way."""
    position = position_of(figure)
    if stored is None:
        with pytest.raises(Illegal):
            russian.read(position, text)
    else:
        assert russian.write(position, russian.read(position, text)) == stored


def test_reading_numbers() -> None:
    position = international.start(2, {})
    for text, stored in (("32-28", "D4-E5"), ("31-26", "B4-A5"), (" 35-30 ", "J4-I5")):
        assert international.write(position, international.read(position, text)) == stored
    after = played(cast(Game, international), position, "32-28 19-23")
    assert written(cast(Game, international), after) == {"E5xG7"}
    assert international.write(after, international.read(after, "28x19")) == "E5xG7"
    for text in ("32 28", "32", "32-28!"):
        with pytest.raises(Unreadable):
            international.read(position, text)
    with pytest.raises(Illegal) as caught:
        international.read(position, "51-46")
    assert caught.value.rule == draughts.THE_BOARD
    with pytest.raises(Unreadable):
        russian.read(russian.start(2, {}), "22-18")
    with pytest.raises(Unfinished):
        russian.read(russian.start(2, {}), "c3")


def test_whoever_cannot_move_has_lost() -> None:
    blocked = position_of(
        """
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . x . x . . . .
        . . x . . . . .
        . o . . . . . .
        o . . . . . . .
        """,
        1,
    )
    after = played(cast(Game, russian), blocked, "b4-a3")
    assert russian.outcome(after) == Outcome((2, 1), "blocked")
    for game in (russian, brazilian):
        assert_end_before_limit(cast(Game, game), after)
    with pytest.raises(Illegal) as caught:
        russian.read(after, "b2-c3")
    assert caught.value.rule == draughts.ENDING


def test_the_third_time_is_a_draw() -> None:
    position = position_of(QUIET)
    for text in ("d2-e1", "f8-e7", "e1-d2", "e7-f8") * 2:
        assert russian.outcome(position) is None
        position = played(cast(Game, russian), position, text)
    assert russian.outcome(position) == Outcome((1, 1), "repeated")


@for_each(("game", "moves"), [(international, 25), (brazilian, 20), (russian, 15)])
def test_kings_alone_draw(game: FlyingDraughts, moves: int) -> None:
    """After so many moves each by kings, and no capture."""
    board = LARGE if game is international else SMALL
    cells = ["."] * len(board.names)
    for name, mark in {"B2": "o", "D2": "O", "A7": "x", "C7": "x", "E7": "x", "G7": "x", "H6": "X"}.items():
        cells[board.numbers[name]] = mark
    position = Position(board, "".join(cells), seen=seen(2 * moves - 1))
    king = next(move for move in game.steps(position) if position.cells[int(move[0])] == "O")
    man = next(move for move in game.steps(position) if position.cells[int(move[0])] == "o")
    assert game.outcome(position) is None
    assert game.outcome(game.play(position, king)[0]) == Outcome((1, 1), "exhausted")
    assert game.outcome(game.play(position, man)[0]) is None


@for_each(
    ("game", "pieces", "plies"),
    [
        (international, "X A8 O B1 O D1 O F1", 32),
        (international, "X A8 O B1 o D1 o F1", 32),
        (international, "X A8 O B1 o D1", 10),
        (international, "X A8 O B1", 10),
        (international, "X A8 o B1 o D1", None),
        (international, "X A8 x C8 O B1", 10),
        (international, "X A8 x C8 O B1 o D1", None),
        (brazilian, "X A7 O E1 o G1", 10),
        (brazilian, "X A7 X C7 O E1 O G1", 10),
        (brazilian, "X A7 O E1 O G1 O C1", None),
        (brazilian, "X A7 x C7 O E1 o G1", None),
        (russian, "X A7 O E1 o G1", 10),
        (russian, "X A7 O E1 o G1 o A3", 60),
        (russian, "X A7 O E1 o G1 o A3 o C1 x C7", 120),
        (russian, "X A7 O E1 o G1 o A3 o C1 x C7 x E7 x G7", None),
        (russian, "x A7 O E1 o G1", None),
        (russian, "X A1 O E1 o G1 o A3", 10),
        (russian, "X C3 O A1 o G1 o A3", 60),
        (russian, "X A7 O A1 o G1 o A3", 60),
    ],
)
def test_endings_of_few_pieces(game: FlyingDraughts, pieces: str, plies: int | None) -> None:
    """They are a draw so many plies after they have come about."""
    board = LARGE if game is international else SMALL
    cells = ["."] * len(board.names)
    words = pieces.split()
    for mark, name in zip(words[::2], words[1::2], strict=True):
        cells[board.numbers[name]] = mark
    limits = [ending[1] for ending in game._endings("".join(cells)) if ending]
    assert min(limits, default=None) == plies


def test_the_clock_of_an_ending() -> None:
    """It begins when the ending comes about, goes on with each ply, and then the game is drawn."""
    figure = QUIET.replace("o", ".")
    position = played(cast(Game, brazilian), position_of(figure), "d2-e1")
    assert position.clocks == (1,)
    position = Position(SMALL, position.cells, position.turn, clocks=(9,))
    assert brazilian.outcome(position) is None
    after = played(cast(Game, brazilian), position, "f8-g7")
    assert brazilian.outcome(after) == Outcome((1, 1), "exhausted")
    assert brazilian.to_move(after) is None


@for_each(
    ("game", "counts"),
    [
        (international, [9, 81, 658]),
        (brazilian, [7, 49, 302, 1469]),
        (russian, [7, 49, 302, 1469]),
    ],
)
def test_the_published_tree(game: FlyingDraughts, counts: list[int]) -> None:
    plies = range(1, len(counts) + 1)
    assert [leaves(cast(Game, game), game.start(2, {}), ply) for ply in plies] == counts


@pytest.mark.slow
@for_each(
    ("game", "counts"),
    [(international, [4265, 27117, 167140]), (brazilian, [7473, 37628]), (russian, [7482, 37986])],
)
def test_the_published_tree_deeper(game: FlyingDraughts, counts: list[int]) -> None:
    assert [leaves(cast(Game, game), game.start(2, {}), ply) for ply in range(7 - len(counts), 7)] == counts


class Theirs:
    """A game of pydraughts, asked below its `Board`, which names each move in six ways before it tells them."""

    def __init__(self, game: FlyingDraughts) -> None:
        package: Any = pytest.importorskip("draughts")
        convert: Any = pytest.importorskip("draughts.convert")
        name = game.info.name.removesuffix("-draughts").replace("international", "standard")
        self.game = package.Board(name)._game
        # Inside they count squares from above in all games, and for each name by its own way.
        count = game.size**2 // 2
        self.numbers = {
            number: int(convert.move_to_variant(str(number), variant=name, to_algebraic=False))
            for number in range(1, count + 1)
        }

    def legal(self) -> dict[tuple[int, int, frozenset[int]], Any]:
        """Their moves, by source, target and captured pieces."""
        if self.game.board.get_possible_capture_moves([]):
            moves, captures = self.game.legal_moves()
        else:
            moves = [[step] for step in self.game.get_possible_moves()]
            captures = [()] * len(moves)
        number = self.numbers
        return {
            (number[move[0][0]], number[move[-1][1]], frozenset(number[each] for each in taken if each)): move
            for move, taken in zip(moves, captures, strict=True)
        }

    def play(self, move: Any) -> None:
        """Plays one of them."""
        self.game.push(move)


def their_number(game: FlyingDraughts, number: int) -> int:
    """What they call a cell: squares are counted from the top in international draughts, else from the bottom."""
    column, row = divmod(number, game.size)
    down = game.size - 1 - row if game is international else row
    return down * game.size // 2 + column // 2 + 1


def told(game: FlyingDraughts, position: Position, move: Any) -> tuple[int, int, frozenset[int]]:
    taken = frozenset(their_number(game, each) for each in game.taken(position, move))
    return their_number(game, int(move[0])), their_number(game, int(move[-1])), taken


@pytest.mark.parametrize("plies", [80, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("game", FLYING, ids=lambda game: game.info.name)
def test_a_second_engine_agrees(game: FlyingDraughts, plies: int) -> None:
    """Random games in both: the same moves by source, target and captured pieces at each ply, the same winner."""
    random, count = Random(f"{game.info.name} {plies}"), 0
    while count < plies:
        theirs, position = Theirs(game), game.start(2, {})
        while True:
            ended = game.outcome(position)
            if ended and ended.ranks == (1, 1):
                break
            ours = {told(game, position, move): move for move in game.moves(position)}
            legal = theirs.legal()
            assert ours.keys() == legal.keys(), figure_of(game.scene(position))
            if not ours:
                assert ended is not None
                assert ended.ranks[position.turn] == 2
                break
            name = random.choice(sorted(ours, key=str))
            position, _ = game.play(position, ours[name])
            theirs.play(legal[name])
            count += 1
