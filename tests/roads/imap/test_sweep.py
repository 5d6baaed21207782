"""Sweeps of a real mailbox: each mail is kept once and then put away, whatever others do meanwhile."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from pbmserv.mail.receiving import imap_fetch
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapError, ImapMailbox, ImapRefused
from tests.conftest import ADDRESS
from tests.roads.imap.box import MAX_SIZE, Box, Keeping, deleting, mail, sweeper_of, swept
from tests.servers.dovecot import Dovecot, running_dovecot


@pytest.fixture(scope="module")
def poor_dovecot() -> Iterator[Dovecot]:
    """One that offers neither MOVE nor UIDPLUS."""
    with running_dovecot("imap_capability = IMAP4rev1 LITERAL+ NAMESPACE IDLE\n") as server:
        yield server


@pytest.fixture(scope="module")
def plain_dovecot() -> Iterator[Dovecot]:
    """One that has UIDPLUS but no MOVE, and all folders below INBOX."""
    more = "namespace inbox {\n  prefix = INBOX.\n  separator = .\n}\n"
    with running_dovecot(f"imap_capability = IMAP4rev1 LITERAL+ NAMESPACE IDLE UIDPLUS\n{more}") as server:
        yield server


def test_each_mail_is_kept_and_then_moved(box: Box, keeping: Keeping) -> None:
    box.deliver("one", "two")
    swept(box, sweeper_of(keeping.keep))
    assert keeping.subjects == ["one", "two"]
    assert box.subjects() == []
    assert box.subjects("Kept") == ["one", "two"]
    box.deliver("three")
    swept(box, sweeper_of(keeping.keep))
    assert keeping.subjects == ["one", "two", "three"]
    assert box.subjects("Kept") == ["one", "two", "three"]


def test_nothing_is_moved_before_it_is_kept(box: Box, keeping: Keeping) -> None:
    def keep(*mail_: object) -> int:
        assert box.subjects() == ["one"]
        return keeping.keep(*mail_)  # type: ignore[arg-type]

    box.deliver("one")
    swept(box, sweeper_of(keep))
    assert keeping.subjects == ["one"]


def test_what_was_kept_is_the_mail_itself_and_still_unread(box: Box, keeping: Keeping) -> None:
    text = "h\u00e9 \x01\r\n.\r\n\r\nFrom us\r\n" + "x" * 5_000
    box.server.deliver(box.user, mail("one", text), "envelope@example.org")
    swept(box, sweeper_of(keeping.keep))
    assert keeping.raws[0].endswith(mail("one", text))
    assert keeping.senders == ["envelope@example.org"]
    with box.client("Kept") as client:
        assert client.search("UNSEEN") == [1]


def test_a_bounce_is_known_by_its_return_path(box: Box, keeping: Keeping) -> None:
    box.server.deliver(box.user, mail("one"), "")
    swept(box, sweeper_of(keeping.keep))
    assert keeping.senders == ["<>"]


def test_our_addresses_are_its_recipients(box: Box, keeping: Keeping) -> None:
    local, _, domain = ADDRESS.partition("@")
    box.server.deliver(box.user, mail("one", To=f"Us <{local}+t1@{domain}>, bob@example.org"))
    box.server.deliver(box.user, mail("two", To="list@example.org", X_Original_To=f"{local}+t2@{domain}"))
    box.server.deliver(box.user, mail("three", To="list@example.org"))
    swept(box, sweeper_of(keeping.keep))
    assert keeping.recipients == [(f"{local}+t1@{domain}",), (f"{local}+t2@{domain}",), (ADDRESS,)]


def test_deleting_leaves_nothing(box: Box, keeping: Keeping) -> None:
    box = deleting(box)
    box.deliver("one", "two")
    swept(box, sweeper_of(keeping.keep))
    assert keeping.subjects == ["one", "two"]
    assert box.subjects() == []
    with box.client() as client:
        assert not client.folder_exists("Kept")


def test_a_server_without_move(plain_dovecot: Dovecot, keeping: Keeping) -> None:
    """Where only these very mails can be expunged; and its folders are all below INBOX."""
    box = Box(plain_dovecot)
    box.deliver("another's", "one", "two")
    with box.client("INBOX") as client:
        client.delete_messages([1])
    swept(box, sweeper_of(keeping.keep))
    assert keeping.subjects == ["one", "two"], "what somebody has deleted is not fetched"
    assert box.subjects() == ["another's"]
    assert box.subjects("INBOX.Kept") == ["one", "two"]


def test_a_server_that_can_expunge_only_all(poor_dovecot: Dovecot, keeping: Keeping) -> None:
    box = Box(poor_dovecot)
    box.deliver("one", "two")
    swept(box, sweeper_of(keeping.keep))
    assert (box.subjects(), box.subjects("Kept")) == ([], ["one", "two"])


def test_what_another_has_deleted_is_not_expunged_with_ours(poor_dovecot: Dovecot, keeping: Keeping) -> None:
    box = Box(poor_dovecot)
    box.deliver("another's", "one")
    with box.client("INBOX") as client:
        client.delete_messages([1])
    for _ in range(2):
        swept(box, sweeper_of(keeping.keep))
    assert keeping.subjects == ["one"], "what stays behind is not kept again"
    assert box.subjects() == ["another's", "one"]
    assert box.subjects("Kept") == ["one"]


def test_the_folder_may_be_there_and_have_a_name_in_any_script(box: Box, keeping: Keeping) -> None:
    box.filing = Disposition("move", "H\u00e4user & S\u00f6hne")
    with box.client() as client:
        client.create_folder(box.filing.folder)
    box.deliver("one")
    swept(box, sweeper_of(keeping.keep))
    assert box.subjects(box.filing.folder) == ["one"]


def test_the_folder_may_vanish(box: Box, keeping: Keeping) -> None:
    mailbox = box.open()
    with box.client() as client:
        client.delete_folder("Kept")
    box.deliver("one", "two")
    sweeper_of(keeping.keep).fetch_new(mailbox, threading.Event())
    mailbox.close()
    assert box.subjects("Kept") == ["one", "two"]


def test_a_mail_that_is_refused_to_be_moved_is_kept_once(
    box: Box, keeping: Keeping, caplog: pytest.LogCaptureFixture
) -> None:
    box.refuse_to_keep()
    box.deliver("one", "two")
    sweeper = sweeper_of(keeping.keep)
    for _ in range(3):
        swept(box, sweeper)
    assert caplog.text.count("stays in the folder") == 1
    box.deliver("three")
    swept(box, sweeper)
    assert keeping.subjects == box.subjects() == ["one", "two", "three"]
    (box.server.folder / "mail" / box.user / ".Kept").unlink()
    swept(box, sweeper)
    assert keeping.subjects == box.subjects("Kept") == ["one", "two", "three"]


def test_a_folder_made_anew_begins_anew(box: Box, keeping: Keeping) -> None:
    """Another mail with a UID that was kept already, under another UIDVALIDITY."""
    box.folder = "Club"
    box.refuse_to_keep()
    sweeper = sweeper_of(keeping.keep)
    for subject in ("one", "two"):
        with box.client() as client:
            client.create_folder("Club")
            client.append("Club", mail(subject))
            client.select_folder("Club")
            assert client.search() == [1]
        swept(box, sweeper)
        with box.client() as client:
            client.delete_folder("Club")
    assert keeping.subjects == ["one", "two"]


def test_without_uidvalidity_nothing_is_put_away_that_was_not_kept(
    box: Box, keeping: Keeping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost before the mail is moved; then another mail has its UID."""
    box.folder = "Club"
    select = ImapMailbox.select
    monkeypatch.setattr(ImapMailbox, "select", lambda mailbox: replace(select(mailbox), uidvalidity=0))
    box.refuse_to_keep()
    sweeper = sweeper_of(keeping.keep)
    for subject in ("one", "two"):
        with box.client() as client:
            client.create_folder("Club")
            client.append("Club", mail(subject))
        swept(box, sweeper)
        with box.client() as client:
            client.delete_folder("Club")
    assert keeping.subjects == ["one", "two"]


