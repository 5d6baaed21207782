"""Random games played by us and by a second engine, `open_spiel`: the same legal moves at each ply, the same end.

A game says what the other engine calls it and its moves: a move of ours is one or more actions there, each as
`action_to_string` writes it. Differences are allowed only by name, as limits and draws of one of the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from pbmserv.games.game import Move


@dataclass(frozen=True, slots=True)
class SecondEngine:
    """A game of ours, and how it is called there."""

    game: Any
    """A `Game`: a module, or an object of a family, which mypy does not take for one as its `info` is frozen."""
    theirs: str
    """As `pyspiel.load_game` takes it: `go(board_size=9,komi=7.5)`."""
    names: Callable[[Any, Move], tuple[str, ...]]
    """What they call a move in a position of ours: one action, or several of the same player."""
    options: Mapping[str, str] = field(default_factory=dict)
    opening: tuple[str, ...] = ()
    """Moves of ours with which every game begins."""
    passes: tuple[str, ...] = ()
    """What they call a forced pass, which is no ply with us."""
    our_limits: tuple[str, ...] = ()
    """Reasons for which a game of ours may be over before theirs is."""
    their_limit: Callable[[Any, Any], bool] = lambda _position, _state: False
    """Whether a game of theirs may be over here by a rule that we do not have: asked of both positions."""
    is_extra: Callable[[Any, Any, int], bool] = lambda _position, _state, _action: False
    """Whether an action of theirs is known to be no move with us: asked of both positions."""
    is_apart: Callable[[Any], bool] = lambda _position: False
    """Whether a game cannot be compared any further, for a known fault of theirs."""
    spelled: Callable[[str], str] = lambda name: name
    """What of their names is compared."""
    begin: Callable[[Any], Any] = lambda their_game: their_game.new_initial_state()
    """Their first state."""
    players: tuple[int, ...] = (0, 1)
    """The numbers that our seats have there: in chess White is their player 1."""


def play_random_games(engine: SecondEngine, plies: int, seed: str = "") -> int:
    """Plays whole games until there were so many plies; returns the number of games."""
    pyspiel: Any = pytest.importorskip("pyspiel")
    their_game, random = pyspiel.load_game(engine.theirs), Random(f"{engine.theirs} {seed}")
    played = games = 0
    while played < plies:
        played += _play_one(engine, engine.begin(their_game), random)
        games += 1
    return games


def _play_one(engine: SecondEngine, state: Any, random: Random) -> int:
    game, position, plies = engine.game, engine.game.start(2, engine.options), 0
    while True:
        _skip_passes(engine, state)
        outcome = game.outcome(position)
        if outcome is None and state.is_terminal():
            assert engine.their_limit(position, state), f"they end here, we do not:\n{state}"
            return plies
        if outcome is not None and not state.is_terminal():
            assert outcome.reason in engine.our_limits, f"we end here, they do not:\n{state}"
            return plies
        if outcome is not None:
            _compare_ends(engine, outcome.ranks, state)
            return plies
        if engine.is_apart(position):
            return plies
        assert engine.players[game.to_move(position)] == state.current_player(), state
        legal = {move: engine.names(position, move) for move in game.moves(position)}
        assert len(set(legal.values())) == len(legal)
        begins = plies < len(engine.opening)
        move = game.read(position, engine.opening[plies]) if begins else random.choice(list(legal))
        _step(engine, position, state, set(legal.values()), legal[move])
        position, _ = game.play(position, move)
        plies += 1


def _step(
    engine: SecondEngine, position: Any, state: Any, legal: set[tuple[str, ...]], move: tuple[str, ...]
) -> None:
    """Plays a move there, action by action, and compares what could be played at each."""
    for count, name in enumerate(move):
        ours = {each[count] for each in legal if each[:count] == move[:count]}
        theirs = {engine.spelled(name): action for name, action in _actions(state).items()}
        extra = [theirs[each] for each in theirs.keys() - ours]
        assert ours <= theirs.keys(), f"{ours - theirs.keys()} after {move[:count]}:\n{state}"
        assert all(engine.is_extra(position, state, action) for action in extra), f"{extra}:\n{state}"
        state.apply_action(theirs[name])


def _actions(state: Any) -> dict[str, int]:
    player = state.current_player()
    return {state.action_to_string(player, action): action for action in state.legal_actions()}


def _skip_passes(engine: SecondEngine, state: Any) -> None:
    while engine.passes and not state.is_terminal():
        actions = _actions(state)
        if len(actions) != 1 or not actions.keys() <= set(engine.passes):
            return
        state.apply_action(*actions.values())


def _compare_ends(engine: SecondEngine, ranks: tuple[int, ...], state: Any) -> None:
    """Ranks are the order of what they return."""
    returns = [state.returns()[player] for player in engine.players]
    assert list(ranks) == [1 + sum(other > value for other in returns) for value in returns], state
