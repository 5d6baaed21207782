"""What a letter of the server says, read off its text as a person would."""

import re
from dataclasses import dataclass
from email import message_from_bytes, policy

from tests.servers.sink import Taken
from tests.soak.plan import Shown

BOARD = re.compile(r"^Summary of Cephalopod(?: variant)? Board (\d+)$", re.MULTILINE)
TURN = re.compile(r"It is (\w+)'s turn")
ROW = re.compile(r"^ {4}(\d)  (.*)  \1$", re.MULTILINE)
BEGUN = re.compile(r"Board (\d+) has started")
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
        _, *parts = BOARD.split(self.text)
        boards = zip(parts[::2], parts[1::2], strict=True)
        return tuple(sorted((_shown(int(number), text) for number, text in boards), key=lambda each: each.board))

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
        return tuple(map(int, BEGUN.findall(self.text)))


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


def _shown(number: int, text: str) -> Shown:
    turn = TURN.search(text)
    return Shown(number, turn[1] if turn else "", tuple(cells for _, cells in ROW.findall(text)))
