"""What people write in plain words, in mid-game and as strangers, and what each mail brings (`plain/`)."""

from dataclasses import replace

import pytest
from sqlalchemy import delete

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.commands.word_lists import word_lists
from pbmserv.services.app import App
from pbmserv.services.views import load_board
from pbmserv.services.wordy import writer_at
from pbmserv.store import counts, tables
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock
from tests.conversation import parsed
from tests.every import every
from tests.services.plain_mails import Entry, entries
from tests.services.post import Post, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"
A_LETTER = 3_300
"""The rules of Lasca in short are the longest that these letters bring."""


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob at board 101 in mid-game, where it is alice's turn and a From address proves nothing."""
    server = Server(ADDRESS, variants=True, authserv_id="mx.club.test", site_url="https://club.test")
    post = Post(replace(sqlite_house, server=server), clock)
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob")
    post.answer(post.sent_to(ALICE)[-1], "c3")
    post.answer(post.sent_to(BOB)[-1], "a1")
    assert post.moves() == ["C3", "A1"]
    post.clock.move(hours=2)
    return post


def is_noted(post: Post, topic: str) -> bool:
    """Whether the only wordy mail was answered and counted under a board and a topic; then all are forgotten."""
    since, noted = post.clock() - policy.DAY, []
    with writing(post.house.engine) as connection:
        for writer in (writer_at(ALICE, is_proven) for is_proven in (True, False)):
            answered = counts.total(connection, policy.WORDS.name, writer, since)
            noted.append((answered, counts.total(connection, policy.TOPIC.name, f"{writer} {topic}", since)))
        connection.execute(delete(tables.counts))
    return sorted(noted) == [(0, 0), (1, 1)]


def test_there_are_enough_of_them() -> None:
    """200 of each, in ten languages, and 50 that nobody wrote."""
    assert len([*entries("mid_game.txt")]) >= 200
    assert len([*entries("strangers.txt")]) >= 200
    assert len([*entries("spam.txt")]) == 50
    assert {each.means for each in entries("mid_game.txt")} == {
        *word_lists("wishes.toml", "pbmserv.parser")["wish"],
        "words",
    }


@pytest.mark.slow
def test_words_in_mid_game(club: Post) -> None:
    """Each gets one answer on its topic with the board below; nothing is played, ended or passed on."""
    board = club.sent_to(ALICE)[-1]

    def check(entry: Entry) -> None:
        club.clock.move(minutes=1)
        if "Subject" in entry.headers:
            letters = club.mail(ALICE, entry.headers["Subject"], entry.text)
        else:
            letters = club.answer(board, entry.text)
        assert [letter.recipient for letter in letters] == [ALICE]
        assert is_noted(club, f"101:{'' if entry.means == 'words' else entry.means}")
        said = text_of(letters[0])
        assert "Summary of Cephalopod Board 101" in said
        assert entry.means != "words" or "chat 101" in said or "Subject" in entry.headers

    every(entries("mid_game.txt"), check, name=lambda entry: f"{entry.place} {entry.text!r}")
    assert club.moves() == ["C3", "A1"]
    seen = load_board(club.house, 101)
    assert seen is not None
    assert seen.state.status == "active"
    assert [entry.kind for entry in seen.match.entries] == ["played", "played"]


@pytest.mark.slow
def test_first_mails_of_strangers(club: Post) -> None:
    """Each is answered: with the letter, or as the open command that it is. No word of theirs comes back."""
    number = 0

    def check(entry: Entry) -> None:
        nonlocal number
        number += 1
        if number % 90 == 0:
            club.clock.move(days=1)
        letters = club.mail(f"p{number}@place{number}.example", entry.headers.get("Subject", ""), entry.text)
        assert [letter.recipient for letter in letters] == [f"p{number}@place{number}.example"]
        (letter,) = letters
        assert letter.kind == {"answer": "stranger", "sign-up": "sign-up"}.get(entry.means, "short")
        if letter.kind == "short":
            check_letter(letter, entry)

    def check_letter(letter: QueuedMessage, entry: Entry) -> None:
        said = text_of(letter)
        assert ("is on no list" in said) == entry.means.endswith("stop")
        assert "signup NAME" in said
        assert "https://club.test/join" in said
        assert "https://club.test/boards/101" in said
        assert len(letter.raw) < A_LETTER
        assert parsed(letter.raw).get_body(("html",)) is None
        assert not any(len(line) > 12 and line in said for line in entry.text.split("\n"))

    every(entries("strangers.txt"), check, name=lambda entry: f"{entry.place} {entry.text!r}")
    assert club.moves() == ["C3", "A1"]


def test_spam_is_not_answered(club: Post) -> None:
    """Whatever sign there is that its sender is forged."""
    before = len(club.letters())

    def check(entry: Entry) -> None:
        given = dict(entry.headers)
        sender = given.pop("From")
        envelope = given.pop("Envelope", sender)
        raw = club.write(sender, given.pop("Subject"), entry.text, **given)
        assert club.send(raw, envelope) == []

    every(entries("spam.txt"), check, name=lambda entry: entry.place)
    assert len(club.letters()) == before
    # The same words without such a sign are answered: else this test would show nothing.
    assert len(club.mail("person@elsewhere.example", "Invoice 88213", "Please find the invoice attached.")) == 1
