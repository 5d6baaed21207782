"""`pbmserv admin import`, `dump` and `movie`: games from files and to files; and `games check`: their laws."""

import gzip
import json
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Final

import click
from rich.markup import escape

from pbmserv.cli.lazy import PlainGroup, command
from pbmserv.cli.terminal import Exit, app_or_exit, err, give_up, or_give_up, out, print_line, settings_or_exit
from pbmserv.games import games, others
from pbmserv.matches.log import BrokenLog
from pbmserv.rendering.svg.pictures import movie_of
from pbmserv.services.admin.game_files import (
    CannotDump,
    CannotImport,
    dump_file,
    dump_month,
    month_before,
    take_in,
)
from pbmserv.services.app import utc_now
from pbmserv.services.laws.check import LAWS, try_laws
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
    with or_give_up(CannotDump):
        count = dump_month(app, month, folder)
    said = f"{count} {'game' if count == 1 else 'games'} in {file}." if count else f"No game ended in {month}."
    print_line(said)


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
    with or_give_up(BrokenLog):
        found = load_game_state(app, board)
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
    print_line(f"Board {board} is in {file}.")


@click.group(cls=PlainGroup, no_args_is_help=True)
def tools() -> None:
    """Look after games that other packages add."""


@tools.command
@click.argument("name", help="the game, as it is typed")
def check(name: str) -> None:
    """Check a game against every law of games, and report each result.

    The exit code is 1 if a law is broken. If another package's game did not load, the reason is shown.

    Examples:
        pbmserv games check hex
    """
    if not __debug__:
        give_up("the laws are asserts: run it without python -O", Exit.USAGE)
    if name not in games():
        why = "; ".join(f"{point}: {reason}" for point, reason in others().left_out.items())
        left_out = f" Of other packages these are left out: {why}." if why else ""
        give_up(f'there is no game "{name}".{left_out} There are {", ".join(games())}', Exit.USAGE)
    broken, begun = 0, time.monotonic()
    with err.status(LAWS[0].told) as status:
        for place, tried in enumerate(try_laws(name), 1):
            mark = "[red]broken[/]" if tried.broken else "[green]holds [/]"
            line = f"{mark} {place:>2} of {len(LAWS)}  {escape(tried.law.told)}"
            out.print(line, highlight=False, soft_wrap=True)
            if tried.broken:
                broken += 1
                print_line(f"       {tried.broken}")
            if place < len(LAWS):
                status.update(LAWS[place].told)
    seconds = time.monotonic() - begun
    said = f"{broken} of {len(LAWS)} laws are broken" if broken else f"all {len(LAWS)} laws hold"
    out.print(f"{name}: {said}, in {seconds:.0f} s.", highlight=False)
    if broken:
        raise SystemExit(Exit.FAILED)
