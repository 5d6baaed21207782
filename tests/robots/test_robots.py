"""Robots as players of any game: their moves are legal, the same ones again, and greed is better than chance."""

from typing import Any

import pytest

from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.robots.chance import seed_of
from pbmserv.robots.robot import Budget, Robot, robots, userid_of, userids
from tests.commands.toys import ninerows

TOY: Any = ninerows
GAMES = [*games().values(), TOY]
SMALLEST = {"cephalopod": {"size": "3x3"}, "ninerows": {"length": "9"}}


def budget(*words: object, nodes: int = 500) -> Budget:
    """The budget of one move."""
    return Budget(seed_of(*words), nodes)


def played(game: Game, players: list[Robot], number: int) -> tuple[Any, list[str]]:
    """A whole game between robots in that order of play: its last position, and its moves."""
    position = game.start(len(players), SMALLEST[game.info.name])
    texts: list[str] = []
    while (seat := game.to_move(position)) is not None:
        move = players[seat].choose(game, position, budget(number, len(texts)))
        assert move in list(game.moves(position))
        texts.append(game.write(position, move))
        position, _ = game.play(position, move)
    return position, texts


@pytest.mark.parametrize("name", list(robots()))
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.name)
def test_plays_every_game_by_its_rules(game: Game, name: str) -> None:
    """With every number of seats, to the end; the same seeds give the same game."""
    robot = robots()[name]
    for seats in range(game.info.least_seats, game.info.most_seats + 1):
        position, texts = played(game, [robot] * seats, 1)
        assert game.outcome(position) is not None
        assert played(game, [robot] * seats, 1)[1] == texts


@pytest.mark.parametrize("name", list(robots()))
def test_other_seeds_other_games(name: str) -> None:
    """Where there is more than one move worth playing."""
    robot, game = robots()[name], games()["cephalopod"]
    assert len({tuple(played(game, [robot] * 2, number)[1]) for number in range(5)}) == 5


@pytest.mark.slow
def test_greed_is_better_than_chance() -> None:
    """In most of two hundred games, moving first as often as second."""
    game, greedy, random = games()["cephalopod"], robots()["greedy"], robots()["random"]
    won = 0
    for number in range(200):
        is_first = number % 2 == 0
        position, _ = played(game, [greedy, random] if is_first else [random, greedy], number)
        outcome = game.outcome(position)
        assert outcome is not None
        won += outcome.ranks[0 if is_first else 1] == 1
    assert won > 115


def test_greed_takes_what_wins_and_what_gains_most() -> None:
    """On the last square of the toy, and where one capture leaves more dice ahead than another."""
    greedy = robots()["greedy"]
    position = TOY.start(2, {"length": "3"})
    for text in ("A1", "pass", "A2"):
        position, _ = TOY.play(position, TOY.read(position, text))
    assert {greedy.choose(TOY, position, budget(number)) for number in range(20)} == {(2,)}
    game = games()["cephalopod"]
    position = game.start(2, {"size": "3x3"})
    for text in ("b2", "a1"):
        position, _ = game.play(position, game.read(position, text))
    # Ahead by one die: by capturing both, or by a die more anywhere else but there.
    chosen = {game.write(position, greedy.choose(game, position, budget(number))) for number in range(60)}
    assert chosen >= {"A2xA1,B2", "C3"}


@pytest.mark.parametrize("name", list(robots()))
def test_looks_at_no_more_than_its_budget(name: str) -> None:
    """Of a board of 81 squares, two."""
    game, looked_at = games()["cephalopod"], []

    class Counting:
        def __getattr__(self, question: str) -> Any:
            return getattr(game, question)

        def play(self, position: Any, move: Any) -> Any:
            looked_at.append(move)
            return game.play(position, move)

    counting: Any = Counting()
    position = game.start(2, {"size": "9x9"})
    assert robots()[name].choose(counting, position, budget(1, nodes=2)) in list(game.moves(position))
    assert len(looked_at) <= 2


def test_names() -> None:
    """The one that people are told of first, the others after it; each has further names."""
    assert next(iter(robots())) == "greedy"
    assert [userid_of(name) for name in robots()] == ["robot", "robot.random", "robot.search"]
    names = userids("greedy")
    assert [next(names) for _ in range(3)] == ["robot", "robot.greedy", "robot.greedy2"]
    assert all(len(robot.summary) <= 60 for robot in robots().values())
