"""Taking in the record of a game: held against the schema, replayed, and held against what it says of itself."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from pbmserv.commands.boards import Showing
from pbmserv.commands.command import Decision
from pbmserv.matches.log import BrokenLog, rules_of
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.record import differing, is_in_stored_notation, match_of, record_of, schema
from pbmserv.services.app import App
from pbmserv.services.unit_of_work import unit_of_work
from pbmserv.store import matches, players
from pbmserv.store.engine import run_again, writing


class CannotImport(Exception):
    """The record cannot become a board here; the message is for the operator."""


def take_in(app: App, record: object, names: Mapping[str, str], rated: bool, now: datetime) -> int:
    """Puts a game that is over in as a board of its own, and gives its number.

    `names` says who is who here, by the userid in the record or by the place in the order of play ("1"); others
    have the same userid here. It counts for the ratings when it was rated and is to be `rated` here too. Nobody is
    mailed. Raises CannotImport.
    """
    fits = _checked(record)
    return run_again(lambda: _take_in(app, fits, names, rated, now))


def _checked(record: object) -> Mapping[str, Any]:
    # It takes long to import, and nothing else needs it.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    wrong = best_match(Draft202012Validator(schema()).iter_errors(record))
    if wrong is not None:
        raise CannotImport(f"that is no record as its schema has it: {wrong.json_path}: {wrong.message[:200]}")
    assert isinstance(record, Mapping)
    if record["status"] == "active":
        raise CannotImport("that game is not over: it is still played where it was recorded")
    return record


def _take_in(app: App, record: Mapping[str, Any], names: Mapping[str, str], rated: bool, now: datetime) -> int:
    with writing(app.engine) as connection:
        userids = [
            _known(connection, names.get(str(place), names.get(each["userid"].lower(), each["userid"])))
            for place, each in enumerate(record["players"], 1)
        ]
        if len(set(userids)) < len(userids):
            raise CannotImport("one player cannot sit in two seats")
        starter = _starter(connection, record, userids, names)
        work = unit_of_work(connection, app, now)
        number = work.records.next_number()
        board = _replayed(record, number, userids, starter, rated and record["rated"])
        _require_credible(app, record, board, now)
        _require_new(connection, app, record, board)
        decision = Decision(Showing((), 0), opened=board.match, entries=board.match.entries, boards=(board,))
        work.write(decision, now)
    return number


def _known(connection: Connection, userid: str) -> str:
    player = players.find(connection, userid)
    if player is None:
        raise CannotImport(f"nobody is called {userid} here: say who that is with --player")
    return player.userid


def _starter(
    connection: Connection, record: Mapping[str, Any], userids: list[str], names: Mapping[str, str]
) -> str:
    """Who is to have started it: whoever that was, or the first of the players when nobody here is."""
    started_by = record["started_by"].lower()
    for each, userid in zip(record["players"], userids, strict=True):
        if each["userid"].lower() == started_by:
            return userid
    found = players.find(connection, names.get(started_by, started_by))
    return userids[0] if found is None else found.userid


def _replayed(record: Mapping[str, Any], number: int, userids: list[str], starter: str, rated: bool) -> GameState:
    try:
        match = match_of({**record, "rated": rated}, number, userids.__getitem__, starter)
        info = rules_of(match).info
        if not info.least_seats <= len(userids) <= info.most_seats:
            raise CannotImport(f"{info.title} is not played by {len(userids)}")
        return replay(match)
    except (BrokenLog, ValueError) as error:
        raise CannotImport(f"that game cannot be replayed: {error}") from error


def _require_credible(app: App, record: Mapping[str, Any], board: GameState, now: datetime) -> None:
    """What the record says must follow from its moves, and have happened."""
    wrong = differing(record_of(board, app.server), record)
    if wrong:
        raise CannotImport(f"what that record has under {wrong[0]!r} does not follow from its log")
    if not is_in_stored_notation(board):
        raise CannotImport("a move of that record is not written as the rules write it")
    if max(board.match.started, *(entry.at for entry in board.match.entries)) > now:
        raise CannotImport("that game has not been played yet, by the clock of this server")


def _require_new(connection: Connection, app: App, record: Mapping[str, Any], board: GameState) -> None:
    for number in matches.numbers_started_at(connection, board.match.game, board.match.started):
        there = matches.load(connection, number)
        if there is not None and not differing(record_of(replay(there), app.server), record):
            raise CannotImport(f"that game is here already, as board {number}")
