"""From a mail's bytes to what is understood: the same command in any dress has the same effect."""

import base64
import binascii
import html
from collections.abc import Callable
from dataclasses import dataclass
from email.header import Header

from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.mail.reading.read import read
from pbmserv.parser.parse import parse_mail
from pbmserv.parser.parsed import ParsedMail, Unparsed
from tests.examples import examples
from tests.parser.meaning import of

ADDRESS = "pbm@club.test"
ANSWER = "Re: Cephalopod Board 101: anna vs bob"
COMMENT = "Thank you, that was a surprise, and I had to think about it for a whole week."

WITH_BOARD = ["c3", "c3xb3,d3", "c3#8", "resign", "show", "chat", "preview c3 d4"]
ALONE = [
    "move 101 c3#8",
    "101 c3",
    "cephalopod move 101 c3xb3,d3",
    "move 101 anna {Ses-ame} c3",
    "challenge anna bob -size=3x3 -unrated",
    "resign 101",
    "help move",
    "games anna next",
    "set html off",
    "signup anna {s3-Same!}",
    "change password anna {Old-1} {New-2}",
]
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212"
BLANKS = [" ", " ", "  ", "\t", "\u00a0", "\u3000"]
AROUND = ["%s", "%s", "%s.", "%s!", "\u201c%s\u201d", '"%s"', "**%s**", "- %s", "\u2022 %s", "%s, please", "1. %s"]
"""What may stand around a bare move."""

GREETINGS = ["Hello,", "Dear server", "Hi Bob!", "Yes, good move!", "Here is my answer."]
SIGNATURE = "-- \nAnna\nshow 102"
FOOTER = "This mail is confidential. If you are not the intended recipient,\ndelete it at once."
BOARD_MAIL = """Summary of Cephalopod Board 101

It is anna's turn.

        A   B   C

    3  ... ... (1)  3

To move, answer this mail with a square in its first line, for example
    b2
Other answers: show, resign, help."""
ATTRIBUTION = "On Thu, 1 Jan 2026 at 12:04, pbmserv wrote:"

CHARSETS = ["us-ascii", "iso-8859-1", "windows-1252", "koi8-r", "shift_jis", "utf-16", "utf-8"]
TRANSFERS: dict[str, Callable[[bytes], bytes]] = {
    "7bit": bytes,
    "8bit": bytes,
    "quoted-printable": lambda data: binascii.b2a_qp(data, istext=False),
    "base64": base64.encodebytes,
}


@dataclass(frozen=True)
class Dress:
    """One way of writing and carrying a command. `words` is the line as somebody writes it."""

    words: str
    place: str
    greeting: tuple[str, ...]
    has_comment: bool
    quote: str
    ends: tuple[str, ...]
    kind: str
    charset: str
    transfer: str
    newline: str
    is_flowed: bool
    prefix: str


@st.composite
def dressed(draw: st.DrawFn, line: str, is_answer: bool) -> Dress:
    """The line in some dress."""
    words = []
    for word in line.split():
        shown = word.strip("{}")
        if word != shown:
            words.append(shown)
            continue
        letters = draw(st.sampled_from([shown.lower(), shown.upper(), shown.capitalize()]))
        if draw(st.booleans()):
            letters = "".join(chr(ord(each) + 0xFEE0) if each.isalnum() else each for each in letters)
        words.append("".join(draw(st.sampled_from(DASHES)) if each == "-" else each for each in letters))
        if shown.startswith("-") and draw(st.booleans()):
            words[-1] = draw(st.sampled_from(DASHES)) + words[-1]
    text = words[0] + "".join(draw(st.sampled_from(BLANKS)) + word for word in words[1:])
    if line[0] == "c" and line[1].isdigit():
        text = draw(st.sampled_from(AROUND)) % text
    place = "body" if is_answer else draw(st.sampled_from(["subject", "body", "both"]))
    fitting = [each for each in CHARSETS if can_write(text, each)]
    charset = draw(st.sampled_from(fitting))
    transfers = ["quoted-printable", "base64"]
    transfers += ["8bit"] if charset != "utf-16" else []
    transfers += ["7bit"] if text.isascii() and charset != "utf-16" else []
    return Dress(
        text,
        place,
        tuple(draw(st.lists(st.sampled_from(GREETINGS), max_size=3))) if place == "body" else (),
        draw(st.booleans()),
        draw(st.sampled_from(["none", "above", "below"])),
        tuple(each for each in (SIGNATURE, FOOTER) if draw(st.booleans())),
        draw(st.sampled_from(["plain", "html", "both"])),
        charset,
        draw(st.sampled_from(transfers)),
        draw(st.sampled_from(["\n", "\r\n"])),
        draw(st.booleans()),
        draw(st.sampled_from(["", "Re: ", "AW: ", "[club] Re: ", "\u56de\u590d: "])),
    )


def can_write(text: str, charset: str) -> bool:
    """Whether a charset has all the letters."""
    try:
        return text.encode(charset).decode(charset) == text
    except UnicodeError:
        return False


