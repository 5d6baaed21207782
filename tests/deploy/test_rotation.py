"""A folder of backups: the newest few stay, on either kind of database, and nothing else in it is touched."""

import re
import stat
import subprocess
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from pbmserv.services.app import utc_now
from tests.cli.terminal import Terminal
from tests.conftest import Clock, needed

NAME = r"pbmserv-20\d{6}T\d{6}Z"


@pytest.fixture
def folder(terminal: Terminal) -> Path:
    """A folder for backups, with files of other people's in it."""
    folder = terminal.folder / "backups"
    folder.mkdir()
    for name in (
        "before-update",
        "pbmserv-20200101T000000Z.db.gz",
        "pbmserv-2020.db",
        "a pbmserv-20200101T000000Z.db",
    ):
        (folder / name).touch()
    (folder / "pbmserv-20200101T000000Z.db").symlink_to("before-update")
    (folder / "pbmserv-20200102T000000Z.db").mkdir()
    return folder


@pytest.fixture
def at_any_time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the command line, which is moved here."""
    clock = Clock()
    monkeypatch.setattr("pbmserv.cli.admin_club.utc_now", clock)
    return clock


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_newest_stay(
    terminal: Terminal, folder: Path, at_any_time: Clock, request: pytest.FixtureRequest, kind: str
) -> None:
    ending = "db"
    if kind == "postgresql":
        make: Callable[[], str] = request.getfixturevalue("new_postgresql")
        terminal.settings["PBMSERV_DATABASE"] = make()
        ending = "dump"
    terminal.succeed("migrate")
    others = names(folder)
    told = []
    for _ in range(4):
        told.append(terminal.succeed("admin", "backup", "backups", "--keep", "2"))
        at_any_time.move(days=1)
    kept = [f"pbmserv-2026010{day}T120000Z.{ending}" for day in (3, 4)]
    assert names(folder) - others == {*kept}
    assert others <= names(folder)
    assert all(stat.S_IMODE((folder / name).stat().st_mode) == 0o600 for name in kept)
    assert "Removed" not in told[1]
    assert f"Backed up into backups/{kept[1]}, " in told[3]
    assert f"Removed: pbmserv-20260102T120000Z.{ending}." in told[3]


def test_what_is_kept_can_be_brought_back_and_is_known(terminal: Terminal, folder: Path) -> None:
    terminal.succeed("migrate")
    (new,) = re.findall(rf"backups/{NAME}\.db", terminal.succeed("admin", "backup", "backups", "--keep", "1"))
    (backup,) = (each for each in terminal.run("status", "--json").rows["findings"] if each["name"] == "backup")
    assert backup["verdict"] == "fine"
    assert backup["found"].endswith(new)
    terminal.settings["PBMSERV_DATA"] = str(terminal.folder / "elsewhere")
    assert "no differences" in terminal.succeed("admin", "restore", new)


def test_nothing_goes_before_the_new_one_is_whole(terminal: Terminal, folder: Path, at_any_time: Clock) -> None:
    """The database is broken: what there is of better days stays."""
    terminal.succeed("migrate")
    terminal.succeed("admin", "backup", "backups", "--keep", "1")
    before = names(folder)
    (terminal.folder / "data" / "pbmserv.db").write_bytes(b"SQLite format 3\0 no more")
    at_any_time.move(days=1)
    done = terminal.run("admin", "backup", "backups", "--keep", "1")
    assert done.code == 1
    assert "could not be copied" in done.sentence
    assert names(folder) == before


def test_the_new_one_stays_though_a_clock_was_wrong(terminal: Terminal, folder: Path, at_any_time: Clock) -> None:
    terminal.succeed("migrate")
    at_any_time.move(days=365)
    terminal.succeed("admin", "backup", "backups", "--keep", "1")
    at_any_time.move(days=-365)
    terminal.succeed("admin", "backup", "backups", "--keep", "1")
    assert {name for name in names(folder) if re.fullmatch(rf"{NAME}\.db", name)} >= {
        "pbmserv-20260101T120000Z.db"
    }
    assert "pbmserv-20270101T120000Z.db" not in names(folder)


@pytest.fixture
def immovable(terminal: Terminal, folder: Path, at_any_time: Clock) -> Iterator[Path]:
    """A backup of yesterday that nobody can remove."""
    terminal.succeed("migrate")
    terminal.succeed("admin", "backup", "backups", "--keep", "1")
    at_any_time.move(days=1)
    file = folder / "pbmserv-20260101T120000Z.db"
    if subprocess.run(["mount", "--bind", file, file], capture_output=True, check=False).returncode:
        needed("the right to mount")
    yield file
    subprocess.run(["umount", "--lazy", file], check=True)


def test_one_that_cannot_be_removed_is_told(terminal: Terminal, immovable: Path) -> None:
    """The new one is there nevertheless."""
    done = terminal.run("admin", "backup", "backups", "--keep", "1")
    assert done.code == 1
    assert "backups/pbmserv-20260102T120000Z.db is made, but an older one" in done.sentence
    assert "Device or resource busy" in done.sentence
    assert immovable.with_name("pbmserv-20260102T120000Z.db").exists()


@pytest.mark.parametrize(("place", "keep", "code"), [("nowhere", "3", 1), ("backups", "0", 2)])
def test_what_cannot_be_meant(terminal: Terminal, folder: Path, place: str, keep: str, code: int) -> None:
    terminal.succeed("migrate")
    before = names(folder)
    assert terminal.run("admin", "backup", place, "--keep", keep).code == code
    assert names(folder) == before
    assert not (terminal.folder / "nowhere").exists()


def test_the_time_is_utc(terminal: Terminal, folder: Path) -> None:
    terminal.succeed("migrate")
    others, before = names(folder), utc_now() - timedelta(seconds=1)
    terminal.succeed("admin", "backup", "backups", "--keep", "3")
    (new,) = names(folder) - others
    assert f"pbmserv-{before:%Y%m%dT%H%M%SZ}.db" <= new <= f"pbmserv-{utc_now():%Y%m%dT%H%M%SZ}.db"
