"""The laws of how games go and end, and of what happens at each ply."""

from itertools import islice
from random import Random
from typing import Any, Final, cast, get_args

from pbmserv.games.game import Event, EventKind, ManySeats, Outcome, Reason, Seat, may_win
from pbmserv.rendering.news import changes_in
from pbmserv.rendering.templates import sentence_of
from pbmserv.services.laws.setups import VERY_MANY, Setup, any_move, board_of, chance, reached, some_moves

MOST_PLIES: Final = 5000
LOOKS: Final = 3
"""How many positions of a playout are looked at closely."""


def check_position(setup: Setup, position: Any, random: Random) -> None:
    """What holds of every position and of its moves, of which some are played."""
    game, before = setup.game, (repr(position), hash(position))
    seat, outcome = game.to_move(position), game.outcome(position)
    legal = list(islice(game.moves(position), VERY_MANY))
    assert (seat is None) != (outcome is None)
    assert bool(legal) == (seat is not None)
    assert seat is None or seat in range(setup.seats)
    assert list(islice(game.moves(position), VERY_MANY)) == legal
    assert len(set(legal)) == len(legal)
    for move in some_moves(game, position, random):
        after, events = game.play(position, move)
        assert (after, events) == game.play(position, move)
        assert after != position
        assert hash(after) == hash(game.play(position, move)[0])
        check_events(setup, position, events)
    assert (repr(position), hash(position)) == before


def check_events(setup: Setup, position: Any, events: tuple[Event, ...]) -> None:
    """Something happened, to a seat and to cells that there are; and what the players on turn did is the first."""
    names = board_of(setup.game, position).names
    every = range(len(names))
    assert events
    assert isinstance(events, tuple)
    for event in events:
        assert event.kind in get_args(EventKind)
        assert event.seat in range(setup.seats)
        assert all(type(cell) is int and cell in every for cell in event.cells)
        assert event.piece.isascii()
        assert event.count >= 0
        assert len(set(event.cells)) == len(event.cells) or event.kind in ("moved", "sown")
        assert bool(event.cells) or event.kind in ("passed", "swapped", "scored", "eliminated", "left", "changed")
        assert len(event.cells) >= 2 or event.kind != "moved"
        assert event.count > 0 or event.kind not in ("sown", "scored")
        assert event.piece or event.kind != "promoted"
        assert event.kind != "left"
    for change in changes_in(setup.game.info.name, names, events, ["one", "two"] * setup.seats):
        assert all(sentence_of(change, reader).endswith((".", "!")) for reader in ("one", "two"))


def check_outcome(setup: Setup, outcome: Outcome | None, gone: list[Seat]) -> None:
    """Ranks as after a race: from 1, ties sharing the better one, those who have gone last; and why."""
    assert outcome is not None
    ranks, scores = outcome.ranks, outcome.scores
    assert len(ranks) == setup.seats
    assert len(scores) in (0, setup.seats)
    assert outcome.reason in get_args(Reason)
    assert list(ranks) == [1 + sum(other < rank for other in ranks) for rank in ranks]
    stayed = [seat for seat in range(setup.seats) if seat not in gone]
    worst = max(ranks[seat] for seat in stayed)
    assert all(ranks[seat] > worst for seat in gone)
    assert (outcome.reason == "alone") == (len(stayed) == 1)
    assert ranks.count(1) > 1 or outcome.reason != "draw"
    assert ranks.count(1) == 1 or outcome.reason not in ("score", "goal")
    assert ranks.count(1) == 1 or outcome.reason not in ("score", "goal", "mate", "king", "checks", "perpetual")
    if outcome.reason == "score":
        assert scores
        assert sorted(stayed, key=lambda seat: ranks[seat]) == sorted(stayed, key=lambda seat: -scores[seat])


def check_playout(setup: Setup) -> Any:
    """A random game ends as games end, and its texts lead to the same end again, which it gives.

    Whoever has won alone could always still win.
    """
    game, random = setup.game, chance(f"playout of {setup}")
    position = setup.start()
    texts: list[str] = []
    gone: list[Seat] = []
    while (seat := game.to_move(position)) is not None:
        assert seat in range(setup.seats)
        assert seat not in gone
        assert len(texts) < MOST_PLIES
        move = any_move(game, position, random)
        texts.append(game.write(position, move))
        position, events = game.play(position, move)
        gone += [event.seat for event in events if event.kind == "eliminated"]
    check_position(setup, position, random)
    outcome = game.outcome(position)
    check_outcome(setup, outcome, gone)
    won = [seat for seat, rank in enumerate(outcome.ranks if outcome else ()) if rank == 1]
    assert len(set(gone)) == len(gone) < setup.seats

    looks = {0, *random.sample(range(len(texts)), min(LOOKS, len(texts)))}
    again = setup.start()
    for ply, text in enumerate(texts):
        if ply in looks:
            check_position(setup, again, random)
        assert len(won) > 1 or may_win(game, again, won[0])
        again, _ = game.play(again, game.read(again, text))
    assert again == position
    assert hash(again) == hash(position)
    return position


def check_leaving(setup: Setup) -> None:
    """Players leave until one is alone, or the game is over, and the others play on."""
    game, random = cast(ManySeats, setup.game), chance(f"leaving {setup}")
    position = reached(setup, setup.seats * 3, random)
    inside = list(range(setup.seats))
    gone: list[Seat] = []
    while len(inside) > 1 and game.to_move(position) is not None:
        before = repr(position)
        leaver = random.choice(inside)
        was_on_turn = game.to_move(position)
        after, events = game.leave(position, leaver)
        assert repr(position) == before
        assert events[0] == Event("left", leaver)
        inside.remove(leaver)
        gone.append(leaver)
        out = [event.seat for event in events if event.kind == "eliminated"]
        inside = [seat for seat in inside if seat not in out]
        gone += out
        position = after
        if leaver != was_on_turn and game.to_move(position) is not None:
            assert game.to_move(position) == was_on_turn
        check_position(setup, position, random)
        assert game.to_move(position) in {*inside, None}
    check_outcome(setup, game.outcome(position), gone)
