"""Mails that are made to be slow to read: anybody can send them, up to the largest size that is taken."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tests.conftest import ADDRESS

LARGEST: Final = 1_000_000


def of_a_stranger(body: str, kind: str = "text/plain", subject: str = "hello", head: str = "") -> bytes:
    """A mail from nobody we know."""
    headers = (
        f"From: stranger@elsewhere.example\nTo: {ADDRESS}\nSubject: {subject}\nMessage-ID: <1@elsewhere.example>\n"
        f"{head}MIME-Version: 1.0\nContent-Type: {kind}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    )
    return (headers + body).encode()


def _lines(line: str) -> Callable[[int], bytes]:
    return lambda size: of_a_stranger((line + "\n") * (size // len(f"{line}\n".encode())))


def _run(text: str, kind: str = "text/plain") -> Callable[[int], bytes]:
    return lambda size: of_a_stranger(text * (size // len(text.encode())), kind)


MAILS: Final[Mapping[str, Callable[[int], bytes]]] = MappingProxyType(
    {
        "marks of mood": lambda size: of_a_stranger(
            "\n".join(["move 101 e5" + " !?" * 300 + "x"] * max(size // 912, 1))
        ),
        "smiles": _lines("move 101 e5" + " :)" * 300 + "x"),
        "mood on one line": lambda size: of_a_stranger("move 101 e5" + " !?" * (size // 3) + "x"),
        "one long word": _run("a"),
        "a long word for a move": lambda size: of_a_stranger("move 101 " + "a" * size),
        "short words": _run("a "),
        "short words for a move": _lines("move 101 " + "a " * 450),
        "words of a game": _lines("move 101 " + "bishop takes knight on e5 " * 34),
        "slips of words of a game": _lines("I play knihgt to f3 and then bishpo to b5 or c4 perhaps"),
        "numbers and guards": _lines("move 101 " + "1 # " * 220),
        "arrows": _lines("move 101 d2 " + "-" * 900 + " d3"),
        "players": _lines("challenge " + "alice bob " * 60),
        "options": _lines("challenge alice " + "rated size=9 time=3d " * 30),
        "slips": _lines("chalenge alice hexx"),
        "passwords": _lines("as alice sesame"),
        "yes": _lines("yes"),
        "boards": _lines("101 " * 240),
        "conditions": _lines("queue 101 if e5 then d4; if c3 then b4"),
        "questions": _lines("how do I play hex? what are the rules of chess? how to stop mail?"),
        "letters that become many": _run("\ufdfa"),
        "accents": _run("e\u0301\u0301\u0301"),
        "shogi": _lines("\u7b2c\u4e00\u624b " * 90),
        "nothing": _run("\n"),
        "blanks": _run(" "),
        "dashes": _run("-"),
        "quotes": _lines("> " * 100 + "hi"),
        "who wrote": _lines("On Mon, 1 Jan 2026 at 10:00, Bob <bob@x.example> wrote:"),
        "signatures": _lines("-- "),
        "deep HTML": _run("<div>", "text/html"),
        "open tags": _run("<", "text/html"),
        "open comments": _run("<!--", "text/html"),
        "paragraphs": _run("<p>", "text/html"),
        "styles": _run("<p style='border-left:border-left:'>", "text/html"),
        "headers": lambda size: of_a_stranger("move 101 e5", head="X-A: b\n" * (size // 7)),
        "references": lambda size: of_a_stranger("x", head="References: " + "<" * size + "\n"),
        "encoded words": lambda size: of_a_stranger("x", subject="=?utf-8?q?a?= " * (size // 14)),
        "parts": lambda size: of_a_stranger(
            "--b\n\nmove 101 e5\n" * (size // 17), 'multipart/mixed; boundary="b"'
        ),
        "reports": lambda size: of_a_stranger(
            "--b\nContent-Type: message/rfc822\n\n" + "Message-ID: <" * (size // 13),
            'multipart/report; report-type=delivery-status; boundary="b"',
        ),
    }
)
"""By what they are full of: each of about so many bytes."""
