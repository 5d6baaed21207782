"""Star halma: steps, hops, who arrives, pieces that stay at home, the last round, leaving; a second engine."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbmserv.games import halma
from pbmserv.games.game import Event, Illegal, Outcome, Unfinished, Unreadable
from pbmserv.games.halma import BOARD, EMPTY, ENDING, MOVING, PATIENCE, PIECES, ROUNDS, THE_BOARD, Position
from pbmserv.games.info import BadOption
from pbmserv.rendering.board_text import draw_sheet
from tests.every import for_each
from tests.games.by_hand import played, written

RULES = (Path(__file__).parents[2] / "templates" / "en" / "rules" / "star-halma.txt").read_text("ascii")


def placed(*groups: str, turn: int = 0, turns: int = 0) -> Position:
    """A position with the pieces of each seat on these cells."""
    pieces = bytearray([EMPTY]) * len(BOARD.names)
    for seat, names in enumerate(groups):
        for name in names.split():
            pieces[BOARD.numbers[name]] = seat
    return Position(bytes(pieces), (turns,) * len(groups), turn)


def targets(position: Position, name: str) -> set[str]:
    return {text.partition("-")[2] for text in written(halma, position) if text.startswith(f"{name}-")}


def refused(position: Position, text: str) -> int:
    with pytest.raises(Illegal) as illegal:
        halma.read(position, text)
    return illegal.value.rule


def tip(number: int) -> list[str]:
    return [BOARD.names[cell] for cell in halma.TIPS[number]]


def test_the_start() -> None:
    for seats, tips in ((2, (0, 3)), (3, (0, 2, 4)), (4, (0, 1, 3, 4)), (5, (0, 1, 2, 3, 4)), (6, range(6))):
        position = halma.start(seats, {})
        assert position == placed(*(" ".join(tip(number)) for number in tips))
        assert len(written(halma, position)) == 14
        assert halma.scores(position) == (0,) * seats
    with pytest.raises(BadOption):
        halma.start(2, {"size": "3"})


def test_goals_are_opposite() -> None:
    assert [BOARD.names[cell] for cell in halma.goal_of(2, 0)] == tip(3)
    assert [BOARD.names[cell] for cell in halma.goal_of(3, 1)] == tip(5)
    assert [BOARD.names[cell] for cell in halma.goal_of(6, 4)] == tip(1)


@for_each(
    ("own", "others", "found"),
    [
        ("I9", "", "H8 I8 J9 J10 I10 H9"),
        # Over one piece of anybody, in a straight line, and on from there.
        ("I9", "J9", "H8 I8 K9 J10 I10 H9"),
        ("I9", "J9 L9", "H8 I8 K9 J10 I10 H9 M9"),
        ("I9", "J9 K8", "H8 I8 K9 J10 I10 H9 K7"),
        # Not over two, over none from afar, or onto another one.
        ("I9", "J9 K9", "H8 I8 J10 I10 H9"),
        ("I9", "K9", "H8 I8 J9 J10 I10 H9"),
        # A step does not go on as a hop, nor a hop as a step.
        ("I9", "K10", "H8 I8 J9 J10 I10 H9"),
        # Round in a ring, and not to where it began.
        ("I9", "J9 K10 J10", "H8 I8 K9 I10 H9 K11"),
        # On the rim.
        ("E1", "E2", "F2 E3"),
        ("A5", "", "B5 B6"),
    ],
)
def test_where_a_piece_can_go(own: str, others: str, found: str) -> None:
    assert targets(placed(own, others), own) == set(found.split())


def test_own_pieces_are_hopped_over_too() -> None:
    assert "K9" in targets(placed("I9 J9", ""), "I9")


def test_events_and_scene() -> None:
    position = placed("I9", "J9")
    after, events = halma.play(position, halma.read(position, "i9-k9"))
    source, target = BOARD.numbers["I9"], BOARD.numbers["K9"]
    assert events == (Event("moved", 0, (source, target)),)
    scene = halma.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == ((target,), (source,), ())
    assert scene.cells[BOARD.numbers["J9"]][0].text == "B"
    assert (halma.to_move(after), after.turns) == (1, (1, 0))


def test_texts() -> None:
    start = halma.start(2, {})
    assert halma.read(start, "G4 g5") == halma.read(start, "g4g5")
    with pytest.raises(Unfinished):
        halma.read(start, "g4")
    for text in ("hello", "g4-", "44", ""):
        with pytest.raises(Unreadable):
            halma.read(start, text)
    for text, rule in (
        ("g4-g6", MOVING),
        ("e1-e2", MOVING),
        ("j14-j13", PIECES),
        ("i9-j9", PIECES),
        ("a1-a2", THE_BOARD),
        ("g4-g5-g6", MOVING),
    ):
        assert refused(start, text) == rule, text


ARRIVING = [name for name in tip(3) if name != "J14"]


def test_who_fills_the_goal_wins() -> None:
    position = placed(" ".join([*ARRIVING, "J13"]), "E1 E2 J5")
    assert halma.outcome(position) is None
    after = played(halma, position, "j13-j14")
    assert halma.outcome(after) == Outcome((1, 2), "goal", (10, 2))
    assert list(halma.moves(after)) == []
    assert refused(after, "e1-f2") == ENDING


def test_others_rank_by_their_pieces_in_the_goal() -> None:
    full = " ".join([*ARRIVING, "J13"])
    goals = [halma.goal_of(4, seat) for seat in range(4)]
    names = [[BOARD.names[cell] for cell in goal] for goal in goals]
    position = placed(full, " ".join(names[1][:4]), " ".join(names[2][:7]), " ".join(names[3][:4]))
    assert halma.outcome(played(halma, position, "j13-j14")) == Outcome((1, 3, 2, 3), "goal", (10, 4, 7, 4))


def test_pieces_that_stay_at_home_keep_nobody_from_winning_for_ever() -> None:
    groups = (" ".join([*ARRIVING[1:], "J13"]), f"{ARRIVING[0]} I9")
    early = placed(*groups, turns=PATIENCE - 2)
    assert halma.outcome(played(halma, early, "j13-j14")) is None
    late = placed(*groups, turns=PATIENCE - 1)
    assert halma.outcome(played(halma, late, "j13-j14")) == Outcome((1, 2), "goal", (9, 0))


def test_a_goal_full_of_others_is_not_won_without_a_piece_there() -> None:
    position = placed("E1", " ".join([*tip(3), "I9"]), turns=PATIENCE)
    after = played(halma, position, "e1-e2")
    assert halma.outcome(after) is None
    position = placed("E1 I9", " ".join(ARRIVING), turns=PATIENCE)
    assert halma.outcome(played(halma, position, "e1-e2")) is None  # one point is free


@for_each(
    ("groups", "outcome"),
    [
        (("J14 I9", "E1 E2 H9"), Outcome((2, 1), "score", (1, 2))),
        (("J14 K14 I9", "E1 H9"), Outcome((1, 2), "score", (2, 1))),
        (("J14 I9", "E1 H9"), Outcome((1, 1), "draw", (1, 1))),
        (("J14 I9", "E13 G9", "K5 F9"), Outcome((1, 3, 1), "draw", (1, 0, 1))),
    ],
)
def test_the_last_round(groups: tuple[str, ...], outcome: Outcome) -> None:
    position = placed(*groups, turn=len(groups) - 1, turns=ROUNDS - 1)
    position = replace(position, turns=(ROUNDS,) * (len(groups) - 1) + (ROUNDS - 1,))
    text = min(each for each in written(halma, position) if each[0] in "HGF" and each[1] == "9")
    after = played(halma, position, text)
    found = halma.outcome(after)
    assert found is not None
    assert (found.reason, found.ranks) == (outcome.reason, outcome.ranks)
    assert halma.outcome(played(halma, replace(position, turns=(ROUNDS - 1,) * len(groups)), text)) is None


def test_who_cannot_move_is_passed() -> None:
    stuck = placed("I9", "E1", "E2 F2 E3 F3 G3")
    assert targets(replace(stuck, turn=1), "E1") == set()
    after, events = halma.play(stuck, halma.read(stuck, "i9-i10"))
    assert events[1:] == (Event("passed", 1),)
    assert (halma.to_move(after), after.turns) == (2, (1, 1, 0))


def test_leaving() -> None:
    position = halma.start(3, {})
    after, events = halma.leave(position, 0)
    assert events == (Event("left", 0),)
    assert (halma.to_move(after), after.pieces.count(0)) == (1, 0)
    after, _ = halma.leave(after, 2)
    assert halma.outcome(after) == Outcome((3, 1, 2), "alone", (0, 0, 0))


def test_the_figure_of_the_rules() -> None:
    assert draw_sheet(halma.scene(halma.start(3, {}))) in RULES


def their_moves(state: Any) -> dict[tuple[int, int], tuple[int, ...]]:
    """What a move of theirs leads to, by its first and last cell, with one row of actions that does it."""
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    queue: list[tuple[Any, tuple[int, ...], int]] = [(state, (), -1)]
    while queue:
        now, done, first = queue.pop(0)
        for action in now.legal_actions():
            told = now.action_to_string(action)
            if told == "Pass":
                continue
            source, target = (int(each) for each in told.replace("=", "-").split("->"))
            begin = source if first < 0 else first
            if (begin, target) in found:
                continue
            after = now.clone()
            after.apply_action(action)
            is_open = "hopping" in str(after)
            # A piece that could hop on ends its move by a pass.
            found[begin, target] = (*done, action, *([after.legal_actions()[-1]] if is_open else []))
            if is_open:
                queue.append((after, (*done, action), begin))
    return found


def beside_open_spiel(seats: int, plies: int, seed: int) -> tuple[int, int]:
    """Games of both, with moves that mostly lead to the goal; returns how many there were, and how many won."""
    pyspiel: Any = pytest.importorskip("pyspiel")
    their_game = pyspiel.load_game(f"chinese_checkers(players={seats},max_moves=100000)")
    cells = [cell for row in BOARD.layout.rows for cell in row.cells]
    random, done, count, won = Random(seed), 0, 0, 0
    while done < plies:
        state, position = their_game.new_initial_state(), halma.start(seats, {})
        while (seat := halma.to_move(position)) is not None and done < plies:
            assert seat == state.current_player()
            theirs = {(cells[a], cells[b]): row for (a, b), row in their_moves(state).items()}
            legal = list(halma.moves(position))
            assert set(legal) == theirs.keys()
            aim = BOARD.layout.places[halma.goal_of(seats, seat)[random.randrange(10)]]

            def far(cell: int, aim: tuple[int, int] = aim) -> int:
                x, y = BOARD.layout.places[cell]
                return (x - aim[0]) ** 2 + 3 * (y - aim[1]) ** 2

            some = random.sample(legal, min(8, len(legal)))
            move = min(some, key=lambda each: far(int(each[1])) - far(int(each[0])))
            position, _ = halma.play(position, move)
            for action in theirs[int(move[0]), int(move[1])]:
                state.apply_action(action)
            done += 1
            if state.is_terminal():
                outcome = halma.outcome(position)
                assert outcome is not None
                assert [rank == 1 for rank in outcome.ranks] == [value > 0 for value in state.returns()]
                won += 1
            elif (outcome := halma.outcome(position)) is not None:
                assert min(position.turns) >= PATIENCE
        count += 1
    return count, won


def test_some_plies_beside_a_second_engine() -> None:
    assert beside_open_spiel(3, 60, 1) == (1, 0)


@pytest.mark.slow
@for_each("seats", [2, 3, 4, 6])
def test_beside_a_second_engine(seats: int) -> None:
    count, _ = beside_open_spiel(seats, 5000, 2)
    assert count > 3
