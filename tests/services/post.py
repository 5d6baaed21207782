"""A house and its post: mails in, what became of each, letters out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pbmserv.mail.addresses import one_address
from pbmserv.services.handle import handle_some
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.services.views.boards import see_board
from pbmserv.services.views.mails import see_inbox, see_outbox
from pbmserv.services.views.people import see_players
from pbmserv.store.inbox import Kept
from pbmserv.store.outbox import Queued
from tests.conftest import ADDRESS, Clock
from tests.conversation import parsed

MOST = 10_000
FEW = 20
"""So many letters are looked at first, which is mostly all that a mail brings."""


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

    def put(
        self, raw: bytes, envelope_sender: str = "somebody@example.org", recipients: Sequence[str] = (ADDRESS,)
    ) -> int:
        """Keeps a mail and gives its number."""
        return keep(self.house, raw, envelope_sender, recipients, self.clock())

    def work(self) -> None:
        """Handles all that may be handled by now."""
        while handle_some(self.house, self.clock):
            pass

    def send(
        self, raw: bytes, envelope_sender: str = "somebody@example.org", recipients: Sequence[str] = (ADDRESS,)
    ) -> list[Queued]:
        """Keeps a mail, handles what waits, and gives the letters that this brought, in their order."""
        newest = see_outbox(self.house, None, 1)
        last = newest[0].id if newest else 0
        self.put(raw, envelope_sender, recipients)
        self.work()
        found = see_outbox(self.house, None, FEW)
        if found and found[-1].id > last:
            found = see_outbox(self.house, None, MOST)
        return [letter for letter in reversed(found) if letter.id > last]

    def mail(self, sender: str, subject: str = "", text: str = "", **headers: str) -> list[Queued]:
        """Writes and sends a mail."""
        return self.send(self.write(sender, subject, text, **headers), sender)

    def answer(self, letter: Queued, text: str = "", sender: str = "", **headers: str) -> list[Queued]:
        """Answers a letter as mail programs do; from the address that it went to, or from another one."""
        sender = sender or letter.recipient
        given = {"To": header_of(letter, "From"), "In_Reply_To": header_of(letter, "Message-ID")} | headers
        raw = self.write(sender, f"Re: {header_of(letter, 'Subject')}", text, **given)
        return self.send(raw, sender, [address_of(letter)])

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
        """Signs up players by userid and password, each at userid@example.org, who answer what they are asked."""
        for userid, password in passwords.items():
            (letter,) = self.mail(f"{userid}@example.org", f"signup {userid} {password}")
            if self.house.server.confirm == "ask":
                self.answer(letter, "yes")
            assert self.is_confirmed(userid), text_of(letter)

    def with_server(self, **changes: str) -> "Post":
        """The same post with other settings."""
        return Post(replace(self.house, server=replace(self.house.server, **changes)), self.clock, self.written)  # type: ignore[arg-type]

    def is_confirmed(self, userid: str) -> bool:
        """Whether there is such a player, whose address was answered from."""
        return any(player.userid == userid and player.is_confirmed for player in see_players(self.house))

    def moves(self, board: int = 101) -> list[str]:
        """What was played on a board."""
        seen = see_board(self.house, board)
        assert seen is not None, f"there is no board {board}"
        return [entry.text for entry in seen.match.entries if entry.kind == "played"]

    def sent_to(self, address: str) -> list[Queued]:
        """Every letter to an address, in order."""
        return [letter for letter in self.letters() if letter.recipient == address]


def text_of(letter: Queued) -> str:
    """What a letter says in plain text."""
    plain = parsed(letter.raw).get_body(("plain",))
    assert plain is not None
    content: str = plain.get_content()
    return content.replace("\r\n", "\n")


def header_of(letter: Queued, name: str) -> str:
    """A header of a letter."""
    head = letter.raw.partition(b"\r\n\r\n")[0].decode()
    return next(
        line.partition(": ")[2] for line in head.split("\r\n") if line.lower().startswith(f"{name.lower()}:")
    )


def address_of(letter: Queued) -> str:
    """The address that a letter comes from, to which answers go."""
    found = one_address([header_of(letter, "From").encode()])
    assert found is not None
    return found


def token_of(letter: Queued) -> str:
    """The token that a letter bears in the address that it comes from."""
    return address_of(letter).partition("@")[0].rpartition("+")[2]


def word_of(letter: Queued) -> str:
    """The word that names a question where our address has no room for it."""
    found: list[str] = re.findall(r"(?m)^    yes ([a-z0-9]+)$", text_of(letter))
    return found[-1]


def thread_word_of(letter: Queued) -> str:
    """The word that a letter bears in its Message-ID."""
    return header_of(letter, "Message-ID").partition("@")[0].rpartition(".")[2].removeprefix("<")
