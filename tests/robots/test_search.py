"""The search of any game: legal, the same again, not blind to what wins or loses at once, right in its proofs."""

from functools import cache
from itertools import islice
from random import Random
from typing import Any

import pytest

from pbmserv.games import games
from pbmserv.games.game import Game, two_ranks
from pbmserv.robots.levels import chosen, level_of
from pbmserv.robots.search import uct
from pbmserv.robots.search.judges import bits_of, cells_of, joined_with, judge_of, lines_of
from pbmserv.robots.thought import Candidate, Dice, Thought
from pbmserv.services.laws.setups import any_move
from tests.commands.toys import ninerows

TOY: Any = ninerows
GAMES = [*games().values(), TOY]
SMALLEST = {
    "amazons": {"size": "6"},
    "breakthrough": {"size": "6"},
    "cephalopod": {"size": "3x3"},
    "go": {"size": "9"},
    "gomoku": {"size": "13"},
    "hex": {"size": "11"},
    "reversi": {"size": "6"},
}
MOST_TRIED = 3000
"""Positions that are tried to know how an ending ends."""
SOON_PROVEN = 300
"""Of so few a proof must be found."""
EVERY_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.name)
FOR_TWO = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.info.name)


def start(game: Game, seats: int = 2) -> Any:
    """The first position on the smallest board."""
    return game.start(seats, SMALLEST.get(game.info.name, {}))


def random_positions(game: Game, seed: str, seats: int = 2) -> list[Any]:
    """All positions of a game by chance, the last one over; of a long one not all."""
    random, position = Random(seed), start(game, seats)
    found = [position]
    while game.to_move(position) is not None and len(found) < 400:
        position, _ = game.play(position, any_move(game, position, random))
        found.append(position)
    return found


@EVERY_GAME
def test_thoughts_are_whole(game: Game) -> None:
    """Legal moves, each once, chances that sum up, the same thought again, and another seed's may differ."""
    for seats in range(game.info.least_seats, game.info.most_seats + 1):
        positions = random_positions(game, f"whole {seats}", seats)[:-1]
        for position in Random(0).sample(positions, min(4, len(positions))):
            thought = uct.think(game, position, 7, 30)
            moves = [each.move for each in thought.candidates]
            assert len(set(moves)) == len(moves)
            assert all(move in game.moves(position, move[:1]) for move in moves)
            assert sum(thought.values) == pytest.approx(len(thought.values) / 2)
            assert len(thought.values) == seats
            assert all(0 <= each <= 1 for each in thought.values)
            assert all(0 <= each.value <= 1 and each.visits >= 1 for each in thought.candidates)
            assert thought.iterations == 30 or thought.is_proven
            assert uct.think(game, position, 7, 30) == thought


@pytest.mark.sampled(5)
@FOR_TWO
def test_takes_a_win_in_one_and_sees_a_loss_in_one(game: Game) -> None:
    """In the last positions of games by chance, wherever all moves are looked at."""
    looked_at = 0
    for number in range(3):
        for position in random_positions(game, f"one {number}")[-3:-1]:
            turn = game.to_move(position)
            legal = list(islice(game.moves(position), 400))
            if turn is None or len(legal) == 400:
                continue
            wins = {move for move in legal if _wins(game, game.play(position, move)[0], turn)}
            loses = {move for move in legal if _loses(game, game.play(position, move)[0], turn)}
            thought = uct.think(game, position, number, 300 if game.info.name == "go" else 1500)
            first = thought.candidates[0]
            if wins:
                assert first.move in wins or first.value == 1
                looked_at += 1
            elif loses and len(loses) < len(legal):
                assert first.move not in loses or thought.is_proven
                looked_at += 1
    assert looked_at or game.info.name in (
        "antichess",
        "checkers",
        "chess",
        "connect6",
        "lasca",
        "morris",
        "tanbo",
    )


def _wins(game: Game, position: Any, seat: int) -> bool:
    outcome = game.outcome(position)
    return outcome is not None and outcome.ranks[seat] == 1 and outcome.ranks.count(1) == 1


def _loses(game: Game, position: Any, seat: int) -> bool:
    """Whether it is lost, or the other side wins at once."""
    if game.to_move(position) is None:
        return _wins(game, position, 1 - seat)
    return game.to_move(position) != seat and any(
        _wins(game, game.play(position, move)[0], 1 - seat) for move in islice(game.moves(position), 400)
    )


