"""Postfix hands mails to our listener by LMTP: each recipient learns what became of it, and nothing is changed."""

from collections.abc import Callable
from smtplib import SMTPDataError

import pytest
from sqlalchemy.exc import OperationalError

from pbmserv.mail.reading.headers import MOST_HOPS
from tests.conftest import ADDRESS
from tests.roads.postfix.gate import TAGGED, Desk, Gate
from tests.servers.postfix import DOMAIN

MAX_SIZE = 20_000
MAIL = b"From: ann@a.test\r\nMessage-ID: <one@a.test>\r\nSubject: move\r\n\r\nmove 101 c3\r\n"
LINE = b"x" * 18 + b"\r\n"


def body_of(raw: bytes) -> bytes:
    return raw.partition(b"\r\n\r\n")[2]


REFUSED: dict[str, tuple[bytes, str]] = {
    "too large by what Postfix knows beforehand": (MAIL + LINE * 1500, "5.3.4"),
    # Postfix counts a line's end as one octet.
    "too large by what we have counted": (MAIL + LINE * 1000, "5.3.4"),
    "going in circles": (b"Received: from a by b\r\n" * MOST_HOPS + MAIL, "5.4.6"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_we_refuse_comes_back_to_its_sender_for_each_recipient(what: str, gate: Gate) -> None:
    desk, sender = Desk(), f"{what.replace(' ', '.')}@a.test"
    raw, dsn = REFUSED[what]
    with gate.open(desk, max_size=MAX_SIZE):
        gate.postfix.send(raw, sender, ADDRESS, TAGGED)
        deliveries = gate.wait_for(sender, "bounced", 2)
        report = gate.returned_to(sender)
    assert sorted((each.recipient, each.dsn) for each in deliveries) == [(TAGGED, dsn), (ADDRESS, dsn)]
    assert report.message.get_content_type() == "multipart/report"
    assert report.raw.count(b"Action: failed") == 2
    assert desk.kept == []


TROUBLES: dict[str, Callable[[], Exception]] = {
    "database.away": lambda: OperationalError("INSERT", {}, Exception("gone")),
    "exception": lambda: ValueError("bug"),
    "timeout": lambda: TimeoutError("late"),
}


@pytest.mark.parametrize("what", TROUBLES)
def test_what_cannot_be_kept_comes_again_until_it_is(what: str, gate: Gate) -> None:
    """A lone status for two recipients would make Postfix wait for the other, and deliver again what was kept."""
    sender = f"{what}@a.test"
    desk = Desk([TROUBLES[what](), TROUBLES[what]()])
    with gate.open(desk):
        gate.postfix.send(MAIL, sender, ADDRESS, TAGGED)
        gate.wait_for(sender, "deferred", 2)
        gate.postfix.flush()
        gate.wait_for(sender, "deferred", 4)
        gate.postfix.flush()
        deliveries = gate.wait_for(sender, "sent", 2)
        gate.postfix.wait_until_empty()
    assert [(each.dsn, each.status) for each in deliveries] == [("4.3.0", "deferred")] * 4 + [
        ("2.0.0", "sent")
    ] * 2
    (mail,) = desk.kept
    assert {*mail.recipients} == {ADDRESS, TAGGED}
    assert body_of(mail.raw) == body_of(MAIL)


def test_one_unknown_recipient_takes_nothing_from_the_others(gate: Gate) -> None:
    desk, nobody = Desk(), f"nobody@{DOMAIN}"
    with gate.open(desk):
        gate.postfix.send(MAIL, "ann@unknown.test", ADDRESS, nobody, TAGGED)
        gate.wait_for("ann@unknown.test", "sent", 2)
        deliveries = gate.wait_for("ann@unknown.test", "bounced", 1)
        report = gate.returned_to("ann@unknown.test")
    assert {(each.recipient, each.dsn) for each in deliveries} == {
        (ADDRESS, "2.0.0"),
        (TAGGED, "2.0.0"),
        (nobody, "5.1.1"),
    }
    assert report.raw.count(b"Action: failed") == 1
    assert [{*mail.recipients} for mail in desk.kept] == [{ADDRESS, TAGGED}]


@pytest.mark.parametrize("sender", ["", "jürgen@bücher.test", "a+b=c@a.test", '"a b"@a.test'])
@pytest.mark.parametrize("recipient", [ADDRESS, TAGGED, ADDRESS.replace("@", "-Tag.7x@"), f"postmaster@{DOMAIN}"])
def test_the_envelope_arrives_whole(sender: str, recipient: str, gate: Gate) -> None:
    desk = Desk()
    with gate.open(desk, delimiter="-"):
        gate.postfix.send(MAIL, sender, recipient)
        gate.postfix.wait_until_empty()
    assert [(mail.sender, mail.recipients) for mail in desk.kept] == [(sender or "<>", (recipient,))]


TEXTS = {
    "8bit": "c3 schön — 囲碁\r\n".encode(),
    "octets that are no text": b"\xff\x80\xfe\r\n",
    "dots": b".\r\n..\r\n.c3\r\n...\r\n",
    "nothing": b"",
    "no end of line": b"c3",
}


@pytest.mark.parametrize("what", TEXTS)
def test_the_text_arrives_as_it_was_sent(what: str, gate: Gate) -> None:
    desk = Desk()
    head = (
        b"From: ann@a.test\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    )
    with gate.open(desk):
        gate.postfix.send(head + TEXTS[what], "ann@a.test", ADDRESS)
        gate.postfix.wait_until_empty()
    (mail,) = desk.kept
    assert body_of(mail.raw).rstrip(b"\r\n") == TEXTS[what].rstrip(b"\r\n")


def test_a_mail_without_a_name_is_given_one(gate: Gate) -> None:
    desk = Desk()
    with gate.open(desk):
        gate.postfix.send(MAIL.replace(b"Message-ID: <one@a.test>\r\n", b""), "ann@a.test", ADDRESS)
        gate.postfix.wait_until_empty()
    (mail,) = desk.kept
    assert mail.raw.count(b"\nMessage-Id: <") == 1


def test_what_postfix_takes_is_not_too_large_for_us(gate: Gate) -> None:
    """Where both limits are the same, Postfix refuses at its door what would have to come back from ours."""
    desk, limit = Desk(), 2**20
    line = b"x" * 900 + b"\r\n"
    lines = (limit - len(MAIL)) // len(line)
    with pytest.raises(SMTPDataError, match=r"552.*too big"):
        gate.postfix.send(MAIL + line * lines, "ann@large.test", ADDRESS)
    with gate.open(desk, max_size=limit):
        gate.postfix.send(MAIL + line * (lines - 5), "ann@large.test", ADDRESS)
        gate.wait_for("ann@large.test", "sent", 1)
    assert [mail.raw.count(line) for mail in desk.kept] == [lines - 5]
