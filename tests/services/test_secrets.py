"""Passwords leave no trace: not in the database, not in the log, not in any mail that goes out."""

import base64
import logging
from pathlib import Path

import pytest

from pbmserv.services.house import House
from tests.services.post import Post

WORD = "Xy7zzy-Q"
"""A password; like no other word in any of these mails, nor in any help page."""

HERS, HIS = "Op3n-Sezz", "Fl0w-rr"
"""The passwords that are in force."""

RIGHT = [
    ("signup eve {}", ""),
    ("hello", "signup eve {}\n\nThis is {}."),
    ("change password alice {hers} {}", ""),
    ("hello", "change password alice {hers} {}\nmove 101 alice {} a1\nas alice {}"),
    ("Re: Cephalopod Board 101: alice vs bob", "as alice {hers}\nchange password alice {hers} {}\nb2"),
]
WRONG = [
    ("move 101 alice {} a1", ""),
    ("101 alice {} a1", ""),
    ("resign 101 alice {}", ""),
    ("cephalopod move 101 alice {} a1", ""),
    ("as alice {}", ""),
    ("as alice {}", "move 101 a1"),
    ("hello", "as alice {}\nmove 101 a1\n\nMy password is {}"),
    ("hello", "as zoe {}\nmove 101 a1"),
    ("as alice {hers}", "change password alice {} tahini"),
    ("signup alice {}", ""),
    ("signup bob {}", "> signup bob {}"),
    ("signup move {}", ""),
    ("signup c3 {}", ""),
    ("signup eve {} nowhere", ""),
    ("signup eve {} eve@[nowhere]", ""),
    ("signup eve {} alice@example.org", ""),
]
SLIPS = [
    ("sginup alice {}", ""),
    ("signip alice {}", ""),
    ("sign up alice {}", ""),
    ("signup alice {} and some more words", ""),
    ("move 101 alice {}", ""),
    ("mvoe 101 alice {} a1", ""),
    ("move 101 {} a1", ""),
    ("move 101 a1 alice {}", ""),
    ("move alice {} 101 a1", ""),
    ("resign 101 alice {} please", ""),
    ("resing 101 alice {}", ""),
    ("change password alice {}", ""),
    ("change password alice {} {} {}", ""),
    ("change pasword alice {hers} {}", ""),
    ("chnage password alice {hers} {}", ""),
    ("password alice {hers} {}", ""),
    ("move 101 a1", "as alice {}\n"),
    ("help", "as alice {}\nmove 101 a1"),
    ("Fwd: signup alice {}", ""),
    ("Fwd: hello", "signup alice {}"),
    ("hello", "\n".join(["help"] * 20) + "\nmove 101 alice {} a1"),
]
UNANSWERED = [{"Precedence": "bulk"}, {"List-Id": "<club.example.org>"}, {"Auto-Submitted": "auto-replied"}]


@pytest.fixture(params=["ask", "from"])
def club(request: pytest.FixtureRequest, asking_post: Post, sqlite_post: Post) -> Post:
    """Alice and bob at a board where it is alice's turn, whatever a From address proves."""
    post = asking_post if request.param == "ask" else sqlite_post
    post.people(alice=HERS, bob=HIS)
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    return post


def send(post: Post, subject: str, text: str, **headers: str) -> None:
    """Sends one of these mails with the passwords in their places."""
    filled = [each.replace("{hers}", HERS).replace("{}", WORD) for each in (subject, text)]
    post.mail("alice@example.org", *filled, **headers)


def traces(house: House, post: Post, log: pytest.LogCaptureFixture, word: str = WORD) -> list[str]:
    """Where a word is found, in any case."""
    found = [f"in a mail to {letter.recipient}" for letter in post.letters() if holds(letter.raw, word)]
    kept = [f"in mail {mail.id}" for mail in post.inbox() if holds(mail.raw, word)]
    told = ["in the log"] if word.lower() in log.text.lower() else []
    house.engine.dispose()
    file = Path(house.engine.url.database or "")
    stored = [f"in {each.name}" for each in file.parent.glob(f"{file.name}*") if holds(each.read_bytes(), word)]
    return found + kept + told + stored