def own_lines(dress: Dress) -> list[str]:
    """What the person writes, before the signature."""
    lines = [*dress.greeting]
    lines += ["", dress.words] if dress.place != "subject" else []
    return [*lines, "", COMMENT] if dress.has_comment else lines


def plain_text(dress: Dress) -> str:
    """The text/plain part, with the board's mail quoted in it and what mail programs add below."""
    quoted = "\n".join([ATTRIBUTION, *(f"> {line}" for line in BOARD_MAIL.split("\n"))])
    own = "\n".join(flowed(line) if dress.is_flowed else line for line in own_lines(dress))
    parts = [quoted, own] if dress.quote == "above" else [own, quoted] if dress.quote == "below" else [own]
    # A footer without a signature above it is taken for the sender's words.
    below = dress.ends if SIGNATURE in dress.ends else ()
    return "\n\n".join([*parts, *below]) + "\n"


def flowed(line: str) -> str:
    """A line broken as RFC 3676 has it."""
    middle = line.find(" ", 10) + 1
    return f"{line[:middle]}\n{line[middle:]}" if middle and line[middle:].strip() else line.rstrip(" ")


def html_text(dress: Dress) -> str:
    """The text/html part of a program that marks quotes by their nodes."""
    own = "".join(f"<div>{html.escape(line) or '<br>'}</div>\n" for line in own_lines(dress))
    board = html.escape(BOARD_MAIL).replace("\n", "<br>\n")
    quoted = f'<div class="gmail_quote"><div>{ATTRIBUTION}</div><blockquote>{board}</blockquote></div>\n'
    parts = quoted + own if dress.quote == "above" else own + quoted if dress.quote == "below" else own
    hidden = '<div style="display:none">resign 101</div>'
    return f"<html><head><title>show 103</title></head><body>{hidden}{parts}</body></html>\n"


def part(dress: Dress, subtype: str, text: str) -> bytes:
    """A part with its head."""
    data = text.replace("\n", dress.newline).encode(dress.charset, "xmlcharrefreplace")
    flow = "; format=flowed" if subtype == "plain" and dress.is_flowed else ""
    head = f"Content-Type: text/{subtype}; charset={dress.charset}{flow}\r\n"
    head += f"Content-Transfer-Encoding: {dress.transfer}\r\n\r\n"
    return head.encode() + TRANSFERS[dress.transfer](data)


def raw(dress: Dress, is_answer: bool) -> bytes:
    """The mail's bytes."""
    subject = ANSWER if is_answer else dress.prefix + (dress.words if dress.place != "body" else "My answer")
    encoded = subject if subject.isascii() else Header(subject, "utf-8", maxlinelen=200).encode()
    head = "From: anna@example.org\r\nTo: pbm@club.test\r\nMessage-ID: <1@example.org>\r\nMIME-Version: 1.0\r\n"
    head += f"Subject: {' '.join(encoded.split())}\r\n"
    plain, rich = part(dress, "plain", plain_text(dress)), part(dress, "html", html_text(dress))
    if dress.kind != "both":
        return head.encode() + (plain if dress.kind == "plain" else rich)
    head += 'Content-Type: multipart/alternative; boundary="b0"\r\n\r\n'
    return head.encode() + b"--b0\r\n" + plain + b"\r\n--b0\r\n" + rich + b"\r\n--b0--\r\n"


def told(reading: ParsedMail) -> list[str]:
    """What a mail asks, without regard to the case of what has none."""
    return [*(of(line).lower() for line in reading.lines), *reading.secrets]


@st.composite
def dressings(draw: st.DrawFn) -> tuple[str, bool, Dress]:
    """A command, whether it stands in an answer to a board, and its dress."""
    is_answer = draw(st.booleans())
    line = draw(st.sampled_from(WITH_BOARD if is_answer else ALONE))
    return line.replace("{", "").replace("}", ""), is_answer, draw(dressed(line, is_answer))


PLAIN = Dress("c3", "body", (), True, "below", (SIGNATURE, FOOTER), "plain", "utf-8", "8bit", "\r\n", True, "")


@examples(300)
@given(dressings())
@example(("c3", True, PLAIN))
def test_the_same_in_any_dress(dressing: tuple[str, bool, Dress]) -> None:
    """Encoding, charset, line ends, quotes, signature, HTML, letter forms, marks: all the same.

    Nor what is said to the others: that is what stands below the command, and nothing else.
    """
    line, is_answer, dress = dressing
    plain = parse_mail(
        read(f"From: anna@example.org\n\n{line}\n".encode(), "", ADDRESS), 101 if is_answer else None
    )
    assert len(plain.lines) == 1
    reading = parse_mail(read(raw(dress, is_answer), "anna@example.org", ADDRESS))
    assert told(reading) == told(plain)
    is_open = plain.lines[0].command.kind == "open" if not isinstance(plain.lines[0], Unparsed) else False
    if not (is_open and dress.place == "subject"):
        assert " ".join(reading.comment.split()) == (COMMENT if dress.has_comment else "")
