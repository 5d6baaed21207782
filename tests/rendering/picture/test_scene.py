"""Positions as pictures."""

import random
from itertools import islice

import pytest

from pbmserv.games import games
from pbmserv.games.boards import drawn, pits, squares
from pbmserv.games.game import Game, Piece, Scene
from pbmserv.games.hexagons import rhombus
from pbmserv.games.info import Side
from pbmserv.matches.replay import GameState
from pbmserv.rendering.piece_style import PIECE_STYLES, looks_of
from pbmserv.rendering.svg.pictures import picture_of
from pbmserv.rendering.svg.plan import SIZE, plan_of
from pbmserv.rendering.svg.position import draw_scene
from tests.every import for_each
from tests.rendering.letters import MIDDLE, SIX, checkered, first_moves, played
from tests.rendering.picture.svg import every, parsed, seen_in, told_by


def scene_of(board: GameState) -> Scene:
    """The scene of a board as it stands."""
    scene: Scene = games()[board.match.game].scene(board.state.position)
    return scene


@pytest.mark.parametrize(
    "board",
    [
        played(""),
        played(MIDDLE),
        played("c3 c4 d3 d4xc4,d3"),
        played("a1 b1 c3", size="3x9"),
        played(checkered(9, 9), size="9x9"),
        played(first_moves(60, "7x7", SIX), SIX, "7x7"),
    ],
    ids=["start", "middle", "capture", "3x9", "9x9", "six"],
)
def test_a_picture_shows_the_position(board: GameState) -> None:
    """Each piece once in its place, the last move, what it took, each label; nothing comes from elsewhere."""
    scene = scene_of(board)
    root = parsed(picture_of(board))
    assert seen_in(root, scene) == told_by(scene)
    named = {label for label, _, _ in scene.board.layout.labels}
    assert sorted(label.text or "" for label in every(root, "text")) == sorted(named)
    symbols = {symbol.get("id") for symbol in every(root, "symbol")}
    assert {(use.get("href") or "")[1:] for use in every(root, "use")} == symbols
    assert all(value.startswith("#") for each in root.iter() for name, value in each.items() if "href" in name)
    assert not every(root, "script")


def test_nothing_lies_outside() -> None:
    """The drawing is as large as the board, whatever its shape."""
    scene = scene_of(played("a1 b1 c9", size="3x9"))
    root = parsed(draw_scene(scene, PIECE_STYLES, "A title", ""))
    _, _, width, height = map(int, (root.get("viewBox") or "").split())
    assert width * 2 < height
    assert int(root.get("width") or 0) / int(root.get("height") or 1) == pytest.approx(width / height, abs=0.01)
    ends = [(int(use.get("x") or 0) + 100, int(use.get("y") or 0) + 100) for use in every(root, "use")]
    assert ends
    assert all(x < width and y < height for x, y in ends)


def test_what_a_screen_reader_is_told() -> None:
    """The board's name, how it stands, and every piece with its square and owner."""
    root = parsed(picture_of(played(MIDDLE)))
    assert root.get("role") == "img"
    ids = {each.get("id"): each.text or "" for each in root.iter() if each.get("id")}
    title, described = (ids[name] for name in (root.get("aria-labelledby") or "").split())
    assert title == "Cephalopod Board 101: alice vs bob"
    assert described.startswith(
        "It is alice's turn. Score: alice 3, bob 3. Row 5 is empty. Row 4: B4 alice 1, C4 alice 3;"
    )


def test_an_earlier_moment() -> None:
    """It says that it is one."""
    board = played(MIDDLE)
    root = parsed(picture_of(board, 4))
    scene = scene_of(board.at(4))
    assert seen_in(root, scene) == told_by(scene) != told_by(scene_of(board))
    described = every(root, "desc")[0].text or ""
    assert described.startswith("The position after move 4. Score: alice 1, bob 1.")


def test_a_title_cannot_break_out() -> None:
    """Whatever words a picture is given."""
    root = parsed(draw_scene(scene_of(played("")), PIECE_STYLES, "</title><script>", '"<&'))
    assert (every(root, "title")[0].text, every(root, "desc")[0].text) == ("</title><script>", '"<&')


def test_another_game(second_game: str) -> None:
    """Any game that gives a scene gets a picture."""
    game = games()[second_game]
    position = game.start(3, {})
    for text in ("A1", "A2", "A3"):
        position, _ = game.play(position, game.read(position, text))
    scene = game.scene(position)
    root = parsed(draw_scene(scene, looks_of(game.info.sides), "Nine Rows", ""))
    assert seen_in(root, scene) == told_by(scene)
    bodies = {each.get("class") for each in every(root, "g") if (each.get("class") or "").startswith("piece")}
    assert len(bodies) == 3


