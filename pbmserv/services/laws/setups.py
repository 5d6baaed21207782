"""Every way to start a game, positions and moves by chance, and what the laws need of texts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from random import Random
from typing import Any, Final, TypeVar

from pbmserv.games import games
from pbmserv.games.board import Board
from pbmserv.games.game import Game, Move, MoveError
from pbmserv.games.info import Option
from pbmserv.rendering.templates import rules_text

SOME: Final = 25
"""How many moves of a position are looked at closely."""
MANY, VERY_MANY = 400, 3000
"""No more moves of a position are listed to choose one of them, and to try the laws on them."""

T = TypeVar("T")


def chance(seed: str) -> Random:
    """Chance that is the same for the same seed: nothing here is a secret."""
    return Random(seed)  # noqa: S311


@dataclass(frozen=True, slots=True)
class Setup:
    """A game to be played, with this many seats and these options."""

    name: str
    seats: int
    options: tuple[tuple[str, str], ...]

    @property
    def game(self) -> Game:
        """The game itself."""
        return games()[self.name]

    def start(self) -> Any:
        """Its first position."""
        return self.game.start(self.seats, dict(self.options))

    def __str__(self) -> str:
        return " ".join([self.name, f"seats={self.seats}", *(f"{name}={value}" for name, value in self.options)])


@cache
def setups_of(name: str) -> tuple[Setup, ...]:
    """Every number of seats and every option value of a game, variants too; the one with all defaults first.

    Of an option's numbers there are the first and the last, and one between.
    """
    info = games()[name].info
    values = [
        sorted(
            ((option.name, value) for value in _values(option)),
            key=lambda pair, default=option.default: pair[1] != default,  # type: ignore[misc]
        )
        for option in info.options
    ]
    seats = range(info.least_seats, info.most_seats + 1)
    return tuple(Setup(name, number, options) for number in seats for options in product(*values))


def _values(option: Option) -> tuple[str, ...]:
    numbers = [option.numbers[place] for place in (0, len(option.numbers) // 3, -1)] if option.numbers else []
    return tuple(dict.fromkeys((*option.choices, *option.variants, *map(str, numbers))))


@cache
def rules_of(name: str) -> dict[int, str]:
    """The quotable paragraphs of a game's rules text, by number."""
    paragraphs = rules_text(name).split("\n\n")
    found = [re.match(r"([0-9]+)\. ", paragraph.lstrip("\n")) for paragraph in paragraphs]
    return {int(match[1]): match.string for match in found if match}


def some_moves(game: Game, position: Any, random: Random, count: int = SOME) -> list[Move]:
    """All legal moves where they are few, else `count` of them; where they are very many, at most that."""
    legal = list(islice(game.moves(position), VERY_MANY + 1))
    if len(legal) <= VERY_MANY:
        return some(legal, random, count)
    return list(dict.fromkeys(any_move(game, position, random) for _ in range(count)))


def any_move(game: Game, position: Any, random: Random) -> Move:
    """A random legal move of a position that is not over; where there are many, one that begins on any cell."""
    legal = list(islice(game.moves(position), MANY + 1))
    if len(legal) > MANY:
        cells = range(len(board_of(game, position).names))
        for cell in random.sample(cells, len(cells)):
            if found := list(islice(game.moves(position, (cell,)), VERY_MANY)):
                return game.read(position, game.write(position, random.choice(found)))
    return random.choice(legal)


def reached(setup: Setup, plies: int, random: Random) -> Any:
    """A position this many random plies from the start, fewer if the game is over before."""
    position = setup.start()
    for _ in range(plies):
        if setup.game.to_move(position) is None:
            break
        position, _ = setup.game.play(position, any_move(setup.game, position, random))
    return position


def some(every: Sequence[T], random: Random, count: int = SOME) -> list[T]:
    """All of them where they are few, else this many."""
    return list(every) if len(every) <= count else random.sample(every, count)


def board_of(game: Game, position: Any) -> Board:
    """The board on which a position is."""
    return game.scene(position).board


def spelled(board: Board, move: Move, between: str = "-") -> str:
    """The steps of a move, or of a beginning, as a person would type them."""
    return between.join(step if isinstance(step, str) else board.names[step] for step in move).lower()


def read_or_refuse(game: Game, position: Any, text: str) -> Any:
    """The move, or the error that was raised instead."""
    try:
        return game.read(position, text)
    except MoveError as error:
        return error
