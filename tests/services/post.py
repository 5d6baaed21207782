"""A house and its post: mails in, what became of each, letters out."""

from dataclasses import dataclass, field

from pbmserv.services.handle import handle_some
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.services.views import see_inbox, see_outbox
from pbmserv.store.inbox import Kept
from pbmserv.store.outbox import Queued
from tests.conftest import ADDRESS, Clock

MOST = 10_000


@dataclass
class Post:
    """The post of one house, on a clock that stands until it is moved."""

    house: House
    clock: Clock = field(default_factory=Clock)
    written: int = 0

    def write(self, sender: str, subject: str = "", text: str = "", **headers: str) -> bytes:
        """A plain mail; in the names of further headers `_` stands for `-`."""
        self.written += 1
        given = {
            "From": sender,
            "To": ADDRESS,
            "Message-ID": f"<in-{self.written}@example.org>",
            "Subject": subject,
        }
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        body = text.replace("\n", "\r\n")
        return f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n".encode()

    def put(self, raw: bytes, envelope_sender: str = "somebody@example.org") -> int:
        """Keeps a mail and gives its number."""
        return keep(self.house, raw, envelope_sender, [ADDRESS], self.clock())

    def work(self) -> None:
        """Handles all that may be handled by now."""
        while handle_some(self.house, self.clock):
            pass

    def send(self, raw: bytes, envelope_sender: str = "somebody@example.org") -> list[Queued]:
        """Keeps a mail, handles what waits, and gives the letters that this brought, in their order."""
        before = len(self.letters())
        self.put(raw, envelope_sender)
        self.work()
        return self.letters()[before:]

    def mail(self, sender: str, subject: str = "", text: str = "", **headers: str) -> list[Queued]:
        """Writes and sends a mail."""
        return self.send(self.write(sender, subject, text, **headers), sender)

    def letters(self) -> list[Queued]:
        """All that was ever queued, in order."""
        return [*reversed(see_outbox(self.house, None, MOST))]

    def inbox(self) -> list[Kept]:
        """All that was ever kept, in order."""
        return [*reversed(see_inbox(self.house, None, MOST))]

    def row(self, mail_id: int) -> Kept:
        """One mail of the inbox."""
        return next(kept for kept in self.inbox() if kept.id == mail_id)

    def fates(self) -> list[str]:
        """What became of each mail, in order."""
        return [kept.status for kept in self.inbox()]

    def people(self, **passwords: str) -> None:
        """Signs up players by userid and password, each at userid@example.org."""
        for userid, password in passwords.items():
            (letter,) = self.mail(f"{userid}@example.org", f"signup {userid} {password}")
            assert text_of(letter).startswith("Welcome"), text_of(letter)


def text_of(letter: Queued) -> str:
    """What a letter says."""
    return letter.raw.partition(b"\r\n\r\n")[2].decode().replace("\r\n", "\n").replace("=\n", "")


def header_of(letter: Queued, name: str) -> str:
    """A header of a letter."""
    head = letter.raw.partition(b"\r\n\r\n")[0].decode()
    return next(
        line.partition(": ")[2] for line in head.split("\r\n") if line.lower().startswith(f"{name.lower()}:")
    )
