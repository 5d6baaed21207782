"""`pbmserv admin backup` and `restore`: the whole database to a file and back."""

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress
from sqlalchemy.exc import SQLAlchemyError

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.database import CannotStart
from pbmserv.cli.terminal import Exit, app_or_exit, err, give_up, out, settings_or_exit
from pbmserv.services.admin.check import check
from pbmserv.services.admin.pulse import record_backup
from pbmserv.services.app import utc_now
from pbmserv.store.backup import CannotBackUp, back_up
from pbmserv.store.backup import restore as restore_database
from pbmserv.store.backup_folder import back_up_into

File = Annotated[Path, typer.Argument(metavar="FILE")]


def backup(
    place: Annotated[Path, typer.Argument(metavar="FILE", help="a new file; with --keep, the folder for it")],
    keep: Annotated[
        int | None,
        typer.Option(min=1, help="put it into a folder under a name of its own, and keep so many of these there"),
    ] = None,
) -> None:
    """Copy the whole database to a new file; the server may be running.

    Examples:
        pbmserv admin backup /var/lib/pbmserv/backups --keep 14
    """
    settings = settings_or_exit()
    gone: list[Path] = []
    with err.status("copying"):
        try:
            if keep is None:
                file = place
                back_up(settings.database_url, file)
            else:
                file, gone = back_up_into(settings.database_url, place, utc_now(), keep)
        except CannotBackUp as error:
            give_up(str(error))
        except OSError as error:
            give_up(f"{place} cannot be written by this user: {error.strerror or error}")
    note_backup(settings, file)
    told = f"Backed up into {file}, {file.stat().st_size:,} bytes."
    if gone:
        told += f" Removed: {', '.join(each.name for each in gone)}."
    out.print(told, markup=False, highlight=False, soft_wrap=True)


def note_backup(settings: Settings, file: Path) -> None:
    """Has `pbmserv status` know of a backup, unless the database is of an earlier version, or away by now."""
    with suppress(CannotStart, SQLAlchemyError):
        app = build_app(settings)
        record_backup(app.engine, file.resolve(), utc_now())
        app.engine.dispose()


def restore(file: File) -> None:
    """Create the database from a backup and check it. There must be none yet. Stop the server first.

    Examples:
        pbmserv admin restore /var/lib/pbmserv/backups/pbmserv-20261125T030512Z.db
    """
    settings = settings_or_exit()
    with err.status("restoring"):
        try:
            restore_database(settings.database_url, file)
        except CannotBackUp as error:
            give_up(str(error))
        except OSError as error:
            give_up(f"{error.filename or file} cannot be read or written by this user: {error.strerror or error}")
    boards, differences = check_all(settings)
    if differences:
        give_up(
            f"{file} is restored, but {differences} of {boards} boards differ from their moves: "
            "see `pbmserv admin check`",
            Exit.FAILED,
        )
    out.print(
        f"Restored from {file}: {boards} boards, no differences.", markup=False, highlight=False, soft_wrap=True
    )


def check_all(settings: Settings) -> tuple[int, int]:
    """How many boards there are in the settings' database, and how many of them differ from their logs."""
    app = app_or_exit(settings)
    boards = 0
    with Progress(console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("replaying", total=None)

        def seen(done: int, of: int) -> None:
            nonlocal boards
            boards = of
            progress.update(task, completed=done, total=of)

        differences = check(app, seen)
    app.engine.dispose()
    return boards, len(differences)
