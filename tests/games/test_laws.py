"""The laws that hold for every game found, with every number of seats and every option value.

A new game needs nothing here. It needs a rules text and a golden game:

* `templates/en/rules/NAME.txt` is plain text of at most 72 columns. A paragraph that begins with a number and
  a dot at the left edge (`4. A capture takes ...`) is a rule, which `Illegal` can quote by its number; it ends at
  the next blank line. The rules are numbered from 1 without a gap.
* `tests/games/golden/NAME.txt` is one or more whole games: see `test_golden_game`.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.games.game import (
    Ambiguous,
    BadOption,
    Eliminated,
    Event,
    Game,
    Illegal,
    Left,
    MoveError,
    Outcome,
    Reason,
    Seat,
    Unreadable,
)
from tests.examples import examples
from tests.games.drawing import draw_board

RULES = Path(__file__).parents[2] / "templates" / "en" / "rules"
GOLDEN = Path(__file__).parent / "golden"
NAMES = tuple(games())
MOST_PLIES = 5000


@dataclass(frozen=True, slots=True)
class Setup:
    """A game to be played, with so many seats and these options."""

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


def all_setups() -> Iterator[Setup]:
    """Every number of seats and option values, of every game."""
    for name, game in games().items():
        values = [[(option.name, value) for value in option.choices] for option in game.info.options]
        for seats in range(game.info.least_seats, game.info.most_seats + 1):
            for options in product(*values):
                yield Setup(name, seats, options)


SETUPS = tuple(all_setups())


@cache
def rules_of(name: str) -> dict[int, str]:
    """The quotable paragraphs of a game's rules text, by number."""
    paragraphs = (RULES / f"{name}.txt").read_text("ascii").split("\n\n")
    found = [re.match(r"([0-9]+)\. ", paragraph.lstrip("\n")) for paragraph in paragraphs]
    return {int(match[1]): match.string for match in found if match}


def reached(setup: Setup, choices: list[int]) -> Any:
    """A position some plies from the start, fewer if the game is over before."""
    position = setup.start()
    for choice in choices:
        legal = list(setup.game.moves(position))
        if not legal:
            break
        position, _ = setup.game.play(position, legal[choice % len(legal)])
    return position


def check_position(setup: Setup, position: Any) -> None:
    """What holds of every position and its moves."""
    game, before = setup.game, (repr(position), hash(position))
    check_turn(game, position)
    legal = list(game.moves(position))
    texts = [game.write(position, move) for move in legal]
    assert len(set(texts)) == len(texts) == len({text.lower() for text in texts})
    for move, text in zip(legal, texts, strict=True):
        assert move == game.read(position, text)
        assert move == game.read(position, text.upper())
        assert move == game.read(position, text.lower())
        assert hash(move) == hash(game.read(position, text))
        after, events = game.play(position, move)
        assert (after, events) == game.play(position, move)
        assert after != position
        assert hash(after) == hash(game.play(position, move)[0])
        assert all(isinstance(event, get_args(Event)) for event in events)
        assert events
    check_scene(setup, position, texts)
    assert (repr(position), hash(position)) == before


def check_turn(game: Game, position: Any) -> None:
    """Exactly one of `to_move` and `outcome` is None; only then are there moves, and then there are some."""
    seat, outcome = game.to_move(position), game.outcome(position)
    assert (seat is None) != (outcome is None)
    assert any(True for _ in game.moves(position)) == (seat is not None)


def check_scene(setup: Setup, position: Any, texts: list[str]) -> None:
    """The scene has the shape that it says, and offers legal moves only, each on one square."""
    scene = setup.game.scene(position)
    assert len(scene.cells) == len(scene.rows) == len(set(scene.rows))
    assert all(len(row) == len(scene.columns) == len(set(scene.columns)) for row in scene.cells)
    cells = [cell for row in scene.cells for cell in row]
    squares = {cell.square for cell in cells}
    assert len(squares) == len(cells)
    assert squares.issuperset(scene.last + scene.taken)
    assert len(scene.scores) == setup.seats
    offered = [text for cell in cells for text in cell.choices]
    assert len(set(offered)) == len(offered)
    assert set(offered) <= set(texts)
    for cell in cells:
        assert len(cell.text) == scene.cell_width
        assert cell.text.isascii()
        assert cell.text.isprintable()
        assert cell.seat is None or cell.seat in range(setup.seats)
        assert cell.seat is not None or cell.value is None
    assert draw_board(scene)


