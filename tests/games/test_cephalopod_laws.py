"""Laws of dice and pips in Cephalopod, and the same random games played by brute force."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import cephalopod
from pbmserv.games.cephalopod import Position, info, moves, outcome, play, read, start, to_move, write
from pbmserv.games.game import Event
from tests.every import for_each
from tests.examples import examples
from tests.games.brute_force import Table, written
from tests.games.positions import eliminated, play_text, texts_of

SIZES = info.options[0].choices + info.options[0].variants


# Laws of dice and pips.


def check_ply(before: Position, after: Position, events: tuple[Event, ...]) -> None:
    """The laws of one ply, before any elimination is applied."""
    placed = events[0]
    captured = [event for event in events if event.kind == "captured"]
    assert placed.kind == "placed"
    shown, taken = int(placed.piece), [int(event.piece) for event in captured]
    assert shown == (sum(taken) or 1) <= 6
    assert len(taken) in (0, 2, 3, 4)
    assert 6 not in taken
    assert sorted(taken) == [1, 5] or 5 not in taken
    if not eliminated(events):
        dice = [len(position.pips) - position.pips.count(0) for position in (before, after)]
        assert dice[1] == dice[0] + 1 - len(taken)
        assert sum(after.pips) == sum(before.pips) + (not taken)
    full = before.pips.count(0) == 1 and not taken
    assert full == bool(eliminated(events) or 0 not in after.pips)
    assert [pips == 0 for pips in after.pips] == [owner is None for owner in after.owners]
    if before.pips.count(0) <= 2 and taken:
        assert to_move(after) is not None
        assert after.pips.count(0) >= 2


@given(st.sampled_from(SIZES), st.integers(2, 6), st.integers(0, 2**32))
@examples(40)
def test_laws_of_dice_and_pips(size: str, seats: int, seed: int) -> None:
    random = Random(seed)
    position = start(seats, {"size": size})
    captures = []
    while to_move(position) is not None:
        after, events = play(position, random.choice(list(moves(position))))
        check_ply(position, after, events)
        captures.append(len(events) > 1)
        position = after
    if seats == 2:
        assert len(captures) <= 11 * len(position.pips) - 20
        assert not any(captures[-2:])


@given(st.sampled_from(["3x3", "3x5", "5x5"]), st.integers(0, 2**32))
@examples(30)
def test_the_bound_holds_when_captures_are_sought(size: str, seed: int) -> None:
    """The longest games are those that always capture, and as little as they can."""
    random = Random(seed)
    position = start(2, {"size": size})
    plies = 0
    while to_move(position) is not None:
        legal = list(moves(position))
        random.shuffle(legal)
        capturing = [move for move in legal if len(move) > 1]
        position, _ = play(position, min(capturing or legal, key=len))
        plies += 1
    assert plies <= 11 * len(position.pips) - 20


@given(st.integers(0, 2**32))
@examples(20)
def test_there_are_at_most_76_moves_on_5x5(seed: int) -> None:
    random = Random(seed)
    position = start(2, {})
    while to_move(position) is not None:
        legal = list(moves(position))
        assert len(legal) <= 76
        position, _ = play(position, random.choice(legal))


# The same games by brute force.


def compare(position: Position, table: Table) -> None:
    """Engine and brute force agree about everything that can be seen."""
    dice = {
        name: (owner, pips)
        for name, owner, pips in zip(position.board.names, position.owners, position.pips, strict=True)
        if owner is not None
    }
    assert dice == {f"{column}{row}": die for (column, row), die in table.dice.items()}
    result = outcome(position)
    assert table.result() == (result and (result.ranks, result.scores, result.reason))
    assert to_move(position) == (table.turn if result is None else None)
    assert sorted(texts_of(position)) == sorted(table.legal())
    for cell, name in enumerate(position.board.names):
        begun = [write(position, move) for move in moves(position, (cell,))]
        assert sorted(begun) == sorted(text for text in table.legal() if text.partition("x")[0] == name)


def compare_touches(position: Position, table: Table, random: Random) -> None:
    """Engine and brute force agree about what can be touched next when some dice have been, in any order."""
    if to_move(position) is None:
        return
    square, taken = random.choice(list(table.legal().values()))
    touched = random.sample(sorted(taken), random.randint(0, len(taken)))
    begun = tuple(position.board.numbers[written(each)] for each in (square, *touched))
    found = list(moves(position, begun))
    assert all(move[: len(begun)] == begun for move in found)
    assert sorted(write(position, move) for move in found) == sorted(
        text for text, (on, dice) in table.legal().items() if on == square and dice.issuperset(touched)
    )
    assert not list(moves(position, (*begun, begun[-1])))
    assert {play(position, move) for move in found} == {
        play(position, read(position, write(position, move))) for move in found
    }


def compare_game(size: str, seats: int, seed: int, *, leaving: float) -> tuple[int, int]:
    """Plays a random game both ways; how many were eliminated and left."""
    random = Random(seed)
    columns, rows = map(int, size.split("x"))
    position, table = start(seats, {"size": size}), Table(columns, rows, seats)
    out = left = 0
    while to_move(position) is not None:
        if random.random() < leaving:
            leaver = random.choice(position.playing)
            position, events = cephalopod.leave(position, leaver)
            table.leave(leaver)
            assert events == (Event("left", leaver),)
            left += 1
        else:
            text = random.choice(texts_of(position))
            position, events = play_text(position, text.lower())
            assert table.play(text) == eliminated(events)
            out += len(eliminated(events))
        compare(position, table)
        compare_touches(position, table, random)
    return out, left


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seats", range(2, 7))
@pytest.mark.parametrize(
    ("size", "games"),
    [
        *[("3x3", 8), ("3x5", 3), ("5x5", 1)],
        *(
            pytest.param(size, games, marks=pytest.mark.slow)
            for size, games in [("3x3", 40), ("3x5", 24), ("5x5", 6), ("7x3", 10)]
        ),
    ],
)
def test_brute_force_agrees(size: str, games: int, seats: int) -> None:
    tally = [compare_game(size, seats, seed, leaving=0.01 * (seed % 3)) for seed in range(games)]
    if games >= 24:
        assert sum(left for _, left in tally) > 0
        assert sum(out for out, _ in tally) > 0 or seats == 2


@pytest.mark.slow
@for_each(("size", "seats"), [("9x9", 6), ("7x9", 3), ("9x5", 2), ("7x7", 4)])
def test_brute_force_agrees_on_large_boards(size: str, seats: int) -> None:
    compare_game(size, seats, 1, leaving=0.0)
