"""What stands on no cell: pieces in hand, walls and links; and lines that divide a board."""

from pbmserv.games import games
from pbmserv.games.boards import blocks, pegs, river, squares
from pbmserv.games.game import Event, Piece, Scene, Stroke
from pbmserv.games.info import Side
from pbmserv.rendering.accessible import holdings, move_summary, strokes_of
from pbmserv.rendering.board_text import draw_sheet
from pbmserv.rendering.html_grid import grid_of, walls_of
from pbmserv.rendering.piece_style import NAMED_STYLES, are_on_wood, looks_of
from pbmserv.rendering.svg.animation import draw_movie
from pbmserv.rendering.svg.plan import plan_for, plan_of
from pbmserv.rendering.svg.position import draw_scene
from pbmserv.rendering.templates import environment
from tests.every import for_each
from tests.rendering.picture.svg import every, parsed, seen_in, told_by
from tests.rendering.picture.test_pieces import contrast

SIDES = (Side("Red", "x"), Side("Blue", "o"))
LOOKS = looks_of(SIDES)
USERIDS = ("alice", "bob")
BOARD = squares(3, 3)
NUMBERS = BOARD.numbers
PAWN, ROOK = Piece(0, "P", "shogi/pawn"), Piece(1, "r", "shogi/rook")
HANDS = Scene(BOARD, ((),) * 9, hands=(((PAWN, 2),), ((ROOK, 1),)))
WALL = Stroke(
    0, "A1H", ((0, 4), (4, 4)), ((2, 7, "---"),), ((NUMBERS["A1"], NUMBERS["A2"]), (NUMBERS["B1"], NUMBERS["B2"]))
)
LINK = Stroke(1, "A3-B1", ((1, 1), (3, 5)))
WALLS = Scene(BOARD, ((Piece(1, "o"),), *((),) * 8), strokes=(WALL, LINK))


def row_macros() -> object:
    """The macros that tell of pieces."""
    return environment().get_template("parts/row.txt").module


def test_hands_lie_in_trays() -> None:
    """Each piece once, the first seat's below the board, the second's above; the picture is higher by both."""
    root = parsed(draw_scene(HANDS, LOOKS, "", ""))
    held = {
        (use.get("href"), int(use.get("y") or 0) > plan_for(HANDS).middle[1]) for use in every(root, "use", "held")
    }
    assert held == {("#p0-shogi_2fpawn", True), ("#p1-shogi_2frook", False)}
    assert len(every(root, "use", "held")) == 3
    assert len(every(root, "rect", "d-tray")) == 2
    assert plan_for(HANDS).height == plan_of(BOARD).height + 200
    assert seen_in(root, HANDS) == told_by(HANDS)


@for_each("count", [1, 8, 40])
def test_however_many_they_stay_in_the_picture(count: int) -> None:
    """What is many lies closer together."""
    scene = Scene(BOARD, ((),) * 9, hands=(((PAWN, count), (ROOK, 2)), ()))
    held = every(parsed(draw_scene(scene, LOOKS, "", "")), "use", "held")
    assert len(held) == count + 2
    assert all(0 < int(use.get("x") or 0) <= plan_for(scene).width - 80 for use in held)


def test_hands_in_words() -> None:
    """By player, with the number of each kind; who has none has nothing."""
    scene = Scene(BOARD, ((),) * 9, hands=(((PAWN, 2), (Piece(0, "G", "shogi/gold"), 2), (ROOK, 1)), ()))
    told = row_macros().in_hand(holdings(scene, USERIDS))  # type: ignore[attr-defined]
    assert str(told).strip() == "In hand: alice 2 pawns, 2 gold, rook; bob nothing."
    assert holdings(WALLS, USERIDS) == ()


def test_walls_and_links_in_words() -> None:
    """Whose they are and how they are named."""
    told = [str(row_macros().stroke(each)).strip() for each in strokes_of(WALLS, USERIDS)]  # type: ignore[attr-defined]
    assert told == ["Walls of alice: A1H.", "Links of bob: A3-B1."]
    assert [each.are_drawn for each in strokes_of(WALLS, USERIDS)] == [True, False]


def test_walls_in_a_text() -> None:
    """They are written between the cells, and pieces above them."""
    assert draw_sheet(WALLS).split("\n")[2:4] == ["    2  --- .  2", "    1  o . .  1"]


def test_walls_and_links_in_a_picture() -> None:
    """In the colour of their side, below the pieces; and in a film from when they are set."""
    root = parsed(draw_scene(WALLS, LOOKS, "", ""))
    assert len(every(root, "path", "d-wall d-of red")) == len(every(root, "path", "d-link d-of blue")) == 1
    x, y = plan_of(BOARD).at(0, 4)
    assert (every(root, "path", "d-wall d-of red")[0].get("d") or "").startswith(f"M{x} {y}L")
    film = parsed(draw_movie([Scene(BOARD, ((),) * 9), WALLS], LOOKS, "", ("", "")))
    (wall,) = (each for each in every(film, "path", "d-wall d-of red") if len(each))
    assert wall[0].get("values") == "hidden;visible"


def test_walls_in_a_mail_are_borders() -> None:
    """Of the cell above or to the left."""
    assert walls_of(WALLS, LOOKS) == {
        NUMBERS["A2"]: (("bottom", LOOKS[0].colour),),
        NUMBERS["B2"]: (("bottom", LOOKS[0].colour),),
    }
    grid = grid_of(blocks(9, 9), SIDES)
    assert grid is not None
    assert {blocks(9, 9).names[cell] for cell in grid.borders} >= {"C1", "A7", "F6"}
    assert [side for side, _ in grid.borders[blocks(9, 9).numbers["C7"]]] == ["bottom", "right"]
    water = grid_of(river(), SIDES)
    assert water is not None
    assert {river().names[cell] for cell in water.borders} == {f"{letter}6" for letter in "ABCDEFGHI"}


def test_borders_of_a_board_of_holes() -> None:
    """Two of each side, and no hole in a corner."""
    scene = Scene(pegs(6), ((),) * 32)
    root = parsed(draw_scene(scene, LOOKS, "", ""))
    assert len(every(root, "path", "d-goal d-of red")) == len(every(root, "path", "d-goal d-of blue")) == 2
    assert grid_of(pegs(24), SIDES) is None


def test_what_a_move_links_and_walls() -> None:
    """Is told after it."""

    class Toy:
        info = games()["hex"].info

        def to_move(self, position: object) -> int:
            return 0

        def play(self, position: object, move: object) -> tuple[object, tuple[Event, ...]]:
            return position, (Event("linked", 0, (0, 4)), Event("walled", 0, (0, 1), "A1H"))

    deed = move_summary(Toy(), None, (0,), BOARD.names, USERIDS)  # type: ignore[arg-type]
    did = environment().get_template("parts/game_log.txt").module.did(deed)  # type: ignore[attr-defined]
    assert str(did).strip() == "alice set the wall A1H, linked A1 to B2."


def test_letters_are_read_on_dark_grounds() -> None:
    """Those of every side that a colour names, on the cells of a mail in a dark scheme; Black is on wood."""
    grounds = ("#26241f", "#17332c", "#5a4708")
    for look in NAMED_STYLES.values():
        if look.name == "black":
            assert are_on_wood((look,))
        else:
            assert all(contrast(look.letters_in_dark, ground) >= 3 for ground in grounds), look.name
