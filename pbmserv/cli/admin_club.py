"""`pbmserv admin check`, `backup`, `restore` and `copy`: the whole club, looked through and taken elsewhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import click
from rich.progress import MofNCompleteColumn, Progress
from sqlalchemy import URL, Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.cli import terminal
from pbmserv.cli.bootstrap import alone, build_app
from pbmserv.cli.config import FILE, PREFIX, Settings, WrongSetting
from pbmserv.cli.database import CannotStart
from pbmserv.cli.lazy import command
from pbmserv.cli.setting_forms import database_address
from pbmserv.services.admin.check import Check, rebuild
from pbmserv.services.admin.check import check as check_logs
from pbmserv.services.admin.pulse import record_backup
from pbmserv.services.app import utc_now
from pbmserv.store.backup import CannotBackUp, back_up, back_up_into
from pbmserv.store.backup import restore as restore_database
from pbmserv.store.copying import ALIVE_WITHIN, CannotCopy, Copied, alive_parts, copy_all, is_in_use
from pbmserv.store.matches import FIRST_NUMBER


@command
@click.option("--rebuild", "repair", is_flag=True, help="rewrite summaries and ratings that differ from the logs")
@click.option("--from", "first", type=int, default=FIRST_NUMBER, help="begin with this board")
@terminal.scripted_option
def check(repair: bool, first: int, scripted: bool | None) -> None:
    """Replay every log and compare summaries and ratings with it. Exit code 1 if a difference remains.

    Examples:
        pbmserv admin check
        pbmserv admin check --rebuild
    """
    if repair and first > FIRST_NUMBER:
        terminal.give_up("--rebuild needs a check of all boards: leave --from out", terminal.Exit.USAGE)
    checking = Check(terminal.app_or_exit(), first)
    is_whole = _run(checking)
    differences = checking.differences
    terminal.print_rows(
        [{"board": each.number, "difference": each.what} for each in differences], scripted, "differences"
    )
    if not is_whole:
        terminal.err.print(
            f"Interrupted. To go on: pbmserv admin check --from {checking.next_board}",
            highlight=False,
            soft_wrap=True,
        )
        raise SystemExit(terminal.Exit.FAILED)
    if repair and differences:
        terminal.err.print(f"{rebuild(checking.app, differences)} summaries were rewritten.", highlight=False)
        differences = [each for each in differences if not each.can_be_mended]
    if differences:
        raise SystemExit(terminal.Exit.FAILED)


def _run(checking: Check) -> bool:
    """Checks all boards and shows how far it is; False if the operator has interrupted it."""
    with terminal.progress_bar() as progress:
        task = progress.add_task("replaying", total=None)
        try:
            checking.run(lambda done, of: progress.update(task, completed=done, total=of))
        except KeyboardInterrupt:
            return False
    return True


file_argument = click.argument("file", type=click.Path(path_type=Path), metavar="FILE")


@command
@click.argument(
    "place", type=click.Path(path_type=Path), metavar="FILE", help="a new file; with --keep, the folder for it"
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    help="put it into a folder under a name of its own, and keep this many of these there",
)
def backup(place: Path, keep: int | None) -> None:
    """Copy the whole database to a new file; the server may be running.

    Examples:
        pbmserv admin backup /var/lib/pbmserv/backups --keep 14
    """
    settings = terminal.settings_or_exit()
    gone: list[Path] = []
    with terminal.err.status("copying"):
        try:
            if keep is None:
                file = place
                back_up(settings.database_url, file)
            else:
                file, gone = back_up_into(settings.database_url, place, utc_now(), keep)
        except CannotBackUp as error:
            terminal.give_up(str(error))
        except OSError as error:
            terminal.give_up(f"{place} cannot be written by this user: {error.strerror or error}")
    note_backup(settings, file)
    told = f"Backed up into {file}, {file.stat().st_size:,} bytes."
    if gone:
        told += f" Removed: {', '.join(each.name for each in gone)}."
    terminal.print_line(told)


def note_backup(settings: Settings, file: Path) -> None:
    """Has `pbmserv status` know of a backup, unless the database is of an earlier version, or away by now."""
    with suppress(CannotStart, SQLAlchemyError):
        app = build_app(settings)
        record_backup(app.engine, file.resolve(), utc_now())
        app.engine.dispose()


@command
@file_argument
def restore(file: Path) -> None:
    """Create the database from a backup and check it. There must be none yet. Stop the server first.

    Examples:
        pbmserv admin restore /var/lib/pbmserv/backups/pbmserv-20261125T030512Z.db
    """
    settings = terminal.settings_or_exit()
    with terminal.err.status("restoring"):
        try:
            restore_database(settings.database_url, file)
        except CannotBackUp as error:
            terminal.give_up(str(error))
        except OSError as error:
            terminal.give_up(
                f"{error.filename or file} cannot be read or written by this user: {error.strerror or error}"
            )
    boards, differences = check_all(settings)
    if differences:
        terminal.give_up(
            f"{file} is restored, but {differences} of {boards} boards differ from their moves: "
            "see `pbmserv admin check`",
            terminal.Exit.FAILED,
        )
    terminal.print_line(f"Restored from {file}: {boards} boards, no differences.")


def check_all(settings: Settings) -> tuple[int, int]:
    """How many boards there are in the settings' database, and how many of them differ from their logs."""
    app = terminal.app_or_exit(settings)
    boards = 0
    with terminal.progress_bar() as progress:
        task = progress.add_task("replaying", total=None)

        def seen(done: int, of: int) -> None:
            nonlocal boards
            boards = of
            progress.update(task, completed=done, total=of)

        differences = check_logs(app, seen)
    app.engine.dispose()
    return boards, len(differences)


