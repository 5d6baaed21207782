"""The values on a mail's way in: what was read, what was asked, and who asks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """A mail after reading; nothing in it can make later code fail.

    `sender` is the one address of the one From header, lower-cased; None when the headers do not name exactly
    one without doubt. `subject` is decoded and on one line. `text` is what the person wrote: decoded, without
    quoted text and signature, lines separated by newlines. Ids keep their angle brackets. `automatic` is a word
    for why the mail must be neither answered nor obeyed; None when a person wrote it. `content_key` is the same
    for two copies of one mail that came by different roads.
    """

    sender: str | None
    subject: str
    text: str
    message_id: str | None
    references: tuple[str, ...]
    automatic: str | None
    content_key: str
