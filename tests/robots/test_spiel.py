"""The search of open_spiel as a robot, where that is installed."""

from typing import Any

import pytest

from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.rendering.templates import render
from pbmserv.robots import spiel
from pbmserv.robots.levels import level_of

pytest.importorskip("pyspiel")

SERVER = Server(address="pbmserv@club.test")
FOUR: Any = games()["four-in-a-row"]


def position_after(*moves: str) -> Any:
    """The board after these moves."""
    position = FOUR.start(2, {})
    for text in moves:
        position, _ = FOUR.play(position, FOUR.read(position, text))
    return position


def test_is_the_master_of_its_game_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other rungs, and all other games, keep to our own search; the help tells of it."""
    assert not spiel.serves(FOUR)
    assert "open_spiel" not in render("help/robots.txt", game=FOUR.info, server=SERVER)
    monkeypatch.setattr(spiel, "is_installed", lambda: True)
    assert "by the search of open_spiel" in render("help/robots.txt", game=FOUR.info, server=SERVER)
    assert level_of("master", FOUR, FOUR.start(2, {})).thinker is spiel  # type: ignore[union-attr]
    assert level_of("club", FOUR, FOUR.start(2, {})).thinker is not spiel  # type: ignore[union-attr]
    assert not any(spiel.serves(game) for name, game in games().items() if name != "four-in-a-row")


def test_plays_whole_games_by_the_rules() -> None:
    """Every move is legal in ours, all the way; the same seed thinks the same."""
    for seed in range(3):
        position, ply = FOUR.start(2, {}), 0
        while FOUR.to_move(position) is not None:
            thought = spiel.think(FOUR, position, seed * 100 + ply, 60)
            assert thought == spiel.think(FOUR, position, seed * 100 + ply, 60)
            assert {each.move for each in thought.candidates} <= set(FOUR.moves(position))
            assert all(0 <= value <= 1 for value in thought.values)
            position, _ = FOUR.play(position, thought.candidates[0].move)
            ply += 1


@pytest.mark.parametrize(("moves", "wanted"), [("d1 a1 d2 a2 d3 b1", "d4"), ("a1 d1 a2 d2 b1 d3", "d4")])
def test_wins_in_one_and_stops_a_loss_in_one(moves: str, wanted: str) -> None:
    """Whoever is to move needs D4: to have four, or to keep the other from it."""
    position = position_after(*moves.split())
    thought = spiel.think(FOUR, position, 1, 2000)
    assert FOUR.write(position, thought.candidates[0].move).lower() == wanted
