"""`pbmserv admin import` and `dump`: games as files, into the database and out of it."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Final

import typer

from pbmserv.entrypoints.bootstrap import utc_now
from pbmserv.entrypoints.terminal import Exit, err, give_up, house_or_exit, out, settings_or_exit
from pbmserv.services.operator.records import CannotImport, take_in
from pbmserv.services.steward.dump import CannotDump, dump_file, dump_month, month_before

_GZIP: Final = b"\x1f\x8b"

MOST_BYTES: Final = 4 * 2**20
"""Of one record, unpacked: the longest games have some thousand moves of fifty bytes."""

MOST_LINES: Final = 1_000_000
"""In one file: as many games as the largest club ends in a year."""


class _NotReadable(Exception):
    """The file holds no JSON, or too much; the message tells where."""


def import_records(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a record, or one a line; may be packed by gzip")],
    player: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=USERID", help="who is who here, by userid or place in the record; again for more"
        ),
    ] = None,
    rated: Annotated[bool, typer.Option("--rated", help="count those for the ratings that were rated")] = False,
) -> None:
    """Put games that are over in as boards of their own; nobody is mailed.

    Exit code 1 when one of them was not taken; the others are.
    """
    names = _names(player or [])
    house = house_or_exit(settings_or_exit())
    taken, refused = 0, 0
    try:
        for place, record in _records(file):
            try:
                number = take_in(house, record, names, rated, utc_now())
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
        give_up(f"{taken} of {taken + refused} records were taken")


def dump(
    month: Annotated[str, typer.Argument(help="such as 2026-11; the last one that is over if left out")] = "",
    to: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="records in the data folder if left out")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="though the file is there")] = False,
) -> None:
    """Write the games that ended in a month into a file: records in JSON, one a line, without addresses."""
    settings = settings_or_exit()
    house = house_or_exit(settings)
    month, folder = month or month_before(utc_now()), to or settings.data / "records"
    file = dump_file(folder, month)
    if file.exists() and not again:
        give_up(f"{file} is there already: give --again to have it written anew")
    try:
        count = dump_month(house, month, folder)
    except CannotDump as error:
        give_up(str(error))
    said = f"{count} {'game' if count == 1 else 'games'} in {file}." if count else f"No game ended in {month}."
    out.print(said, highlight=False, soft_wrap=True)


def _names(pairs: list[str]) -> dict[str, str]:
    names = {}
    for pair in pairs:
        name, sign, userid = pair.partition("=")
        if not (name and sign and userid):
            give_up(f"--player wants NAME=USERID, not {pair}", Exit.USAGE)
        names[name.lower()] = userid
    return names


def _records(file: Path) -> Iterator[tuple[int, object]]:
    """What stands in the file, numbered from 1: one value over many lines, or one on each."""
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
                raise _NotReadable(f"{file} is no JSON with one record a line") from None
            yield 1, _read(first + rest, f"{file} is no JSON")
            return
        yield 1, record
        for place in range(2, MOST_LINES + 2):
            line = _line(opened, f"line {place} of {file}")
            if not line:
                return
            if place > MOST_LINES:
                raise _NotReadable(f"{file} has more than {MOST_LINES:,} lines: cut it in parts")
            if line.strip():
                yield place, _read(line, f"line {place} of {file} is no JSON")


def _line(opened: IO[bytes], name: str) -> bytes:
    """One line, which must not be longer than any record: a packed file can unpack to a million times its size."""
    line = opened.readline(MOST_BYTES + 1)
    if len(line) > MOST_BYTES:
        raise _NotReadable(f"{name} is longer than {MOST_BYTES // 2**20} MiB, which no record is")
    return line


def _read(text: bytes, complaint: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _NotReadable(complaint) from error
