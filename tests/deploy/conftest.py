"""A terminal in an empty folder, as for the command line."""

from tests.cli.conftest import club, terminal

__all__ = ["club", "terminal"]
