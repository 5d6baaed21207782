"""Whatever bytes come: each mail is dealt with at the first try, on either database; none is ever set aside."""

import base64
import itertools
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.store.engine import open_engine
from tests.conftest import ADDRESS, make_house
from tests.services.post import Post

DONE = {"handled", "duplicate", "silent"}
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

ODD = (
    *("\0", "\x1b[31m", "\ud800", "\udfff\ud800", "\u202e", "\u200b", "\ufeff", "\uff21", "\u0130", "\u212a"),
    *(
        "\u0661",
        "\u2028",
        "\x85",
        "\U0001f4a9",
        "e\u0301" * 40,
        "%s%d{0}{{x}}{% raw %}",
        "';--",
        "<b>",
        "[/]",
        "\\",
    ),
    *("a" * 999, "9" * 400, "101#" + "9" * 30, "-" * 80, "=?utf-8?q?a=0Ab?=", "\u00ad", "\r", "\x0b\x0c", "$(id)"),
)
FORMS = (
    *(
        "signup N W",
        "signup N W A",
        "move B M",
        "move B N W M",
        "resign B",
        "show B B",
        "show N F",
        "next",
        "next N",
    ),
    *(
        "list",
        "list G",
        "games N F",
        "G games F",
        "help",
        "help W",
        "challenge N N",
        "G challenge N N O",
        "B M",
        "M",
    ),
    *(
        "change password N W W",
        "as N W",
        "G move B M",
        "challenge N N N O O",
        "mvoe B M",
        "sginup N W",
        "hello",
        "",
    ),
)
PLACES: dict[str, tuple[str, ...]] = {
    "N": ("alice", "bob", "eve", "ALICE", "zoe2"),
    "W": ("sesame", "poppy", "pepper", "move", "cephalopod"),
    "A": ("eve@example.org", "alice@example.org", "eve@b\u00fccher.example"),
    "B": ("101", "101#1", "101#99", "102", "999999999", "0", ""),
    "M": ("a1", "c3", "b2", "a1#1", "a1#0", "a1xb1", "resign", "c2xb2,c1"),
    "G": ("cephalopod", "Cephalopod", "ludo"),
    "F": ("all", "active", "inactive", "next", ""),
    "O": ("-size=3x3", "--unrated", "-size=", "-x=1", "-size=9x9", "-"),
}
FROM = (
    *("alice@example.org", "bob@example.org", "eve@example.net", "A <alice@example.org>", "", "a@b, c@d", "x"),
    *('"\\"" <alice@example.org>', "alice@example.org (\0)", "\u00e4@example.org", "eve@b\u00fccher.example"),
    *("a" * 70 + "@example.org", "a@" + "b." * 120 + "org", "@", "<>", "mailer-daemon@example.org", "'a'@b.org"),
)
odd = st.sampled_from(ODD) | st.text(max_size=4)


@st.composite
def lines(draw: st.DrawFn) -> str:
    """A command with words in its places, and now and then something odd in one of them."""
    words = draw(st.sampled_from(FORMS)).split(" ")
    filled = [draw(st.sampled_from(PLACES[word])) if word in PLACES else word for word in words]
    if draw(st.integers(0, 2)) == 0:
        place = draw(st.integers(0, len(filled) - 1))
        filled[place] = (
            draw(st.sampled_from(["{odd}", "{word}{odd}", "{word} {odd}"]))
            .replace("{word}", filled[place])
            .replace("{odd}", draw(odd))
        )
    return " ".join(filled)


texts = st.lists(lines(), max_size=5).map("\n".join)
encodings = st.just("utf-8") | st.sampled_from(["utf-16", "latin-1", "utf-7", "shift_jis", "x-unknown", "koi8-r"])
transfers = st.just("8bit") | st.sampled_from(["7bit", "base64", "quoted-printable", "x-odd", "uuencode"])


def encoded(text: str, charset: str) -> bytes:
    """A text in a charset as far as it goes, and in something odd where it does not."""
    try:
        return text.encode(charset)
    except (UnicodeError, LookupError):
        return text.encode("utf-8", "surrogatepass")


senders = st.just("eve@example.net") | st.sampled_from(["eve@example.net", "<>", "", "[/]@x", "\u00fc@x"])


@st.composite
def mails(draw: st.DrawFn) -> bytes:
    """Something like a mail, with odd things in any place."""
    subject, charset = draw(lines()), draw(encodings)
    if draw(st.booleans()):
        subject = f"=?utf-8?b?{base64.b64encode(encoded(subject, 'utf-8')).decode()}?="
    body = encoded(draw(texts), charset)
    transfer = draw(transfers)
    if transfer == "base64" and draw(st.booleans()):
        body = base64.encodebytes(body)
    head = {
        "From": draw(st.sampled_from(FROM[:3]) | st.sampled_from(FROM) | st.text(max_size=10)),
        "Subject": subject,
        "Message-ID": draw(
            st.sampled_from(["<a@b>", "", "x", "<\0>", "<a b@c>", f"<{'x' * 300}>"]) | st.text(max_size=9)
        ),
        "Reply-To": draw(st.sampled_from(["", "victim@example.net"])),
        "Date": draw(st.sampled_from(["", "Thu, 1 Jan 2026 12:00:00 +0000", "32 Foo 99999 99:99:99 +9999"])),
        "Content-Type": f"text/plain; charset={charset}",
        "Content-Transfer-Encoding": transfer,
    }
    written = [f"{name}: {value}" for name, value in head.items()]
    if draw(st.integers(0, 3)) == 0:
        written = draw(st.permutations(written))[draw(st.integers(0, 2)) :]
    return encoded("\n".join(written), "utf-8") + b"\n\n" + body


