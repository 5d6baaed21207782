"""Wall race: steps, jumps, walls, who is cut off, the end, leaving; a slow engine beside ours."""

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pbmserv.games import walls
from pbmserv.games.game import Event, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.walls import ENDING, JUMPING, NEVER_CUT_OFF, QUIET_TURNS, STEPPING, THE_BOARD, WALLING, Position
from pbmserv.rendering.board_text import draw_sheet
from tests.every import for_each
from tests.games.by_hand import played, written
from tests.games.slow_wall_race import Table

RULES = (Path(__file__).parents[2] / "templates" / "en" / "rules" / "wall-race.txt").read_text("ascii")


def placed(pawns: str, walled: str = "", turn: int = 0, hands: int = 5) -> Position:
    """A position with the pawns on these squares and these walls, set by the first player."""
    cells = tuple(walls.BOARD.numbers[name] if name != "-" else -1 for name in pawns.split())
    gone = tuple(seat for seat, cell in enumerate(cells) if cell < 0)
    position = walls.start(len(cells), {})
    for text in walled.split():
        position, _ = walls.play(replace(position, turn=0, hands=(9,) * len(cells)), walls.read(position, text))
    return replace(position, pawns=cells, turn=turn, hands=(hands,) * len(cells), gone=gone)


def steps(position: Position) -> set[str]:
    return {text for text in written(walls, position) if len(text) == 2}


def refused(position: Position, text: str) -> int:
    with pytest.raises(Illegal) as illegal:
        walls.read(position, text)
    return illegal.value.rule


def test_the_start() -> None:
    for seats, hands, pawns in ((2, 10, "E1 E9"), (3, 7, "E1 A5 E9"), (4, 5, "E1 A5 E9 I5")):
        position = walls.start(seats, {})
        assert position == placed(pawns, hands=hands)
        assert len(written(walls, position)) == 3 + 128
        assert [dict(hand).popitem()[1] for hand in walls.scene(position).hands] == [hands] * seats
    with pytest.raises(BadOption):
        walls.start(2, {"size": "7"})


@for_each(
    ("pawns", "walled", "found"),
    [
        ("E5 A9", "", "D5 F5 E4 E6"),
        ("A1 A9", "", "A2 B1"),
        ("E5 A9", "E5H", "D5 F5 E4"),
        ("E5 A9", "D5H", "D5 F5 E4"),
        ("E5 A9", "D4V E4V", "E4 E6"),
        ("E5 A9", "F5H", "D5 F5 E4 E6"),
        # Straight over a pawn, or past it where that is not possible.
        ("E5 E6", "", "D5 F5 E4 E7"),
        ("E5 E6", "E5H", "D5 F5 E4"),
        ("E5 E6", "E6H", "D5 F5 E4 D6 F6"),
        ("E5 E6", "E6H E5V", "D5 E4 D6"),
        ("E5 E6", "E6H E5V D5V", "E4"),
        ("E8 E9", "", "D8 F8 E7 D9 F9"),
        ("B5 A5", "", "A4 A6 C5 B4 B6"),
        ("H5 I5", "I5", "G5 H4 H6 I4 I6"),
        # A third pawn stands behind or beside.
        ("E5 E6 E7", "", "D5 F5 E4 D6 F6"),
        ("E5 E6 E7 D6", "", "D5 F5 E4 F6"),
        ("E5 E6 D5", "", "F5 E4 E7 C5"),
        ("E5 E6 D6", "E6H", "D5 F5 E4 F6"),
        ("E5 E6 -", "", "D5 F5 E4 E7"),
    ],
)
def test_where_a_pawn_can_go(pawns: str, walled: str, found: str) -> None:
    position = placed(pawns, "" if walled == "I5" else walled)
    assert steps(position) == set(found.split())


def test_a_jump_tells_where_it_began_and_ended() -> None:
    position = placed("E5 E6")
    after, events = walls.play(position, walls.read(position, "e7"))
    numbers = walls.BOARD.numbers
    assert events == (Event("moved", 0, (numbers["E5"], numbers["E7"])),)
    scene = walls.scene(after)
    assert (scene.marked, scene.vacated) == ((numbers["E7"],), (numbers["E5"],))
    assert walls.to_move(after) == 1


