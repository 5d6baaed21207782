"""What relays call the mails that they take, as their replies tell."""

from pbmserv.mail.sending.replies import queue_id
from tests.every import for_each

REPLIES = {
    "2.0.0 Ok: queued as 4F1A2B3C4D": "4F1A2B3C4D",  # Postfix
    "2.0.0 Ok: queued as 4bXyZ01abcz9Q8": "4bXyZ01abcz9Q8",  # Postfix with long ids
    "OK id=1tFkXy-00000001AbC-2dEf": "1tFkXy-00000001AbC-2dEf",  # Exim
    "2.0.0 5ANHc1bT012345 Message accepted for delivery": "5ANHc1bT012345",  # Sendmail
    "2.0.0 1f2e3d4c Message accepted for delivery": "1f2e3d4c",  # OpenSMTPD
    "2.0.0 OK  1732393001 a640c23a62f3a-aa50f2e6 - gsmtp": "a640c23a62f3a-aa50f2e6",  # Gmail
    "2.6.0 <1@x.example> [InternalId=8912345678901, Hostname=DB8.example] 9 bytes Queued mail for delivery": (
        "8912345678901"  # Exchange
    ),
    "Ok 0102018f2a3b4c5d-1a2b3c4d-5e6f-7a8b-9c0d-000000": "0102018f2a3b4c5d-1a2b3c4d-5e6f-7a8b-9c0d-000000",  # SES
    "ok 1732393001 qp 12345": "12345",  # qmail
    "2.0.0 Message queued with id 1932ab4c5d.": "1932ab4c5d",  # Stalwart
    "Ok: queued as q7zRkT1vS0iA": "q7zRkT1vS0iA",  # SendGrid
}


@for_each("reply", REPLIES)
def test_usual_servers(reply: str) -> None:
    assert queue_id(reply.encode()) == REPLIES[reply]


def test_other_replies_are_kept_in_short() -> None:
    """Nothing that is said breaks a line of the log, or the column."""
    assert queue_id(b"2.0.0 Thank you, it is ours\r\nnow") == "Thank you, it is ours now"
    assert queue_id(b"") == ""
    assert queue_id(b"2.0.0") == "2.0.0"
    assert queue_id(b"\xff\x1b[2J") == "\ufffd?[2J"
    assert len(queue_id(b"x " * 1000)) == 100
