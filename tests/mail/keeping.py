"""What a listener keeps mails by in tests that look at each mail alone."""

from collections.abc import Callable, Sequence

from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope, StoreMails

Kept = tuple[bytes, str, tuple[str, ...]]
"""Raw mail, envelope sender, recipients."""


def one_by_one(keep: Callable[[bytes, str, tuple[str, ...]], object]) -> StoreMails:
    """Gives each mail to a function that raises where it cannot keep it."""

    def keep_all(mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
        for mail in mails:
            keep(mail.raw, mail.sender, mail.recipients)
        return [1] * len(mails)

    return keep_all


def keep_nothing(mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
    """Takes every mail and forgets it."""
    return [1] * len(mails)
