"""Fixtures of the rendering's tests."""

from tests.commands.conftest import second_game as second_game
