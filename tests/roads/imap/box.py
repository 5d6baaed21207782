"""A mailbox on a real Dovecot, from both sides: whoever sends to it and looks into it, and the poller's."""

import itertools
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from imapclient import IMAPClient

from pbmserv.commands.server import Server
from pbmserv.mail.mail_urls import MailboxAddress
from pbmserv.mail.receiving.imap_fetch import MailFetcher, StoreMail
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapMailbox, open_mailbox
from pbmserv.server.poller import polling
from pbmserv.services.app import App
from pbmserv.services.views import list_inbox
from pbmserv.store.inbox import InboxMessage
from tests.cli.processes import PATIENCE, wait_for
from tests.conftest import ADDRESS
from tests.servers.dovecot import PASSWORD, Dovecot

MAX_SIZE = 100_000
_users = itertools.count(1)


def mail(subject: str, text: str = "hello", **headers: str) -> bytes:
    """A mail of alice's to the server."""
    given = {"From": "alice@example.org", "To": ADDRESS, "Message-ID": f"<{subject}@example.org>"}
    given |= {"Subject": subject} | {name.replace("_", "-"): value for name, value in headers.items()}
    return "".join(f"{name}: {value}\r\n" for name, value in given.items()).encode() + f"\r\n{text}\r\n".encode()


def subject_of(raw: bytes) -> str:
    """What a mail is about."""
    lines = raw.decode(errors="replace").splitlines()
    return next((line.removeprefix("Subject: ") for line in lines if line.startswith("Subject: ")), "")


@dataclass
class Box:
    """A user's mailbox."""

    server: Dovecot
    folder: str = "INBOX"
    filing: Disposition = field(default_factory=Disposition)
    user: str = field(default_factory=lambda: f"user{next(_users)}")

    @property
    def address(self) -> MailboxAddress:
        """As the poller knows it."""
        return MailboxAddress("127.0.0.1", self.server.imap_port, self.user, self.folder, "none")

    def open(self) -> ImapMailbox:
        """The poller's connection."""
        return open_mailbox(self.address, PASSWORD, self.filing)

    def deliver(self, *subjects: str) -> None:
        """Mails come in."""
        for subject in subjects:
            self.server.deliver(self.user, mail(subject))

    @contextmanager
    def client(self, folder: str | None = None) -> Iterator[IMAPClient]:
        """Another connection, as of somebody who reads the mail with a program."""
        with IMAPClient("127.0.0.1", self.server.imap_port, ssl=False, timeout=PATIENCE) as client:
            client.login(self.user, PASSWORD)
            if folder is not None:
                client.select_folder(folder)
            yield client

    def subjects(self, folder: str = "INBOX") -> list[str]:
        """What is in a folder; nothing where there is no such folder."""
        with self.client() as client:
            if not client.folder_exists(folder):
                return []
            client.select_folder(folder)
            found = client.fetch(client.search(), ["BODY.PEEK[HEADER]"])
        return [subject_of(found[uid][b"BODY[HEADER]"]) for uid in sorted(found)]

    def refuse_to_keep(self) -> None:
        """From now on there can be no folder Kept."""
        with self.client("INBOX"):  # which makes the folder on disk
            (self.server.folder / "mail" / self.user / ".Kept").write_text("in the way")

    def wait_until_idle(self) -> None:
        """Until the server sees that somebody waits for news of this mailbox."""
        wait_for(lambda: f"[{self.user} 127.0.0.1 IDLE]" in self._titles())

    def _titles(self) -> str:
        pids = ",".join(map(str, self.server.sessions())) or "0"
        return subprocess.run(
            ["ps", "-o", "args=", "-p", pids], capture_output=True, text=True, check=False
        ).stdout

    @contextmanager
    def polled(self, house: App) -> Iterator["Polled"]:
        """While the poller runs, as part of a server."""
        open_this = partial(open_mailbox, self.address, PASSWORD, self.filing)
        bell = threading.Event()
        part = polling(open_this, self.address.place, house, MAX_SIZE, bell)
        stop = threading.Event()
        thread = threading.Thread(target=part, args=(stop,))
        thread.start()
        try:
            yield Polled(house, thread, bell)
        finally:
            stop.set()
            thread.join(PATIENCE)
            assert not thread.is_alive(), "it does not stop"


@dataclass
class Polled:
    """A poller that runs, and the house it keeps mails in."""

    house: App
    thread: threading.Thread
    bell: threading.Event

    def subjects(self) -> list[str]:
        """Of the mails that were kept, in order."""
        return subjects_in(self.house)

    def wait_for(self, *subjects: str) -> None:
        """Until these mails were kept, no others, in this order."""
        wait_for(lambda: len(self.subjects()) >= len(subjects) or not self.thread.is_alive())
        assert self.subjects() == [*subjects]


def inbox_of(house: App) -> list[InboxMessage]:
    """All that was kept, in order."""
    return [*reversed(list_inbox(house, None, 10_000))]


def subjects_in(house: App) -> list[str]:
    """What the kept mails are about."""
    return [subject_of(kept.raw) for kept in inbox_of(house)]


@dataclass
class Keeping:
    """Where a sweep keeps mails in a test, and what it made of each."""

    raws: list[bytes] = field(default_factory=list)
    senders: list[str] = field(default_factory=list)
    recipients: list[Sequence[str]] = field(default_factory=list)
    full_sizes: list[int | None] = field(default_factory=list)

    def keep(self, raw: bytes, sender: str, recipients: tuple[str, ...], full_size: int | None) -> int:
        """Keeps one."""
        self.raws.append(raw)
        self.senders.append(sender)
        self.recipients.append(recipients)
        self.full_sizes.append(full_size)
        return len(self.raws)

    @property
    def subjects(self) -> list[str]:
        """What they are about."""
        return [*map(subject_of, self.raws)]


def sweeper_of(keep: StoreMail) -> MailFetcher:
    """A sweeper of a server at ADDRESS."""
    return MailFetcher(Server(ADDRESS, variants=True), keep, MAX_SIZE)


def swept(box: Box, sweeper: MailFetcher) -> None:
    """One connection's first sweep."""
    mailbox = box.open()
    try:
        sweeper.start_over()
        sweeper.fetch_new(mailbox, threading.Event())
    finally:
        mailbox.close()


def deleting(box: Box) -> Box:
    """The same, but mails that were kept are deleted."""
    return replace(box, filing=Disposition("delete"))
