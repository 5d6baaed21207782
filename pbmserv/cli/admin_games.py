"""`pbmserv admin import`, `dump` and `movie`: games from files and to files."""

import gzip
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import click

from pbmserv.cli.lazy import command
from pbmserv.cli.terminal import Exit, app_or_exit, err, give_up, out, settings_or_exit
from pbmserv.matches.log import BrokenLog
from pbmserv.rendering.svg.pictures import movie_of
from pbmserv.services.admin.import_games import CannotImport, take_in
from pbmserv.services.app import utc_now
from pbmserv.services.scheduler.dump import CannotDump, dump_file, dump_month, month_before
from pbmserv.services.views import load_game_state

_GZIP: Final = b"\x1f\x8b"

MOST_BYTES: Final = 4 * 2**20
"""The largest record, unpacked: the longest games have some thousand moves of fifty bytes."""

MOST_LINES: Final = 1_000_000
"""The most lines of a file: the largest club finishes as many games in a year."""


class _NotReadable(Exception):
    """The file is not JSON, or too large; the message says where."""


@command
@click.argument(
    "file", type=click.Path(path_type=Path), metavar="FILE", help="a record, or one a line; may be gzipped"
)
@click.option(
    "--player",
    multiple=True,
    metavar="NAME=USERID",
    help="who is who here, by name or seat in the record; may be repeated",
)
@click.option("--rated", is_flag=True, help="rate the games that were rated")
def import_records(file: Path, player: tuple[str, ...], rated: bool) -> None:
    """Import finished games as new boards; nobody is mailed.

    Exit code 1 if a game could not be imported; the others are.

    Examples:
        pbmserv admin import games.jsonl --player "A. Smith=alice"
    """
    names = _names(player)
    app = app_or_exit()
    taken, refused = 0, 0
    try:
        for place, record in _records(file):
            try:
                number = take_in(app, record, names, rated, utc_now())
            except CannotImport as error:
                refused += 1
                err.print(f"record {place}: {error}", highlight=False, markup=False, soft_wrap=True)
            else:
                taken += 1
                out.print(f"record {place} is board {number}", highlight=False)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        give_up(f"{file} cannot be read: {getattr(error, 'strerror', None) or type(error).__name__}")
    except _NotReadable as error:
        give_up(str(error))
    if refused or not taken:
        give_up(f"{taken} of {taken + refused} records were imported")


@command
@click.argument("month", default="", help="such as 2026-11; default: last month")
@click.option(
    "--to", type=click.Path(path_type=Path), metavar="FOLDER", help="default: records in the data folder"
)
@click.option("--again", is_flag=True, help="overwrite the file")
def dump(month: str, to: Path | None, again: bool) -> None:
    """Write the games that ended in a month to a file: JSON records, one a line, without addresses.

    Examples:
        pbmserv admin dump 2026-11 --to /srv/records
    """
    settings = settings_or_exit()
    app = app_or_exit(settings)
    month, folder = month or month_before(utc_now()), to or settings.data / "records"
    file = dump_file(folder, month)
    if file.exists() and not again:
        give_up(f"{file} already exists: use --again to overwrite it")
    try:
        count = dump_month(app, month, folder)
    except CannotDump as error:
        give_up(str(error))
    said = f"{count} {'game' if count == 1 else 'games'} in {file}." if count else f"No game ended in {month}."
    out.print(said, highlight=False, soft_wrap=True)


def _names(pairs: Sequence[str]) -> dict[str, str]:
    names = {}
    for pair in pairs:
        name, sign, userid = pair.partition("=")
        if not (name and sign and userid):
            give_up(f"--player wants NAME=USERID, not {pair}", Exit.USAGE)
        names[name.lower()] = userid
    return names


def _records(file: Path) -> Iterator[tuple[int, object]]:
    """The records of a file, numbered from 1: one over many lines, or one on each line."""
    with file.open("rb") as raw:
        is_packed = raw.read(len(_GZIP)) == _GZIP
        raw.seek(0)
        opened: IO[bytes] = gzip.GzipFile(fileobj=raw) if is_packed else raw  # type: ignore[assignment]
        first = _line(opened, f"line 1 of {file}")
        try:
            record = json.loads(first)
        except (ValueError, RecursionError):
            rest = opened.read(MOST_BYTES + 1 - len(first))
            if len(first) + len(rest) > MOST_BYTES:
                raise _NotReadable(f"{file} is not JSON with one record a line") from None
            yield 1, _read(first + rest, f"{file} is not JSON")
            return
        yield 1, record
        for place in range(2, MOST_LINES + 2):
            line = _line(opened, f"line {place} of {file}")
            if not line:
                return
            if place > MOST_LINES:
                raise _NotReadable(f"{file} has more than {MOST_LINES:,} lines: split it")
            if line.strip():
                yield place, _read(line, f"line {place} of {file} is not JSON")


def _line(opened: IO[bytes], name: str) -> bytes:
    """One line, at most as long as a record: a gzipped file can unpack to a million times its size."""
    line = opened.readline(MOST_BYTES + 1)
    if len(line) > MOST_BYTES:
        raise _NotReadable(f"{name} is longer than {MOST_BYTES // 2**20} MiB")
    return line


def _read(text: bytes, complaint: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _NotReadable(complaint) from error


@command
@click.argument("board", type=int, help="number of a board")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE", help="an SVG; - for standard output")
def movie(board: int, file: Path) -> None:
    """Write a game as an animated SVG that any browser can play.

    Examples:
        pbmserv admin movie 101 game.svg
    """
    app = app_or_exit()
    try:
        found = load_game_state(app, board)
    except BrokenLog as error:
        give_up(str(error))
    if found is None:
        give_up(f"there is no board {board}")
    drawn = movie_of(found)
    if str(file) == "-":
        sys.stdout.write(f"{drawn}\n")
        return
    try:
        file.write_text(drawn, encoding="utf-8")
    except OSError as error:
        give_up(f"{file} cannot be written: {error.strerror or error}")
    out.print(f"Board {board} is in {file}.", markup=False, highlight=False, soft_wrap=True)