def before(mailbox: ImapMailbox, method: str, act: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Something happens just before the mailbox is asked for that, the first time."""
    ask = getattr(mailbox, method)
    pending = [act]

    def asked(*arguments: object) -> object:
        while pending:
            pending.pop()()
        return ask(*arguments)

    monkeypatch.setattr(mailbox, method, asked)


@pytest.mark.parametrize("method", ["listed", "sizes", "bodies", "put_away"])
def test_mails_may_vanish_at_any_moment(
    box: Box, keeping: Keeping, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    box.deliver("one", "two", "three")

    def expunge() -> None:
        with box.client("INBOX") as client:
            client.delete_messages([2])
            client.expunge()

    mailbox = box.open()
    before(mailbox, method, expunge, monkeypatch)
    sweeper_of(keeping.keep).fetch_new(mailbox, threading.Event())
    mailbox.close()
    is_kept = method == "put_away"
    assert keeping.subjects == (["one", "two", "three"] if is_kept else ["one", "three"])
    assert box.subjects("Kept") == ["one", "three"]
    assert box.subjects() == []


@pytest.mark.parametrize("method", ["listed", "sizes", "bodies", "put_away"])
def test_a_mail_may_come_at_any_moment(
    box: Box, keeping: Keeping, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """The sweep finds it, even if the server has told of it where nobody listens."""
    box.deliver("one")
    mailbox = box.open()
    before(mailbox, method, lambda: box.deliver("two"), monkeypatch)
    sweeper_of(keeping.keep).fetch_new(mailbox, threading.Event())
    mailbox.close()
    assert keeping.subjects == ["one", "two"]


def test_the_connection_may_break_before_a_mail_is_moved(
    box: Box, keeping: Keeping, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.deliver("one")
    sweeper, mailbox = sweeper_of(keeping.keep), box.open()

    def broken() -> None:
        raise ImapError("broken")

    before(mailbox, "put_away", broken, monkeypatch)
    with pytest.raises(ImapError):
        sweeper.fetch_new(mailbox, threading.Event())
    mailbox.close()
    assert box.subjects() == ["one"]
    swept(box, sweeper)
    assert keeping.subjects == box.subjects("Kept") == ["one"]


def test_only_the_head_of_a_mail_that_is_too_large(box: Box, keeping: Keeping) -> None:
    large = mail("large", "secret\r\n" * MAX_SIZE)
    for raw in (mail("one"), large, mail("two")):
        box.server.deliver(box.user, raw)
    swept(box, sweeper_of(keeping.keep))
    assert keeping.subjects == ["one", "large", "two"]
    assert b"secret" not in keeping.raws[1]
    assert keeping.full_sizes[0] is keeping.full_sizes[2] is None
    assert keeping.full_sizes[1] is not None
    assert keeping.full_sizes[1] > len(large)
    assert box.subjects("Kept") == ["one", "large", "two"]


def test_a_mail_that_goes_in_circles_is_only_put_away(
    box: Box, keeping: Keeping, caplog: pytest.LogCaptureFixture
) -> None:
    box.server.deliver(box.user, b"Received: from here\r\n" * 60 + mail("round"))
    swept(box, sweeper_of(keeping.keep))
    assert (keeping.raws, box.subjects("Kept")) == ([], ["round"])
    assert "goes round in circles" in caplog.text


def test_many_mails_come_in_order_and_a_few_at_a_time(
    box: Box, keeping: Keeping, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in (("PAGE", 10), ("BATCH", 4), ("BATCH_BYTES", 3_000)):
        monkeypatch.setattr(imap_fetch, name, value)
    caplog.set_level("INFO")
    box.refuse_to_keep()
    asked = []

    def bodies(uids: list[int]) -> dict[int, bytes]:
        asked.append(uids)
        return fetch(uids)

    names = [f"m{number}" for number in range(25)]
    with box.client() as client:
        for name in names:
            client.append("INBOX", mail(name))
        client.append("INBOX", mail("long", "x" * 2_900))
    mailbox = box.open()
    fetch = mailbox.bodies
    monkeypatch.setattr(mailbox, "bodies", bodies)
    sweeper_of(keeping.keep).fetch_new(mailbox, threading.Event())
    mailbox.close()
    assert keeping.subjects == [*names, "long"]
    assert max(map(len, asked)) == 4
    assert asked[-1] == [26]
    assert "mails are being fetched count=10 left=16" in caplog.text


def test_a_mail_that_cannot_be_kept_does_not_keep_the_others(
    box: Box, keeping: Keeping, caplog: pytest.LogCaptureFixture
) -> None:
    tries = []

    def keep(raw: bytes, sender: str, recipients: tuple[str, ...], full_size: int | None) -> int:
        if b"Subject: two" in raw:
            tries.append(raw)
            raise ValueError("Xy7zzy-Q")
        return keeping.keep(raw, sender, recipients, full_size)

    box.deliver("one", "two", "three")
    sweeper = sweeper_of(keep)
    for _ in range(2):
        swept(box, sweeper)
    assert keeping.subjects == box.subjects("Kept") == ["one", "three"]
    assert (box.subjects(), len(tries)) == (["two"], 3)
    assert 'error="ValueError at' in caplog.text
    assert "Xy7zzy" not in caplog.text
    sweeper.start_over(retry_failed=True)
    swept(box, sweeper)
    assert len(tries) == 6


def test_a_folder_that_is_not_there_is_refused(box: Box, keeping: Keeping) -> None:
    box.folder = "Nowhere"
    with pytest.raises(ImapRefused, match="exist"):
        swept(box, sweeper_of(keeping.keep))
