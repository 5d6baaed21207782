"""Files that go along with a mail: the text comes first, whatever else is there, and every line may be sent."""

import json
from datetime import UTC, datetime
from itertools import product

from pbmserv.commands.server import Server
from pbmserv.mail.sending.message import Attachment, Envelope, write
from tests.conversation import parsed
from tests.every import for_each

SERVER = Server("pbm@club.test", variants=True)
ENVELOPE = Envelope("alice@example.org", "a board", "t0001", 101, 7, is_personal=True, thread_word="w0001")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NASTY = json.dumps({"from": "From here\n.\n> on", "long": "x" * 5000}).encode() + b"\n.\nFrom me\n"


@for_each(("html", "text"), [*product([None, "<p>h</p>"], ["Hello.\n", "Gr\xfc\xdfe.\n"])])
def test_text_html_and_files(html: str | None, text: str) -> None:
    """Mail programs show the text, or what is better, and offer the files; they come out as they went in."""
    files = [Attachment("board-101.json", NASTY), Attachment("board-102.json", b"{}")]
    raw = write(ENVELOPE, text, SERVER, NOON, html, files)
    mail = parsed(raw)
    assert mail.get_content_type() == "multipart/mixed"
    body = mail.get_body(("plain",))
    assert body is not None
    assert body.get_content().replace("\r\n", "\n") == text
    first = mail.get_payload(0)
    assert first.get_content_type() == ("text/plain" if html is None else "multipart/alternative")  # type: ignore[union-attr]
    assert (mail.get_body(("html",)) is not None) == (html is not None)
    came = [(each.get_filename(), each.get_content_type(), each.get_content()) for each in mail.iter_attachments()]
    assert came == [("board-101.json", "application/json", NASTY), ("board-102.json", "application/json", b"{}")]
    assert mail.defects == []
    lines = raw.split(b"\r\n")
    assert all(len(line) <= 998 and line.isascii() for line in lines)
    assert b"\n" not in b"".join(lines)
    assert b"." not in lines
    assert sum(line.startswith(b"MIME-Version") for line in lines) == 1


def test_the_same_for_every_try() -> None:
    """And its boundaries tell nothing of the token."""
    first, second = (
        write(ENVELOPE, "a\n", SERVER, NOON, "<p></p>", [Attachment("a.json", b"1")]) for _ in range(2)
    )
    assert first == second
    without = [line for line in first.split(b"\r\n") if b"boundary=" in line or line.startswith(b"--")]
    assert len(set(without)) == 6
    assert not any(b"t0001" in line for line in without)
