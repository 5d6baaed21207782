"""Delivery into a Maildir (https://cr.yp.to/proto/maildir.html), for use without a relay, and reading it."""

import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

from pbmserv.mail.sending.transport import (
    Batch,
    Deferred,
    Delivered,
    Failed,
    Outcome,
    Outgoing,
    malformed,
    reason,
)

FOLDERS = ("tmp", "new", "cur")

ABANDONED_AFTER = 36 * 3600.0  # seconds, as the definition of a Maildir says
LOOK_EVERY = 3600.0


class Maildir:
    """A Maildir to deliver into, made when the first mail comes. For one thread; any number of processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = 0
        self._look_at = 0.0

    def deliver(self, batch: Batch) -> None:
        """Store mails so that they survive a power cut; Deferred if the disk is full or not ours.

        The directory is synced once for all of them. This is the final delivery, so each gets Return-Path and
        Delivered-To (RFC 5321 4.4, RFC 9228), and line ends as in other local files.
        """
        outcomes: list[Outcome] = []
        while (mail := batch.begin()) is not None:
            outcomes.append(self._deliver(mail))
        if Delivered() in outcomes:
            try:
                sync(self._path / "new")
            except OSError as error:
                unsure = Deferred(reason(error))
                outcomes = [unsure if outcome == Delivered() else outcome for outcome in outcomes]
        for outcome in outcomes:
            batch.end(outcome)

    def close(self) -> None:
        """Nothing is open between mails."""

    def hang_up(self) -> None:
        """A disk cannot be hung up on."""

    def _deliver(self, mail: Outgoing) -> Outcome:
        if flaw := malformed(mail):
            return Failed(flaw)
        sender = mail.envelope_sender.removeprefix("<>")
        trace = f"Return-Path: <{sender}>\nDelivered-To: {mail.recipient}\n"
        try:
            make(self._path)
            self._clear_away()
            self._store(trace.encode() + mail.raw.replace(b"\r\n", b"\n"))
        except OSError as error:
            return Deferred(reason(error))
        return Delivered()

    def _store(self, content: bytes) -> None:
        name = self._name()
        draft = self._path / "tmp" / name
        try:
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(self._path / "new" / name)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise

    def _clear_away(self) -> None:
        """Once an hour, delete what a killed writer has left half written."""
        if time.monotonic() < self._look_at:
            return
        self._look_at = time.monotonic() + LOOK_EVERY
        oldest = time.time() - ABANDONED_AFTER
        for draft in (self._path / "tmp").iterdir():
            with suppress(OSError):
                if draft.is_file() and draft.stat().st_mtime < oldest:
                    draft.unlink()

    def _name(self) -> str:
        """A unique name; names of one process sort by the time of delivery."""
        self._last = max(time.time_ns(), self._last + 1)
        seconds, rest = divmod(self._last, 10**9)
        host = socket.gethostname().replace("/", r"\057").replace(":", r"\072")
        return f"{seconds}.N{rest:09}P{os.getpid()}R{secrets.token_hex(4)}.{host}"


@dataclass(frozen=True, slots=True)
class MaildirMail:
    """One mail of a Maildir, as it lies there."""

    path: Path
    raw: bytes = field(repr=False)

    @property
    def message(self) -> EmailMessage:
        """The parsed mail. Reading a header can raise if the mail is not one of ours."""
        return message_from_bytes(self.raw, policy=policy.default)

    def header(self, name: str) -> str:
        """A header's decoded text in one line, or "" where there is none or it cannot be read."""
        try:
            return " ".join(str(self.message.get(name, "")).split())
        except Exception:  # the standard library raises anything on anything
            return ""


def read_all(path: Path) -> Iterator[MaildirMail]:
    """The mails of a Maildir, the newest last; none where there is none. Raises OSError where it is not ours."""
    for file in files(path):
        try:
            yield MaildirMail(file, file.read_bytes())
        except FileNotFoundError:  # a mail program has moved it since
            continue


def files(path: Path) -> list[Path]:
    """The files of a Maildir's mails, the newest last, none of them opened; none where there is no Maildir.

    Raises OSError where it is not ours.
    """
    found: list[Path] = []
    for folder in ("new", "cur"):
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(path / folder) as entries:
            found += [Path(entry) for entry in entries if entry.is_file() and not entry.name.startswith(".")]
    return sorted(found, key=age)


def age(file: Path) -> tuple[int, str]:
    """What sorts the files of a Maildir by their time of delivery, which their names begin with."""
    seconds = re.match(r"[0-9]{1,12}(?=\.)", file.name)
    return (int(seconds[0]) if seconds else 0), file.name


def make(path: Path) -> None:
    """Make a Maildir if there is none, readable only by its owner: mails contain tokens."""
    if all((path / folder).is_dir() for folder in FOLDERS):
        return
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    for folder in FOLDERS:
        (path / folder).mkdir(mode=0o700, exist_ok=True)
    sync(path)
    sync(path.resolve().parent)


def sync(folder: Path) -> None:
    """Sync a folder's directory to the disk: only then does a rename in it survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