def test_walls_lie_on_no_other_and_cross_none() -> None:
    position = placed("E1 E9", "D5H G3V")
    free = {text for text in written(walls, position) if len(text) == 3}
    every = {f"{letter}{row}{way}" for letter in "ABCDEFGH" for row in range(1, 9) for way in "HV"}
    assert every - free == {"C5H", "D5H", "E5H", "D5V", "G2V", "G3V", "G4V", "G3H"}
    for text in ("d5h", "c5h", "d5v", "g4v", "i1h", "a9v", "i9h", "e5hh", "e5-horizontal-vertical"):
        if len(text) == 4:
            with pytest.raises(Unreadable):
                walls.read(position, text)
        else:
            assert refused(position, text) == WALLING, text


def test_a_wall_is_an_event_and_a_stroke() -> None:
    position = placed("E1 E9")
    after, events = walls.play(position, walls.read(position, "c3v"))
    cells = tuple(walls.BOARD.numbers[name] for name in ("C3", "C4", "D3", "D4"))
    assert events == (Event("walled", 0, cells, "C3V"),)
    (stroke,) = walls.scene(after).strokes
    assert (stroke.seat, stroke.name) == (0, "C3V")
    c3, c4, d3, d4 = cells
    assert stroke.between == ((c3, d3), (c4, d4))
    assert stroke.ends == ((6, 10), (6, 14))
    (lying,) = walls.scene(played(walls, position, "c3h")).strokes
    assert lying.between == ((c3, c4), (d3, d4))
    assert lying.ends == ((4, 12), (8, 12))
    assert dict(walls.scene(after).hands[0]).popitem()[1] == 4
    assert after.quiet == 0


def test_nobody_may_be_cut_off() -> None:
    shut = placed("E1 E9", "A1H C1H E1H G1H", turn=1)
    assert refused(shut, "h1h") == WALLING  # it lies over another one
    assert refused(placed("E1 E9", "A1H C1H E1H H1H"), "f1v") == NEVER_CUT_OFF
    assert "G1V" in written(walls, placed("E1 E9", "A1H C1H E1H H1H"))
    assert refused(placed("H1 A9", "A1H C1H E1H G1H"), "h1v") == NEVER_CUT_OFF
    assert "H1V" in written(walls, placed("I1 A9", "A1H C1H E1H G1H"))
    # It is the other one who would be shut in; nobody cares for one who has left.
    assert refused(placed("E1 A9", "A8H"), "b8v") == NEVER_CUT_OFF
    assert "B8V" in written(walls, placed("E1 I5 -", "A8H"))


def test_pawns_in_the_way_cut_nobody_off() -> None:
    """The only gap is where another pawn stands."""
    assert "C1H" in written(walls, placed("E1 I1", "A1H E1H G1H"))


def test_without_walls_one_can_only_move() -> None:
    position = placed("E1 E9", hands=0)
    assert written(walls, position) == {"D1", "F1", "E2"}
    assert refused(position, "e5h") == WALLING
    assert walls.scene(position).hands == ((), ())


def test_texts() -> None:
    position = placed("E5 E6")
    across = walls.read(position, "d5h")
    for text in ("D5H", "d5-h", "d5 horizontal", "D5-HORIZONTAL", "d5horizontal"):
        assert walls.read(position, text) == across
    assert walls.write(position, walls.read(position, "d5")) == "D5"
    with pytest.raises(Unfinished):
        walls.read(position, "a1")
    for text in ("hello", "h", "v", "d5x", "d5 h h", ""):
        with pytest.raises(Unreadable):
            walls.read(position, text)
    for text, rule in (
        ("e6", STEPPING),
        ("e8", STEPPING),
        ("d6", JUMPING),
        ("j5", THE_BOARD),
        ("horizontal", WALLING),
        ("e5-d5", WALLING),
    ):
        assert refused(placed("E5 E6", hands=0), text) == rule


