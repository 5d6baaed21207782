"""Reports as the main programs write them, and what is read out of each."""

import random
from pathlib import Path

from pbmserv.mail.reading.automatic import why_automatic
from pbmserv.mail.reading.delivery_report import Report, judge, read_report, stated
from pbmserv.mail.reading.headers import envelope_sender_of, parse_head
from tests.every import for_each

OURS = "pbmserv@club.test"
FOLDER = Path(__file__).parent / "reports"
READING = {
    "amazon_ses": ("hard", "550 5.1.1 user unknown"),
    "encoded_status": ("hard", "550 5.1.1 user unknown"),
    "exchange_access_denied": ("hard", "550 5.4.1 Recipient address rejected: Access denied."),
    "exchange_expired": ("soft", "550 5.4.300 Message expired"),
    "exchange_not_accepted": ("soft", "550 5.7.1 RESOLVER.RST.AuthRequired"),
    "exchange_online": ("hard", "550 5.1.10 RESOLVER.ADR.RecipientNotFound"),
    "exim_report": ("hard", "550 no mailbox here"),
    "exim_text": ("hard", "host mx.away.example [198.51.100.7]: 550 5.1.1 <bob@away.example>:"),
    "exim_text_delayed": ("none", "delayed"),
    "exim_text_expired": ("soft", "This message was created automatically"),
    "exim_text_no_user_here": ("hard", "This message was created automatically"),
    "german_text": ("soft", "Diese Nachricht wurde automatisch erzeugt."),
    "gmail_no_such_user": ("hard", "550-5.1.1 The email account that you tried to reach does not exist."),
    "gmail_own_envelope": ("hard", "550-5.1.1 The email account"),
    "gmail_unauthenticated": ("soft", "550-5.7.26 Your email has been blocked"),
    "one_of_two_arrived": ("soft", "550 5.1.1 user unknown"),
    "out_of_office": ("none", "an automatic answer"),
    "outlook_com_mailbox_full": ("soft", "554 5.2.2 mailbox full"),
    "outlook_com_unavailable": ("hard", "550 5.5.0 Requested action not taken: mailbox unavailable"),
    "postfix_delayed": ("none", "delayed"),
    "postfix_expired": ("soft", "connect to mx.away.example[198.51.100.7]:25: Connection timed out"),
    "postfix_mailbox_full": ("soft", "552 5.2.2 <bob@away.example>: Quota exceeded"),
    "postfix_no_domain": ("hard", "Host or domain name not found."),
    "postfix_policy": ("soft", "554 5.7.1 Service unavailable; Client host"),
    "postfix_success": ("none", "relayed"),
    "postfix_unknown_user": ("hard", "550 5.1.1 <bob@away.example>: Recipient address rejected: User unknown"),
    "qmail_expired": ("soft", "Remote host said: 451 qq temporary problem (#4.3.0)"),
    "qmail_no_mailbox": ("hard", "Sorry, no mailbox here by that name. (#5.1.1)"),
    "qmail_unknown_user": ("hard", "Remote host said: 550 5.1.1 unknown or illegal alias"),
    "read_receipt": ("none", "a receipt"),
    "sendmail_report": ("hard", "550 5.1.1 <bob@away.example>... User unknown"),
    "sendmail_text": ("hard", "<<< 550 <bob@away.example>... User unknown"),
    "spam_complaint": ("none", "a receipt"),
    "vacation_sieve": ("none", "an automatic answer"),
    "yahoo_dd": ("hard", "554 delivery error: dd Not a valid recipient"),
    "yahoo_disabled": ("hard", "554 30 Sorry, your message to bob@yahoo.com cannot be delivered."),
    "yahoo_text": ("hard", "Message from yahoo.com. Unable to deliver message"),
}


def sample(name: str) -> bytes:
    return (FOLDER / f"{name}.eml").read_bytes()


def read(raw: bytes, *recipients: str, ours: str = OURS, delimiter: str = "+") -> Report | None:
    return read_report(raw, recipients, ours, delimiter)


def test_every_sample_is_expected() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {*READING, "only_references"}


