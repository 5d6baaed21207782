"""Antichess, atomic chess and crazyhouse as drawn positions, counted trees, a second engine, and a slow one."""

from functools import partial
from random import Random
from typing import Any, cast

import pytest

from pbmserv.games import chess as rules
from pbmserv.games.chess import MOST_PLIES, Position, antichess, atomic, crazyhouse, legal_moves
from pbmserv.games.chess_moves import BOARD, in_passing
from pbmserv.games.chess_notation import in_short
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished
from tests.every import for_each
from tests.games.by_hand import figure_of, played, written
from tests.games.chess_positions import START, position_of, tree
from tests.games.second_engine import SecondEngine, play_random_games
from tests.games.test_chess import names, play_beside

ANTI, ATOM, HOUSE = (cast(Game, game) for game in (antichess, atomic, crazyhouse))
NOBODY = (0, 0, 0, 0, 0)
ALL = (1, 1, 1, 1, 1)


def cell(name: str) -> int:
    return BOARD.numbers[name]


def dropping(text: str, white: tuple[int, ...], black: tuple[int, ...] = NOBODY, **more: Any) -> Position:
    """A position of crazyhouse with these pieces beside the board."""
    return position_of(crazyhouse, text, hands=(white, black), **more)


# Published trees, most of them of the lichess servers' own tests.
ATOMIC_TREES = {
    START: [20, 400, 8902, 197326],
    "rn2kb1r/1pp1p2p/p2q1pp1/3P4/2P3b1/4PN2/PP3PPP/R2QKB1R b KQkq -": [40, 1238, 45237],
    "rn1qkb1r/p5pp/2p5/3p4/N3P3/5P2/PPP4P/R1BQK3 w Qkq -": [28, 833, 23353],
    # Published as 180, 4364 and 282, 6753. Ours ends where nobody can win, as a rook and a king against a king.
    "8/8/8/8/8/8/2k5/rR4KR w KQ -": [18, 172, 4256],
    "r3k1rR/5K2/8/8/8/8/8/8 b kq -": [25, 275, 6643],
    "Rr2k1rR/3K4/3p4/8/8/8/7P/8 w kq -": [21, 465, 10631],
}


