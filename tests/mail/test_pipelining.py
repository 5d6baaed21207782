"""Sending to relays that offer PIPELINING: each reply is about its own mail, whatever breaks, and whoever lies."""

import contextlib
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import pytest

from pbmserv.mail.sending.destination import open_transport
from pbmserv.mail.sending.transport import Batch, Deferred, Delivered, Failed, Outcome, Outgoing
from tests.cli.processes import PATIENCE, wait_for
from tests.every import for_each
from tests.mail.fake_relay import Relay

EHLO = "250-relay.test\r\n250-PIPELINING\r\n250 HELP"
YES, GO, BYE = "250 OK", "354 go on", None
NO_SUCH_USER = Failed("550 5.1.1 no such user", refuses_recipient=True)

Step = tuple[bytes, list[str | None]]
"""What a relay waits for, and the replies that it then gives; BYE cuts the connection."""

BEGINNING: list[Step] = [(b"", ["220 relay.test"]), (b"ehlo club.test\r\n", [EHLO])]
RESET: Step = (b"rset\r\n", [YES])


def mail(name: str) -> Outgoing:
    """A mail whose last line is its recipient's name."""
    return Outgoing(f"pbm+b.{name}@club.test", f"{name}@a.test", f"Subject: x\r\n\r\n.\r\n{name}\r\n".encode())


def envelope(name: str) -> bytes:
    """What is said of a mail before it."""
    return f"mail FROM:<pbm+b.{name}@club.test>\r\nrcpt TO:<{name}@a.test>\r\ndata\r\n".encode()


def text(name: str) -> bytes:
    """A mail as it goes over the wire."""
    return f"Subject: x\r\n\r\n..\r\n{name}\r\n.\r\n".encode()


