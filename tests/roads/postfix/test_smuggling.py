"""Ends of a mail that are none: what Postfix takes as one mail never becomes two of ours.

A server that takes one of them for an end, behind one that does not, sees a second mail that nobody sent so,
with an envelope of the attacker's choice. Our listener alone: tests/mail/test_protocol.py.
"""

import socket

import pytest

from tests.cli.processes import wait_for
from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.roads.postfix.gate import Desk, Gate

ENDS = {
    "LF.LF": b"\n.\n",
    "LF.CRLF": b"\n.\r\n",
    "CRLF.LF": b"\r\n.\n",
    "CR.CR": b"\r.\r",
    "CRLF.CR": b"\r\n.\r",
    "CR.CRLF": b"\r.\r\n",
}
LENIENT_ENDS = {"LF.LF", "LF.CRLF", "CRLF.LF"}
GOOD_END = b"\r\n.\r\n"


def begin(sender: str) -> bytes:
    """Everything up to a mail's first line."""
    return f"MAIL FROM:<{sender}>\r\nRCPT TO:<{ADDRESS}>\r\nDATA\r\n".encode()


def bring(port: int, first: str, second: str, end: bytes) -> int:
    """Brings a mail that has another one behind such an end; gives how many Postfix says it has taken."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link, link.makefile("rb") as replies:
        assert replies.readline().startswith(b"220")
        link.sendall(b"HELO client.test\r\n" + begin(first))
        assert [replies.readline()[:3] for _ in range(4)] == [b"250", b"250", b"250", b"354"]
        smuggled = begin(second) + b"Subject: two\r\n\r\nresign 101"
        link.sendall(b"Subject: one\r\n\r\nhello" + end + smuggled + GOOD_END + b"QUIT\r\n")
        return replies.read().count(b"queued as")


def answers(port: int) -> bool:
    """Whether anybody listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def lenient(standing: Gate) -> int:
    """A port of the same Postfix that takes bare line feeds as versions before 3.5.23 and their like did."""
    port = free_port()
    line = f"127.0.0.1:{port} inet n - n - - smtpd -o smtpd_forbid_bare_newline=no"
    standing.add_service(line, smtpd_forbid_unauth_pipelining="no")
    wait_for(lambda: answers(port))
    return port


@pytest.mark.parametrize("end", ENDS)
def test_no_mail_is_made_two(end: str, gate: Gate) -> None:
    desk, (first, second) = Desk(), (f"{number}.{end.lower()}@strict.test" for number in ("one", "two"))
    with gate.open(desk):
        assert bring(gate.postfix.port, first, second, ENDS[end]) == 1
        gate.postfix.wait_until_empty()
    assert [mail.sender for mail in desk.kept] == [first]
    assert b"resign 101" in desk.kept[0].raw


@pytest.mark.parametrize("end", ENDS)
def test_behind_a_lenient_postfix_we_see_what_it_saw(end: str, gate: Gate, lenient: int) -> None:
    desk, (first, second) = Desk(), (f"{number}.{end.lower()}@lenient.test" for number in ("one", "two"))
    with gate.open(desk):
        taken = bring(lenient, first, second, ENDS[end])
        gate.postfix.wait_until_empty()
    assert taken == (2 if end in LENIENT_ENDS else 1)
    assert sorted(mail.sender for mail in desk.kept) == [first, second][:taken]


def test_a_true_end_is_one(gate: Gate) -> None:
    desk = Desk()
    with gate.open(desk):
        assert bring(gate.postfix.port, "one@end.test", "two@end.test", GOOD_END) == 2
        gate.postfix.wait_until_empty()
    assert sorted(mail.sender for mail in desk.kept) == ["one@end.test", "two@end.test"]
