"""A disk that is full, or that takes nothing more: nobody is told yes for nothing, and nothing is half written."""

import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbmserv.server.in_flight import acquire_marker
from tests.cli.processes import PATIENCE, running, wait_for
from tests.conftest import ADDRESS, needed
from tests.faults import hindered
from tests.faults.feeding import (
    NOT_NOW,
    TRY_LATER,
    Feeding,
    assert_each_handled_once,
    challenge,
    message_ids,
    receive,
    sign_up,
    wait_until_quiet,
)
from tests.free_port import free_port

PEOPLE = ("alice", "bob")
HINDERED = Path(hindered.__file__)


def run(*command: str) -> None:
    """Runs a command as root."""
    subprocess.run(command, check=True, capture_output=True, timeout=60)


@contextmanager
def mounted(folder: Path, *how: str) -> Iterator[Path]:
    """A disk of its own at a folder, for as long as the block lasts; skips the test where none can be mounted."""
    folder.mkdir()
    try:
        run("mount", *how, str(folder))
    except (OSError, subprocess.CalledProcessError):
        needed("the right to mount a file system")
    try:
        yield folder
    finally:
        run("umount", "--lazy", str(folder))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of eight megabytes."""
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=8m", "pbmserv-test") as folder:
        yield folder


def fill(disk: Path) -> Path:
    """Leaves not a byte; gives the file that holds them all."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            while True:
                try:
                    file.write(b"\0" * size)
                except OSError:
                    break
    return filler


def settings_for(data: Path) -> dict[str, str]:
    """Those of a server on SQLite and a free port."""
    return {
        "PBMSERV_DATA": str(data),
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
        "PBMSERV_LISTEN": f"smtp://127.0.0.1:{free_port()}",
        "PBMSERV_WEB": "",
    }


def feed_for(settings: dict[str, str]) -> Feeding:
    """People who mail there."""
    return Feeding(int(settings["PBMSERV_LISTEN"].rpartition(":")[2]), PEOPLE)


def url_in(data: Path) -> str:
    """The database that a server makes there."""
    return f"sqlite:///{data / 'pbmserv.db'}"


def assert_sound(data: Path) -> None:
    """SQLite finds nothing wrong in its file."""
    connection = sqlite3.connect(data / "pbmserv.db")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_full(small_disk: Path, tmp_path: Path) -> None:
    """451 and 75 and one line for each part that suffers; once there is space again, all goes on."""
    data = small_disk / "data"
    sign_up(url_in(data), PEOPLE)
    settings = settings_for(data)
    feed = feed_for(settings)
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        feed.bring("alice", 0)
        wait_until_quiet(url_in(data))
        # What could not be sent for want of space would be tried again only after a minute.
        wait_for(lambda: sent_of(data) == message_ids(data / "outgoing").keys())
        filler = fill(small_disk)
        codes = [feed.try_once(large(number)) for number in range(3)]
        assert codes == [NOT_NOW] * 3
        assert receive(settings, tmp_path, large(3)) == TRY_LATER
        filler.unlink()
        for number in range(4):
            assert feed.try_once(large(number)) == 250
        feed.bring("bob", 0)
        wait_until_quiet(url_in(data))
        wait_for(lambda: sent_of(data) == message_ids(data / "outgoing").keys(), 3 * PATIENCE)
        assert server.log.count("is away, no mail is taken part=listener") == 1
        assert server.log.count("the database is back part=listener") == 1
        assert server.stop() == 0
        assert "Traceback" not in server.log
    assert_each_handled_once(url_in(data), len(PEOPLE) + 2 + 4)
    assert_sound(data)


def test_full_in_the_moment_of_a_commit(small_disk: Path, tmp_path: Path) -> None:
    """What was kept before is handled after; the worker waits, says so once, and counts no try."""
    data, commit = small_disk / "data", tmp_path / "commit"
    sign_up(url_in(data), PEOPLE)
    settings = settings_for(data) | {"HINDER_COMMIT": str(commit)}
    assert receive(settings, tmp_path, challenge("alice", "bob", 0)) == 0
    commit.touch()
    with running(settings, tmp_path, "work", program=HINDERED) as worker:
        wait_for(commit.with_suffix(".held").exists)
        filler = fill(small_disk)
        commit.unlink()
        worker.wait_for("the database is away part=worker")
        filler.unlink()
        worker.wait_for("the database is back part=worker")
        wait_until_quiet(url_in(data))
        assert worker.stop() == 0
        assert worker.mail_log.count("is away") == worker.mail_log.count("is back") == 1
    assert_each_handled_once(url_in(data), len(PEOPLE) + 1)
    assert_sound(data)


