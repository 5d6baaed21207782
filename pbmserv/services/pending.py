"""A mail that waits in the inbox, read and parsed, with the identity of its sender."""

from dataclasses import dataclass, field

from pbmserv.commands.command import Confirmation
from pbmserv.mail.reading.delivery_report import Report
from pbmserv.parser.parsed import IncomingMail, ParsedMail
from pbmserv.parser.title import title_of
from pbmserv.parser.wishes import Wishes
from pbmserv.services.sender import SenderIdentity
from pbmserv.store.inbox import InboxMessage


@dataclass(frozen=True, slots=True)
class SentToSelf:
    """What may show that a mail is one of `doctor`'s, or a report about one."""

    words: tuple[str, ...] = field(repr=False)
    is_report: bool
    # Of a report its reason, else the head.
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the database said of a mail's sender when it was read: if that has changed, it is read again."""

    sender: str | None
    identity: SenderIdentity
    # The From address, where the mail answers a question that went elsewhere, and counts as from there.
    elsewhere: str | None
    # The open question that a word in the lines names.
    named: Confirmation | None


@dataclass(frozen=True, slots=True)
class PendingMail:
    """A mail from the inbox, read and parsed."""

    message: InboxMessage
    # As it came, and as it counts.
    came: IncomingMail = field(repr=False)
    mail: IncomingMail
    grounds: Grounds
    parsed: ParsedMail
    # Words below the lines that are passed on to nobody, since they may not be the sender's.
    left_out: tuple[str, ...] = ()
    # The same, and those of which the sender was told before.
    unsent: tuple[str, ...] = ()
    # What an unknown sender, or a mail without a command, asks for.
    wishes: Wishes = field(default_factory=Wishes)
    # Of a mail that no person wrote: what it says of a mail of ours, and what shows that it is from `doctor`.
    report: Report | None = None
    to_self: SentToSelf | None = None
    # The copy that is kept of it once it is handled, without its secrets.
    kept: bytes = field(default=b"", repr=False, compare=False)

    @property
    def identity(self) -> SenderIdentity:
        """Who it is from."""
        return self.grounds.identity

    @property
    def elsewhere(self) -> str | None:
        """Its From address, where it counts as from another."""
        return self.grounds.elsewhere

    @property
    def named(self) -> Confirmation | None:
        """The open question that a word in the lines names."""
        return self.grounds.named

    @property
    def subject(self) -> str:
        """The Subject, where the writer has made it up; empty where it is that of a mail which is answered."""
        return own_subject(self.mail, self.identity, self.parsed)

    @property
    def runnable(self) -> ParsedMail:
        """The lines that may be run: none, if no person wrote the mail."""
        return self.parsed if self.mail.automatic is None else ParsedMail()


def own_subject(mail: IncomingMail, identity: SenderIdentity, parsed: ParsedMail) -> str:
    """The Subject, where the writer has made it up; empty where it is that of a mail which is answered."""
    title = title_of(mail.subject)
    return "" if title.is_answer or identity.answered is not None or parsed.board is not None else title.text
