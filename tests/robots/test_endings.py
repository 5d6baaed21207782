"""The strongest robot in endings that are proven: it lets no win slip."""

from collections import Counter
from itertools import islice

import pytest

from pbmserv.games.cephalopod import Position
from pbmserv.games.game import Move
from tests.robots.endings import GAME, ProvenEnding, endings, kept, move_of, prove_again, proven

QUICK = 1_500
"""Nodes of a proof that a test does by the way."""

MANY = 10_000

DECIDED = [each for each in endings() if each.verdict != "open"]
WON = [each for each in DECIDED if each.verdict == "won"]


def wins_by_the_rules(position: Position) -> bool:
    """The same question by the game's own rules, without any cleverness."""
    outcome = GAME.outcome(position)
    if outcome is not None:
        return outcome.ranks[position.turn] == 1
    return any(_loses(position, move) for move in GAME.moves(position))


def _loses(position: Position, move: Move) -> bool:
    after, _ = GAME.play(position, move)
    outcome = GAME.outcome(after)
    return outcome.ranks[position.turn] == 1 if outcome else not wins_by_the_rules(after)


def test_the_endings() -> None:
    """Two hundred, of which three quarters at least are decided; both sides win often."""
    assert Counter(each.size for each in endings()) == {"3x5": 100, "5x5": 100}
    assert len(DECIDED) >= 150
    assert 50 < len(WON) < len(DECIDED) - 50


def test_proofs_agree_with_the_rules() -> None:
    """Where one square is empty: every position that comes up on the way there, with who wins it."""
    seen = Counter[bool]()
    for ending in islice(endings(), 0, None, 10):
        position = ending.position
        ply = 0
        while GAME.to_move(position) is not None:
            if position.pips.count(0) == 1:
                verdict, _ = proven(position)
                seen[is_won := verdict == "won"] += 1
                assert is_won == wins_by_the_rules(position)
            moves = list(GAME.moves(position))
            position, _ = GAME.play(position, moves[(7 * ply + ending.number) % len(moves)])
            ply += 1
    assert min(seen[True], seen[False]) > 10


@pytest.mark.parametrize("ending", [each for each in DECIDED if each.nodes <= QUICK], ids=lambda each: each.name)
@pytest.mark.sampled(4)
def test_short_proofs_again(ending: ProvenEnding) -> None:
    """They come to the same, node for node."""
    assert prove_again(ending)[1]


@pytest.mark.soak
@pytest.mark.parametrize("ending", DECIDED[::29], ids=lambda each: each.name)
def test_long_proofs_again(ending: ProvenEnding) -> None:
    """A few of all."""
    assert prove_again(ending)[1]


@pytest.mark.parametrize("ending", [each for each in WON if each.nodes <= MANY][:12], ids=lambda each: each.name)
@pytest.mark.sampled(2)
def test_no_win_slips(ending: ProvenEnding) -> None:
    """`make bench-robots` tries all of them."""
    move = move_of("master", ending)
    assert kept(ending, move, 20_000) != "slipped", (
        f"{GAME.write(ending.position, move)} after {' '.join(ending.moves)}"
    )
