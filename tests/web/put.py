"""Boards put into a house without the mails that led there, and the same positions by the rules alone."""

import random
from collections.abc import Iterable, Mapping
from datetime import timedelta
from types import MappingProxyType

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.games import cephalopod, games
from pbmserv.games.cephalopod import Position
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.replay import replay
from pbmserv.services.app import App
from pbmserv.store import accounts, matches
from pbmserv.store.engine import writing
from tests.web.club import NOON


def sign_up(house: App, *userids: str) -> None:
    """Makes players."""
    with writing(house.engine) as connection:
        for userid in userids:
            accounts.write_account_change(connection, NewPlayer(userid, f"{userid}@home.test", "-"), NOON)


def put(house: App, number: int, size: str, userids: tuple[str, ...], moves: Iterable[str]) -> None:
    """Puts a board of players into the house; its moves came a minute after each other."""
    put_game(house, number, "cephalopod", moves, userids, {"size": size})


def put_game(
    house: App,
    number: int,
    name: str,
    moves: Iterable[str],
    userids: tuple[str, ...] = ("alice", "bob"),
    options: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """The same for any game."""
    game = games()[name]
    match = Match(number, name, game.info.rules, tuple(options.items()), True, userids, userids[0], NOON)
    position = game.start(len(userids), dict(options))
    entries = []
    for seq, text in enumerate(moves, 1):
        at, seat = NOON + timedelta(minutes=seq), game.to_move(position)
        move = game.read(position, text)
        entries.append(Entry(number, seq, at, "played", seat, game.write(position, move)))
        position, _ = game.play(position, move)
    with writing(house.engine) as connection:
        after = replay(match.with_entries(tuple(entries)))
        matches.write(
            connection, Decision(MovePlayed(number, "-"), opened=match, entries=tuple(entries), boards=(after,))
        )


def after(size: str, seats: int, moves: Iterable[str]) -> Position:
    """The position that the rules give after these moves."""
    position = cephalopod.start(seats, {"size": size})
    for text in moves:
        position, _ = cephalopod.play(position, cephalopod.read(position, text))
    return position


def many_moves(size: str, seats: int, plies: int) -> list[str]:
    """A game of that many plies, or until it is over, by one of the moves that take most."""
    chance = random.Random(plies)
    position = cephalopod.start(seats, {"size": size})
    texts: list[str] = []
    while len(texts) < plies and cephalopod.to_move(position) is not None:
        legal = list(cephalopod.moves(position))
        most = max(map(len, legal))
        move = chance.choice([move for move in legal if len(move) == most])
        texts.append(cephalopod.write(position, move))
        position, _ = cephalopod.play(position, move)
    return texts
