"""The far end of the way out: takes every mail, by SMTP or LMTP, and remembers it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.cli.processes import wait_for
from tests.free_port import free_port


@dataclass(frozen=True)
class Taken:
    """A mail as it arrived; the null sender is `<>`."""

    raw: bytes
    sender: str
    recipients: tuple[str, ...]

    @property
    def message(self) -> EmailMessage:
        """The parsed mail."""
        return message_from_bytes(self.raw, policy=policy.default)


@dataclass
class Sink:
    """What came, in order."""

    port: int
    mails: list[Taken] = field(default_factory=list)

    def wait_for(self, count: int) -> None:
        """Until so many have come."""
        wait_for(lambda: len(self.mails) >= count)

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Remembers a mail (aiosmtpd)."""
        assert isinstance(envelope.original_content, bytes)
        taken = Taken(envelope.original_content, envelope.mail_from or "<>", tuple(envelope.rcpt_tos))
        self.mails.append(taken)
        return "250 OK"


class _LmtpController(Controller):
    def factory(self) -> SMTP:
        return LMTP(self.handler, **self.SMTP_kwargs)


@contextmanager
def running_sink(lmtp: bool = False) -> Iterator[Sink]:
    """A server on 127.0.0.1 that takes everything; by LMTP one recipient a mail."""
    sink = Sink(free_port())
    kind = _LmtpController if lmtp else Controller
    controller = kind(
        sink, hostname="127.0.0.1", port=sink.port, enable_SMTPUTF8=True, server_hostname="sink.test"
    )
    controller.start()
    try:
        yield sink
    finally:
        controller.stop()
