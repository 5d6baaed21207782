"""Mail that goes out into a Maildir, and what a reader finds there."""

import mailbox
import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbmserv.mail.sending.destination import open_transport
from pbmserv.mail.sending.maildir import Maildir, read_all
from pbmserv.mail.sending.transport import Batch, Deferred, Delivered, Failed, Outgoing
from tests.mail.one_by_one import deliver_one

MAIL = Outgoing(
    "pbm+b.7@club.test",
    "ann@a.test",
    b"Subject: =?utf-8?q?b=C3=A4ll?=\r\n of yarn\r\nMessage-ID: <1@club.test>\r\n\r\n.your turn\r\n",
)


def numbered(number: int) -> Outgoing:
    return Outgoing("pbm@club.test", "ann@a.test", b"Subject: %d\r\n\r\nx\r\n" % number)


def test_a_mail_is_put_where_others_read_it(tmp_path: Path) -> None:
    place = tmp_path / "deep" / "mail"
    assert deliver_one(open_transport(f"maildir:{place}"), MAIL) == Delivered()
    [message] = mailbox.Maildir(place, create=False)
    assert message["Message-ID"] == "<1@club.test>"
    assert message["Return-Path"] == "<pbm+b.7@club.test>"
    assert message["Delivered-To"] == "ann@a.test"
    assert list((place / "tmp").iterdir()) == []


def test_a_mail_is_read_back(tmp_path: Path) -> None:
    deliver_one(Maildir(tmp_path), MAIL)
    [letter] = read_all(tmp_path)
    assert letter.header("subject") == "bäll of yarn"
    assert letter.header("Delivered-To") == "ann@a.test"
    assert letter.header("X-None") == ""
    assert letter.message.get_content() == ".your turn\n"
    assert letter.raw.endswith(b"Message-ID: <1@club.test>\n\n.your turn\n")
    assert letter.path.read_bytes() == letter.raw


@pytest.mark.parametrize("sender", ["", "<>"])
def test_the_null_sender(sender: str, tmp_path: Path) -> None:
    assert deliver_one(Maildir(tmp_path), Outgoing(sender, "ann@a.test", MAIL.raw)) == Delivered()
    [letter] = read_all(tmp_path)
    assert letter.header("Return-Path") == "<>"


def test_the_newest_is_last_and_the_same_mail_twice_is_two_files(tmp_path: Path) -> None:
    way = Maildir(tmp_path)
    for number in (*range(30), 29):
        assert deliver_one(way, numbered(number)) == Delivered()
    way.close()
    assert [letter.header("Subject") for letter in read_all(tmp_path)] == [str(n) for n in (*range(30), 29)]


def test_a_clock_set_back_changes_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = Maildir(tmp_path)
    now = 10**18
    for number, step in enumerate((0, 0, -(10**12), 1, 10**9)):
        monkeypatch.setattr(time, "time_ns", lambda step=step: now + step)
        assert deliver_one(way, numbered(number)) == Delivered()
    assert [letter.header("Subject") for letter in read_all(tmp_path)] == ["0", "1", "2", "3", "4"]


def test_many_deliver_at_once(tmp_path: Path) -> None:
    def deliver(number: int) -> object:
        return deliver_one(Maildir(tmp_path / "new place"), numbered(number))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(deliver, range(100))) == {Delivered()}
    assert {letter.header("Subject") for letter in read_all(tmp_path / "new place")} == {
        str(n) for n in range(100)
    }


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    place = tmp_path / "mail"
    deliver_one(Maildir(place), MAIL)
    [letter] = read_all(place)
    assert [stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (place, place / "new", letter.path)] == [0, 0, 0]


def test_a_mail_is_on_the_disk_before_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deliver_one(Maildir(tmp_path), MAIL)
    seen = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        seen.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), len(list((tmp_path / "new").iterdir()))))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    assert deliver_one(Maildir(tmp_path), MAIL) == Delivered()
    assert seen == [(False, 1), (True, 2)]


