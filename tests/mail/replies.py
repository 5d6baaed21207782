"""Answers to a board mail of ours, as mail programs write them, read as the server reads them."""

from email import message_from_bytes, policy
from html import escape
from pathlib import Path

from pbmserv.mail.reading.our_copies import our_words
from pbmserv.mail.reading.read import read
from pbmserv.parser.parsed import Parsed
from pbmserv.services.reply_text import ReplyText, reply_text

OURS = "pbmserv+t0006@club.test"
MINE = "bob@example.org"
SERVER = "pbmserv@club.test"
SUBJECT = "Cephalopod Board 101: alice vs bob"
RAW = Path(__file__).with_name("our_board.eml").read_bytes()
"""What bob was sent by us, with what alice wrote to him."""

MAIL = message_from_bytes(RAW, policy=policy.default)
TEXT = MAIL.get_body(("plain",)).get_content().replace("\r\n", "\n").rstrip("\n")  # type: ignore[union-attr]
HTML = MAIL.get_body(("html",)).get_content().partition("<body")[2].partition(">")[2].partition("</body>")[0]  # type: ignore[union-attr]
KNOWN = our_words([RAW])


def reading(text: str, html: bool = False, known: bool = True) -> ReplyText:
    """What is made of an answer with this text; `known`: we still have the mail that it answers."""
    kind = "html" if html else "plain"
    head = f"From: Bob <{MINE}>\nTo: {OURS}\nSubject: Re: {SUBJECT}\nContent-Type: text/{kind}; charset=utf-8\n\n"
    mail = read((head + text).encode(), MINE, SERVER)
    ours = KNOWN if known else our_words([])
    return reply_text(mail, ours, 101, SERVER, frozenset({MINE}))


def html_of(own: str, lead: str) -> str:
    """The HTML of an answer by a program whose marks are not known: a line for each line, then our HTML."""
    lines = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in f"{own}\n\n{lead}".split("\n"))
    unmarked = HTML.replace("pbmserv-mail", "x1").replace("mailto:", "https://w.example/?")
    return f"<html><body>{lines}<div>{unmarked}</div></body></html>"


def moves(own: ReplyText) -> list[str]:
    """The lines that would be carried out."""
    return [line.line for line in own.parsed.lines if isinstance(line, Parsed)]


def leaked(own: ReplyText) -> list[str]:
    """What stands in the comment, or is told, of the addresses and of our own mail."""
    said = "\n".join((own.parsed.comment, *own.left_out))
    found = [each for each in (MINE, "club.test", "t0006", SUBJECT) if each in said]
    ours = [line.strip() for line in TEXT.split("\n") if len(line.split()) > 2]
    return found + [line for line in ours if line in said]
