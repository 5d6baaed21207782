"""Who could still win: by the pieces, in each game that is asked; and what the earlier rules say of the same."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import pytest

from pbmserv.games import games, xiangqi
from pbmserv.games.chess import Chess, Position, antichess, atomic, chess, crazyhouse
from pbmserv.games.chess_moves import EMPTY, Situation
from pbmserv.games.earlier import EARLIER
from pbmserv.games.game import Outcome, may_win
from tests.every import for_each
from tests.games.chess_positions import position_of

CORNER: tuple[int, ...] = (0, 1, 2, 3, 9, 10, 11, 18, 19, 27)
"""The squares that all others are mirrored on."""


def placed(pieces: str, turn: int = 1) -> Situation:
    """These pieces, on dark squares, or on light ones behind a slash; and the kings."""
    cells, dark, light = bytearray(b"." * 64), iter((0, 2, 4, 6, 9, 11)), iter((17, 19, 21, 23, 24, 26))
    where = dark
    for mark in f"{pieces}Kk":
        if mark == "/":
            where = light
        else:
            cells[next(where)] = ord(mark)
    return Situation(bytes(cells), turn)


@for_each(
    ("game", "pieces", "able"),
    [
        (chess, "", ()),
        (chess, "N", ()),
        (chess, "Nq", (1,)),
        (chess, "Nn", (0, 1)),
        (chess, "Nr", (0, 1)),
        (chess, "Np", (0, 1)),
        (chess, "NN", (0,)),
        (chess, "BB", ()),
        (chess, "B/B", (0,)),
        (chess, "Bb", ()),
        (chess, "B/b", (0, 1)),
        (chess, "Bn", (0, 1)),
        (chess, "Bq", (1,)),
        (chess, "BBr", (1,)),
        (chess, "Bp", (0, 1)),
        (chess, "P", (0,)),
        (chess, "R", (0,)),
        (atomic, "", ()),
        (atomic, "R", ()),
        (atomic, "N", ()),
        (atomic, "NN", ()),
        (atomic, "BBB", ()),
        (atomic, "Q", (0,)),
        (atomic, "P", (0,)),
        (atomic, "B/B", (0,)),
        (atomic, "BN", (0,)),
        (atomic, "NNN", (0,)),
        (atomic, "RN", (0,)),
        (atomic, "Rn", (0, 1)),
        (atomic, "B/b", ()),
        (atomic, "B/bb", (0,)),
        (atomic, "Bb", (0, 1)),
        (antichess, "", (0, 1)),
    ],
)
def test_pieces(game: Chess, pieces: str, able: tuple[int, ...]) -> None:
    """A side wins by what it has; a game that nobody can win is over, but for the rules of before."""
    position = Position(placed(pieces))
    assert tuple(seat for seat in (0, 1) if may_win(game, position, seat)) == able
    assert (game.outcome(position) == Outcome((1, 1), "bare")) == (able == ())
    first = EARLIER.get(f"{game.info.name}/1")
    assert first is None or [may_win(first, position, seat) for seat in (0, 1)] == [True, True]
    if pieces == "R":
        assert game is chess or first is None or first.outcome(position) is None


def test_what_is_captured_comes_back_in_crazyhouse() -> None:
    start = crazyhouse.start(2, {})
    bare = Position(placed("Q")._replace(hands=start.at.hands))
    assert (crazyhouse.outcome(bare), may_win(crazyhouse, bare, 1)) == (None, True)


def test_one_piece_may_give_check_three_times() -> None:
    position = Position(placed("N")._replace(checks=(0, 2)))
    assert [may_win(chess, position, seat) for seat in (0, 1)] == [True, False]


def mates(game: Chess, pieces: str) -> Iterator[Situation]:
    """Positions in which these pieces mate the black king, which is in one eighth of the board."""
    for black, white in product(CORNER, range(64)):
        free = [cell for cell in range(64) if cell not in (black, white)]
        for where in permutations(free, len(pieces)) if black != white else ():
            cells = bytearray(b"." * 64)
            cells[black], cells[white] = b"kK"
            for cell, mark in zip(where, pieces.encode(), strict=True):
                cells[cell] = mark
            at = Situation(bytes(cells), 1)
            if game.is_check(at) and game.is_safe_for_king(at.cells, white, 0) and not any(game.find(at)):
                yield at


@pytest.mark.parametrize(
    ("game", "pieces"),
    [
        (chess, "Q"),
        (atomic, "Q"),
        (atomic, "BN"),
        (chess, "NN"),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in product((chess, atomic), "NBR")),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((atomic, "NN"), (chess, "Nq"), (chess, "Br"))),
    ],
)
def test_there_is_a_mate_where_a_side_may_win(game: Chess, pieces: str) -> None:
    """And none where it may not, as all positions show."""
    assert (next(mates(game, pieces), None) is not None) == game.has_enough(placed(pieces), 0)


@pytest.mark.slow
def test_knights_and_bishops_of_antichess() -> None:
    """As all positions with a piece on each side show: who can get rid of theirs, with the other's help."""
    for white, black in ("Nn", "Bb"):
        after: dict[Situation, list[Situation]] = {}
        won: list[set[Situation]] = [set(), set()]
        for one, other, turn in product(range(64), range(64), (0, 1)):
            cells = bytearray([EMPTY]) * 64
            cells[one], cells[other] = ord(white), ord(black)
            if one == other:
                continue
            at = Situation(bytes(cells), turn)
            after[at] = []
            for move in antichess.find(at):
                then = antichess.situation(at, antichess.carry_out(at, move), move)
                after[at].append(then)
                if then.cells.count(EMPTY) == 63:
                    won[1 - turn].add(at)
        before: dict[Situation, list[Situation]] = {}
        for at, found in after.items():
            for each in found:
                before.setdefault(each, []).append(at)
        for seat in (0, 1):
            todo = list(won[seat])
            while todo:
                for each in before.get(todo.pop(), ()):
                    if each not in won[seat]:
                        won[seat].add(each)
                        todo.append(each)
            quiet = [at for at, found in after.items() if all(each.cells.count(EMPTY) == 62 for each in found)]
            wrong = [at for at in quiet if antichess.has_enough(at, seat) != (at in won[seat])]
            assert all(antichess.has_enough(at, seat) for at in won[seat])
            assert not wrong, (white, black, seat, len(wrong), wrong[:1])