@dataclass
class Scripted:
    """A relay that follows a script in each of its first connections, and is a good one after them."""

    scripts: list[list[Step]]
    heard: list[bytes] = field(default_factory=list)
    after: Relay = field(default_factory=lambda: Relay(features=()))

    def serve(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            for script in self.scripts:
                connection = listening.accept()[0]
                with contextlib.suppress(OSError), connection:
                    connection.settimeout(PATIENCE)
                    self.heard.append(b"")
                    self.follow(script, connection)
            self.after.serve(listening)

    def follow(self, script: list[Step], connection: socket.socket) -> None:
        said = 0
        for awaited, replies in script:
            while not self.heard[-1][said:].startswith(awaited):
                more = connection.recv(65536)
                assert more, (awaited, self.heard[-1][said:])
                self.heard[-1] += more
            said += len(awaited)
            for reply in replies:
                if reply is BYE:
                    return
                connection.sendall(reply.encode() + b"\r\n")
        while not self.heard[-1].endswith(b"quit\r\n") and (more := connection.recv(65536)):
            self.heard[-1] += more


@dataclass
class Scene:
    """A relay, and mails that were brought to it in one batch."""

    relay: Scripted
    begin: Callable[..., list[Outcome]]


@pytest.fixture(autouse=True)
def no_batch_ends_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is."""
    monkeypatch.setattr("pbmserv.mail.sending.transport.A_MOMENT", 3600.0)


@pytest.fixture
def play() -> Iterator[Callable[..., Scene]]:
    with contextlib.ExitStack() as stack:

        def begin(*scripts: list[Step], timeout: float = 20) -> Scene:
            relay = Scripted(list(scripts))
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
            url = f"smtp://127.0.0.1:{listening.getsockname()[1]}"
            road = open_transport(url, hostname="club.test", timeout=timeout)
            stack.callback(listening.shutdown, socket.SHUT_RDWR)
            stack.callback(road.close)

            def send(*names: str) -> list[Outcome]:
                batch = Batch([mail(name) for name in names])
                road.deliver(batch)
                return batch.outcomes

            return Scene(relay, send)

        yield begin


def test_one_round_trip_a_mail(play: Callable[..., Scene]) -> None:
    """Each mail's end comes with the envelope of the next; a later batch asks first whether anybody is there."""
    script = [
        *BEGINNING,
        (envelope("a"), [YES, YES, GO]),
        (text("a") + envelope("b"), [YES, YES, YES, GO]),
        (text("b") + envelope("c"), [YES, YES, YES, GO]),
        (text("c"), [YES]),
        RESET,
        (envelope("d"), [YES, YES, GO]),
        (text("d"), [YES]),
    ]
    scene = play(script)
    assert scene.begin("a", "b", "c") == [Delivered()] * 3
    assert scene.begin("d") == [Delivered()]
    assert scene.relay.after.connections == 0


def test_every_refusal_is_of_its_own_mail(play: Callable[..., Scene]) -> None:
    no_mail, no_user, later = "552 5.3.4 too large", "550 5.1.1 no such user", "451 4.3.0 later"
    script = [
        *BEGINNING,
        (envelope("a"), [YES, no_user, "554 5.5.1 nobody"]),
        RESET,
        (envelope("b"), [no_mail, "503 5.5.1 MAIL first", "503 5.5.1 RCPT first"]),
        RESET,
        (envelope("c"), [YES, YES, GO]),
        (text("c") + envelope("d"), [later, YES, YES, GO]),
        (text("d") + envelope("e"), [YES, YES, no_user, "554 5.5.1 nobody"]),
        RESET,
        (envelope("f"), [YES, YES, later]),
        RESET,
        (envelope("g"), [YES, YES, GO]),
        (text("g"), [YES]),
    ]
    scene = play(script)
    assert scene.begin(*"abcdefg") == [
        NO_SUCH_USER,
        Failed(no_mail),
        Deferred(later),
        Delivered(),
        NO_SUCH_USER,
        Deferred(later),
        Delivered(),
    ]
    assert scene.relay.after.connections == 0


def test_a_relay_that_wants_a_mail_for_nobody_does_not_get_one(play: Callable[..., Scene]) -> None:
    """It is hung up on: what we said next, it would take for that mail."""
    first = [*BEGINNING, (envelope("a"), [YES, "550 5.1.1 no such user", GO])]
    second = [*BEGINNING, (envelope("b"), [YES, YES, GO]), (text("b"), [YES])]
    scene = play(first, second)
    assert scene.begin("a", "b") == [NO_SUCH_USER, Delivered()]
    assert scene.relay.heard[0] == b"ehlo club.test\r\n" + envelope("a")
    assert scene.relay.after.connections == 0


def test_a_cut_before_the_reply_to_a_mail_leaves_that_one_in_doubt_alone(play: Callable[..., Scene]) -> None:
    first = [*BEGINNING, (envelope("a"), [YES, YES, GO]), (text("a") + envelope("b"), [BYE])]
    second = [*BEGINNING, (envelope("b"), [YES, YES, GO]), (text("b"), [YES])]
    in_doubt, sent = play(first, second).begin("a", "b")
    assert isinstance(in_doubt, Deferred)
    assert sent == Delivered()


@pytest.mark.parametrize("replies", [[], [YES], [YES, YES]])
def test_a_cut_between_the_replies_costs_no_mail_a_try(
    replies: list[str | None], play: Callable[..., Scene]
) -> None:
    """Nothing of the second mail was sent. It goes at once, one command after the other."""
    cut = [*BEGINNING, (envelope("a"), [YES, YES, GO]), (text("a") + envelope("b"), [YES, *replies, BYE])]
    scene = play(cut)
    assert scene.begin("a", "b", "c") == [Delivered()] * 3
    assert scene.relay.after.mails == [text("b")[:-3], text("c")[:-3]]


def test_a_relay_that_has_had_enough_mails(play: Callable[..., Scene]) -> None:
    gone = [
        *BEGINNING,
        (envelope("a"), [YES, YES, GO]),
        (text("a") + envelope("b"), [YES, "421 4.7.0 enough", BYE]),
    ]
    second = [*BEGINNING, (envelope("b"), [YES, YES, GO]), (text("b"), [YES])]
    scene = play(gone, second)
    assert scene.begin("a", "b") == [Delivered()] * 2
    assert scene.relay.after.connections == 0


@pytest.mark.parametrize(
    "replies", [[YES], [YES, "503 5.5.1 one at a time"], [YES, "nonsense"], [YES, YES, "220 what?"]]
)
def test_a_relay_that_offers_what_it_cannot_do(replies: list[str | None], play: Callable[..., Scene]) -> None:
    """It forgets or misreads what comes behind the first command: from then on it gets one at a time."""
    scene = play([*BEGINNING, (envelope("a"), replies)], timeout=0.3 if len(replies) == 1 else 20)
    scene.relay.after.features = ("PIPELINING",)
    assert scene.begin("a", "b") == [Delivered()] * 2
    assert scene.begin("c") == [Delivered()]
    assert scene.relay.after.mails == [text(name)[:-3] for name in "abc"]
    assert scene.relay.after.connections == 1


def test_what_is_withdrawn_is_not_sent_although_it_was_announced() -> None:
    """Somebody else may send it now. The relay waits for it, and is hung up on."""
    batch = Batch([mail("a"), mail("b")])
    script: list[Step] = [*BEGINNING, (envelope("a"), [YES, YES, GO]), (text("a") + envelope("b"), [])]
    with socket.create_server(("127.0.0.1", 0)) as listening:
        road = open_transport(f"smtp://127.0.0.1:{listening.getsockname()[1]}", hostname="club.test")
        other = threading.Thread(target=partial(road.deliver, batch))
        other.start()
        connection = listening.accept()[0]
        relay = Scripted([])
        with connection:
            relay.heard.append(b"")
            talk = threading.Thread(target=partial(relay.follow, script, connection))
            talk.start()
            wait_for(lambda: relay.heard[0].endswith(envelope("b")))
            batch.withdraw()
            connection.sendall(b"250 OK\r\n250 OK\r\n250 OK\r\n354 go on\r\n")
            other.join(PATIENCE)
            talk.join(PATIENCE)
    assert batch.outcomes == [Delivered()]
    assert relay.heard[0].endswith(text("a") + envelope("b"))


def test_a_batch_ends_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else slow relays would keep what was sent from being noted. What was announced before goes all the same."""
    now = 100.0
    monkeypatch.setattr("pbmserv.mail.sending.transport.monotonic", lambda: now)
    monkeypatch.setattr("pbmserv.mail.sending.transport.A_MOMENT", 0.1)
    batch = Batch([mail(name) for name in "abcd"])
    assert batch.begin() == mail("a")
    assert batch.begin() == mail("b")
    assert batch.look_ahead() == mail("c")
    now += 1
    assert batch.begin() == mail("c")
    assert (batch.look_ahead(), batch.begin(), batch.begun) == (None, None, 3)


@dataclass
class Moody:
    """A relay that takes, refuses, cuts, waits and splits its replies as chance has it, and notes what it took."""

    chance: random.Random
    taken: list[bytes] = field(default_factory=list)
    unsaid: list[bytes] = field(default_factory=list)
    """Mails of which it could not say that it took them."""
    refused: list[bytes] = field(default_factory=list)

    def serve(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection = listening.accept()[0]
                with contextlib.suppress(OSError), connection:
                    connection.settimeout(PATIENCE)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    self.talk(connection)

    def talk(self, connection: socket.socket) -> None:
        file = connection.makefile("rb")

        def say(reply: str) -> None:
            for part in (reply[:2], reply[2:] + "\r\n"):
                connection.sendall(part.encode())
                if self.chance.random() < 0.05:
                    time.sleep(0.002)

        say("220 relay.test")
        has_sender = has_recipient = False
        for line in file:
            if self.chance.random() < 0.05:
                return
            verb = line[:4].lower()
            if verb == b"ehlo":
                say(EHLO)
            elif verb == b"mail":
                has_sender, has_recipient = self.chance.random() < 0.9, False
                say(YES if has_sender else "450 4.7.1 later")
            elif verb == b"rcpt":
                has_recipient = has_sender and self.chance.random() < 0.8
                say(YES if has_recipient else "550 5.1.1 no such user" if has_sender else "503 5.5.1 MAIL first")
                if has_sender and not has_recipient:
                    self.refused.append(line[len(b"rcpt TO:<") :].partition(b"@")[0])
            elif verb == b"data":
                if not has_recipient:
                    say(self.chance.choice(["554 5.5.1 nobody", "503 5.5.1 RCPT first"]))
                    continue
                say(GO)
                name = b"".join(iter(file.readline, b".\r\n")).split()[-1]
                if self.chance.random() < 0.1:
                    say("451 4.3.0 later")
                    continue
                self.taken.append(name)
                if self.chance.random() < 0.1:
                    self.unsaid.append(name)
                    return
                say(YES)
            else:
                say(YES)


@for_each("seed", range(20))
def test_what_a_moody_relay_took_is_known(seed: int) -> None:
    """The outcomes agree with what it says itself, and only what it could not say is in doubt."""
    relay = Moody(random.Random(seed))
    names = [f"n{number}" for number in range(60)]
    outcomes: dict[str, Outcome] = {}
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=relay.serve, args=(listening,), daemon=True).start()
        road = open_transport(f"smtp://127.0.0.1:{listening.getsockname()[1]}", hostname="club.test")
        while len(outcomes) < len(names):
            batch = Batch([mail(name) for name in names[len(outcomes) : len(outcomes) + 10]])
            road.deliver(batch)
            outcomes.update(zip(names[len(outcomes) :], batch.outcomes, strict=False))
            assert batch.outcomes
        road.close()
        listening.shutdown(socket.SHUT_RDWR)
    delivered = [name.encode() for name in names if outcomes[name] == Delivered()]
    assert [name for name in relay.taken if name not in relay.unsaid] == delivered
    assert all(isinstance(outcomes[name.decode()], Deferred) for name in relay.unsaid)
    assert {name for name in names if isinstance(outcomes[name], Failed)} <= {
        name.decode() for name in relay.refused
    }
    assert len(set(relay.taken)) == len(relay.taken)
    assert len(delivered) > 10
