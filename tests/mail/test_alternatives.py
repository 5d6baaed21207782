"""A mail with two parts: the text as it always was, and the same in HTML for those who want it."""

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.server import Server
from pbmserv.mail.sending.message import Attachment, Envelope, write
from tests.every import for_each

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SERVER = Server("pbmserv@club.test", variants=True)
TOKEN = "k3j4h5k6j7h8a2k3j4h5k6j7h8a2k3j4h5k6j7h8a2k3j4h5k6j7h8a2k3j4h5k6j7h8a2"
ENVELOPE = Envelope(
    "alice@example.org", "Cephalopod Board 101: alice vs bob", TOKEN, 101, 7, is_personal=True, thread_word="w0001"
)


def parsed(raw: bytes) -> EmailMessage:
    """A mail as Python's own library reads it."""
    return message_from_bytes(raw, policy=default)


def part(raw: bytes, kind: str) -> EmailMessage:
    """One of the two parts."""
    found = parsed(raw).get_body((kind,))
    assert isinstance(found, EmailMessage)
    return found


@for_each("text", ["It is alice's turn.\n", "Gr\u00fc\u00dfe \u2603\n.\n= 20%\n"])
def test_the_text_is_what_it_was(text: str) -> None:
    """To the byte, with the same headers over all; the HTML comes last, as the better one."""
    alone, both = write(ENVELOPE, text, SERVER, NOON), write(ENVELOPE, text, SERVER, NOON, "<p>It is</p>\n")
    assert part(both, "plain").get_content() == parsed(alone).get_content()
    assert alone.partition(b"\r\n\r\n")[2] in both
    assert [each.get_content_type() for each in parsed(both).iter_parts()] == ["text/plain", "text/html"]
    ours = {name: value for name, value in parsed(both).items() if not name.startswith(("Content-", "MIME-"))}
    assert ours == {n: v for n, v in parsed(alone).items() if not n.startswith(("Content-", "MIME-"))}
    assert parsed(both).get_all("MIME-Version") == ["1.0"]


def test_bytes_are_stable_and_the_token_is_not_spread() -> None:
    """The same for every try; the boundary is no one's to guess, and the token stands in one address only."""
    once, again = (write(ENVELOPE, "text\n", SERVER, NOON, "<p>x</p>\n") for _ in range(2))
    assert once == again
    boundary = parsed(once).get_boundary()
    assert boundary is not None
    assert TOKEN[:8] not in boundary
    assert once.count(TOKEN.encode()) == 1
    other = Envelope("alice@example.org", "x", "anothertoken", 101, 7, thread_word="another")
    assert parsed(write(other, "text\n", SERVER, NOON, "<p>x</p>\n")).get_boundary() != boundary


def test_long_ids_are_not_folded() -> None:
    """An id in pieces, or as an encoded word, would break threads."""
    raw = write(replace(ENVELOPE, thread_word=TOKEN), "text\n", SERVER, NOON, "<p>x</p>\n")
    assert f"\r\nMessage-ID: <b101.7.{TOKEN}@club.test>\r\n".encode() in raw
    assert f"\r\nFrom: pbmserv <pbmserv+{TOKEN}@club.test>\r\n".encode() in raw


@for_each("html", ["<p>short = \t</p>\n", f"<p>{'long' * 4000}</p>\n<p>a=3D</p>\n"])
def test_no_line_is_too_long_for_smtp(html: str) -> None:
    """Whatever the HTML: a long line is encoded, and comes back whole."""
    raw = write(ENVELOPE, "text\n", SERVER, NOON, html)
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert part(raw, "html").get_content().replace("\r\n", "\n") == html


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=300)
FILES = st.lists(st.binary(max_size=300), max_size=2)


@given(
    text=TEXTS,
    html=st.none() | TEXTS,
    files=FILES,
    subject=st.text(st.characters(codec="latin-1", categories=["L"])),
)
def test_the_library_reads_what_was_written(text: str, html: str | None, files: list[bytes], subject: str) -> None:
    """Whatever is in the parts: Python's own parser finds them whole, in order, and nothing wrong."""
    html = html if html is None else html.encode("ascii", "xmlcharrefreplace").decode()
    attached = [Attachment(f"board-{place}.json", content) for place, content in enumerate(files)]
    raw = write(replace(ENVELOPE, subject=subject), text, SERVER, NOON, html, attached)
    mail = parsed(raw)
    parts = [each for each in mail.walk() if not each.is_multipart()]
    assert [each.defects for each in mail.walk()] == [[]] * (len(parts) + (html is not None) + bool(files))
    contents = [each.get_content() for each in parts]
    told = [each.replace("\r\n", "\n") if isinstance(each, str) else each for each in contents]
    assert told == [text, *([] if html is None else [html]), *files]
    assert mail["Subject"] == subject
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert raw.isascii()
    assert max(map(len, raw.split(b"\r\n"))) <= 998
