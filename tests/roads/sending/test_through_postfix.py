"""A real Postfix behind: what waits in the outbox comes out beyond it, whatever it refuses in between."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from pbmserv.mail.sending.destination import open_transport
from pbmserv.services.app import App
from pbmserv.services.deliver import RetryTimes, Sender
from tests.conftest import Clock
from tests.free_port import free_port
from tests.roads.sending.letters import letter, queue
from tests.servers.postfix import Postfix, running_postfix
from tests.servers.sink import Sink, running_sink
from tests.services.post import Post

UNKNOWN = "inline:{ {gone@example.org = 550 5.1.1 no such user} }"


@dataclass
class Behind:
    """A Postfix that relays to a sink, and a house that sends by it."""

    postfix: Postfix
    sink: Sink
    post: Post
    sender: Sender

    def fates(self) -> list[tuple[str, int]]:
        """Status and tries of each row, in order."""
        return [(row.status, row.tries) for row in self.post.letters()]


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Postfix, Sink]]:
    with (
        running_sink() as sink,
        running_postfix(
            free_port(), sink.port, smtpd_recipient_restrictions=f"check_recipient_access {UNKNOWN}"
        ) as postfix,
    ):
        yield postfix, sink


@pytest.fixture
def behind(servers: tuple[Postfix, Sink], sqlite_house: App, clock: Clock) -> Iterator[Behind]:
    postfix, sink = servers
    sink.mails.clear()
    sender = Sender(
        sqlite_house,
        lambda: open_transport(f"smtp://127.0.0.1:{postfix.port}", hostname="club.test"),
        clock,
        RetryTimes(first_pause=1e-9, longest_pause=1e-9),
    )
    yield Behind(postfix, sink, Post(sqlite_house, clock), sender)
    sender.close()


def restart(postfix: Postfix, who_may_send: str) -> None:
    """Has it relay for these alone."""
    postfix.set(smtpd_relay_restrictions=who_may_send)
    postfix.stop()
    postfix.start()


def test_what_comes_out(behind: Behind) -> None:
    """Bytes as queued below Postfix's own trace, one recipient, the sender that names the row; non-ASCII too."""
    letters = [letter("one", "ann@example.org"), letter("two", "j\xf6rg@example.org")]
    queue(behind.post.house, letters)
    assert behind.sender.send_due() == 2
    behind.sink.wait_for(2)
    assert behind.fates() == [("sent", 1)] * 2
    came = {mail.sender: mail for mail in behind.sink.mails}
    for each in letters:
        taken = came[each.envelope_sender]
        assert taken.recipients == (each.recipient,)
        assert taken.message["Message-ID"] == each.message_id
        assert taken.raw.endswith(each.raw)
        assert len(taken.message.get_all("Received", [])) == 1
    rows = behind.post.letters()
    assert [f"{row.queue_id}: from=<{row.envelope_sender}>" in behind.postfix.log for row in rows] == [True] * 2


def test_an_unknown_recipient_fails_alone(behind: Behind) -> None:
    queue(behind.post.house, [letter("one", "gone@example.org"), letter("two", "ann@example.org")])
    assert behind.sender.send_due() == 2
    assert behind.fates() == [("failed", 1), ("sent", 1)]
    assert "550 5.1.1" in (behind.post.letters()[0].error or "")
    behind.sink.wait_for(1)  # else it would come into the next test


def test_many_at_once_with_unknown_recipients_among_them(behind: Behind) -> None:
    """Postfix offers PIPELINING: its replies come in order, and each is about its own mail."""
    letters = [
        letter(f"n{number}", "gone@example.org" if number % 4 == 1 else "ann@example.org") for number in range(25)
    ]
    queue(behind.post.house, letters)
    while behind.sender.send_due():
        pass
    assert behind.fates() == [("failed" if number % 4 == 1 else "sent", 1) for number in range(25)]
    good = [each for each in letters if each.recipient == "ann@example.org"]
    behind.sink.wait_for(len(good))
    assert sorted(mail.sender for mail in behind.sink.mails) == sorted(each.envelope_sender for each in good)
    assert all(
        mail.raw.endswith(each.raw)
        for mail in behind.sink.mails
        for each in good
        if each.envelope_sender == mail.sender
    )


def test_a_postfix_that_does_not_relay_for_us_is_set_right(
    behind: Behind, caplog: pytest.LogCaptureFixture
) -> None:
    queue(behind.post.house, [letter(f"n{number}", f"n{number}@example.org") for number in range(5)])
    restart(behind.postfix, "reject")
    try:
        assert behind.sender.send_due() == 5
    finally:
        restart(behind.postfix, "permit_mynetworks, reject")
    assert behind.fates() == [("waiting", 1)] * 5
    assert [each.levelname for each in caplog.records].count("ERROR") == 1
    behind.post.clock.move(minutes=1)
    assert behind.sender.send_due() == 5
    behind.sink.wait_for(5)
    assert {mail.sender for mail in behind.sink.mails} == {f"pbmserv+b.n{number}@club.test" for number in range(5)}


def test_a_postfix_that_is_down_for_a_month(behind: Behind) -> None:
    queue(behind.post.house, [letter("one", "ann@example.org"), letter("two", "ben@example.org")])
    behind.postfix.stop()
    try:
        assert behind.sender.send_due() > 0
        assert behind.fates() == [("waiting", 0)] * 2
        behind.post.clock.move(days=30)
    finally:
        behind.postfix.start()
    assert behind.sender.send_due() == 2
    behind.sink.wait_for(2)
    assert behind.fates() == [("sent", 1)] * 2