def test_mails_of_a_batch_share_the_sync_of_their_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them counts as delivered before it."""
    batch = Batch([numbered(1), Outgoing("", "nobody", b"x"), numbered(2)])
    deliver_one(Maildir(tmp_path), MAIL)
    seen = []
    sync = os.fsync

    def noted(descriptor: int) -> None:
        seen.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), len(batch.outcomes)))
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", noted)
        Maildir(tmp_path).deliver(batch)
    assert seen == [(False, 0), (False, 0), (True, 0)]
    assert batch.outcomes == [Delivered(), Failed("malformed address 'nobody'"), Delivered()]


def test_where_the_folder_cannot_be_synced_all_are_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(folder: Path) -> None:
        raise OSError(5, "Input/output error")

    deliver_one(Maildir(tmp_path), MAIL)
    monkeypatch.setattr("pbmserv.mail.sending.maildir.sync", broken)
    batch = Batch([numbered(1), numbered(2)])
    Maildir(tmp_path).deliver(batch)
    assert batch.outcomes == [Deferred("OSError: [Errno 5] Input/output error")] * 2


def test_a_mail_that_cannot_be_stored_is_to_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    deliver_one(Maildir(tmp_path), MAIL)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        outcome = deliver_one(Maildir(tmp_path), MAIL)
    assert isinstance(outcome, Deferred)
    assert "No space left" in outcome.reason
    assert len(list(read_all(tmp_path))) == 1
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_was_left_half_written_goes_after_36_hours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A younger one may be of another process that writes still."""
    way = Maildir(tmp_path)
    deliver_one(way, numbered(1))
    old, young, folder = (tmp_path / "tmp" / name for name in ("1.old", "2.young", "a folder"))
    for file, hours in ((old, 37), (young, 35)):
        file.write_text("Subject: ha")
        os.utime(file, (time.time(), time.time() - hours * 3600))
    folder.mkdir()
    assert deliver_one(way, numbered(2)) == Delivered()
    assert old.exists(), "it looks once an hour"
    start = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: start + 3601)
    assert deliver_one(way, numbered(3)) == Delivered()
    assert sorted((tmp_path / "tmp").iterdir()) == sorted([young, folder])
    assert len(list(read_all(tmp_path))) == 3


def test_a_writer_that_was_killed_is_cleaned_up_after_by_the_next(tmp_path: Path) -> None:
    deliver_one(Maildir(tmp_path), numbered(1))
    left = tmp_path / "tmp" / "1.half"
    left.write_text("Subject: ha")
    os.utime(left, (0, 0))
    deliver_one(Maildir(tmp_path), numbered(2))
    assert not left.exists()


def test_a_file_in_the_way_is_to_come_again(tmp_path: Path) -> None:
    way = Maildir(tmp_path / "mail")
    (tmp_path / "mail").write_text("not a folder")
    assert isinstance(deliver_one(way, MAIL), Deferred)


@pytest.mark.parametrize("recipient", ["ann@a.test\nBcc: bob@b.test", ""])
def test_a_malformed_recipient(recipient: str, tmp_path: Path) -> None:
    assert isinstance(deliver_one(Maildir(tmp_path), Outgoing("", recipient, b"x")), Failed)
    assert list(read_all(tmp_path)) == []


def test_what_a_mail_program_has_read_and_what_is_no_mail(tmp_path: Path) -> None:
    assert list(read_all(tmp_path / "nowhere")) == []
    way = Maildir(tmp_path)
    deliver_one(way, numbered(1))
    [letter] = read_all(tmp_path)
    letter.path.rename(tmp_path / "cur" / (letter.path.name + ":2,S"))
    deliver_one(way, numbered(2))
    (tmp_path / "new" / ".hidden").write_text("x")
    (tmp_path / "tmp" / "1.half").write_text("x")
    (tmp_path / "new" / "stranger").write_bytes(b"Subject: =?utf-8?b?/w==?=\nDate: never\x00\nTo: \xff\n\n\xff")
    letters = list(read_all(tmp_path))
    assert [letter.header("Subject") for letter in letters[1:]] == ["1", "2"]
    assert [isinstance(letters[0].header(name), str) for name in ("Subject", "Date", "To")] == [True] * 3
