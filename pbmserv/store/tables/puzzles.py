"""Puzzles that were found in finished games, how far these were looked through, and who has tried which puzzle."""

from sqlalchemy import JSON, Boolean, Column, ForeignKey, Integer, String, Table

from pbmserv.store.tables.columns import RowId, UtcDateTime, metadata

# Nothing tells which board a puzzle is from, or who played there.
puzzles = Table(
    "puzzles",
    metadata,
    # Counted from 1; people type a higher number (`store.puzzles`).
    Column("id", RowId, primary_key=True),
    Column("game", String(40), nullable=False, index=True),
    Column("options", JSON, nullable=False),
    # The moves that lead to the position, in stored notation.
    Column("moves", JSON, nullable=False),
    Column("best", String(200), nullable=False),
    # How the game may go on after the best move.
    Column("line", JSON, nullable=False),
    # Each other move with the best answer to it.
    Column("replies", JSON, nullable=False),
    Column("wins", Boolean, nullable=False),
    Column("found_at", UtcDateTime, nullable=False),
)

puzzle_tries = Table(
    "puzzle_tries",
    metadata,
    Column("player_id", RowId, ForeignKey("players.id"), primary_key=True, autoincrement=False),
    # Of a puzzle in `puzzles`, or of one that comes with the program.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("sent_at", UtcDateTime, nullable=False),
    Column("by_week", Boolean, nullable=False),
    # How often they answered with a legal move until it was solved or shown.
    Column("tries", Integer, nullable=False),
    Column("solved_at", UtcDateTime),
    # When they asked for the solution, without having found it.
    Column("shown_at", UtcDateTime),
)

# One row: the finished match that is being looked through, and the ply that is next.
puzzle_search = Table(
    "puzzle_search",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    # When that match ended.
    Column("at", UtcDateTime, nullable=False),
    Column("match", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
)
