"""Games as files: the record of one is taken in, and the finished games of a month are written to one.

A record is held against the schema, replayed, and held against what it says of itself. The file of a month holds
no addresses and no comments.
"""

import gzip
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection

from pbmserv.commands.boards import Showing
from pbmserv.commands.command import Decision
from pbmserv.matches.log import BrokenLog, rules_of
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.record import as_line, differing, is_in_stored_notation, match_of, record_of, schema
from pbmserv.services.app import App
from pbmserv.services.unit_of_work import unit_of_work
from pbmserv.store import matches, players
from pbmserv.store.engine import reading, run_again, writing


class CannotImport(Exception):
    """The record cannot become a board here; the message is for the operator."""


def take_in(app: App, record: object, names: Mapping[str, str], rated: bool, now: datetime) -> int:
    """Puts a game that is over in as a board of its own, and gives its number.

    `names` says who is who here, by the userid in the record or by the place in the order of play ("1"); others
    have the same userid here. It counts for the ratings when it was rated and is to be `rated` here too. Nobody is
    mailed. Raises CannotImport.
    """
    checked = _checked(record)

    def once() -> int:
        with writing(app.engine) as connection:
            userids = [
                _known(connection, names.get(str(place), names.get(each["userid"].lower(), each["userid"])))
                for place, each in enumerate(checked["players"], 1)
            ]
            if len(set(userids)) < len(userids):
                raise CannotImport("one player cannot sit in two seats")
            starter = _starter(connection, checked, userids, names)
            work = unit_of_work(connection, app, now)
            number = work.records.next_number()
            board = _replayed({**checked, "rated": rated and checked["rated"]}, number, userids, starter)
            _require_credible(app, checked, board, now)
            _require_new(connection, app, checked, board)
            decision = Decision(Showing((), 0), opened=board.match, entries=board.match.entries, boards=(board,))
            work.write(decision, now)
        return number

    return run_again(once)


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


def _known(connection: Connection, userid: str) -> str:
    player = players.find(connection, userid)
    if player is None:
        raise CannotImport(f"nobody is called {userid} here: say who that is with --player")
    return player.userid


def _starter(
    connection: Connection, record: Mapping[str, Any], userids: list[str], names: Mapping[str, str]
) -> str:
    """Who is to have started it: that player, or the first of them when nobody here did."""
    started_by = record["started_by"].lower()
    for each, userid in zip(record["players"], userids, strict=True):
        if each["userid"].lower() == started_by:
            return userid
    found = players.find(connection, names.get(started_by, started_by))
    return userids[0] if found is None else found.userid


def _replayed(record: Mapping[str, Any], number: int, userids: list[str], starter: str) -> GameState:
    try:
        match = match_of(record, number, userids.__getitem__, starter)
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


_MONTH: Final = re.compile(r"[0-9]{4}-(?:0[1-9]|1[0-2])")

WAITS: Final = timedelta(days=1)
"""After the end of a month, until mails that were kept in it are handled, in most cases."""


class CannotDump(Exception):
    """No file can be made; the message is for the operator."""


def month_before(now: datetime) -> str:
    """The last month whose games are all over, as "2026-11".

    >>> [month_before(datetime(2027, 1, day, tzinfo=UTC)) for day in (1, 2)]
    ['2026-11', '2026-12']
    """
    first = (now.astimezone(UTC) - WAITS).date().replace(day=1)
    return (first - timedelta(days=1)).strftime("%Y-%m")


def dump_file(folder: Path, month: str) -> Path:
    """What the file of a month is called."""
    return folder / f"{month}.jsonl.gz"


def dump_last_month(app: App, now: datetime, folder: Path) -> bool:
    """Writes the file of the last month unless it is there; there is never more to do. Raises CannotDump."""
    month = month_before(now)
    if not dump_file(folder, month).exists():
        dump_month(app, month, folder)
    return False


def dump_month(app: App, month: str, folder: Path) -> int:
    """Writes the records of all games that ended in a month ("2026-11"), one a line; how many.

    Without any no file is made. One that is there is replaced; it is whole at any time. Raises CannotDump.
    """
    since, until = _bounds(month)
    with reading(app.engine, snapshot=True) as connection:
        numbers = matches.numbers_finished_between(connection, since, until)
        if numbers:
            try:
                _write(connection, app, numbers, dump_file(folder, month))
            except OSError as error:
                raise CannotDump(f"{dump_file(folder, month)} cannot be written: {error.strerror}") from error
            except BrokenLog as error:
                raise CannotDump(f"{error}; see `pbmserv admin check`") from error
    return len(numbers)


def _bounds(month: str) -> tuple[datetime, datetime]:
    if not _MONTH.fullmatch(month) or month < "0001-01":
        raise CannotDump(f"{month[:40]} is no month, such as 2026-11")
    first = date.fromisoformat(f"{month}-01")
    since = datetime(first.year, first.month, 1, tzinfo=UTC)
    return since, (since + timedelta(days=31)).replace(day=1)


def _write(connection: Connection, app: App, numbers: Sequence[int], file: Path) -> None:
    """Beside its place first, then into it, each of them safe on the disk."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=f".{file.name}.", delete=False) as raw:
        written = Path(raw.name)
        try:
            # Without name and time the same games make the same file.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
                for number in numbers:
                    match = matches.load(connection, number)
                    if match is not None:
                        packed.write(as_line(record_of(replay(match), app.server)))
            raw.flush()
            os.fsync(raw.fileno())
            written.replace(file)
        except BaseException:
            written.unlink(missing_ok=True)
            raise
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
