"""What whole games bring their players, counted through a real listener: mails, and bytes beside those of 0.5.0.

Everybody plays by the example that their newest board mail prints. In 0.5.0 a lost 3x3 game of 25 moves against
the robot brought its player 50 mails and 783 kB.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from pbmserv.cli.try_out import hand_over
from pbmserv.mail.sending.maildir import read_all
from pbmserv.services.views import list_players
from tests.conftest import ADDRESS
from tests.test_golden import running_server

pytestmark = pytest.mark.slow

PATIENCE = 60.0
BYTES_A_MOVE_OF_0_5_0 = 783_000 / 25
OVER = re.compile(r"\b(?:won[ :.!]|is a draw|share the first place)")
EXAMPLE = re.compile(r"To move, answer this mail with your move in its first line, for example\n {4}(\S+)\n")


@dataclass
class Mails:
    """What players send, and what they got."""

    url: str
    folder: Path
    got: list[EmailMessage] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    seen: set[Path] = field(default_factory=set)
    sent: int = 0

    def send(self, sender: str, subject: str, text: str, to: str = ADDRESS, answers: str = "") -> None:
        """One mail of a player."""
        self.sent += 1
        mail = EmailMessage(policy=policy.SMTP)
        mail["From"], mail["To"], mail["Subject"] = sender, to, subject
        mail["Message-ID"] = f"<{self.sent}@home.example>"
        if answers:
            mail["In-Reply-To"] = answers
        mail.set_content(text + "\n")
        hand_over(self.url, to, sender, mail.as_bytes())

    def look(self) -> None:
        """Reads what has come since."""
        for letter in read_all(self.folder):
            if letter.path not in self.seen:
                self.seen.add(letter.path)
                self.got.append(message_from_bytes(letter.raw, policy=policy.default))
                self.sizes.append(len(letter.raw))

    def wait(self, found: Callable[[], object]) -> None:
        """Until that is so."""
        deadline = time.monotonic() + PATIENCE
        while not found():
            assert time.monotonic() < deadline, [(str(mail["To"]), text_of(mail)[:120]) for mail in self.got[-4:]]
            time.sleep(0.02)
            self.look()

    def to(self, address: str, first: int = 0) -> list[EmailMessage]:
        """What an address got, from the mail of that number on."""
        return [mail for mail in self.got[first:] if mail["To"] == address]


def text_of(mail: EmailMessage) -> str:
    """What it says in plain text."""
    body = mail.get_body(("plain",))
    assert body is not None
    text: str = body.get_content()
    return text.replace("\r\n", "\n")


def is_end(mail: EmailMessage) -> bool:
    """Whether a mail tells that a game is over."""
    return "Board 101" in str(mail["Subject"]) and OVER.search(text_of(mail)) is not None


@pytest.fixture
def mails(tmp_path: Path, quick_hasher: PasswordHasher) -> Iterator[Mails]:
    """A server with everything, where four people have accounts."""
    with running_server(tmp_path, "from", quick_hasher) as (url, folder, app):
        made = Mails(url, folder)
        for name in ("alice", "bob", "carol", "dora"):
            made.send(f"{name}@home.example", f"signup {name}", "")
        made.wait(lambda: len(made.got) == 4)
        made.wait(lambda: any(player.robot == "random" for player in list_players(app)))
        yield made


def play(mails: Mails, people: Sequence[str], first: int) -> dict[str, int]:
    """Plays board 101 to its end; how many moves each person sent."""
    moves = dict.fromkeys(people, 0)
    answered: set[int] = set()

    def turn() -> tuple[int, EmailMessage] | None:
        newest = [
            (place, mail) for place, mail in enumerate(mails.got) if place >= first and place not in answered
        ]
        return next(((place, mail) for place, mail in newest if EXAMPLE.search(text_of(mail))), None)

    def is_over() -> bool:
        return any(map(is_end, mails.got[first:]))

    while True:
        mails.wait(lambda: turn() or is_over())
        found = turn()
        if found is None:
            return moves
        place, mail = found
        answered.add(place)
        example = EXAMPLE.search(text_of(mail))
        assert example
        address = str(mail["To"])
        mails.send(
            address,
            f"Re: {mail['Subject']}",
            example[1],
            str(mail["From"].addresses[0].addr_spec),
            mail["Message-ID"],
        )
        moves[address] += 1


def told(who: str, count: int, moves: int, size: int) -> str:
    return f"{who}: {count} mails and {size} bytes for {moves} moves, {size / moves:.0f} a move"


def test_against_a_robot(mails: Mails, capsys: pytest.CaptureFixture[str]) -> None:
    """One mail a move of their own at most, beside the first board, and under 30 % of the bytes of 0.5.0."""
    alice, first = "alice@home.example", len(mails.got)
    mails.send(alice, "challenge alice robot.random -size=3x3", "")
    moves = play(mails, [alice], first)[alice]
    theirs = mails.to(alice, first)
    size = sum(mails.sizes[first:])
    with capsys.disabled():
        print("\n" + told("against a robot", len(theirs), moves, size))
    assert len(theirs) <= moves + 1
    assert size / moves < 0.3 * BYTES_A_MOVE_OF_0_5_0


def test_between_two_people(mails: Mails, capsys: pytest.CaptureFixture[str]) -> None:
    """One mail a turn; five moves of each are acknowledged besides."""
    alice, bob, first = "alice@home.example", "bob@home.example", len(mails.got)
    mails.send(alice, "challenge alice bob -size=3x3", "")
    moves = play(mails, [alice, bob], first)
    mails.wait(lambda: len([*filter(is_end, mails.got[first:])]) == 2)
    turns, size = sum(moves.values()), sum(mails.sizes[first:])
    acknowledged = sum(min(5, each) for each in moves.values())
    with capsys.disabled():
        print("\n" + told("between two people", len(mails.got) - first, turns, size))
    # Both get the first board and the last one.
    assert len(mails.got) - first <= turns + acknowledged + 3


def test_among_four(mails: Mails, capsys: pytest.CaptureFixture[str]) -> None:
    """One mail a turn of one's own, with all that has happened since."""
    people = [f"{name}@home.example" for name in ("alice", "bob", "carol", "dora")]
    for person in people:
        mails.send(person, "set receipts off", "")
    mails.wait(lambda: len(mails.got) == 8)
    first = len(mails.got)
    mails.send(people[0], "challenge alice bob carol dora -size=3x3", "")
    moves = play(mails, people, first)
    mails.wait(lambda: len([*filter(is_end, mails.got[first:])]) == 4)
    for person in people:
        # The invitation, the end, being put out, and the first five moves besides.
        assert len(mails.to(person, first)) <= moves[person] + 3 + min(5, moves[person])
    with capsys.disabled():
        print("\n" + told("among four", len(mails.got) - first, sum(moves.values()), sum(mails.sizes[first:])))
