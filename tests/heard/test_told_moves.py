"""Letters in which a move is told, corrected or denied: each answers a board, and does nothing wrong.

`told_moves*.toml` hold them: `language`, `game`, `before` (the moves on the board, parted by blanks), `text`, and
what it brings: `expect` is "play Nf3", "ask" or "nothing".
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.games import games
from pbmserv.matches.moves import play
from pbmserv.services.app import App
from pbmserv.store import matches
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import Clock
from tests.every import every
from tests.services.post import Post, board_of

FILES = sorted(Path(__file__).parent.glob("told_moves*.toml"))
PEOPLE = {"alice": "alice@example.org", "bob": "bob@example.org"}
FIRST = 101
ENOUGH = 0.9


@dataclass(frozen=True)
class Told:
    """A letter of a file."""

    language: str
    game: str
    before: str
    text: str
    expect: str


def told() -> Iterator[Told]:
    """All letters of all files."""
    for file in FILES:
        for letters in tomllib.loads(file.read_text()).values():
            yield from (Told(**letter) for letter in letters)


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and Bob, at no board yet."""
    post = Post(sqlite_house, clock)
    post.people(alice="sesame", bob="poppy")
    return post


def begin(club: Post, game: str, before: str, number: int) -> QueuedMessage:
    """The letter to the player on turn about a new board that stands so. Only the last move comes by mail."""
    club.clock.move(hours=3)
    if number > FIRST:
        club.mail(PEOPLE["alice"], f"resign {number - 1}")
    letters = club.mail(PEOPLE["alice"], f"{game} challenge alice bob")
    board, moves = board_of(club, number), before.split()
    with writing(club.house.engine) as connection:
        for text in moves[:-1]:
            entry = play(board, board.state.to_move or 0, text, None, club.clock())
            board = board.apply(entry)
            decision = Decision(MovePlayed(number, entry.text), entries=(entry,), boards=(board,))
            matches.write(connection, decision)
    for text in moves[-1:]:
        club.clock.move(minutes=1)
        letters = club.mail(PEOPLE[board.match.userids[board.state.to_move or 0]], f"move {number} {text}")
    board = board_of(club, number)
    on_turn = PEOPLE[board.match.userids[board.state.to_move or 0]]
    club.clock.move(minutes=1)
    return next(letter for letter in reversed(letters) if letter.recipient == on_turn)


@pytest.mark.slow
def test_told_moves(club: Post) -> None:
    """None is wrong, and nine of ten that are told plainly are played."""
    number, plain, played = FIRST - 1, 0, 0

    def check(letter: Told) -> None:
        nonlocal number, plain, played
        number += 1
        asked = begin(club, letter.game, letter.before, number)
        before = board_of(club, number)
        club.answer(asked, letter.text)
        after = board_of(club, number).match.entries[len(before.match.entries) :]
        word, _, move = letter.expect.partition(" ")
        if word == "play":
            game, position = games()[letter.game], before.state.position
            plain += 1
            played += len(after)
            meant = game.write(position, game.read(position, move))
            assert [(entry.kind, entry.text) for entry in after] in ([], [("played", meant)])
        else:
            assert [(entry.kind, entry.text) for entry in after] == []

    every(told(), check)
    assert played >= ENOUGH * plain, f"{played} of {plain}"
