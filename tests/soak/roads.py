"""The roads in, a Postfix and a mailbox on a Dovecot; and the far end of the road out, which is rude at times."""

from asyncio import Transport
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from random import Random
from smtplib import SMTP

from aiosmtpd import smtp
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope, Session
from imapclient import IMAPClient

from tests.cli.processes import PATIENCE
from tests.free_port import free_port
from tests.servers.dovecot import PASSWORD, Dovecot
from tests.servers.postfix import DOMAIN, Postfix
from tests.servers.sink import Sink
from tests.soak.letters import Letter

OURS = f"pbmserv@{DOMAIN}"
KEPT_FOLDER = "Kept"


@dataclass
class RudeSink(Sink):
    """Takes every mail, but sometimes hangs up before it says so: nobody can know then whether it was taken.

    `rudeness` is how often it does that, from 0 to 1.
    """

    random: Random = field(default_factory=Random)
    rudeness: float = 0.0
    hung_up: int = 0

    async def handle_DATA(self, server: smtp.SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Remembers a mail, and hangs up or not (aiosmtpd)."""
        reply = await super().handle_DATA(server, session, envelope)
        if self.random.random() < self.rudeness:
            self.hung_up += 1
            assert isinstance(server.transport, Transport)
            server.transport.abort()
        return reply


@contextmanager
def running_rude_sink(random: Random) -> Iterator[RudeSink]:
    """A server on 127.0.0.1 that takes everything."""
    sink = RudeSink(free_port(), random=random)
    controller = Controller(sink, hostname="127.0.0.1", port=sink.port, server_hostname="sink.test")
    controller.start()
    try:
        yield sink
    finally:
        controller.stop()


@dataclass
class Roads:
    """Both roads in. `taken` counts by Message-ID how often each of them has taken a mail."""

    postfix: Postfix
    dovecot: Dovecot
    mailbox: str
    by_postfix: Counter[str] = field(default_factory=Counter)
    by_mailbox: Counter[str] = field(default_factory=Counter)
    _link: SMTP | None = None

    def feed(self, raw: bytes, sender: str, message_id: str, road: str) -> None:
        """Brings a mail by "smtp" or "imap"; whoever takes it there answers for it from now on."""
        if road == "smtp":
            if self._link is None:
                self._link = SMTP("127.0.0.1", self.postfix.port, "client.test", timeout=PATIENCE)
            self._link.sendmail(sender, [OURS], raw)
            self.by_postfix[message_id] += 1
        else:
            self.dovecot.deliver(self.mailbox, raw, sender)
            self.by_mailbox[message_id] += 1

    def close(self) -> None:
        """Takes leave."""
        if self._link is not None:
            self._link.close()

    @property
    def taken(self) -> Counter[str]:
        """How often each mail was brought, by both roads together."""
        return self.by_postfix + self.by_mailbox

    def are_empty(self) -> bool:
        """Whether neither holds mail that is still on its way."""
        return "is empty" in self.postfix.queued() and not self.in_folder("INBOX")

    def in_folder(self, folder: str) -> Counter[str]:
        """The Message-IDs of what lies in a folder of the mailbox."""
        with IMAPClient("127.0.0.1", self.dovecot.imap_port, ssl=False, timeout=PATIENCE) as client:
            client.login(self.mailbox, PASSWORD)
            if not client.folder_exists(folder):
                return Counter()
            client.select_folder(folder, readonly=True)
            found = client.fetch(client.search(), ["ENVELOPE"])
            return Counter(data[b"ENVELOPE"].message_id.decode() for data in found.values())


def letter_to_us(author: str, message_id: str, lines: tuple[str, ...], answered: Letter | None) -> bytes:
    """A mail as people write it, as an answer to the last letter they had, which is quoted, or as a new one."""
    mail = EmailMessage(policy=policy.SMTP)
    mail["From"] = f"{author.title()} <{author}@example.org>"
    mail["To"] = answered.reply_to if answered else OURS
    mail["Subject"] = f"Re: {answered.subject}" if answered else "my move"
    mail["Message-ID"] = message_id
    text = "".join(f"{line}\n" for line in lines)
    if answered:
        mail["In-Reply-To"] = mail["References"] = answered.message_id
        text += "\npbmserv wrote:\n" + "".join(f"> {line}\n" for line in answered.text.splitlines())
    mail.set_content(text)
    return mail.as_bytes()