def check_outcome(setup: Setup, outcome: Outcome | None, gone: list[Seat]) -> None:
    """Ranks as after a race: from 1, ties sharing the better one; and those who have gone come last."""
    assert outcome is not None
    assert len(outcome.ranks) == len(outcome.scores) == setup.seats
    assert outcome.reason in get_args(Reason)
    assert list(outcome.ranks) == [1 + sum(other < rank for other in outcome.ranks) for rank in outcome.ranks]
    worst = max(rank for seat, rank in enumerate(outcome.ranks) if seat not in gone)
    assert all(outcome.ranks[seat] > worst for seat in gone)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_random_playouts_end_and_replay(setup: Setup) -> None:
    game, random = setup.game, Random(f"playout of {setup}")
    position = setup.start()
    texts: list[str] = []
    gone: list[Seat] = []
    while (seat := game.to_move(position)) is not None:
        assert seat in range(setup.seats)
        assert seat not in gone
        assert game.outcome(position) is None
        assert len(texts) < MOST_PLIES
        if random.random() < 0.01:
            check_position(setup, position)
        move = random.choice(list(game.moves(position)))
        texts.append(game.write(position, move))
        position, events = game.play(position, move)
        gone += [event.seat for event in events if isinstance(event, Eliminated)]
    check_position(setup, position)
    check_outcome(setup, game.outcome(position), gone)
    assert len(set(gone)) == len(gone) < setup.seats

    again = setup.start()
    for text in texts:
        again, _ = game.play(again, game.read(again, text))
    assert again == position
    assert hash(again) == hash(position)


@given(st.sampled_from(SETUPS), st.lists(st.integers(0, 999), max_size=120))
@examples(60)
def test_laws_of_a_position(setup: Setup, choices: list[int]) -> None:
    check_position(setup, reached(setup, choices))


def read_or_refuse(game: Game, position: Any, text: str) -> Any:
    """The move, or the error that was raised instead."""
    try:
        return game.read(position, text)
    except MoveError as error:
        return error


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@examples(150)
def test_any_other_text_is_refused(name: str, data: st.DataObject) -> None:
    setup = data.draw(st.sampled_from([setup for setup in SETUPS if setup.name == name]))
    position = reached(setup, data.draw(st.lists(st.integers(0, 999), max_size=60)))
    game = setup.game
    legal = list(game.moves(position))
    texts = {game.write(position, move) for move in legal}
    letters = "".join(sorted({*"".join(texts), *game.info.example, *" x=:-/+,#."}))
    parts = st.sampled_from(sorted(texts) or [game.info.example])
    text = data.draw(
        st.text(max_size=12)
        | st.text(alphabet=letters + letters.lower(), max_size=12)
        | st.lists(parts, min_size=1, max_size=3).map("".join)
        | st.builds(
            lambda part, cut, more: part[:cut] + more, parts, st.integers(0, 9), st.text(letters, max_size=4)
        )
    )
    answer = read_or_refuse(game, position, text)
    if isinstance(answer, Illegal):
        assert answer.rule in rules_of(name)
        assert texts.issuperset(answer.choices)
    elif isinstance(answer, Ambiguous):
        assert len(set(answer.choices)) == len(answer.choices) > 1
        assert texts.issuperset(answer.choices)
    elif not isinstance(answer, Unreadable):
        assert answer in legal
        assert text.isascii()


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_players_leave_until_one_is_alone(setup: Setup) -> None:
    game, random = setup.game, Random(f"leaving {setup}")
    position = reached(setup, [random.randrange(999) for _ in range(setup.seats * 3)])
    inside = list(range(setup.seats))
    gone: list[Seat] = []
    while len(inside) > 1 and game.to_move(position) is not None:
        before = repr(position)
        leaver = random.choice(inside)
        was_on_turn = game.to_move(position)
        after, events = game.leave(position, leaver)
        assert repr(position) == before
        assert events[0] == Left(leaver)
        inside.remove(leaver)
        gone.append(leaver)
        inside = [seat for seat in inside if Eliminated(seat) not in events]
        gone += [event.seat for event in events if isinstance(event, Eliminated)]
        position = after
        if leaver != was_on_turn and game.to_move(position) is not None:
            assert game.to_move(position) == was_on_turn
        check_position(setup, position)
        assert game.to_move(position) in {*inside, None}
    check_outcome(setup, game.outcome(position), gone)


@pytest.mark.parametrize("name", NAMES)
def test_information(name: str) -> None:
    game, info = games()[name], games()[name].info
    assert re.fullmatch(r"[a-z][a-z0-9-]*", info.name)
    assert info.rules.startswith(f"{info.name}/")
    assert 2 <= info.least_seats <= info.most_seats <= len(info.sides)
    assert len({side.name for side in info.sides}) == len({side.mark for side in info.sides}) == len(info.sides)
    start = game.start(info.least_seats, {})
    assert game.to_move(start) == 0
    assert game.read(start, info.example) in list(game.moves(start))
    assert all(option.default in option.choices for option in info.options)