@pytest.mark.parametrize("text", ATOMIC_TREES)
@pytest.mark.parametrize("plies", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_trees_of_atomic(text: str, plies: int) -> None:
    counts = ATOMIC_TREES[text][: 1 if plies == 2 and text != START else plies]
    assert tree(atomic, position_of(atomic, text), len(counts)) == counts


def test_trees_of_antichess() -> None:
    assert tree(antichess, antichess.start(2, {}), 2) == [20, 400]


@pytest.mark.slow
def test_deeper_trees() -> None:
    assert tree(antichess, antichess.start(2, {}), 4) == [20, 400, 8067, 153299]
    assert tree(crazyhouse, crazyhouse.start(2, {}), 4) == [20, 400, 8902, 197281]


def test_trees_of_crazyhouse() -> None:
    assert tree(crazyhouse, dropping("2k5/8/8/8/8/8/8/4K3 w - -", ALL, ALL), 1) == [301]


@pytest.mark.slow
def test_a_tree_with_drops() -> None:
    assert tree(crazyhouse, dropping("2k5/8/8/8/8/8/8/4K3 w - -", ALL, ALL), 2) == [301, 75353]


def test_who_can_capture_must() -> None:
    here = position_of(antichess, "8/8/2p5/8/p1R5/8/1P6/8 w - -")
    assert written(ANTI, here) == {"C4xC6", "C4xA4"}
    with pytest.raises(Illegal) as caught:
        antichess.read(here, "b2-b3")
    assert caught.value.rule == rules.SAFE
    here = played(ANTI, position_of(antichess, "8/8/8/8/3p4/8/4P3/R7 w - -"), "e2-e4")
    assert written(ANTI, here) == {"D4xE3"}


def test_kings_are_pieces_like_others() -> None:
    here = position_of(antichess, "8/8/8/8/8/2k5/1K6/R3K3 w Q -")
    assert written(ANTI, here) == {"B2xC3"}
    assert "E7-E8=KING" in written(ANTI, position_of(antichess, "8/4P3/8/8/8/8/8/7p w - -"))
    here = position_of(antichess, "8/4P3/8/8/8/8/8/7p w - -")
    assert antichess.write(here, antichess.read(here, "e8=k")) == "E7-E8=KING"


@for_each(
    ("text", "typed", "ended"),
    [
        ("8/8/8/8/8/2p5/1P6/8 w - -", "bxc3", Outcome((2, 1), "goal")),
        ("8/7p/8/p7/8/P7/8/8 w - -", "a4", None),
        ("8/8/8/p7/8/P7/8/8 w - -", "a4", Outcome((2, 1), "stalemate")),
        ("8/8/8/8/8/8/1p6/R7 b - -", "bxa1=n", Outcome((1, 2), "goal")),
    ],
)
def test_endings_of_antichess(text: str, typed: str, ended: Outcome | None) -> None:
    assert antichess.outcome(played(ANTI, position_of(antichess, text), typed)) == ended


BLAST = "4k3/8/1q6/1pp5/2b5/3N4/8/4K3 w - -"


def test_a_capture_blows_up_what_is_around() -> None:
    here = position_of(atomic, BLAST)
    after, events = atomic.play(here, atomic.read(here, "Nxc5"))
    assert (
        figure_of(atomic.scene(after)).split()
        == figure_of(atomic.scene(position_of(atomic, "4k3/8/8/1p6/8/8/8/4K3 b - -"))).split()
    )
    assert events == (
        Event("moved", 0, (cell("D3"), cell("C5")), "knight"),
        Event("captured", 1, (cell("C5"),), "pawn"),
        Event("captured", 0, (cell("C5"),), "knight"),
        Event("captured", 1, (cell("B6"),), "queen"),
        Event("captured", 1, (cell("C4"),), "bishop"),
    )
    assert atomic.scene(after).captured == tuple(map(cell, ("C5", "B6", "C4")))


def test_a_capture_in_passing_blows_up_around_where_the_pawn_would_stand() -> None:
    here = played(ATOM, position_of(atomic, "4k3/3p4/2n5/4P3/3N4/8/8/4K3 b - -"), "d7-d5")
    after = played(ATOM, here, "exd6")
    assert set(figure_of(atomic.scene(after)).split()) == {".", "k", "K", "N"}


def test_rooks_that_are_blown_up_castle_no_more() -> None:
    here = position_of(atomic, "r3k2r/8/8/8/8/8/6nq/R3K2R w KQkq -")
    assert here.at.rights == tuple(map(cell, ("A1", "A8", "H1", "H8")))
    assert played(ATOM, here, "Rxh2").at.rights == tuple(map(cell, ("A1", "A8", "H8")))
    here = position_of(atomic, "r3k1nr/8/8/8/6Q1/8/8/R3K2R w KQkq -")
    assert played(ATOM, here, "Qxg8").at.rights == tuple(map(cell, ("A1", "A8", "H1")))


@for_each(
    ("text", "able", "unable"),
    [
        ("4k3/8/8/8/8/8/3p4/4K3 w - -", "", "E1xD2"),  # a king cannot capture
        ("4k3/8/8/8/8/3p4/4P3/4K3 w - -", "E2-E3 E2xD3", "E1xE2"),
        ("4k3/3r4/8/8/8/8/4Q3/4K2r w - -", "E2xE8", "E1-D1"),  # in check it may blow up the other king
        ("8/7p/8/8/8/8/3k4/r3K3 w - -", "E1-F2", ""),
        ("8/7p/8/8/4k3/8/r7/4K3 w - -", "E1-D1", "E1-E2"),
        ("r7/7p/8/8/8/4k3/8/4K3 w - -", "E1-D2 E1-E2 E1-F2 E1-D1", ""),
    ],
)
def test_what_kings_may_do_in_atomic(text: str, able: str, unable: str) -> None:
    legal = written(ATOM, position_of(atomic, text))
    assert set(able.split()) <= legal
    assert not legal & set(unable.split())


def test_a_king_that_a_capture_beside_it_would_blow_up_is_not_in_check() -> None:
    here = played(ATOM, position_of(atomic, START), "Nf3 d5 Ne5")
    assert not atomic.is_check(here.at)
    assert "G8-F6" in written(ATOM, here)


def test_nobody_blows_up_the_own_king() -> None:
    here = position_of(atomic, "4k3/8/8/8/8/8/8/R2rK3 w - -")
    assert "A1xD1" not in written(ATOM, here)
    with pytest.raises(Illegal) as caught:
        atomic.read(here, "Rxd1")
    assert caught.value.rule == rules.SAFE


@for_each(
    ("text", "typed", "ended"),
    [
        (START, "Nf3 d5 Ne5 Nf6 Nxf7", Outcome((1, 2), "king")),
        ("7k/1R6/8/8/8/8/8/R3K3 w - -", "Ra8", Outcome((1, 2), "mate")),
        ("7k/8/6K1/8/8/8/P7/1R6 w - -", "Rb8", None),
        ("7k/8/8/8/8/8/6q1/R5NK b - -", "Qxg1", Outcome((2, 1), "king")),
        ("7k/8/8/8/8/2q5/1Q6/K7 w - -", "Ka2", None),
        ("7k/8/8/8/8/2q5/8/2Q1K3 w - -", "Qxc3", Outcome((1, 1), "bare")),
    ],
)
def test_endings_of_atomic(text: str, typed: str, ended: Outcome | None) -> None:
    assert atomic.outcome(played(ATOM, position_of(atomic, text), typed)) == ended


def test_what_is_captured_is_in_hand_and_can_be_dropped() -> None:
    here = played(HOUSE, crazyhouse.start(2, {}), "e4 d5 exd5 Qxd5")
    assert here.at.hands == ((1, 0, 0, 0, 0), (1, 0, 0, 0, 0))
    hand = crazyhouse.scene(here).hands[0]
    assert [(piece.text, piece.kind, piece.seat, count) for piece, count in hand] == [("P", "chess/pawn", 0, 1)]
    after, events = crazyhouse.play(here, crazyhouse.read(here, "P@e4"))
    assert events == (Event("placed", 0, (cell("E4"),), "pawn"),)
    assert after.at.hands == (NOBODY, (1, 0, 0, 0, 0))
    assert crazyhouse.scene(after).marked == (cell("E4"),)


@for_each("typed", ["knight-f3", "KNIGHT F3", "knightf3", "N@f3", "n@F3", "N@f3+"])
def test_reading_drops(typed: str) -> None:
    here = dropping("4k3/8/8/8/8/8/8/4K1N1 w - -", (0, 1, 0, 0, 0))
    move = crazyhouse.read(here, typed)
    assert (crazyhouse.write(here, move), crazyhouse.san(here, move)) == ("KNIGHT-F3", "N@f3")
    assert crazyhouse.write(here, crazyhouse.read(here, "Nf3")) == "G1-F3"


def test_a_piece_that_is_named_is_dropped_and_never_moved() -> None:
    here = dropping("4k3/8/8/8/8/8/8/4K1N1 w - -", NOBODY)
    for typed in ("knight-f3", "N@f3"):
        with pytest.raises(Illegal):
            crazyhouse.read(here, typed)
    with pytest.raises(Illegal) as caught:
        crazyhouse.read(dropping("4k3/8/8/8/8/8/8/4K1N1 w - -", ALL), "pawn-f8")
    assert caught.value.rule == rules.MORE
    with pytest.raises(Unfinished):
        crazyhouse.read(dropping("4k3/8/8/8/8/8/8/4K1N1 w - -", ALL), "queen")


def test_drops_stop_checks_and_keep_off_the_last_rows() -> None:
    here = dropping("4r1k1/8/8/8/8/8/8/4K3 w - -", (1, 1, 0, 0, 0))
    drops = {text for text in written(HOUSE, here) if len(text) > 5}
    assert drops == {
        *(f"PAWN-E{row}" for row in range(2, 8)),
        *(f"KNIGHT-E{row}" for row in range(2, 8)),
    }
    here = dropping("4r1k1/8/8/8/8/3n4/8/4K3 w - -", (1, 1, 0, 0, 0))
    assert all(text.startswith("E1") for text in written(HOUSE, here))
    pawns = {
        text for text in written(HOUSE, dropping("k7/8/8/8/8/8/8/K7 w - -", (1, 0, 0, 0, 0))) if "PAWN" in text
    }
    assert len(pawns) == 48


def test_a_promoted_piece_is_a_pawn_again_in_hand() -> None:
    here = played(HOUSE, dropping("1r2k3/P7/8/8/8/8/8/4K3 w - -", NOBODY), "axb8=q Kd7")
    assert here.at.promoted == {cell("B8")}
    here = played(HOUSE, here, "Qb7 Ke8 Qb8 Kd7")
    assert here.at.promoted == {cell("B8")}
    taken = played(
        HOUSE, dropping("1Q1rk3/8/8/8/8/8/8/4K3 b - -", NOBODY, promoted=frozenset({cell("B8")})), "Rxb8"
    )
    assert (taken.at.hands[1], taken.at.promoted) == ((1, 0, 0, 0, 0), frozenset())


def test_nobody_castles_with_a_rook_that_was_dropped() -> None:
    here = dropping("k7/8/8/3b4/8/6N1/8/4K2R w K -", (0, 0, 0, 1, 0))
    assert "E1-H1" in written(HOUSE, here)
    here = dropping("k7/8/8/3b4/8/6N1/8/4K2R b K -", (0, 0, 0, 1, 0))
    here = played(HOUSE, here, "Bxh1 Nxh1 Kb8 Ng3 Ka8 rook-h1 Kb8")
    assert "E1-H1" not in written(HOUSE, here)


def test_mate_can_be_dropped_and_can_be_stopped_by_a_drop() -> None:
    here = dropping("6rk/6pp/8/8/8/8/8/4K3 w - -", (0, 1, 0, 0, 0))
    assert crazyhouse.outcome(played(HOUSE, here, "knight-f7")) == Outcome((1, 2), "mate")
    here = dropping("7k/6pp/8/8/8/8/8/R3K3 w - -", NOBODY, (0, 0, 0, 1, 0))
    assert crazyhouse.outcome(played(HOUSE, here, "Ra8")) is None


def test_crazyhouse_ends_after_very_many_plies() -> None:
    start = crazyhouse.start(2, {}).at
    seen = tuple(start._replace(passing=number) for number in range(MOST_PLIES - 1))
    here = Position(start, seen=seen)
    assert crazyhouse.outcome(here) is None
    assert crazyhouse.outcome(played(HOUSE, here, "e2e4")) == Outcome((1, 1), "exhausted")


def house_names(here: Position, move: Move) -> tuple[str, ...]:
    """They have letters of their own for promoted pieces. Signs of check are left out."""
    text = in_short(here.at, move, legal_moves(crazyhouse, here.at))
    source, target = move[:2]
    if isinstance(source, str) or text[0] not in "QRBN":
        return (text,)
    at = here.at
    letter = {"Q": "E", "R": "C", "B": "A", "N": "H"}[text[0]] if source in at.promoted else text[0]

    def is_alike(other: Move) -> bool:
        first = other[0]
        return (
            isinstance(first, int)
            and other[1] == target
            and at.cells[first] == at.cells[source]
            and (first in at.promoted) == (source in at.promoted)
        )

    name = BOARD.names[source].lower()
    alike = [BOARD.names[int(each[0])].lower() for each in legal_moves(crazyhouse, here.at) if is_alike(each)]
    column, row = (sum(each[place] == name[place] for each in alike) for place in (0, 1))
    apart = "" if len(alike) == 1 else name[0] if column == 1 else name[1] if row == 1 else name
    takes = "x" if "x" in text else ""
    return (f"{letter}{apart}{takes}{BOARD.names[int(target)].lower()}",)


ANTI_ENGINE = SecondEngine(
    ANTI,
    "antichess",
    partial(names, antichess),
    # They don't demand captures in passing, and leave them out where others are demanded.
    is_apart=lambda here: bool(in_passing(here.at)),
    # Bishops that can never meet are a draw with us at once.
    our_limits=("bare",),
    players=(1, 0),
)
HOUSE_ENGINE = SecondEngine(
    HOUSE,
    "crazyhouse",
    house_names,
    our_limits=("exhausted",),
    spelled=lambda name: name.rstrip("+#"),
    players=(1, 0),
)


@pytest.mark.parametrize("plies", [60, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees_on_antichess(plies: int) -> None:
    assert play_random_games(ANTI_ENGINE, plies) >= 1


@pytest.mark.slow
def test_a_second_engine_agrees_on_crazyhouse() -> None:
    assert play_random_games(HOUSE_ENGINE, 20_000) > 1


@pytest.mark.parametrize("plies", [10, pytest.param(3000, marks=pytest.mark.slow)])
def test_a_slow_engine_agrees_on_atomic(plies: int) -> None:
    random, done = Random(f"atomic {plies}"), 0
    while done < plies:
        done += play_beside(atomic, {}, "atomic", 518, random, plies)