@pytest.mark.parametrize("name", ["tic-tac-toe", "cephalopod", "reversi", "amazons"])
def test_what_is_proven_is_so(name: str) -> None:
    """Compared with trying everything, in endings; a proof is found wherever that is little to try."""
    game = games()[name]
    proofs = 0
    for number in range(4):
        positions = random_positions(game, f"proof {number}")
        for position in positions[-6:-1] if name != "tic-tac-toe" else positions[1:-1]:
            left = [MOST_TRIED]
            value = _by_trying_all(game, position, left)
            thought = uct.think(game, position, number, 6000)
            if value is not None and (thought.is_proven or left[0] > MOST_TRIED - SOON_PROVEN):
                assert thought.is_proven
                assert thought.values[0] == value
                turn = game.to_move(position)
                assert thought.candidates[0].value == (value if turn == 0 else 1 - value)
                proofs += 1
    assert proofs >= 3


def _by_trying_all(game: Game, position: Any, left: list[int]) -> float | None:
    """What the first seat gets; None where there is more to try than is left."""

    @cache
    def value(here: Any) -> float:
        left[0] -= 1
        if left[0] < 0:
            raise OverflowError
        outcome = game.outcome(here)
        if outcome is not None:
            return outcome.shares[0]
        best = max if game.to_move(here) == 0 else min
        return best(value(game.play(here, move)[0]) for move in game.moves(here))

    try:
        return value(position)
    except (OverflowError, RecursionError):
        return None


@FOR_TWO
def test_judges_speak_of_chances(game: Game) -> None:
    """Of any position in which somebody is to move; and a judge who names moves names legal ones."""
    judge = judge_of(game)
    for position in random_positions(game, "judged")[:-1:7]:
        rewards, owners = judge.look(game, position, Dice(1))
        assert sum(rewards) == pytest.approx(1)
        assert all(0 <= each <= 1 for each in rewards)
        assert len(owners) in (0, 2)
        named = judge.likely(position) if judge.likely is not None else None
        for move in named[0] if named is not None else []:
            assert move in game.moves(position, move[:1])


def test_a_board_of_hex_that_is_won_stays_so() -> None:
    """However the rest is filled: bits say what the rules say."""
    game = games()["hex"]
    for number in range(30):
        position = random_positions(game, f"hex {number}")[-1]
        outcome = game.outcome(position)
        assert outcome is not None
        assert judge_of(game).look(game, position, Dice(number))[0] == outcome.shares


def test_go_is_counted_alike() -> None:
    """To the judge, too, whoever has fenced off more of a board is better off."""
    game = games()["go"]

    def looked(black: str, white: str) -> float:
        """How many of sixty playouts Black wins behind a wall on one line, with White's on another."""
        wall = game.start(2, {"size": "9"})
        for row in range(1, 10):
            for column in (black, white):
                wall, _ = game.play(wall, game.read(wall, f"{column}{row}"))
        return sum(judge_of(game).look(game, wall, Dice(number))[0][0] for number in range(1, 61))

    assert looked("g", "h") > looked("b", "c") + 15


def test_bits() -> None:
    """Sets of cells grow along the neighbours that a board has."""
    board = games()["hex"].scene(start(games()["hex"])).board
    for cell, beside in enumerate(board.neighbours):
        assert joined_with(1 << cell, 1 << cell, lines_of(board).beside) == 1 << cell
        near = sum(1 << each for each in (cell, *beside))
        assert cells_of(joined_with(1 << cell, near, lines_of(board).beside)) == sorted((cell, *beside))
    assert cells_of(bits_of(bytes([0, 1, 1, 2]), 1)) == [1, 2]


def test_what_is_proven_is_played_and_what_always_lost_is_not() -> None:
    """By the beginner too, whatever its temperature."""
    first, second = Candidate((1,), 1, 1.0), Candidate((2,), 90, 0.6)
    assert {chosen(Thought((first, second), (1.0, 0.0), 91, True), 4.0, seed) for seed in range(40)} == {(1,)}
    lost = Candidate((3,), 80, 0.0)
    assert {chosen(Thought((second, lost), (0.6, 0.4), 170), 4.0, seed) for seed in range(40)} == {(2,)}
    assert two_ranks(0) == (1, 2)


@EVERY_GAME
def test_rungs(game: Game) -> None:
    """Each looks at more than the one below, and the highest at no more than memory has room for."""
    position = start(game, game.info.most_seats)
    levels = [level_of(robot, game, position) for robot in ("beginner", "club", "master")]
    iterations = [level.iterations for level in levels if level is not None]
    assert len(iterations) == 3
    assert iterations == sorted(iterations)
    assert iterations[0] < iterations[2]
