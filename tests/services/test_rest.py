"""Machines that answer machines: each of these comes to rest, whoever began."""

from collections.abc import Callable
from dataclasses import replace
from email.message import EmailMessage

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock, long_tokens, make_house
from tests.conversation import parsed
from tests.services.post import Post, address_of, header_of, text_of

ALICE, BOB, ROBOT = "alice@example.org", "bob@example.org", "robot@example.net"
TOO_MANY = 200

Machine = Callable[[EmailMessage, Post], bytes]
"""What a machine writes back when it gets a mail."""


@pytest.fixture(params=["ask", "from"])
def club(request: pytest.FixtureRequest, sqlite_house: App, clock: Clock) -> Post:
    """Alice and bob at board 101 of 3x3, where it is alice's turn."""
    post = Post(
        replace(
            sqlite_house, server=Server(ADDRESS, variants=True, confirm=request.param), new_token=long_tokens()
        ),
        clock,
    )
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    post.clock.move(hours=2)
    return post


def until_rest(post: Post, machine: Machine, address: str, first: list[QueuedMessage]) -> int:
    """Gives the machine at an address every letter that goes there, till none does; how many those are."""
    waiting = [letter for letter in first if letter.recipient == address]
    got = 0
    while waiting:
        got += 1
        assert got < TOO_MANY, "this never ends"
        letter = waiting.pop(0)
        raw = machine(parsed(letter.raw), post)
        brought = post.send(raw, address, [address_of(letter)])
        waiting += [each for each in brought if each.recipient == address]
    return got


def reply(mail: EmailMessage, post: Post, subject: str, text: str, **headers: str) -> bytes:
    """An answer from the one who got that mail, with its thread."""
    given = {"To": str(mail["From"]), "In_Reply_To": str(mail["Message-ID"])} | headers
    return post.write(str(mail["To"]), subject, text, **given)


def said(mail: EmailMessage) -> str:
    """Its plain text."""
    plain = mail.get_body(("plain",))
    assert plain is not None
    content: str = plain.get_content()
    return content.replace("\r\n", "\n")


AWAY = "Thank you for your mail. I am away until Monday."


def vacation(mail: EmailMessage, post: Post) -> bytes:
    """A proper one."""
    return reply(mail, post, f"Automatic reply: {mail['Subject']}", AWAY, Auto_Submitted="auto-replied")


def subject_only(mail: EmailMessage, post: Post) -> bytes:
    """One that only its Subject tells."""
    return reply(mail, post, f"Out of office: {mail['Subject']}", AWAY)


def quoting(mail: EmailMessage, post: Post) -> bytes:
    """Nothing tells it from a person's mail: our Subject, our thread, our text below."""
    quoted = "".join(f"> {line}\n" for line in said(mail).split("\n"))
    return reply(mail, post, f"Re: {mail['Subject']}", f"{AWAY}\n\nOn Monday pbmserv wrote:\n{quoted}")


def quoting_unmarked(mail: EmailMessage, post: Post) -> bytes:
    """The same, and it does not even mark what it quotes."""
    return reply(mail, post, f"Re: {mail['Subject']}", f"{AWAY}\n\n{said(mail)}")


def echo(mail: EmailMessage, post: Post) -> bytes:
    """A list or a shared mailbox that sends back what it gets, as its own."""
    return reply(mail, post, str(mail["Subject"]), said(mail))


def list_echo(mail: EmailMessage, post: Post) -> bytes:
    """A mailing list, which says so."""
    return reply(
        mail, post, f"[club] {mail['Subject']}", said(mail), List_Id="<club.example.org>", Precedence="list"
    )


def forwarding_list(mail: EmailMessage, post: Post) -> bytes:
    """One that adds nothing and takes nothing away: our own mail comes back."""
    return mail.as_bytes().replace(b"\n", b"\r\n") if b"\r\n" not in mail.as_bytes() else mail.as_bytes()


def wordy(text: str) -> Machine:
    """Its words read as commands."""
    return lambda mail, post: reply(mail, post, f"Re: {mail['Subject']}", text)


POLITE: list[Machine] = [vacation, subject_only, list_echo, forwarding_list]
RUDE: list[Machine] = [quoting, quoting_unmarked, echo]
WORDS = ["Help is at hand.", "yes", "101 c3", "chat hi", "set html on", "resign"]


MOST_FOR: dict[Machine, int] = {quoting: policy.QUICK.most + 1, quoting_unmarked: 12, echo: 12}
"""How many letters more than the first each gets at most; those that are not named get none."""

