"""Tries all laws on one game: what `pbmserv games check` does for a game of another package."""

import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pbmserv.commands.command import commands
from pbmserv.games import games
from pbmserv.robots.levels import level_of, move_of, rungs_of
from pbmserv.robots.robot import RANDOM
from pbmserv.services.laws import facts, moves, scenes
from pbmserv.services.laws.boards import check_board
from pbmserv.services.laws.setups import Setup, board_of, chance, reached, setups_of, some_moves

MOST_SETUPS: Final = 6
"""Ways to start a game that are tried, where it has more of them."""
_POSITIONS: Final = 8
"""Positions of each in which the laws of moves are tried."""
_FURTHEST: Final = 120
_ITERATIONS: Final = 10
"""So much the robots think about a move."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law in words, and what tries it on the game of a name: it raises where the law does not hold."""

    told: str
    hold: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LawTried:
    """A law that was tried, and where it does not hold; "" where it does."""

    law: Law
    broken: str


def try_laws(name: str) -> Iterator[LawTried]:
    """Tries law after law on a game."""
    for law in LAWS:
        try:
            law.hold(name)
        except Exception as error:
            yield LawTried(law, _place(error))
        else:
            yield LawTried(law, "")


def _place(error: Exception) -> str:
    """Which line of a law or of the game it was."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    told = f"{type(error).__name__}: {error}".removesuffix(": ")
    notes = "".join(f" ({note})" for note in getattr(error, "__notes__", ()))
    return f"{told} at {last.filename}:{last.lineno}: {last.line}{notes}"


def _setups(name: str) -> tuple[Setup, ...]:
    """The first setup and some others."""
    first, *others = setups_of(name)
    return first, *chance(name).sample(others, min(MOST_SETUPS - 1, len(others)))


def _in_each(check: Callable[[Setup], None]) -> Callable[[str], None]:
    """A law of setups as one of names, that says in which setup it is broken."""

    def hold(name: str) -> None:
        for setup in _setups(name):
            try:
                check(setup)
            except Exception as error:
                error.add_note(str(setup))
                raise

    return hold


def _name_is_free(name: str) -> None:
    """No command has the name of the game."""
    assert name not in commands()


def _leaving(setup: Setup) -> None:
    can_leave = hasattr(setup.game, "leave")
    assert can_leave == (setup.game.info.most_seats > 2)
    if can_leave:
        moves.check_leaving(setup)


def _moves(setup: Setup) -> None:
    random = chance(f"moves of {setup}")
    for _ in range(_POSITIONS):
        moves.check_moves(setup.game, reached(setup, random.randint(0, _FURTHEST), random), random)


def _answers(setup: Setup) -> None:
    game, random = setup.game, chance(f"answers of {setup}")
    for _ in range(_POSITIONS):
        position = reached(setup, random.randint(0, _FURTHEST), random)
        names = [*board_of(game, position).names, *game.info.words]
        for move in some_moves(game, position, random):
            text = game.write(position, move)
            for typed in (text[:-1], f"{text}-{random.choice(names)}", text[::-1], f"{text} {text}"):
                facts.check_answer(game, position, typed)


def _texts(name: str) -> None:
    facts.check_prose(name)
    facts.check_letters(name)
    facts.check_words(name)
    if games()[name].info.dialect:
        facts.check_dialect(name)


def _robots(setup: Setup) -> None:
    game, random = setup.game, chance(f"robots of {setup}")
    for _ in range(_POSITIONS):
        position = reached(setup, random.randint(0, _FURTHEST), random)
        if game.to_move(position) is None:
            continue
        for robot in (*rungs_of(game, position), RANDOM):
            level = level_of(robot, game, position)
            assert level is not None
            move, _ = move_of(level, game, position, 1, min(level.iterations, _ITERATIONS))
            assert move in game.moves(position, move)


def _boards(setup: Setup) -> None:
    check_board(board_of(setup.game, setup.start()))


LAWS: Final = (
    Law("no command has its name", _name_is_free),
    Law("facts are in their form, and the example is a first move", facts.check_information),
    Law("each value of an option begins another game, any other is refused", facts.check_options),
    Law("the rules text has numbered paragraphs, credit, sides, words, options", facts.check_rules_text),
    Law("the rules can be read and heard", scenes.check_help),
    Law("a random game ends, and its texts lead to the same end", _in_each(moves.check_playout)),
    Law("players of three and more may leave", _in_each(_leaving)),
    Law("moves are read, begun and tapped, each as it is written", _in_each(_moves)),
    Law("what is refused quotes a rule, and offers what can be played", _in_each(_answers)),
    Law("prose is no move", _texts),
    Law("boards have cells with names, a sheet and a layout", _in_each(_boards)),
    Law("scenes show what events told", _in_each(scenes.check_course)),
    Law("robots play legal moves", _in_each(_robots)),
    Law("mails of 72 columns and pictures can be drawn", _in_each(scenes.check_drawings)),
)
"""In the order in which a new game meets them."""