@for_each("name", READING)
@for_each("line_end", [b"\n", b"\r\n"])
def test_report_is_read(name: str, line_end: bytes) -> None:
    """The mail that it names, the verdict, the words; and it is known for a machine's by whatever road it came."""
    raw = sample(name).replace(b"\n", line_end)
    report = read(raw)
    assert report is not None
    assert report.word == "t0007"
    verdict, reason = READING[name]
    assert report.verdict == verdict
    assert report.reason.startswith(reason)
    headers, _ = parse_head(sample(name), 0, len(raw))
    assert why_automatic(headers, envelope_sender_of(raw), OURS) is not None


def test_a_message_id_among_the_references_names_nothing() -> None:
    """A report about some other mail, in answer to ours, does not say that ours came back."""
    assert read(sample("only_references")) is None


UNTAGGED = sample("postfix_unknown_user").replace(b"To: pbmserv+b.t0007@", b"To: pbmserv@")


@for_each(
    "recipient",
    [
        "pbmserv+b.t0042@club.test",
        "PBMSERV+B.T0042@CLUB.TEST",
        "pbmserv-b.t0042@club.test",
        "<pbmserv+b.t0042@club.test>",
    ],
)
def test_the_envelope_goes_before_the_mail(recipient: str) -> None:
    report = read(sample("postfix_unknown_user"), "postmaster@club.test", recipient)
    assert report is not None
    assert report.word == "t0042"


@for_each("header", ["To", "Delivered-To", "X-Original-To", "Envelope-to"])
def test_the_address_is_found_in_headers_too(header: str) -> None:
    """A mailbox and a pipe know no envelope."""
    named = f"{header}: Board <Pbmserv+B.t0042@Club.Test>\n".encode()
    report = read(named + UNTAGGED, OURS)
    assert report is not None
    assert report.word == "t0042"


def test_without_tags_the_returned_message_id_names_the_mail() -> None:
    report = read(UNTAGGED, OURS, delimiter="")
    assert report is not None
    assert (report.word, report.verdict) == ("t0007", "hard")


@for_each(
    "recipient",
    [
        "pbmserv@club.test",
        "pbmserv+t0007@club.test",
        "otherpbmserv+b.t0007@club.test",
        "pbmserv+b.t0007@club.test.evil.example",
        "pbmserv+b.t0007@evil.example",
        "pbmserv+b.@club.test",
        "pbmserv+b.t0007'--@club.test",
    ],
)
def test_other_addresses_name_no_mail(recipient: str) -> None:
    nameless = UNTAGGED.replace(b"b101.3.t0007@club.test", b"b101.3.t0007@evil.example")
    assert read(nameless, recipient, delimiter="") is None


@for_each(
    ("status", "words", "verdict"),
    [
        ("5.1.1", "", "hard"),
        ("5.1.2", "550 5.7.1 spam", "hard"),  # an exact status is not overruled by words
        ("5.1.7", "bad sender's mailbox", "soft"),
        ("5.2.1", "mailbox disabled", "hard"),
        ("5.2.2", "user unknown", "soft"),
        ("5.2.3", "message too big", "soft"),
        ("5.3.4", "message too big", "soft"),
        ("5.4.6", "routing loop", "soft"),
        ("5.6.0", "no such user", "hard"),
        ("5.7.0", "no such user", "soft"),
        ("5.7.1", "no such user", "soft"),
        ("5.7.13", "", "hard"),
        ("4.2.1", "no such user", "soft"),
        ("5.0.0", "", "hard"),
        ("5.0.0", "550 5.1.1 who?", "hard"),
        ("5.0.0", "554 5.7.1 who?", "soft"),
        ("5.0.0", "over quota", "soft"),
        ("5.3.0", "it broke", "soft"),
        ("", "550 No such user here", "hard"),
        ("", "550 hm", "hard"),
        ("", "554 hm", "soft"),
        ("", "550 relaying denied", "soft"),
        ("5.7.26", "550-5.7.26 Your mail has been blocked, the sender is unauthenticated", "soft"),
        ("5.4.5", "550 5.4.5 Daily user sending limit exceeded", "soft"),
        ("", "550 listed in an RBL", "soft"),
        ("", "550 Administrative prohibition", "soft"),
        ("", "550 message content rejected", "soft"),
        ("", "550 no PTR record", "soft"),
        ("", "550 daily sending limit", "soft"),
        ("", "550 5.1.0 Sender address rejected", "soft"),
        ("", "550-Verification failed for <pbmserv@club.test>\n550 Sender verify failed", "soft"),
        ("5.1.0", "550 5.1.0 Address rejected", "hard"),
        ("", "550 5.1.1 User unknown in relay recipient table", "hard"),
        ("", "550 User unknown in relay recipient table", "hard"),
        ("", "452 user unknown", "soft"),
        ("", "connect to 198.51.100.250 5.1.1.1 refused", "soft"),
        ("550", "", "soft"),
        ("5.1.1.9", "", "soft"),
        ("9.1.1", "", "soft"),
        ("5.1.1 (bad destination mailbox address)", "", "hard"),
    ],
)
def test_verdict(status: str, words: str, verdict: str) -> None:
    assert judge(status, words) == verdict


