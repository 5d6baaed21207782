"""What a listener keeps mails by in tests that look at each mail alone."""

from collections.abc import Callable, Sequence

from pbmserv.mail.together import Arrival, Keep

Kept = tuple[bytes, str, tuple[str, ...]]
"""Raw mail, envelope sender, recipients."""


def one_by_one(keep: Callable[[bytes, str, tuple[str, ...]], object]) -> Keep:
    """Gives each mail to a function that raises where it cannot keep it."""

    def keep_all(mails: Sequence[Arrival]) -> list[Exception | None]:
        for mail in mails:
            keep(mail.raw, mail.sender, mail.recipients)
        return [None] * len(mails)

    return keep_all


def keep_nothing(mails: Sequence[Arrival]) -> list[Exception | None]:
    """Takes every mail and forgets it."""
    return [None] * len(mails)
