"""`pbmserv admin copy`: the whole club into an empty database of either kind."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import MofNCompleteColumn, Progress
from sqlalchemy import URL, Engine, make_url

from pbmserv.cli.admin_backup import check_all
from pbmserv.cli.bootstrap import alone
from pbmserv.cli.config import FILE, PREFIX, Settings, WrongSetting
from pbmserv.cli.database import CannotStart
from pbmserv.cli.setting_forms import database_address
from pbmserv.cli.terminal import Exit, app_or_exit, err, give_up, out, settings_or_exit
from pbmserv.services.app import utc_now
from pbmserv.store.copying import ALIVE_WITHIN, CannotCopy, Copied, alive_parts, copy_all, is_in_use

_STOP = "stop it first (on systemd: sudo systemctl stop 'pbmserv*')"


def copy(
    to: Annotated[
        str, typer.Option("--to", metavar="URL", help="sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")
    ],
    password_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="holds the target's password; else PGPASSWORD or ~/.pgpass may"),
    ] = None,
    stopped: Annotated[
        bool, typer.Option("--stopped", help="no server runs, although one was alive a moment ago")
    ] = False,
) -> None:
    """Copy the whole club into an empty database, and check it. Stop the server first.

    Examples:
        pbmserv admin copy --to postgresql+psycopg:///pbmserv
    """
    settings = settings_or_exit()
    target = _target(to, password_file)
    app = app_or_exit(settings)
    try:
        with _quiet(settings, app.engine, stopped):
            copied = _copy(app.engine, target)
    except CannotCopy as error:
        give_up(str(error))
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
        give_up(f"--to {error}", Exit.USAGE)
    if url.password is not None:
        give_up("--to must not hold a password, which others could see: use --password-file", Exit.USAGE)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() == "sqlite":
        url = url.set(database=str(Path(url.database or "").resolve()))
    if password_file is not None:
        try:
            url = url.set(password=password_file.read_text(encoding="utf-8").rstrip("\r\n"))
        except (OSError, UnicodeDecodeError) as error:
            give_up(f"{password_file} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}")
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
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
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
        give_up(f"{told}, but {differences} of {boards} boards differ from their moves: see `pbmserv admin check`")
    _print(f"{told}: {boards} boards, no differences.")
    if copied.mended:
        _print(f"PostgreSQL takes no NUL in texts: in {copied.mended} of them a ? is in its place.")


def _tell_what_next(target: URL, settings: Settings) -> None:
    place = target.set(password=None).render_as_string()
    name = f"{PREFIX}DATABASE"
    where = f"the environment ({name})" if name in os.environ else FILE
    _print(f'To play on there, put into {where}: database = "{place}"')
    if target.password is not None or settings.database_password:
        what = "its password into" if target.password is not None else "nothing into"
        _print(f"and {what} database_password (or {name}_PASSWORD).")
    _print("Then start the server. The present database stays as it is.")


def _print(sentence: str) -> None:
    out.print(sentence, markup=False, highlight=False, soft_wrap=True)
