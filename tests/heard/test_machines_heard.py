"""Mails that machines write, a hundred kinds: none does anything, and where something tells, none is answered."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete

from pbmserv.commands.server import Server
from pbmserv.mail.reading.headers import one_address
from pbmserv.services.app import App
from pbmserv.services.views import list_players, load_board
from pbmserv.store import tables
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.every import every
from tests.services.post import Post, address_of, header_of

HERE = Path(__file__).parent
FILES = ("machines_own.toml", "machines.toml")
ALICE, BOB = "alice@example.org", "bob@example.org"
PLAIN = "text/plain; charset=utf-8"
OF_NOBODY = re.compile(
    r"repl|antwort|repond|respond|notif|bounce|daemon|master|owner|request|root|cron|list|alert|robot|system|auto|mailer",
    re.IGNORECASE,
)
"""Local parts of addresses that no player has."""

OF_SPAM = ("X-Spam", "List-Unsubscribe")
"""Headers of what never answers a mail of ours."""


@dataclass(frozen=True)
class Machine:
    """A mail of a file: its headers and its text, and whether something tells that no person wrote it."""

    place: str
    headers: dict[str, str]
    text: str
    tells: bool

    def raw(self, number: int, **others: str) -> bytes:
        """Its bytes, with other headers in the place of its own."""
        given = {
            "Message-ID": f"<machine-{number}@machines.example>",
            "MIME-Version": "1.0",
            "Content-Type": PLAIN,
        }
        given |= self.headers | {"To": ADDRESS} | others
        folded = {name: re.sub(r"\s*\n\s*", "\n ", value) for name, value in given.items()}
        head = "".join(f"{name}: {value}\n" for name, value in folded.items())
        return f"{head}\n{self.text.strip()}\n".replace("\n", "\r\n").encode()

    @property
    def sender(self) -> str:
        """Its From address, without a name."""
        return one_address([self.headers.get("From", "").encode()]) or "somebody@example.org"

    @property
    def name(self) -> str:
        """The name in its From header, in quotes; empty quotes if there is none."""
        named = self.headers.get("From", "").partition("<")[0]
        return '"' + re.sub(r"[\"@\\]", "", named if "<" in self.headers.get("From", "") else "").strip() + '"'

    def envelope(self, sender: str) -> str:
        """The sender of its envelope."""
        return self.headers.get("Return-Path", sender)


def machines() -> Iterator[Machine]:
    """All mails of all files that are there."""
    for name in FILES:
        path = HERE / name
        found: dict[str, list[dict[str, Any]]] = tomllib.loads(path.read_text()) if path.exists() else {}
        for number, each in enumerate((each for rows in found.values() for each in rows), 1):
            headers = {key: str(value) for key, value in each["headers"].items()}
            yield Machine(
                f"{name}:{number} {headers.get('Subject')!r}", headers, each.get("text", ""), each["tells"]
            )


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob at board 101, where it is alice's turn and a From address proves nothing."""
    post = Post(replace(sqlite_house, server=Server(ADDRESS)), clock)
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "as alice sesame", "chess challenge alice bob")
    return post


def effects(post: Post) -> tuple[object, ...]:
    """What a mail may change: the board, and who plays here."""
    seen = load_board(post.house, 101)
    assert seen is not None
    return seen.match.entries, load_board(post.house, 102), list_players(post.house)


def heard(post: Post, raw: bytes, sender: str, recipient: str = ADDRESS) -> list[QueuedMessage]:
    """What a mail is answered; it has no effect, and nobody else gets anything."""
    post.clock.move(minutes=10)
    before = effects(post)
    letters = post.send(raw, sender, [recipient])
    with writing(post.house.engine) as connection:
        connection.execute(delete(tables.counts))
    assert effects(post) == before
    return letters


@pytest.mark.parametrize("by", ["stranger", "player", "answer to a board"])
def test_machines(club: Post, by: str) -> None:
    """From an address of its own; in a player's name; in answer to a player's board, at the personal address."""
    board = club.sent_to(ALICE)[-1]
    answered = told = 0

    def check(mail: Machine) -> None:
        nonlocal answered, told
        sender, recipient, headers = mail.sender, ADDRESS, {}
        if by != "stranger":
            sender, headers = ALICE, {"From": f"{mail.name} <{ALICE}>"}
        if by == "answer to a board":
            recipient = address_of(board)
            headers |= {"To": recipient, "In-Reply-To": header_of(board, "Message-ID")}
        letters = heard(club, mail.raw(club.written, **headers), mail.envelope(sender), recipient)
        club.written += 1
        answered += bool(letters)
        told += bool(letters) and mail.tells
        assert {letter.recipient for letter in letters} <= {sender}
        # In the file of somebody else it may be the address that tells.
        is_same = by == "stranger" or mail.place.startswith(FILES[0])
        assert not (mail.tells and is_same and letters)

    chosen = [mail for mail in machines() if by == "stranger" or _may_be_players(mail, by)]
    try:
        every(chosen, check, name=lambda mail: mail.place)
    finally:
        print(f"{by}: {answered} of {len(chosen)} answered, {told} of them though something tells")


def _may_be_players(mail: Machine, by: str) -> bool:
    """Whether a mail may come from a player's address, and to one that only the player knows."""
    is_open = by == "answer to a board" and (
        mail.headers.get("Return-Path", "<>") != "<>" or any(name.startswith(OF_SPAM) for name in mail.headers)
    )
    return OF_NOBODY.search(mail.sender.partition("@")[0]) is None and not is_open