BEGINNINGS = ["next alice", "101 a1", "set words off", "help tutorial", "nonsense 101", "forgot"]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("machine", POLITE + RUDE)
def test_a_machine_at_a_players_address(club: Post, machine: Machine) -> None:
    """Whatever a mail of alice's, or by a forged From, has asked for; nothing is done that she did not ask for."""
    for begun_by in BEGINNINGS:
        club.clock.move(hours=2)
        first = club.mail(ALICE, begun_by)
        before = club.moves()
        most = MOST_FOR.get(machine, 0)
        assert until_rest(club, machine, ALICE, first) <= len(first) + most, begun_by
        assert club.moves() == before
    assert not [letter for letter in club.sent_to(BOB) if "resigned" in text_of(letter)]


@pytest.mark.parametrize("machine", RUDE)
def test_a_machine_does_not_say_yes(club: Post, machine: Machine) -> None:
    """By a forged From address a question is brought about; what answers it are our own words."""
    asking = club.with_server(confirm="ask")
    for line in ("resign 101", "101 a1", "delete", "as alice sesame\ndelete", "forgot", "signoff"):
        until_rest(asking, machine, ALICE, asking.mail(ALICE, "hi", line))
    assert asking.moves() == []
    assert asking.is_confirmed("alice")
    assert not [letter for letter in asking.sent_to(BOB) if "resigned" in text_of(letter)]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("machine", POLITE + RUDE)
def test_a_machine_that_is_signed_up(club: Post, machine: Machine) -> None:
    """Somebody opens an account for an address where nobody reads."""
    asking = club.with_server(confirm="ask")
    first = asking.mail(BOB, f"signup robot pepper {ROBOT}")
    assert until_rest(asking, machine, ROBOT, first) <= 5
    assert not asking.is_confirmed("robot")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("machine", POLITE + RUDE)
def test_a_machine_that_is_a_stranger(club: Post, machine: Machine) -> None:
    assert until_rest(club, machine, ROBOT, club.mail(ROBOT, "help")) <= 5


@pytest.mark.slow
def test_a_machine_whose_words_read_as_commands(club: Post) -> None:
    """It does what it says; but talk that moves nothing on any board is not answered for ever."""
    for words in WORDS:
        club.clock.move(days=2)
        assert until_rest(club, wordy(words), ALICE, club.mail(ALICE, "next alice")) <= policy.SHOWN.most + 3, (
            words
        )


def test_two_machines_at_one_board(club: Post) -> None:
    """A move sets both off."""
    waiting = club.mail(ALICE, "101 alice sesame a1")
    sent = 0
    while waiting:
        sent += 1
        assert sent < TOO_MANY
        letter = waiting.pop(0)
        raw = quoting(parsed(letter.raw), club)
        waiting += club.send(raw, letter.recipient, [address_of(letter)])
    assert sent <= 2 + 2 * (policy.QUICK.most + 1)
    assert club.moves() == ["A1"]


@pytest.mark.slow
def test_a_storm_of_bounces(club: Post) -> None:
    """Of our mails and of none, with what was returned below; not one is answered, and nothing in them is done."""
    letter = next(each for each in club.sent_to(ALICE) if each.match == 101)
    before = len(club.letters())
    for number in range(1000):
        text = f"Your message could not be delivered.\n\n{text_of(letter) if number % 10 == 0 else '101 a1'}"
        raw = club.write("mailer-daemon@relay.example", "Undelivered Mail", text, X_Number=str(number))
        club.put(raw, "<>", [letter.envelope_sender if number % 2 else address_of(letter)])
    club.work()
    assert len(club.letters()) == before
    assert club.moves() == []


def test_two_of_our_own_servers(club: Post, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each has the other as a player, or as a stranger; a mail from one's address to the other begins it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('other') / 'pbmserv.db'}"
    here = "games@other.test"
    built = make_house(url, club.house.hasher, replace(club.house.server, address=here))
    other = Post(built, club.clock)
    others_name = club.house.server.address
    for post, address in ((club, here), (other, others_name)):
        post.mail(address, "signup robot pepper")
        for subject in ("help", "next robot", "hello"):
            started = post.mail(address, subject)
            assert to_and_fro({ADDRESS: club, here: other}, started) <= 5
    built.engine.dispose()


def to_and_fro(posts: dict[str, Post], waiting: list[QueuedMessage]) -> int:
    """Carries letters between servers till there are none; how many there were."""
    carried = 0
    while waiting:
        letter = waiting.pop(0)
        carried += 1
        assert carried < TOO_MANY
        if letter.recipient in posts:
            waiting += posts[letter.recipient].send(letter.raw, letter.envelope_sender, [letter.recipient])
    return carried


def test_our_own_mails_say_what_they_are(club: Post) -> None:
    """Every one, so that those who look can tell."""
    club.mail(ALICE, "hi", "help\nnonsense 101\n101 a1")
    club.mail(ROBOT, "resign 101")
    for letter in club.letters():
        assert header_of(letter, "Auto-Submitted") in ("auto-replied", "auto-generated")
        assert header_of(letter, "X-Pbmserv-Loop") == ADDRESS