@contextmanager
def house_in(file: Path, hasher: PasswordHasher, server: Server) -> Iterator[App]:
    """A house on a SQLite file that is up to date."""
    counter = itertools.count(1)
    house = App(open_engine(f"sqlite:///{file}"), server, lambda: f"x{next(counter)}", hasher)
    yield house
    house.engine.dispose()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, quick_hasher: PasswordHasher) -> Path:
    """A database with two players and a board."""
    file = tmp_path_factory.mktemp("any") / "template.db"
    house = make_house(f"sqlite:///{file}", quick_hasher, Server(ADDRESS, variants=True, confirm="from"))
    fill(Post(house))
    house.engine.dispose()
    return file


def fill(post: Post) -> None:
    """Two players at a board after one move."""
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "as alice sesame", "challenge alice bob -size=3x3")
    post.mail("alice@example.org", "move 101 alice sesame b2")
    post.clock.move(hours=2)


def is_dealt_with(post: Post, raw: bytes, envelope_sender: str) -> None:
    """At the first try, without a fault of ours."""
    mail_id = post.put(raw, envelope_sender)
    post.work()
    row = post.row(mail_id)
    assert row.status in DONE, row.error
    assert row.tries == 0


@pytest.mark.slow
@pytest.mark.parametrize("confirm", ["ask", "from"])
@settings(PATIENT, max_examples=100)
@given(raw=mails() | st.binary(max_size=300), envelope_sender=senders)
@example(raw=b"", envelope_sender="")
@example(
    raw=b"From: alice@example.org\nSubject: as alice sesame\n\nshow " + b"101#1 " * 400, envelope_sender="a@b"
)
@example(raw=b"From: alice@example.org\n\n" + b"show alice\n" * 30 + b"next\n" * 30, envelope_sender="a@b")
def test_on_sqlite(
    template: Path, tmp_path: Path, quick_hasher: PasswordHasher, confirm: str, raw: bytes, envelope_sender: str
) -> None:
    shutil.copy(template, tmp_path / "copy.db")
    server = Server(ADDRESS, variants=True, confirm="ask" if confirm == "ask" else "from")
    with house_in(tmp_path / "copy.db", quick_hasher, server) as house:
        post = Post(house)
        post.clock.move(days=1)
        is_dealt_with(post, raw, envelope_sender)


@pytest.fixture(scope="module")
def postgresql_post(request: pytest.FixtureRequest, quick_hasher: PasswordHasher) -> Iterator[Post]:
    """One database for all examples."""
    url = request.getfixturevalue("new_postgresql")()
    house = make_house(url, quick_hasher, Server(ADDRESS, variants=True, confirm="from"))
    post = Post(house)
    fill(post)
    yield post
    house.engine.dispose()


@pytest.mark.slow
@settings(PATIENT, max_examples=60)
@given(raw=mails(), envelope_sender=senders)
def test_on_postgresql(postgresql_post: Post, raw: bytes, envelope_sender: str) -> None:
    """Where a NUL in a text is an error, and so is a number beyond 32 bits or a text beyond its column."""
    postgresql_post.clock.move(days=1)
    is_dealt_with(postgresql_post, raw, envelope_sender)


NESTED = base64.b64encode(b"signup eve pepper =?utf-8?q?a=0ABcc:victim@example.net?=").decode()
INJECTED = base64.b64encode(b"=?utf-8?q?x=0ABcc:victim@example.net=0A=0Aspam?=").decode()
AWKWARD = {
    "nested encoded words in a Subject that is masked": ("eve@example.org", f"=?utf-8?b?{NESTED}?=", "<a@b>"),
    "an address that looks like an encoded word": ("=?utf-8?q?eve?=@example.org", "help", "<a@b>"),
    "an address that looks like an encoded word of no charset": ("=?x?q?eve?=@example.org", "help", "<a@b>"),
    "line ends in a Message-ID": ("eve@example.org", "help", f"<=?utf-8?b?{INJECTED}?=@b>"),
}


@pytest.mark.parametrize("awkward", AWKWARD)
def test_what_python_would_decode_once_more(sqlite_post: Post, awkward: str) -> None:
    """The library's header objects decode encoded words in whatever is assigned to them."""
    sender, subject, message_id = AWKWARD[awkward]
    raw = f"From: {sender}\nSubject: {subject}\nMessage-ID: {message_id}\n\n".encode()
    is_dealt_with(sqlite_post, raw, "eve@example.org")
    for letter in sqlite_post.letters():
        head = letter.raw.partition(b"\r\n\r\n")[0].replace(b"\r\n", b"")
        assert b"\n" not in head
        assert b"\r" not in head
        assert b"Bcc" not in letter.raw
    kept = sqlite_post.inbox()[-1].raw
    assert b"\nBcc" not in kept


@pytest.mark.parametrize(
    "address",
    [
        "bob@b\u00fccher.example",
        "b\u00f8b@example.org",
        "=?utf-8?q?b?=@example.org",
    ],
)
def test_an_account_for_an_odd_address_breaks_no_game(sqlite_post: Post, address: str) -> None:
    """Where it may be opened at all: a board that cannot be mailed to one player must not fail for the others."""
    sqlite_post.people(alice="sesame")
    sqlite_post.mail("alice@example.org", "hi", f"signup bob poppy {address}")
    sqlite_post.mail("alice@example.org", "challenge alice bob")
    assert sqlite_post.fates() == ["handled"] * 3
