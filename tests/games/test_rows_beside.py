"""So many in a row: slow searches by places, and a second engine, beside ours."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from pbmserv.games.game import Move
from pbmserv.games.rows import Position, RowGame, games
from pbmserv.robots.spiel import column_action
from tests.every import for_each
from tests.games.second_engine import SecondEngine, play_random_games

GOMOKU, FOUR, CONNECT6, PAIRS, TIC_TAC_TOE = games


@for_each("game", [CONNECT6, PAIRS], ids=lambda game: game.info.name)
def test_beside_a_slow_search(game: RowGame) -> None:
    """Random games in the upper left corner, with rows, pairs and ends found by places (column, row)."""
    random = Random(game.info.name)
    for _ in range(12):
        position, stones, pairs, size = game.start(2, {}), dict[tuple[int, int], int](), [0, 0], 19
        while (seat := game.to_move(position)) is not None:
            count = 2 if game is CONNECT6 and stones else 1
            near = [(x, y) for x in range(6, 15) for y in range(6, 15) if (x, y) not in stones]
            if len(near) < count:
                break
            places = random.sample(near, count) if stones or game is CONNECT6 else [(9, 9)]
            move: Move = tuple(sorted(x * size + y for x, y in places))
            assert move in list(game.moves(position, move[:1]))
            position, _ = game.play(position, move)
            stones.update(dict.fromkeys(places, seat))
            if game is PAIRS:
                gone = enclosed(stones, places[0])
                pairs[seat] += len(gone) // 2
                stones = {place: owner for place, owner in stones.items() if place not in gone}
                assert list(position.pairs) == pairs
            assert {
                divmod(cell, size): owner for cell, owner in enumerate(position.stones) if owner != 2
            } == stones
            is_won = pairs[seat] >= 5 or has_row(stones, seat, game.length)
            assert (game.to_move(position) is None) == is_won
            assert position.winner == (seat if is_won else None)


def has_row(stones: dict[tuple[int, int], int], seat: int, length: int) -> bool:
    return any(
        all(stones.get((x + count * aside, y + count * up)) == seat for count in range(length))
        for x, y in stones
        for aside, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def enclosed(stones: dict[tuple[int, int], int], place: tuple[int, int]) -> set[tuple[int, int]]:
    (x, y), seat, found = place, stones[place], set[tuple[int, int]]()
    for aside, up in [(aside, up) for aside in (-1, 0, 1) for up in (-1, 0, 1) if aside or up]:
        line = [(x + count * aside, y + count * up) for count in (1, 2, 3)]
        if [stones.get(each) for each in line] == [1 - seat, 1 - seat, seat]:
            found.update(line[:2])
    return found


def named(mark: Callable[[int, int, int], str]) -> Callable[[Any, Move], tuple[str, ...]]:
    """Names by column, row and seat."""

    def names(position: Position, move: Move) -> tuple[str, ...]:
        return (mark(*divmod(int(move[0]), len(position.board.layout.rows)), position.turn or 0),)

    return names


ENGINES = (
    SecondEngine(GOMOKU, "gomoku(size=15)", named(lambda x, y, _: f"{x},{y}"), {"size": "15"}),
    SecondEngine(GOMOKU, "gomoku(size=13)", named(lambda x, y, _: f"{x},{y}"), {"size": "13"}),
    SecondEngine(FOUR, "connect_four", lambda position, move: (column_action(position, move),)),
    SecondEngine(TIC_TAC_TOE, "tic_tac_toe", named(lambda x, y, seat: f"{'xo'[seat]}({x},{y})")),
)


@for_each("engine", ENGINES, ids=lambda engine: engine.theirs)
def test_second_engine(engine: SecondEngine) -> None:
    assert play_random_games(engine, 300) >= 2


@pytest.mark.slow
@for_each("engine", ENGINES, ids=lambda engine: engine.theirs)
def test_second_engine_at_length(engine: SecondEngine) -> None:
    assert play_random_games(engine, 20_000, "at length") >= 50
