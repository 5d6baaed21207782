"""Passwords leave no trace: not in the database, not in the log, not in any mail that goes out."""

import base64
import logging
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.cli.bootstrap import new_token
from pbmserv.services.app import App
from pbmserv.store.tables import metadata
from tests.services.post import Post, address_of, header_of, text_of, token_of

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


def traces(house: App, post: Post, log: pytest.LogCaptureFixture, word: str = WORD) -> list[str]:
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


@pytest.mark.sampled(12)
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
    before = len(club.fates())
    for subject, text in (*RIGHT, *WRONG):
        given = {name.replace("-", "_"): value for name, value in header.items()}
        send(club, subject, text, **given)
    assert set(club.fates()[before:]) == {"silent"}
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


DRESSES = ["{}", "<p>{}</p>", "> {}", "Hello\n\n{}\n\nThis was {}", "{}\n-- \n{}", "help\n{}", "101 a1\n\n{}"]
"""Where a line with a password may stand in a mail."""


@pytest.mark.slow
def test_a_long_conversation_in_every_dress(asking_post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """Typed right and wrong, misspelt, in Subjects, bodies, comments, HTML and quotes, by hand and by answers."""
    club = asking_post
    club.people(alice=HERS, bob=HIS)
    club.mail("alice@example.org", "challenge alice bob -size=3x3")
    caplog.set_level(logging.DEBUG)
    for number, (subject, text) in enumerate((*WRONG, *SLIPS, *RIGHT)):
        line = (text or subject).replace("{hers}", HERS).replace("{}", WORD)
        dress = DRESSES[number % len(DRESSES)] if "Fwd:" not in subject else "{}"
        dressed = dress.replace("{}", line.replace("\n", "<br>\n") if "<" in dress else line)
        raw = club.write("alice@example.org", "hi", dressed)
        if dressed.startswith("<p>"):
            raw = raw.replace(b"text/plain", b"text/html")
        club.clock.move(minutes=20)
        club.send(raw)
        club.answer(club.sent_to("alice@example.org")[-1], dressed)
    assert set(club.fates()) <= {"handled", "silent"}
    assert [word for word in (WORD, HERS, HIS) if traces(club.house, club, caplog, word)] == []


def test_a_forgotten_password_leaves_no_trace(asking_post: Post, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    asking_post.people(alice=HERS)
    asking_post.mail("alice@example.org", "forgot")
    question = asking_post.sent_to("alice@example.org")[-1]
    for text in (f"yes {WORD}", f"yes {token_of(question)} {WORD}", f"{WORD}", f"My new one is {WORD}"):
        asking_post.answer(question, text)
    asking_post.mail("alice@example.org", f"yes {token_of(question)} {WORD}")
    assert [word for word in (WORD, HERS) if traces(asking_post.house, asking_post, caplog, word)] == []


def test_tokens_stand_in_our_mails_alone(asking_post: Post, caplog: pytest.LogCaptureFixture) -> None:
    """In no other row, not of mails that answer them nor of those that came back; and in no log."""
    caplog.set_level(logging.DEBUG)
    post = Post(replace(asking_post.house, new_token=new_token), asking_post.clock)
    post.people(alice=HERS, bob=HIS)
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    post.mail("alice@example.org", "101 a1")
    post.mail("alice@example.org", f"yes {token_of(post.sent_to('alice@example.org')[-1])}")
    for letter in post.letters():
        told = f"On Monday {address_of(letter)} wrote in {header_of(letter, 'Message-ID')}: well"
        post.answer(letter, f"{told}\nyes {token_of(letter)}")
        post.answer(letter, f"chat 101\n\n{told}")
        post.answer(
            letter, "> quoted", Delivered_To=address_of(letter), References=header_of(letter, "Message-ID")
        )
        post.send(letter.raw, letter.envelope_sender, [letter.envelope_sender, address_of(letter)])
        post.send(post.write("mailer-daemon@example.net", "", "gone"), "<>", [letter.envelope_sender])
    tokens = {token_of(letter): letter.id for letter in post.letters()}
    assert len(tokens) > 10
    with post.house.engine.connect() as connection:
        for table in metadata.sorted_tables:
            for row in connection.execute(select(table)).mappings():
                held = [token for token in tokens if token in str(dict(row)).lower()]
                assert not held or (table.name, held) == ("outbox", [next(iter(held))]), (table.name, dict(row))
                assert not held or tokens[held[0]] == row["id"]
    assert [token for token in tokens if token in caplog.text.lower()] == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "dress",
    [
        "{}",
        "upper",
        "pbmserv+{}",
        "b101.0.{}",
        "b101.0.{}\u200b@club.test",
        "pbmserv+{}\u200b@club.test",
        "pbmserv=2B{}@club.test",
        "yes {}",
        "please yes {} now",
        "x" * 3980 + " {}",
        "split",
    ],
)
@pytest.mark.parametrize("line", ["b2\n\nWell,\n{}", "chat 101 {}"])
def test_an_own_token_does_not_reach_the_opponent(asking_post: Post, line: str, dress: str) -> None:
    """In whatever dress it stands in the words of whoever answers that mail; nor is it kept with them."""
    post = Post(replace(asking_post.house, new_token=new_token), asking_post.clock)
    post.people(alice=HERS, bob=HIS)
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    letter = [each for each in post.sent_to("alice@example.org") if each.match == 101][-1]
    token = token_of(letter)
    before = len(post.letters())
    special = {"upper": token.upper(), "split": f"{token[:9]}\u200b{token[9:]}"}
    said = special.get(dress, dress.format(token))
    post.answer(letter, line.format(said))
    words = [text_of(each) for each in post.letters()[before:]] + [post.inbox()[-1].raw.decode()]
    assert len(words) > 1
    assert [text for text in words if token[:12] in text.lower().replace("\u200b", "")] == []


def test_what_only_looks_like_a_token_stays(asking_post: Post) -> None:
    """A To address with a tag that somebody made up takes no word out of what they write."""
    asking_post.people(alice=HERS, bob=HIS)
    asking_post.mail("alice@example.org", "challenge alice bob -size=3x3")
    letter = [each for each in asking_post.sent_to("alice@example.org") if each.match == 101][-1]
    asking_post.answer(letter, "b2\n\nGood luck!", Cc="pbmserv+luck@club.test")
    assert "Good luck!" in text_of(asking_post.sent_to("bob@example.org")[-1])


def test_nothing_prints_a_secret(club: Post) -> None:
    """Reprs end up in logs and tracebacks."""
    club.mail("alice@example.org", f"move 101 alice {WORD} a1")
    shown = repr([club.house, club.inbox(), club.letters(), club.house.engine])
    assert WORD not in shown
    assert "argon2id" not in shown
