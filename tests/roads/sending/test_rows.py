"""From the outbox to a relay that the test plays: what each answer makes of the row, and of the mail's bytes."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from pbmserv.mail.sending.destination import open_transport
from pbmserv.services.app import App
from pbmserv.services.deliver import RetryTimes, Sender
from pbmserv.store.outbox import QueuedMessage
from tests.cli.processes import wait_for
from tests.conftest import Clock
from tests.mail.fake_relay import DROP, GOOD, HANG, Relay
from tests.roads.sending.letters import letter, queue
from tests.services.post import Post

AT_ONCE = RetryTimes(first_pause=1e-9, longest_pause=1e-9)
ANN, BEN = letter("one", "ann@a.test"), letter("two", "ben@b.test")


@dataclass
class Scene:
    """A house whose mail goes to a relay."""

    post: Post
    relay: Relay
    sender: Sender

    @property
    def rows(self) -> list[QueuedMessage]:
        """The outbox, in order."""
        return self.post.letters()


Play = Callable[..., Scene]


@contextlib.contextmanager
def playing(house: App, clock: Clock) -> Iterator[Play]:
    """What begins a scene in a house: a step, the relay's answers to it, the last of which holds for ever."""
    with contextlib.ExitStack() as stack:

        def begin(step: str, *answers: str, timeout: float = 20, patience: RetryTimes = AT_ONCE) -> Scene:
            relay = Relay({step: [*answers]}, ("8BITMIME", "SMTPUTF8"))
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
            url = f"smtp://127.0.0.1:{listening.getsockname()[1]}"
            sender = Sender(
                house, lambda: open_transport(url, hostname="club.test", timeout=timeout), clock, patience
            )
            stack.callback(listening.shutdown, socket.SHUT_RDWR)
            stack.callback(sender.close)
            return Scene(Post(house, clock), relay, sender)

        yield begin


@pytest.fixture
def play(sqlite_house: App, clock: Clock) -> Iterator[Play]:
    with playing(sqlite_house, clock) as begin:
        yield begin


@pytest.fixture
def play_on_both(house: App, clock: Clock) -> Iterator[Play]:
    with playing(house, clock) as begin:
        yield begin


def on_the_wire(raw: bytes) -> bytes:
    """A mail as it stands between DATA and the dot (RFC 5321 4.5.2)."""
    return raw.replace(b"\r\n.", b"\r\n..")


HAS_FAILED = [
    ("mail", "552 5.3.4 too large"),
    ("rcpt", "550 5.1.1 no such user"),
    ("rcpt", "550-5.1.1 no\r\n550 such user"),
]
WAITS = [
    ("mail", "450 4.7.1 later"),
    ("mail", "553 5.7.1 not your address"),
    ("mail", "nonsense"),
    ("mail", DROP),
    ("rcpt", "451 4.3.0 later"),
    ("rcpt", "421 4.3.2 busy"),
    ("rcpt", "554 5.7.1 <ann@a.test>: Relay access denied"),
    ("rcpt", DROP),
    ("data", "451 4.3.0 later"),
    ("data", "250 OK"),
    ("data", DROP),
    ("dot", "451 4.3.0 later"),
    ("dot", "554 5.7.1 we take nothing from you"),
    ("dot", "nonsense"),
    ("dot", "421 4.3.2 busy"),
    ("dot", DROP),
]
IS_NOT_TRIED = [
    ("connect", "554 5.7.1 go away"),
    ("connect", "nonsense"),
    ("connect", DROP),
    ("ehlo", "450 later"),
    ("ehlo", DROP),
    ("mail", "421 4.3.2 busy"),
    ("mail", "530 5.7.0 log in first"),
]


def good(step: str) -> str:
    """A yes to that step."""
    return GOOD.get(step, "250-relay.test\r\n250 8BITMIME")