def in_the_middle(game: Game, plies: int) -> Scene:
    """What a game of any kind looks like after some of its moves."""
    chance, position = random.Random(plies), game.start(game.info.least_seats, {})
    for _ in range(plies):
        found = list(islice(game.moves(position), 500))
        if not found:
            break
        position, _ = game.play(position, chance.choice(found))
    scene: Scene = game.scene(position)
    return scene


@for_each("name", sorted(games()))
@for_each("plies", [0, 1, 9, 30])
def test_every_game_has_pictures(name: str, plies: int) -> None:
    """All that stands on the board, in its place, and nothing outside the picture."""
    game = games()[name]
    scene = in_the_middle(game, plies)
    root = parsed(draw_scene(scene, looks_of(game.info.sides), game.info.title, ""))
    assert seen_in(root, scene) == told_by(scene)
    _, _, width, height = map(int, (root.get("viewBox") or "").split())
    for use in every(root, "use"):
        x, y, size = (int(use.get(each) or 0) for each in ("x", "y", "width"))
        assert min(x, y) >= 0
        assert x + size <= width
        assert y + size <= height
    for label in every(root, "text", "d-label"):
        assert 0 < int(label.get("x") or 0) < width
        assert 0 < int(label.get("y") or 0) <= height


MAN, OTHER = Piece(0, "x"), Piece(1, "o")


def test_a_stack_shows_each_of_its_pieces() -> None:
    """The higher one covers the lower; however many there are, they stay in their cell."""
    board = squares(3, 3)
    column = (MAN, OTHER) * 8
    scene = Scene(board, (column, *((),) * 8))
    root = parsed(draw_scene(scene, PIECE_STYLES, "", ""))
    assert seen_in(root, scene) == told_by(scene)
    x, y = plan_of(board).centres[0]
    for use in every(root, "use"):
        assert abs(int(use.get("x") or 0) + int(use.get("width") or 0) / 2 - x) <= 1
        assert abs(int(use.get("y") or 0) + int(use.get("width") or 0) / 2 - y) <= SIZE / 4


def test_the_three_marks_are_told_apart() -> None:
    """Each is another shape, on boards of every shape."""
    for board in (squares(3, 3), rhombus(3), pits(3), drawn("cross", "2  +-+\n   | |\n1  +-+\n   A B")):
        cells = len(board.names)
        scene = Scene(board, ((),) * cells, marked=(0,), vacated=(1,), captured=(2,))
        root = parsed(draw_scene(scene, PIECE_STYLES, "", ""))
        assert seen_in(root, scene) == told_by(scene)
        sheet = every(root, "style")[0].text or ""
        for class_ in ("d-last", "d-left", "d-taken"):
            assert f".{class_}{{" in sheet


def test_edges_have_the_colours_of_their_sides() -> None:
    """Two of each, opposite each other."""
    board = rhombus(5)
    looks = looks_of((Side("Red", "r"), Side("Blue", "b")))
    root = parsed(draw_scene(Scene(board, ((),) * 25), looks, "", ""))
    edges = [each.get("class") for each in every(root, "path") if "d-edge" in (each.get("class") or "")]
    assert edges == ["d-edge red", "d-edge red", "d-edge blue", "d-edge blue"]


def test_a_chequered_board_has_dark_cells() -> None:
    """Every other one, beginning with A1."""
    board = squares(4, 4, is_chequered=True)
    assert {board.names[cell] for cell in board.layout.shaded} == {
        *("A1", "A3", "B2", "B4"),
        *("C1", "C3", "D2", "D4"),
    }
    (dark,) = every(parsed(draw_scene(Scene(board, ((),) * 16), PIECE_STYLES, "", "")), "path", "d-dark")
    assert (dark.get("d") or "").count("M") == 8
    assert board != squares(4, 4)


def test_black_and_white_have_a_ground_between_them() -> None:
    """So that both are seen, in a dark scheme too."""
    looks = looks_of((Side("Black", "x"), Side("White", "o")))
    scene = Scene(squares(3, 3), ((MAN,), (OTHER,), *((),) * 7))
    assert every(parsed(draw_scene(scene, looks, "", "")), "g", "d-wood")
    assert not every(parsed(draw_scene(scene, PIECE_STYLES, "", "")), "g", "d-wood")
