"""People who do nothing but answer the mails that they get, each in the manner of their mail program."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage

from tests.cli.processes import wait_for
from tests.roads.answering.programs import Write, text_of
from tests.servers.postfix import Postfix
from tests.servers.sink import Sink

Hop = Callable[[EmailMessage], EmailMessage]
"""What happens to a mail on its way to us."""

PLACE = re.compile(r"<b\d+\.(\d+)\.")
TURN = re.compile(r"\bYour\s+turn\b")
ACKNOWLEDGED = 5
"""So many first moves are each acknowledged; later ones are told in the next mail about the board."""

END = re.compile(r"\bwon:\s+\d+\s+to\s+\d+[.!]")


def untouched(mail: EmailMessage) -> EmailMessage:
    """A hop that hands a mail on as it is."""
    return mail


@dataclass
class Person:
    """Somebody with a mail program. `opponent` is whom they challenge once there is an account, if anybody.

    `moves` are those of the whole game, of which they play what is theirs; `words` is what they say to the other
    with their first one. `unacknowledged` are the mails with moves after the first few, each of which is answered
    only if it ends the game. `alias`: their mails are handed to us for that address, whatever stands in them.
    """

    userid: str
    write: Write
    moves: Sequence[str]
    words: str = ""
    opponent: "Person | None" = None
    hop: Hop = untouched
    alias: str = ""
    mails: list[EmailMessage] = field(default_factory=list)
    sent: list[EmailMessage] = field(default_factory=list)
    unacknowledged: list[EmailMessage] = field(default_factory=list)
    played: int = 0
    has_account: bool = False
    has_challenged: bool = False
    has_moved: bool = False

    @property
    def address(self) -> str:
        """Where they write from."""
        return f"{self.userid}@example.org"

    def begin(self, ours: str) -> EmailMessage:
        """The only mail that answers nothing, and the only one with a password."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self.address, ours, f"signup {self.userid} sesame"
        mail["Message-ID"] = f"<first@{self.userid}.example.org>"
        mail.set_content("")
        self.sent.append(mail)
        return mail

    def look_at(self, mail: EmailMessage) -> EmailMessage | None:
        """What they write when they see this mail, if anything."""
        self.mails.append(mail)
        played = self.played
        words = self._words(text_of(mail), PLACE.match(str(mail["Message-ID"])))
        if words is None:
            return None
        written = self.hop(self.write(mail, self.address, words))
        self.sent.append(written)
        if self.played > max(played, ACKNOWLEDGED):
            self.unacknowledged.append(written)
        return written

    def challenge(self) -> EmailMessage | None:
        """The challenge, as soon as the other can be challenged: an answer to the last mail."""
        if self.has_challenged or self.opponent is None or not (self.has_account and self.opponent.has_account):
            return None
        self.has_challenged = True
        words = f"challenge {self.userid} {self.opponent.userid} -size=3x3"
        written = self.hop(self.write(self.mails[-1], self.address, words))
        self.sent.append(written)
        return written

    def _words(self, text: str, place: "re.Match[str] | None") -> str | None:
        if "To open your account without a move, answer yes" in " ".join(text.split()):
            return "yes"
        self.has_account = self.has_account or text.startswith(f"Welcome, {self.userid}!")
        if place is None or not TURN.search(news_of(text)):
            return None
        move = self.moves[int(place[1])]
        self.played += 1
        if self.words and not self.has_moved:
            self.has_moved = True
            return f"{move}\n\n{self.words}"
        return move


def live(people: Sequence[Person], ours: str, postfix: Postfix, sink: Sink) -> None:
    """Everybody signs up and plays on, until nobody has anything left to answer and every game is over."""
    by_address = {person.address: person for person in people}
    seen = len(sink.mails)

    def send(person: Person, mail: EmailMessage | None) -> None:
        if mail is not None:
            (recipient,) = mail["To"].addresses
            postfix.send(mail.as_bytes(), person.address, person.alias or recipient.addr_spec)

    for person in people:
        send(person, person.begin(ours))
    while not all(_is_over(person) for person in people):
        sink.wait_for(seen + 1)
        taken = sink.mails[seen]
        seen += 1
        person = by_address[taken.recipients[0]]
        send(person, person.look_at(taken.message))
        for each in people:
            send(each, each.challenge())
    wait_for(lambda: "is empty" in postfix.queued())
    for taken in sink.mails[seen:]:
        by_address[taken.recipients[0]].look_at(taken.message)


def news_of(text: str) -> str:
    """What stands above the board, in one line."""
    return " ".join(text.partition("\nSummary of ")[0].split())


def answers(people: Sequence[Person]) -> Iterator[tuple[EmailMessage, list[EmailMessage]]]:
    """Every mail that was sent, with what came back for it."""
    for person in people:
        for mail in person.sent:
            yield mail, [each for each in person.mails if each["In-Reply-To"] == mail["Message-ID"]]


def _is_over(person: Person) -> bool:
    return bool(person.mails) and END.search(news_of(text_of(person.mails[-1]))) is not None