@for_each(
    ("pawns", "turn", "text", "ranks"),
    [
        ("C8 E2", 0, "c9", (1, 2)),
        ("C8 E2", 1, "e1", (2, 1)),
        ("C5 H5 E5 B4", 1, "i5", (2, 1, 2, 2)),
        ("C5 D5 E2 B4", 2, "e1", (2, 2, 1, 2)),
        ("C5 D5 E5 B4", 3, "a4", (2, 2, 2, 1)),
        ("C8 - E2 B4", 0, "c9", (1, 4, 2, 2)),
    ],
)
def test_the_first_at_the_goal_wins(pawns: str, turn: int, text: str, ranks: tuple[int, ...]) -> None:
    after = played(walls, placed(pawns, turn=turn), text)
    assert walls.outcome(after) == Outcome(ranks, "goal")
    assert list(walls.moves(after)) == []
    assert refused(after, "a5") == refused(after, "e5h") == ENDING


def test_a_goal_is_no_one_elses() -> None:
    assert walls.outcome(played(walls, placed("C2 E5"), "c1")) is None
    assert walls.outcome(played(walls, placed("C5 E5 G5 G4", turn=0), "c4")) is None


def test_a_draw_when_nobody_sets_walls_for_long() -> None:
    for seats in (2, 3, 4):
        position = replace(walls.start(seats, {}), quiet=QUIET_TURNS * seats - 1)
        assert walls.outcome(position) is None
        after = played(walls, position, "e2")
        assert walls.outcome(after) == Outcome((1,) * seats, "exhausted")
        assert played(walls, position, "e5h").quiet == 0


def test_who_can_do_nothing_is_passed() -> None:
    position = placed("C2 A1 B1", "A1H", hands=0)
    after, events = walls.play(position, walls.read(position, "c1"))
    assert events[1:] == (Event("passed", 1),)
    assert walls.to_move(after) == 2


def test_leaving() -> None:
    position = placed("E1 A5 E9 I5", "C3H", turn=1)
    after, events = walls.leave(position, 1)
    assert events == (Event("left", 1),)
    assert walls.to_move(after) == 2
    assert walls.scene(after).cells[walls.BOARD.numbers["A5"]] == ()
    assert len(walls.scene(after).strokes) == 1
    assert walls.scene(after).hands[1] == ()
    after, _ = walls.leave(after, 0)
    assert walls.to_move(after) == 2
    after, _ = walls.leave(after, 2)
    assert walls.outcome(after) == Outcome((3, 4, 2, 1), "alone")


def test_the_figure_of_the_rules() -> None:
    position = played(walls, walls.start(2, {}), "e2 e8 e3 e7 e4 e6 e5 d6h")
    assert draw_sheet(walls.scene(position)) in RULES
    told = re.search(r"It can go to ([^:]*):", RULES)
    assert told is not None
    assert steps(position) == set(re.findall(r"[A-I][1-9]", told[1]))


def test_walls_have_a_fixed_order_and_are_found_one_by_one() -> None:
    position = placed("E5 E6", "D5H")
    every: list[Move] = list(walls.moves(position))
    assert [move for cell in range(81) for move in walls.moves(position, (cell,))] == every


def beside_a_slow_engine(seed: int, plies: int) -> int:
    """Random games of both, of which every second ply moves a pawn; returns how many games there were."""
    random, done, count = Random(seed), 0, 0
    while done < plies:
        seats = 2 + count % 3
        table, position = Table(seats), walls.start(seats, {})
        while (seat := walls.to_move(position)) is not None and done < plies:
            assert seat == table.turn
            legal = {walls.write(position, move): move for move in walls.moves(position)}
            assert legal.keys() == table.legal()
            text = random.choice(sorted(table.steps() if random.random() < 0.5 else legal))
            table.play(text)
            position, _ = walls.play(position, legal[text])
            done += 1
        outcome = walls.outcome(position)
        if outcome is not None and outcome.reason == "goal":
            assert outcome.ranks.index(1) == table.winner()
        else:
            assert table.winner() is None
        count += 1
    return count


def test_some_plies_beside_a_slow_engine() -> None:
    assert beside_a_slow_engine(1, 8) == 1


@pytest.mark.slow
def test_beside_a_slow_engine() -> None:
    assert beside_a_slow_engine(2, 2000) >= 8