def holds(data: bytes, word: str) -> bool:
    """Whether a word stands in these bytes, plainly, as base64 or as UTF-16."""
    plain = word.encode()
    forms = [plain.lower(), word.encode("utf-16-le").lower()]
    shifted = [base64.b64encode(b"-" * shift + plain)[4 if shift else 0 : -4] for shift in range(3)]
    return any(form in data.lower() for form in forms) or any(form in data for form in shifted)


@pytest.mark.parametrize(("subject", "text"), RIGHT + WRONG + SLIPS)
def test_no_trace(club: Post, caplog: pytest.LogCaptureFixture, subject: str, text: str) -> None:
    caplog.set_level(logging.DEBUG)
    send(club, subject, text)
    assert club.fates()[-1] == "handled"
    assert traces(club.house, club, caplog) == []


@pytest.mark.parametrize("header", UNANSWERED)
def test_no_trace_of_what_is_not_answered(
    club: Post, caplog: pytest.LogCaptureFixture, header: dict[str, str]
) -> None:
    caplog.set_level(logging.DEBUG)
    for subject, text in (*RIGHT, *WRONG):
        given = {name.replace("-", "_"): value for name, value in header.items()}
        send(club, subject, text, **given)
    assert set(club.fates()[3:]) == {"silent"}
    assert traces(club.house, club, caplog) == []


def test_no_trace_beyond_the_limits(club: Post, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for number in range(25):
        club.mail("nobody@example.org", f"move 101 alice {WORD} a1", str(number))
        club.mail("nobody@example.org", "list", f"-- \n{number}")
    assert "silent" in club.fates()
    assert traces(club.house, club, caplog) == []


def test_no_trace_of_copies(club: Post, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    raw = club.write("alice@example.org", f"move 101 alice {WORD} a1")
    club.send(raw)
    club.send(b"X-Copy: yes\r\n" + raw, "relay@example.net")
    assert club.fates()[-2:] == ["handled", "duplicate"]
    assert traces(club.house, club, caplog) == []


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "utf-16"])
def test_no_trace_whatever_the_encoding(club: Post, caplog: pytest.LogCaptureFixture, encoding: str) -> None:
    """A mail that held a secret is kept as our own writing of it: nothing of the original is left."""
    text = f"as alice {WORD}\nmove 101 a1\n"
    charset, transfer, body = "utf-8", encoding, base64.encodebytes(text.encode())
    if encoding == "quoted-printable":
        body = text.replace("7", "=37").encode()
    if encoding == "utf-16":
        charset, transfer, body = "utf-16le", "base64", base64.encodebytes(text.encode("utf-16-le"))
    head = (
        f"From: alice@example.org\nSubject: hi\nMessage-ID: <x@example.org>\n"
        f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {transfer}\n\n"
    )
    caplog.set_level(logging.DEBUG)
    club.send(head.encode() + body)
    assert club.fates()[-1] == "handled"
    assert WORD.replace("7", "=37").encode() not in club.inbox()[-1].raw
    assert traces(club.house, club, caplog) == []


def test_a_whole_conversation(club: Post, caplog: pytest.LogCaptureFixture) -> None:
    """The passwords of a whole evening, all in one database."""
    caplog.set_level(logging.DEBUG)
    for subject, text in (*WRONG, *SLIPS, *RIGHT):
        club.clock.move(hours=1)
        send(club, subject, text)
    club.mail("bob@example.org", f"as bob {HIS}", "games")
    assert [word for word in (WORD, HERS, HIS) if traces(club.house, club, caplog, word)] == []


def test_nothing_prints_a_secret(club: Post) -> None:
    """Reprs end up in logs and tracebacks."""
    club.mail("alice@example.org", f"move 101 alice {WORD} a1")
    shown = repr([club.house, club.inbox(), club.letters(), club.house.engine])
    assert WORD not in shown
    assert "argon2id" not in shown
