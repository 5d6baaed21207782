"""Robots as players of any game: their moves are legal, the same ones again, and greed is better than chance."""

from types import SimpleNamespace
from typing import Any

import pytest

from pbmserv.games import games
from pbmserv.games.game import Game
from pbmserv.robots import levels
from pbmserv.robots.levels import RUNGS, Level, level_of, move_of, rungs_of
from pbmserv.robots.robot import PROGRAMS, does_play, level_at, userid_of, userids
from pbmserv.robots.search import uct
from pbmserv.robots.thought import seed_of
from tests.commands.toys import ninerows

TOY: Any = ninerows
GAMES = [*games().values(), TOY]
SMALLEST = {
    "amazons": {"size": "6"},
    "cephalopod": {"size": "3x3"},
    "go": {"size": "9"},
    "hex": {"size": "11"},
    "reversi": {"size": "6"},
}
"""Options with which a game is quick; others have none that matters."""

BY_SEARCH = ("beginner", "club", "master")

MOST_PLIES = {"connect6": 6, "five-or-pairs": 40, "go": 60, "gomoku": 40, "star-halma": 40, "wall-race": 40}
"""Of long games, or those with very many moves, only the beginning is played."""


def level_in(game: Game, name: str, seats: int = 2) -> Level:
    """The level of a robot in a game."""
    level = level_of(name, game, game.start(seats, SMALLEST.get(game.info.name, {})))
    assert level is not None
    return level


def played(game: Game, levels: list[Level], number: int, iterations: int = 4) -> tuple[Any, list[str]]:
    """A game between robots in that order of play, whole if it is not long: its last position, and its moves."""
    position = game.start(len(levels), SMALLEST.get(game.info.name, {}))
    texts: list[str] = []
    longest = MOST_PLIES.get(game.info.name, 2000)
    while len(texts) < longest and (seat := game.to_move(position)) is not None:
        most = min(iterations, levels[seat].iterations)
        move, _ = move_of(levels[seat], game, position, seed_of(number, len(texts)), most)
        assert move in game.moves(position, move[:1])
        texts.append(game.write(position, move))
        position, _ = game.play(position, move)
    return position, texts


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", ["greedy", "random"])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.name)
def test_plays_every_game_by_its_rules(game: Game, name: str) -> None:
    """With every number of seats, to the end; the same seeds give the same game."""
    for seats in range(game.info.least_seats, game.info.most_seats + 1):
        level = level_in(game, name, seats)
        position, texts = played(game, [level] * seats, 1, iterations=60)
        assert game.outcome(position) is not None or game.info.name in MOST_PLIES
        assert played(game, [level] * seats, 1, iterations=60)[1] == texts


@pytest.mark.parametrize("rung", BY_SEARCH)
def test_rungs_play_to_the_end(rung: str) -> None:
    """On the toy, with two and three; the same seeds give the same game, others another one."""
    for seats in range(TOY.info.least_seats, TOY.info.most_seats + 1):
        level = level_in(TOY, rung, seats)
        position, texts = played(TOY, [level] * seats, 1, iterations=30)
        assert TOY.outcome(position) is not None
        assert played(TOY, [level] * seats, 1, iterations=30)[1] == texts


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_other_seeds_other_games(name: str) -> None:
    """Where there is more than one move worth playing."""
    game = games()["cephalopod"]
    level = level_in(game, name)
    assert len({tuple(played(game, [level] * 2, number, 60)[1]) for number in range(5)}) == 5


@pytest.mark.slow
def test_greed_is_better_than_chance() -> None:
    """In most of two hundred games, moving first as often as second."""
    game = games()["cephalopod"]
    greedy, random = level_in(game, "greedy"), level_in(game, "random")
    won = 0
    for number in range(200):
        is_first = number % 2 == 0
        position, _ = played(game, [greedy, random] if is_first else [random, greedy], number, 60)
        outcome = game.outcome(position)
        assert outcome is not None
        won += outcome.ranks[0 if is_first else 1] == 1
    assert won > 115


def greedy_moves(game: Game, position: Any, seeds: int) -> set[Any]:
    """What greed may choose."""
    return {level_in(game, "greedy").thinker.think(game, position, s, 60).candidates[0].move for s in range(seeds)}


def test_greed_takes_what_wins_and_what_gains_most() -> None:
    """On the last square of the toy, and where one capture leaves more dice ahead than another."""
    position = TOY.start(2, {"length": "3"})
    for text in ("A1", "pass", "A2"):
        position, _ = TOY.play(position, TOY.read(position, text))
    assert greedy_moves(TOY, position, 20) == {(2,)}
    game = games()["cephalopod"]
    position = game.start(2, {"size": "3x3"})
    for text in ("b2", "a1"):
        position, _ = game.play(position, game.read(position, text))
    # Ahead by one die: by capturing both, or by a die more anywhere else but there.
    chosen = {game.write(position, move) for move in greedy_moves(game, position, 60)}
    assert chosen >= {"A2xA1,B2", "C3"}


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_looks_at_no_more_than_its_iterations(name: str) -> None:
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
    thought = level_in(game, name).thinker.think(counting, position, seed_of(1), 2)
    assert thought.candidates[0].move in list(game.moves(position))
    assert len(looked_at) <= 2


def test_a_shortened_thought_takes_what_wins_at_once() -> None:
    """However short: the last square of the toy, of which one iteration alone may see nothing."""
    level = level_in(TOY, "master")
    position = TOY.start(2, {"length": "3"})
    for text in ("A1", "pass", "A2"):
        position, _ = TOY.play(position, TOY.read(position, text))
    assert {move_of(level, TOY, position, seed, 1)[0] for seed in range(10)} == {(2,)}
    assert len({level.thinker.think(TOY, position, seed, 1).candidates[0].move for seed in range(10)}) > 1


def test_names() -> None:
    """The one that people are told of first, the ladder after it; each has further names."""
    assert [userid_of(program) for program in PROGRAMS] == [
        "robot",
        *(f"robot.{rung}" for rung in RUNGS),
        "robot.random",
    ]
    names = userids("fitting")
    assert [next(names) for _ in range(3)] == ["robot", "robot.fitting", "robot.fitting2"]
    assert max(map(len, map(userid_of, PROGRAMS))) <= 20


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something knows the toy with two seats."""
    thinker = SimpleNamespace(think=uct.think, knows=lambda position: position.seats == 2)
    monkeypatch.setattr(levels, "_knowing", lambda: {TOY.info.name: thinker})


def test_who_plays_what(known: None) -> None:
    """Eight rungs where something knows the game and its seats, else three; the others always."""
    two, three = TOY.start(2, {}), TOY.start(3, {})
    assert rungs_of(TOY, two) == RUNGS
    assert rungs_of(TOY, three) == BY_SEARCH
    assert [rung for rung in RUNGS if does_play(rung, TOY, three)] == [*BY_SEARCH]
    assert all(does_play(program, TOY, three) for program in ("fitting", "random", "search"))


def test_who_stands_in(known: None) -> None:
    """The nearest rung below, where one does not play a game any more; an old program plays as `club`."""
    three = TOY.start(3, {})

    def same(program: str, noted: str | None, other: str) -> bool:
        return level_at(program, noted, TOY, three) == level_of(other, TOY, three) is not None

    assert same("novice", None, "beginner")
    assert same("strong", None, "club")
    assert same("fitting", "league", "club")
    assert same("fitting", "master", "master")
    assert same("search", None, "club")
    assert same("random", None, "random")
    assert level_at("gone", None, TOY, three) is None