_STOP = "stop it first (on systemd: sudo systemctl stop 'pbmserv*')"


@command
@click.option("--to", required=True, metavar="URL", help="sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")
@click.option(
    "--password-file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="holds the target's password; else PGPASSWORD or ~/.pgpass may",
)
@click.option("--stopped", is_flag=True, help="no server runs, although one was alive a moment ago")
def copy(to: str, password_file: Path | None, stopped: bool) -> None:
    """Copy the whole club into an empty database, and check it. Stop the server first.

    Examples:
        pbmserv admin copy --to postgresql+psycopg:///pbmserv
    """
    settings = terminal.settings_or_exit()
    target = _target(to, password_file)
    app = terminal.app_or_exit(settings)
    try:
        with _quiet(settings, app.engine, stopped):
            copied = _copy(app.engine, target)
    except CannotCopy as error:
        terminal.give_up(str(error))
    finally:
        app.engine.dispose()
    # Its password is in the URL already; the present database's is another one.
    there = replace(settings, database=target, database_password="")
    _report(copied, *check_all(there))
    _tell_what_next(make_url(target), settings)


def _target(to: str, password_file: Path | None) -> str:
    """The target's URL with its password; exits if it is none."""
    try:
        url = make_url(database_address(to))
    except ValueError as error:
        terminal.give_up(f"--to {error}", terminal.Exit.USAGE)
    if url.password is not None:
        terminal.give_up(
            "--to must not hold a password, which others could see: use --password-file", terminal.Exit.USAGE
        )
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite":
        url = url.set(database=str(Path(url.database or "").resolve()))
    if password_file is not None:
        try:
            url = url.set(password=password_file.read_text(encoding="utf-8").rstrip("\r\n"))
        except (OSError, UnicodeDecodeError) as error:
            terminal.give_up(
                f"{password_file} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}"
            )
    return url.render_as_string(hide_password=False)


@contextmanager
def _quiet(settings: Settings, engine: Engine, stopped: bool) -> Iterator[None]:
    """Makes sure that nobody writes to the source. Raises CannotCopy."""
    if engine.dialect.name != "sqlite":
        _require_silence(engine, stopped)
        yield
        return
    file = Path(engine.url.database or "")
    try:
        with alone(settings):
            engine.dispose()
            if is_in_use(file):
                raise CannotCopy(f"another program has {file} open: {_STOP}")
            yield
    except WrongSetting:
        raise CannotCopy(f"a server is running on {file}: {_STOP}") from None
    except CannotStart as error:
        raise CannotCopy(str(error)) from error


def _require_silence(engine: Engine, stopped: bool) -> None:
    alive = [] if stopped else alive_parts(engine, utc_now())
    if alive:
        silent_at = max(at for _, at in alive) + ALIVE_WITHIN
        raise CannotCopy(
            f"a server was alive a moment ago ({', '.join(part for part, _ in alive)}): {_STOP}; "
            f"if it is stopped, wait until {silent_at:%H:%M:%S} UTC, or say --stopped"
        )


def _copy(engine: Engine, target: str) -> Copied:
    columns = (*Progress.get_default_columns(), MofNCompleteColumn())
    with terminal.progress_bar(*columns) as progress:
        task = progress.add_task("copying", total=None)

        def seen(table: str, done: int, of: int) -> None:
            progress.update(task, description=f"copying {table}", completed=done, total=of)

        try:
            return copy_all(engine, target, seen)
        except KeyboardInterrupt:
            raise CannotCopy("interrupted; the target is as empty as it was") from None


def _report(copied: Copied, boards: int, differences: int) -> None:
    rows = sum(copied.rows.values())
    told = f"Copied {rows:,} rows of {sum(map(bool, copied.rows.values()))} tables"
    if differences:
        terminal.give_up(
            f"{told}, but {differences} of {boards} boards differ from their moves: see `pbmserv admin check`"
        )
    terminal.print_line(f"{told}: {boards} boards, no differences.")
    if copied.mended:
        terminal.print_line(f"PostgreSQL takes no NUL in texts: in {copied.mended} of them a ? is in its place.")


def _tell_what_next(target: URL, settings: Settings) -> None:
    place = target.set(password=None).render_as_string()
    name = f"{PREFIX}DATABASE"
    where = f"the environment ({name})" if name in os.environ else FILE
    terminal.print_line(f'To play on there, put into {where}: database = "{place}"')
    if target.password is not None or settings.database_password:
        what = "its password into" if target.password is not None else "nothing into"
        terminal.print_line(f"and {what} database_password (or {name}_PASSWORD).")
    terminal.print_line("Then start the server. The present database stays as it is.")
