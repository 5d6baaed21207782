import pytest

from pbmserv.mail.automatic import LOOP_HEADER, why_automatic
from pbmserv.mail.headers import parse_head

ALICE = "alice@bank.example"
OURS = "pbm@club.test"


def why(*lines: str, sender: str = ALICE, envelope: str = ALICE, delimiter: str = "+") -> str | None:
    head = "\n".join((f"From: {sender}", *lines, "", "")).encode()
    headers, _ = parse_head(head, 0, len(head))
    return why_automatic(headers, envelope, OURS, delimiter)


def test_a_person_is_answered() -> None:
    assert why() is None
    assert why("Subject: Auto-Submitted: auto-replied", "List-Unsubscribe: <mailto:x@y.example>") is None


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("Auto-Submitted: auto-replied", "auto-submitted"),
        ("AUTO-SUBMITTED: Auto-Generated; owner=x", "auto-submitted"),
        ("Auto-Submitted: auto-replied(vacation)", "auto-submitted"),
        ("Auto-Submitted:", "auto-submitted"),
        ("Auto-Submitted: nobody", "auto-submitted"),
        ("Auto-Submitted: no\nAuto-Submitted: auto-replied", "auto-submitted"),
        ("Auto-Submitted: no", None),
        ("Auto-Submitted: NO; x=y", None),
        ("Auto-Submitted:\n no (a person)", None),
        ("List-Id: <games.lists.example>", "list"),
        ("List-ID:", "list"),
        ("Precedence: bulk", "bulk"),
        ("Precedence: List", "bulk"),
        ("Precedence: JUNK (really)", "bulk"),
        ("Precedence: auto_reply", "bulk"),
        ("Precedence: first-class", None),
        ("Content-Type: multipart/report; report-type=delivery-status; boundary=b", "report"),
        ("Content-Type: Multipart/Report", "report"),
        ("Content-Type: multipart/mixed; boundary=report", None),
        (f"{LOOP_HEADER}: 1", "ourselves"),
        (f"{LOOP_HEADER.upper()}:", "ourselves"),
        ("Return-Path: <>", "bounce"),
        ("Return-Path: <alice@bank.example>", None),
    ],
)
def test_headers_tell(header: str, reason: str | None) -> None:
    assert why(header) == reason


@pytest.mark.parametrize("envelope", ["", "<>", " <> "])
def test_the_null_sender_is_a_bounce_before_all_else(envelope: str) -> None:
    assert why("Auto-Submitted: auto-replied", "List-Id: x", sender=OURS, envelope=envelope) == "bounce"


@pytest.mark.parametrize(
    "local",
    [
        "mailer-daemon",
        "MAILER-DAEMON",
        "Postmaster",
        "noreply",
        "no-reply",
        "no-reply+123",
        "owner-games",
        "games-request",
        "bounce",
        "bounces+alice=bank.example",
    ],
)
def test_names_of_mail_systems_tell(local: str) -> None:
    assert why(sender=f"Somebody <{local}@bank.example>") == "robot"
    assert why(envelope=f"<{local}@lists.bank.example>") == "robot"


@pytest.mark.parametrize("local", ["robert", "homeowner-x", "request", "noreplyatall", "trebounce", "postmasters"])
def test_names_of_people_do_not(local: str) -> None:
    assert why(sender=f"{local}@bank.example", envelope=f"{local}@bank.example") is None


def test_an_envelope_without_a_domain_is_a_name() -> None:
    assert why(envelope="MAILER-DAEMON") == "robot"


@pytest.mark.parametrize("address", ["pbm@club.test", "PBM@Club.Test", "pbm+b.k3x9@club.test"])
def test_our_own_mail_is_known(address: str) -> None:
    assert why(sender=f"Board 101 <{address}>") == "ourselves"
    assert why(envelope=f"<{address}>") == "ourselves"


@pytest.mark.parametrize(
    "address", ["pbm@other.test", "pbm@club.test.evil.example", "pbmfan@club.test", "pbm-fan@club.test"]
)
def test_neighbours_are_not_ourselves(address: str) -> None:
    assert why(sender=address, envelope=address) is None


def test_our_delimiter_decides_what_a_tag_is() -> None:
    assert why(sender="pbm-b.k3x9@club.test", delimiter="-") == "ourselves"
    assert why(sender="pbm+b.k3x9@club.test", delimiter="-") is None
    assert why(sender="pbmfan@club.test", delimiter="") is None
    assert why(sender="pbm@club.test", delimiter="") == "ourselves"


def test_a_doubtful_sender_alone_is_not_automatic() -> None:
    assert why(sender="alice@bank.example <mallory@evil.example>") is None
