"""Positions as pictures."""

import pytest

from pbmserv.games import games
from pbmserv.games.game import Scene
from pbmserv.matches.replay import GameState
from pbmserv.rendering.svg.pictures import picture_of
from pbmserv.rendering.svg.position import draw_scene
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
    assert sorted(label.text or "" for label in every(root, "text")) == sorted((*scene.columns, *scene.rows))
    symbols = {symbol.get("id") for symbol in every(root, "symbol")}
    assert {(use.get("href") or "")[1:] for use in every(root, "use")} == symbols
    assert all(value.startswith("#") for each in root.iter() for name, value in each.items() if "href" in name)
    assert not every(root, "script")


def test_nothing_lies_outside() -> None:
    """The drawing is as large as the board, whatever its shape."""
    scene = scene_of(played("a1 b1 c9", size="3x9"))
    root = parsed(draw_scene(scene, "A title", ""))
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
    root = parsed(draw_scene(scene_of(played("")), "</title><script>", '"<&'))
    assert (every(root, "title")[0].text, every(root, "desc")[0].text) == ("</title><script>", '"<&')


def test_another_game(second_game: str) -> None:
    """Any game that gives a scene gets a picture; pieces without a value show their text."""
    game = games()[second_game]
    position = game.start(3, {})
    for text in ("A1", "A2", "A3"):
        position, _ = game.play(position, game.read(position, text))
    scene = game.scene(position)
    root = parsed(draw_scene(scene, "Nine Rows", ""))
    assert seen_in(root, scene) == told_by(scene)
    assert [text.text for symbol in every(root, "symbol") for text in every(symbol, "text")] == ["b", "w", "r"]