@pytest.mark.parametrize("name", NAMES)
def test_options(name: str) -> None:
    game, info = games()[name], games()[name].info
    defaults = {option.name: option.default for option in info.options}
    assert game.start(info.least_seats, {}) == game.start(info.least_seats, defaults)
    with pytest.raises(BadOption) as unknown:
        game.start(info.least_seats, {"no-such-option": "1"})
    assert (unknown.value.name, unknown.value.value, unknown.value.choices) == ("no-such-option", "1", ())
    for option in info.options:
        for value in option.choices:
            start = game.start(info.least_seats, {option.name: value})
            assert start == game.start(info.least_seats, {option.name: value.upper()})
        for value in ("", "nonsense", option.default + " ", option.default * 2):
            with pytest.raises(BadOption) as bad:
                game.start(info.least_seats, {option.name: value})
            assert (bad.value.name, bad.value.value, bad.value.choices) == (option.name, value, option.choices)


@pytest.mark.parametrize("name", NAMES)
def test_rules_text(name: str) -> None:
    text = (RULES / f"{name}.txt").read_text("ascii")
    info = games()[name].info
    assert list(rules_of(name)) == list(range(1, len(rules_of(name)) + 1))
    assert re.findall(r"(?m)^([0-9]+)\.", text) == [str(number) for number in rules_of(name)]
    assert info.credit.inventor in text
    assert info.credit.site in text
    assert str(info.credit.year) in text
    assert all(f"{side.name}" in text and side.mark in text for side in info.sides)
    assert text.endswith("\n")
    for line in text.splitlines():
        assert len(line) <= 72
        assert line == line.rstrip()
        assert not re.match(r">|From |\.$|-- ?$", line)
        assert not re.search(r"\{[{%#]|[%#]\}|\}\}|\t", line)


@pytest.mark.parametrize("name", NAMES)
def test_golden_game(name: str) -> None:
    """Plays the games of a golden file again and compares the whole file.

    A game begins with a line `== 2 seats, size=3x3`; then come its plies, `1. Paren: B2`, and leavings, `Paren
    leaves`, each followed by what happened and the board. With PBMSERV_REGEN=1 in the environment the file is
    written anew from those lines, so that a new file needs no more than them.
    """
    path = GOLDEN / f"{name}.txt"
    text = path.read_text("ascii")
    assert re.search(r"(?m)^== ", text), f"{path} needs a game"
    told = "\n".join(line for line in tell_games(games()[name], text)) + "\n"
    if os.environ.get("PBMSERV_REGEN") == "1":
        path.write_text(told, "ascii")
    assert path.read_text("ascii") == told


def tell_games(game: Game, script: str) -> Iterator[str]:
    """The lines of a golden file from its headers, plies and leavings."""
    for number, part in enumerate(re.split(r"(?m)^== ", script)[1:]):
        header, *lines = part.splitlines()
        seats, *options = re.findall(r"([0-9]+) seats|(\S+)=([^\s,]+)", header)
        position = game.start(int(seats[0]), {name: value for _, name, value in options})
        if number:
            yield ""
        yield from (f"== {header}", "", draw_board(game.scene(position)))
        for line in lines:
            if ply := re.fullmatch(r"([0-9]+\. \w+): (\S+)", line):
                move = game.read(position, ply[2])
                mover = game.to_move(position)
                assert mover is not None
                assert ply[1].endswith(f". {game.info.sides[mover].name}"), f"it is not {ply[1]}'s turn"
                yield from ("", f"{ply[1]}: {game.write(position, move)}")
                position, events = game.play(position, move)
            elif leaver := re.fullmatch(r"(\w+) leaves", line):
                yield from ("", line)
                seat = [side.name for side in game.info.sides].index(leaver[1])
                position, events = game.leave(position, seat)
            else:
                continue
            yield from (tell_event(game, event) for event in events)
            yield from ("", draw_board(game.scene(position)))
        yield from ("", tell_end(game, position))


def tell_event(game: Game, event: Event) -> str:
    """An event as `captured Angle square=B2 piece=<1> by=B3`."""
    told = {field.name: getattr(event, field.name) for field in fields(event)}
    side = game.info.sides[told.pop("seat")].name
    return " ".join(
        [f"   {type(event).__name__.lower()} {side}", *(f"{key}={value}" for key, value in told.items())]
    )


def tell_end(game: Game, position: Any) -> str:
    """Who is to move, or how it ended."""
    outcome = game.outcome(position)
    if outcome is None:
        return f"to move: {game.info.sides[game.to_move(position) or 0].name}"
    ranks = ", ".join(f"{side.name} {rank}" for side, rank in zip(game.info.sides, outcome.ranks, strict=False))
    scores = ", ".join(
        f"{side.name} {score}" for side, score in zip(game.info.sides, outcome.scores, strict=False)
    )
    return f"over by {outcome.reason}; ranks: {ranks}; scores: {scores}"
