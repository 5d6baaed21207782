"""A move by a personal link becomes the mail in which its player would have answered."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from email.policy import SMTP
from typing import Final

from pbmserv.mail.compose import compose, put_in_thread
from pbmserv.mail.read import opened

_WIRE: Final = SMTP.clone(max_line_length=998)
"""A shorter one would write long ids as encoded words."""


@dataclass(frozen=True, slots=True)
class ByLink:
    """What that mail says: `command` is done, `words` go to the other players, `answers` is a Message-ID of ours.

    `sender` is the player's address, `recipient` the one that our mail came from; `mark` tells by which link it
    came (`mark_of`), and `turn` is the same for all that comes by it in one turn."""

    sender: str
    recipient: str = field(repr=False)
    answers: str = field(repr=False)
    command: str
    words: str
    mark: str
    turn: str

    @property
    def message_id(self) -> str:
        """The same for the same move with the same words: a second click brings a second copy of one mail."""
        whole = "\0".join((self.mark, self.turn, self.command, self.words))
        said = hashlib.sha256(whole.encode(errors="replace")).hexdigest()
        return f"<{self.mark}.{said[:24]}@{self.recipient.rpartition('@')[2]}>"


def mark_of(key: str, message_id: str) -> str:
    """How the Message-IDs begin of all mails that come by the link with a key, which cannot be told from it.

    `message_id` is that of the mail with the link. It is a secret too: whoever was given the link alone cannot
    write a mail elsewhere that looks as if it had come by the link, whose answer would be shown to them.
    """
    return f"link.{hashlib.sha256(f'link {key.lower()} {message_id}'.encode()).hexdigest()[:20]}"


def came_by(raw: bytes, mark: str) -> bool:
    """Whether a mail, as it came or as it is kept, came by the link of that mark."""
    return opened(raw)[1].first("message-id").strip().startswith(f"<{mark}.".encode())


def write_by_link(said: ByLink, now: datetime) -> bytes:
    """The mail: its command in Subject and text, as links of ours write it, then `end`: below is no command."""
    words = said.words.replace("\r\n", "\n").replace("\r", "\n")
    mail = compose(said.sender, said.recipient, said.command, f"{said.command}\nend\n\n{words}", now)
    put_in_thread(mail, said.answers, "")
    mail.replace_header("Message-ID", said.message_id)
    return mail.as_bytes(policy=_WIRE)
