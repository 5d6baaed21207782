"""Every mail twice, by two roads: the second copy is a success without effect."""

import base64
from collections.abc import Callable

import pytest

from pbmserv.services.views import load_board
from tests.services.post import Post

Road = Callable[[bytes], bytes]


def traced(raw: bytes) -> bytes:
    """As a relay hands it on, with its own lines on top."""
    trace = b"Return-Path: <alice@example.org>\r\nReceived: from a.example by b.example;\r\n\t1 Jan 2026 11:59\r\n"
    return trace + b"Delivered-To: pbmserv+t0001@club.test\r\nX-Spam-Score: 0.1\r\n" + raw


def unix(raw: bytes) -> bytes:
    """As a pipe gets it."""
    return b"From alice@example.org Thu Jan  1 12:00:00 2026\n" + raw.replace(b"\r\n", b"\n")


def encoded(raw: bytes) -> bytes:
    """As a gateway encodes it anew."""
    head, _, body = raw.partition(b"\r\n\r\n")
    return head + b"\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(body)


def folded(raw: bytes) -> bytes:
    """With its Subject folded and its From written otherwise."""
    return raw.replace(b"Subject: challenge alice ", b"Subject: challenge\r\n alice ")


ROADS: list[Road] = [bytes, traced, unix, encoded, folded, lambda raw: traced(encoded(raw))]


@pytest.fixture
def club(sqlite_post: Post) -> Post:
    """Alice and bob."""
    sqlite_post.people(alice="sesame", bob="poppy")
    return sqlite_post


@pytest.mark.parametrize("first", range(len(ROADS)))
@pytest.mark.parametrize("second", range(len(ROADS)))
def test_one_effect(club: Post, first: int, second: int) -> None:
    raw = club.write("alice@example.org", "challenge alice bob", "Have fun")
    assert len(club.send(ROADS[first](raw), "alice@example.org")) == 2
    assert club.send(ROADS[second](raw), "<>" if second == 3 else "relay@example.net") == []
    assert load_board(club.house, 102) is None
    assert club.fates()[-1] in ("duplicate", "silent")


@pytest.mark.parametrize("road", ROADS)
def test_without_a_message_id_it_is_known_by_its_words(club: Post, road: Road) -> None:
    raw = club.write("alice@example.org", "challenge alice bob", Date="Thu, 1 Jan 2026 11:58:00 +0000")
    raw = b"\r\n".join(line for line in raw.split(b"\r\n") if not line.startswith(b"Message-ID"))
    assert len(club.send(raw)) == 2
    assert club.send(road(raw)) == []
    assert club.fates()[-1] == "duplicate"
    assert len(club.send(raw.replace(b"11:58:00", b"11:59:00"))) == 2


def test_the_same_id_with_other_words_is_a_new_mail(club: Post) -> None:
    same = {"Message_ID": "<same@example.org>"}
    for text in ("a", "b", ""):
        assert len(club.mail("alice@example.org", "challenge alice bob", text, **same)) == 2
    assert len(club.mail("alice@example.org", "list", **same)) == 1
    assert len(club.mail("bob@example.org", "challenge bob alice", "a", **same)) == 2
    assert "duplicate" not in club.fates()


def test_a_forger_cannot_use_up_somebodys_mail(club: Post) -> None:
    """Whoever knows a Message-ID in advance still has another From, or other words."""
    raw = club.write("alice@example.org", "challenge alice bob")
    club.send(raw.replace(b"From: alice", b"From: eve"))
    assert len(club.send(raw)) == 2


def test_a_mail_that_failed_is_no_copy_of_itself(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what was obeyed bears its key: the second copy of a mail that waits for its next try may come first."""
    raw = club.write("alice@example.org", "challenge alice bob")

    def bug(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("pbmserv.services.process.answer_to", bug)
    club.put(raw)
    club.work()
    monkeypatch.undo()
    club.put(raw, "relay@example.net")
    club.clock.move(minutes=1)
    club.work()
    assert club.fates()[-2:] == ["handled", "duplicate"]
    assert load_board(club.house, 102) is None