@pytest.mark.parametrize(("step", "answer"), HAS_FAILED)
def test_what_fails(step: str, answer: str, play_on_both: Play) -> None:
    scene = play_on_both(step, answer, good(step))
    queue(scene.post.house, [ANN, BEN])
    assert scene.sender.send_due() == 2
    assert [(row.status, row.tries) for row in scene.rows] == [("failed", 1), ("sent", 1)]
    assert (scene.rows[0].error or "")[:3] == answer[:3]
    scene.post.clock.move(days=9)
    assert scene.sender.send_due() == 0
    assert scene.relay.mails == [on_the_wire(BEN.raw)]


@pytest.mark.parametrize(("step", "answer"), WAITS)
def test_what_is_tried_again(step: str, answer: str, play: Play) -> None:
    scene = play(step, answer, good(step))
    queue(scene.post.house, [ANN, BEN])
    assert scene.sender.send_due() == 2
    assert [(row.status, row.tries) for row in scene.rows] == [("waiting", 1), ("sent", 1)]
    assert scene.sender.send_due() == 0
    scene.post.clock.move(minutes=1)
    assert scene.sender.send_due() == 1
    assert [(row.status, row.tries, row.error) for row in scene.rows] == [("sent", 2, None), ("sent", 1, None)]
    tries = [on_the_wire(ANN.raw)] * (step == "dot")
    assert scene.relay.mails == [*tries, on_the_wire(BEN.raw), on_the_wire(ANN.raw)]
    assert scene.relay.heard.count("mail FROM:<pbmserv+b.one@club.test> BODY=8BITMIME") == 2


@pytest.mark.parametrize(("step", "answer"), IS_NOT_TRIED)
def test_what_says_nothing_about_the_mail(step: str, answer: str, play: Play) -> None:
    scene = play(step, answer, answer, good(step))
    queue(scene.post.house, [ANN, BEN])
    scene.post.clock.move(days=30)
    assert scene.sender.send_due() == 4, "twice in vain"
    assert [(row.status, row.tries) for row in scene.rows] == [("sent", 1), ("sent", 1)]
    assert scene.relay.mails == [on_the_wire(ANN.raw), on_the_wire(BEN.raw)]
    assert scene.relay.connections == 3


def test_a_relay_that_falls_silent(play: Play) -> None:
    scene = play("rcpt", HANG, good("rcpt"), timeout=2)
    queue(scene.post.house, [ANN, BEN])
    assert scene.sender.send_due() == 2
    assert [(row.status, row.tries) for row in scene.rows] == [("waiting", 1), ("sent", 1)]
    assert "timed out" in (scene.rows[0].error or "")


def test_nothing_but_failures_lets_no_mail_fail(play_on_both: Play) -> None:
    """A relay that refuses all content: days later it is set right, and every mail goes out."""
    scene = play_on_both("dot", *["550 5.7.60 may not send as this sender"] * 30, good("dot"))
    queue(scene.post.house, [letter(f"n{number}", f"n{number}@a.test") for number in range(10)])
    for _ in range(3):
        assert scene.sender.send_due() == 10
        scene.post.clock.move(hours=1)
    assert {(row.status, row.tries) for row in scene.rows} == {("waiting", 3)}
    assert scene.sender.send_due() == 10
    assert {row.status for row in scene.rows} == {"sent"}


@pytest.mark.parametrize(("idle", "connections"), [(0.0, 2), (3600.0, 1)])
def test_a_connection_that_is_not_used_is_taken_leave_of(idle: float, connections: int, play: Play) -> None:
    scene = play("quit", GOOD["quit"], patience=RetryTimes(idle=idle))
    queue(scene.post.house, [ANN])
    assert scene.sender.send_due() == 1
    assert scene.sender.send_due() == 0
    wait_for(lambda: scene.relay.heard.count("quit") == connections - 1)
    queue(scene.post.house, [BEN])
    assert scene.sender.send_due() == 1
    assert scene.relay.connections == connections
    assert scene.relay.mails == [on_the_wire(ANN.raw), on_the_wire(BEN.raw)]