def test_bishops_that_never_meet_are_a_draw_in_antichess() -> None:
    position = position_of(antichess, "b7/8/8/8/8/8/8/B7 w - -")
    assert antichess.outcome(position) == Outcome((1, 1), "bare")
    assert EARLIER["antichess/1"].outcome(position) is None


def test_men_that_cannot_cross_the_river() -> None:
    start = xiangqi.start(2, {})
    bare = replace(start, cells="".join("." if mark in "rhcs" else mark for mark in start.cells))
    assert [may_win(xiangqi, bare, seat) for seat in (0, 1)] == [True, False]
    assert may_win(EARLIER["xiangqi/1"], bare, 1)


def test_each_earlier_version_is_of_a_game_and_older() -> None:
    for rules, game in EARLIER.items():
        name, _, number = rules.partition("/")
        now, (today, version) = games()[name], games()[name].info.rules.split("/")
        assert (today, game.info.rules, game.info.name) == (name, rules, name)
        assert int(number) < int(version)
        assert replace(game.info, rules=now.info.rules) == now.info
        position = game.start(2, {})
        assert list(game.moves(position)) == list(now.moves(position))


def test_no_version_is_lost() -> None:
    """Whatever a board of any club was begun under can be played on."""
    for name, game in games().items():
        for number in range(1, int(game.info.rules.split("/")[1])):
            assert f"{name}/{number}" in EARLIER
