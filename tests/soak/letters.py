"""What a letter of the server says, read off its text as a person would."""

import re
from dataclasses import dataclass
from email import message_from_bytes, policy

from tests.servers.sink import Taken
from tests.soak.plan import Shown

BOARD = re.compile(r"^Summary of Cephalopod(?: variant)? Board (\d+)$", re.MULTILINE)
YOURS = re.compile(r"\bYour\s+turn\b")
THEIRS = re.compile(r"\bIt\s+is\s+(\w+)'s\s+turn\b")
OPENS = re.compile(r"\b(\w+)\s+(?:has\s+challenged\s[^.]*?\s+and\s+)?moves\s+first\b")
ROW = re.compile(r"^ {4}(\d)  (.*)  \1$", re.MULTILINE)
BEGUN = re.compile(r"\bgame\s+of\s[^.]*?\shas\s+started\b")
PLACE = re.compile(r"<b(\d+)\.(\d+)\.")


@dataclass(frozen=True)
class Letter:
    """A mail of the server. `answers` is the Message-ID of the mail it answers, None for a notice."""

    message_id: str
    recipient: str
    reply_to: str
    subject: str
    answers: str | None
    text: str

    @property
    def shown(self) -> tuple[Shown, ...]:
        """The boards that it shows, in the order of their numbers."""
        news, *parts = BOARD.split(self.text)
        boards = [*zip(map(int, parts[::2]), parts[1::2], strict=True)]
        if len(boards) == 1:
            # The news of a single board stands above it, that of several each below its board's heading.
            boards = [(number, news + text) for number, text in boards]
        return tuple(self._shown(number, text) for number, text in sorted(boards))

    @property
    def place(self) -> tuple[int, int] | None:
        """Board and ply that its Message-ID names."""
        found = PLACE.match(self.message_id)
        return (int(found[1]), int(found[2])) if found else None

    @property
    def refusals(self) -> int:
        """How many lines it says were refused."""
        return self.text.count("Not done: ")

    @property
    def begun(self) -> tuple[int, ...]:
        """The boards that it says were begun."""
        return tuple(each.board for each in self.shown) if BEGUN.search(self.text) else ()

    def _shown(self, number: int, text: str) -> Shown:
        turn = THEIRS.search(text) or OPENS.search(text)
        reader = self.recipient.partition("@")[0]
        to_move = reader if YOURS.search(text) else turn[1] if turn else ""
        return Shown(number, to_move, tuple(cells for _, cells in ROW.findall(text)))


def read_letter(taken: Taken) -> Letter:
    """A letter as the sink took it."""
    mail = message_from_bytes(taken.raw, policy=policy.default)
    body = mail.get_body(("plain",))
    text = "" if body is None else body.get_content().replace("\r\n", "\n")
    (recipient,) = taken.recipients
    return Letter(
        str(mail["Message-ID"]).strip(),
        recipient,
        re.sub(r".*<|>", "", str(mail["From"])),
        str(mail["Subject"]),
        str(mail["In-Reply-To"]).strip() if mail["In-Reply-To"] else None,
        text,
    )
