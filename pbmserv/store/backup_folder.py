"""A folder of backups, each named after its moment, of which the newest few are kept."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

from pbmserv.store.backup import CannotBackUp, back_up

_OURS: Final = re.compile(r"pbmserv-\d{8}T\d{6}Z\.(?:db|dump)", re.ASCII)


def back_up_into(url: str, folder: Path, now: datetime, keep: int) -> tuple[Path, list[Path]]:
    """Puts a backup into a folder, then removes its oldest beyond `keep`; gives the new file, and those gone.

    Nothing goes before the new one is whole and on the disk, and nothing that has another name than such a backup.
    The new one stays, even if a clock that was wrong has named others later. Raises CannotBackUp; there is no new
    one then, unless the message says that there is.
    """
    if not folder.is_dir():
        raise CannotBackUp(f"{folder} is no folder: make it first, readable for this user alone")
    ending = "db" if make_url(url).get_backend_name() == "sqlite" else "dump"
    new = folder / f"pbmserv-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}.{ending}"
    back_up(url, new)
    try:
        others = sorted(
            (file for file in folder.iterdir() if _OURS.fullmatch(file.name) and _is_another(file, new)),
            key=lambda file: file.name,
        )
        gone = others[: max(len(others) - (keep - 1), 0)]
        for file in gone:
            file.unlink()
    except OSError as error:
        raise CannotBackUp(
            f"{new} is made, but an older one in its folder could not be removed: {error.strerror}"
        ) from error
    return new, gone


def _is_another(file: Path, new: Path) -> bool:
    return file != new and file.is_file() and not file.is_symlink()
