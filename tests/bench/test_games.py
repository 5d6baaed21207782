"""Each game: random plies, and board mails in the middle of a game, as text, HTML and words, to move and to wait.

A mail of any game stays below 30 kB, and drawing it is at most linear in the cells of its board: what is printed
at the end are milliseconds, bytes, and microseconds a cell.
"""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from random import Random

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.board import view_board
from pbmserv.rendering.document import Document
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import render

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SERVER = Server("pbm@club.test", site_url="https://club.test")
ADDRESS = "pbm+abcdefghijklmnopqrst@club.test"
PLIES = 30
MOST_BYTES = 29_000
LOOKED_AT = 2000
"""Of more moves one of the first so many is played."""


def in_the_middle(name: str, plies: int = PLIES) -> GameState:
    """A board of a game after some random plies."""
    game, random = games()[name], Random(f"bench of {name}")
    position = game.start(2, {})
    entries: list[Entry] = []
    while len(entries) < plies and (seat := game.to_move(position)) is not None:
        move = random.choice(list(islice(game.moves(position), LOOKED_AT)))
        following = game.play(position, move)[0]
        if game.to_move(following) is None:
            break
        entries.append(Entry(101, len(entries) + 1, NOON, "played", seat, game.write(position, move), 0))
        position = following
    rules = game.info.rules
    match = Match(
        number=101,
        game=name,
        rules=rules,
        options=(),
        rated=True,
        userids=("alice", "bob"),
        started_by="alice",
        started=NOON,
    )
    return replay(replace(match, entries=tuple(entries)))


def letter(board: GameState, reader: str | None) -> tuple[str, str]:
    """The text and the HTML of a board mail for a player."""
    view = view_board(board, reader)
    text = laid_out(render("mail/board.txt", view=view, alone=True, server=SERVER))
    html = html_part(Content(Document(), (view,)), "Board 101", ADDRESS, SERVER)
    return text, html or ""


def in_words(board: GameState, reader: str | None) -> tuple[str, str]:
    """The same mail for somebody who hears it read."""
    view = view_board(board, reader)
    return laid_out(render("mail/board.txt", words=True, view=view, alone=True, server=SERVER)), ""


@pytest.mark.parametrize("kind", ["turn", "waiting", "end", "words"])
@pytest.mark.parametrize("name", list(games()))
def test_board_mail(benchmark: BenchmarkFixture, name: str, kind: str) -> None:
    board = in_the_middle(name)
    reader = board.on_turn
    if kind == "waiting":
        reader = next(userid for userid in board.match.userids if userid != board.on_turn)
    if kind == "end" and board.state.to_move is not None:
        entry = Entry(101, board.state.entries + 1, NOON, "resigned", board.state.to_move)
        board = board.apply(entry)
    text, html = benchmark(in_words if kind == "words" else letter, board, reader)
    assert len(text) + len(html) < MOST_BYTES
    cells = len(games()[name].scene(board.state.position).board.names)
    benchmark.extra_info |= {"bytes": len(text) + len(html), "cells": cells}


@pytest.mark.parametrize("name", list(games()))
def test_random_plies(benchmark: BenchmarkFixture, name: str) -> None:
    """So many plies of random games, all moves listed at each (of very many the first ones)."""
    game = games()[name]

    def play() -> None:
        random, position = Random(name), game.start(2, {})
        for _ in range(PLIES):
            if game.to_move(position) is None:
                position = game.start(2, {})
            position, _ = game.play(position, random.choice(list(islice(game.moves(position), LOOKED_AT))))

    benchmark(play)
    benchmark.extra_info["plies"] = PLIES