def test_addresses_of_hosts_are_no_status() -> None:
    assert stated("host 192.0.2.250 5.1.1.7 said nothing") is None
    assert stated("host mx[192.0.2.250] said: 550 5.1.1 no") == (5, 1, 1)


def test_what_a_player_wrote_is_not_read_as_the_mail_systems_words() -> None:
    """The returned mail holds "550 5.2.2 mailbox full", written by an opponent; it makes no difference."""
    raw = sample("qmail_no_mailbox")
    assert b"550 5.2.2" in raw
    assert read(raw.replace(b"550 5.2.2 mailbox full", b"")) == read(raw)


@for_each("name", ["postfix_unknown_user", "exim_text", "gmail_no_such_user", "qmail_unknown_user"])
def test_any_damage_gives_a_value(name: str) -> None:
    """Cut anywhere, or with bytes turned to others, a report is still read as something, or as nothing."""
    chance = random.Random(name)
    whole = sample(name)
    for _ in range(200):
        raw = bytearray(whole[: chance.randrange(1, len(whole))])
        for _ in range(chance.randrange(20)):
            raw[chance.randrange(len(raw)) : chance.randrange(len(raw) + 1)] = chance.randbytes(3)
        report = read(bytes(raw), "pbmserv+b.t0007@club.test")
        assert report is not None
        assert len(report.reason) <= 300


def test_a_reason_is_one_short_line() -> None:
    raw = sample("amazon_ses").replace(b"550 5.1.1 user unknown", b"550 5.1.1 " + b"unknown\x00\n  " * 500)
    report = read(raw)
    assert report is not None
    assert len(report.reason) <= 300
    assert report.reason.startswith("550 5.1.1 unknown unknown")
    assert report.reason.isprintable()


STATUS_PART = b"Content-Type: message/delivery-status\n\n"


@for_each(
    "raw",
    [
        STATUS_PART + b"Action: failed\nStatus: 5.1.1\n\n" * 50_000,
        STATUS_PART + b"\n" * 1_000_000,
        STATUS_PART + b"prose and prose\n" * 60_000,
        STATUS_PART + b"Action: failed\n" + b" " * 1_000_000,
        b"From: mailer-daemon\n\n" + b"-" * 1_000_000,
        b"From: mailer-daemon\n\n" + b"\n>" * 500_000,
        b"From: mailer-daemon\n\n" + b": " * 500_000,
        b"From: mailer-daemon\n\n" + b"user does not have a mailbox " * 40_000,
        b"Content-Type: multipart/report; boundary=x\n\n" + b"--x\n\n" * 200_000,
        b"To: " + b"pbmserv+b." * 100_000 + b"\n\n",
    ],
    ids=lambda raw: f"{raw[:30]!r}",
)
def test_reading_is_bounded(raw: bytes) -> None:
    """Ends, and soon: what takes a second here would take for ever if it grew with the square of the size."""
    assert read(raw, "pbmserv+b.t0007@club.test") is not None