def large(number: int) -> bytes:
    """A mail that needs room."""
    return challenge("alice", "bob", 1000 + number) + b"hello\r\n" * 30_000


def sent_of(data: Path) -> set[str]:
    """The Message-IDs of all that was queued, once all is sent; none before."""
    connection = sqlite3.connect(data / "pbmserv.db")
    rows = connection.execute("SELECT message_id, status FROM outbox").fetchall()
    connection.close()
    return {message_id for message_id, _ in rows} if {status for _, status in rows} == {"sent"} else set()


def test_read_only(tmp_path: Path) -> None:
    """The system makes a disk with an error read-only: 451, 75, one line; mended and started, all goes on."""
    image, ext4 = tmp_path / "image", shutil.which("mkfs.ext4")
    if ext4 is None:
        needed("mkfs.ext4")
    with image.open("wb") as file:
        file.truncate(8 * 2**20)
    run(str(ext4), "-q", str(image))
    how = ("-o", "loop,errors=remount-ro", str(image))
    with mounted(tmp_path / "disk", *how) as disk:
        data = disk / "data"
        sign_up(url_in(data), PEOPLE)
        settings = settings_for(data)
        feed = feed_for(settings)
        with running(settings, tmp_path, "serve") as server:
            server.wait_for("Press Ctrl-C to stop it.")
            feed.bring("alice", 0)
            wait_until_quiet(url_in(data))
            run("mount", "-o", "remount,abort", str(disk))  # what ext4 does at an error of the disk
            codes = [feed.try_once(challenge("alice", "bob", number)) for number in (1, 2, 3)]
            assert codes == [NOT_NOW] * 3
            assert receive(settings, tmp_path, challenge("alice", "bob", 1)) == TRY_LATER
            assert server.log.count("is away, no mail is taken part=listener") == 1
            assert server.stop() == 0
            assert "Traceback" not in server.log
    subprocess.run(["fsck.ext4", "-p", "-f", str(image)], check=False, capture_output=True, timeout=60)
    (tmp_path / "disk").rmdir()
    with mounted(tmp_path / "disk", *how), running(settings, tmp_path, "serve") as server:
        server.wait_for("Press Ctrl-C to stop it.")
        feed.bring("alice", 1)
        wait_until_quiet(url_in(data))
        assert server.stop() == 0
        assert_each_handled_once(url_in(data), len(PEOPLE) + 2)
        assert_sound(data)


def test_a_full_disk_of_the_outgoing_maildir(small_disk: Path, tmp_path: Path) -> None:
    """Mails are taken and handled, the answers wait; nothing half written lies about; then each is sent once."""
    data, clock = tmp_path / "data", tmp_path / "clock"
    sign_up(url_in(data), PEOPLE)
    hindered.write_clock(clock, 0)
    out = {"PBMSERV_OUT": f"maildir:{small_disk / 'outgoing'}", "HINDER_CLOCK": str(clock)}
    settings = settings_for(data) | out
    feed = feed_for(settings)
    with running(settings, tmp_path, "serve", program=HINDERED) as server:
        server.wait_for("Press Ctrl-C to stop it.")
        wait_for(lambda: bool(sent_of(data)))
        filler = fill(small_disk)
        feed.bring("alice", 0)
        wait_until_quiet(url_in(data))
        wait_for(lambda: server.log.count(": deferred out=") == 2)
        assert [*(small_disk / "outgoing" / "tmp").iterdir()] == []
        filler.unlink()
        hindered.write_clock(clock, 3600)
        wait_for(lambda: sent_of(data) == message_ids(small_disk / "outgoing").keys() != set())
        assert server.stop() == 0
    assert set(message_ids(small_disk / "outgoing").values()) == {1}
    assert_each_handled_once(url_in(data), len(PEOPLE) + 1)


def test_a_full_disk_of_the_marks_stops_no_worker(small_disk: Path) -> None:
    """On PostgreSQL the data folder holds little more; a mark that cannot be written costs nobody a mail."""
    mark = acquire_marker(small_disk)
    fill(small_disk)
    mark.put(7)
    mark.clear()
    mark.close()
    heir = acquire_marker(small_disk)
    assert heir.left_behind() is None
    heir.close()
