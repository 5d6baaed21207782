"""What is sent to those who gave no proof, at the edges of each limit."""

from email import message_from_bytes
from email.policy import SMTP

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.limits import spend
from pbmserv.services.views import load_board
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from tests.services.post import Post, header_of, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def asking_club(asking_post: Post) -> Post:
    """Alice and bob, where a From address proves nothing; an hour has gone by since they signed up."""
    asking_post.people(alice="sesame", bob="poppy")
    asking_post.clock.move(hours=1)
    return asking_post


def subjects(post: Post, sender: str, subject: str = "list", times: int = 1) -> list[str]:
    """Sends a mail so many times, and gives the Subjects of what comes back."""
    return [header_of(letter, "Subject") for _ in range(times) for letter in post.mail(sender, subject)]


def test_twenty_then_one_notice_then_silence(asking_club: Post) -> None:
    assert policy.ANSWERS_AN_HOUR.most == 20
    assert subjects(asking_club, ALICE, times=20) == ["pbmserv: list"] * 20
    assert subjects(asking_club, ALICE, times=1) == ["pbmserv: limit"]
    assert subjects(asking_club, ALICE, times=3) == []
    assert asking_club.fates()[-4:] == ["silent"] * 4


def test_the_hour_is_over_to_the_microsecond(asking_club: Post) -> None:
    subjects(asking_club, ALICE, times=20)
    asking_club.clock.move(seconds=1)
    assert subjects(asking_club, ALICE) == ["pbmserv: limit"]
    asking_club.clock.move(seconds=3599, microseconds=-1)
    assert subjects(asking_club, ALICE) == []
    asking_club.clock.move(microseconds=1)
    assert subjects(asking_club, ALICE, times=19) == ["pbmserv: list"] * 19
    # The notice counts too, and there is not another one within an hour of it.
    assert subjects(asking_club, ALICE) == []


def test_consent_and_what_was_submitted_count_as_moves_do(asking_club: Post) -> None:
    """However much somebody has looked at before: nothing that is done to a board is lost in silence."""

    def newest(address: str) -> QueuedMessage:
        return asking_club.sent_to(address)[-1]

    asking_club.mail(ALICE, "challenge alice bob -size=3x3")
    asking_club.answer(newest(ALICE), "submit b2")
    shown = newest(ALICE)
    for _ in range(policy.SHOWN.most + 5):
        asking_club.answer(shown, "preview b2")
    assert asking_club.fates()[-1] == "silent"
    asking_club.answer(shown, "confirm")
    assert asking_club.moves() == ["B2"]
    asking_club.answer(newest(ALICE), "propose")
    asking_club.answer(newest(ALICE), "reject")
    asking_club.answer(newest(ALICE), "undo")
    asking_club.answer(newest(BOB), "reject")
    asking_club.answer(newest(BOB), "propose")
    asking_club.answer(newest(ALICE), "accept")
    asking_club.answer(newest(ALICE), "rematch")
    asking_club.mail(BOB, "seek -players=3")
    asking_club.answer(newest(ALICE), "accept 1")
    assert asking_club.fates()[-8:] == ["handled"] * 8
    assert header_of(newest(ALICE), "Subject") == "pbmserv: accept"
    asking_club.answer(newest(ALICE), "accept 1")
    assert asking_club.fates()[-1] == "silent", "it changes nothing a second time"


def test_a_vacation_is_told_three_times_a_day(asking_club: Post) -> None:
    """Nobody is bombed by days that are set and set again; nor is who hears nothing from that player told."""
    asking_club.mail(ALICE, "challenge alice bob -size=3x3")

    def told(*lines: str) -> int:
        letters = asking_club.mail(ALICE, "hi", "\n".join(["as alice sesame", *lines]))
        assert asking_club.fates()[-1] == "handled"
        return sum(letter.recipient == BOB for letter in letters)

    assert told("set vacation 2026-03-01", "set vacation 2026-03-01", "set vacation off") == 2
    assert told(*(f"set vacation 2026-03-{day:02}" for day in range(1, 20))) == policy.VACATIONS.most - 2
    asking_club.clock.move(days=1)
    assert told("set vacation 2026-03-19") == 0, "nothing new"
    assert told("set vacation 2026-03-20") == 1
    asking_club.mail(BOB, "hi", "as bob poppy\nblock alice")
    assert told("set vacation 2026-03-21") == 0


def test_silence_does_nothing(asking_club: Post) -> None:
    """What is not answered is not carried out either."""
    subjects(asking_club, ALICE, times=20)
    for _ in range(2):
        asking_club.mail(ALICE, "challenge alice bob")
    assert load_board(asking_club.house, 101) is None


def test_a_mail_that_met_silence_may_be_sent_again(asking_club: Post) -> None:
    """It was not obeyed, so its copy is no duplicate."""
    subjects(asking_club, ALICE, times=21)
    raw = asking_club.write(ALICE, "challenge alice bob")
    assert asking_club.send(raw) == []
    asking_club.clock.move(hours=2)
    assert len(asking_club.send(raw)) == 2
    assert asking_club.send(raw) == []
    assert asking_club.fates()[-3:] == ["silent", "handled", "duplicate"]


def test_refusals_and_wrong_passwords_count(asking_club: Post) -> None:
    for number in range(20):
        (letter,) = asking_club.mail(ALICE, f"move 101 somebody{number} wrong a1")
        assert "That is not the password" in text_of(letter)
    assert subjects(asking_club, ALICE) == ["pbmserv: limit"]


def test_proof_is_not_limited_and_does_not_count(asking_club: Post) -> None:
    for _ in range(25):
        assert len(asking_club.mail(ALICE, "as alice sesame", "list")) == 1
    assert subjects(asking_club, ALICE, times=22)[-2:] == ["pbmserv: list", "pbmserv: limit"]
    assert len(asking_club.mail(ALICE, "as alice sesame", "list")) == 1
    assert subjects(asking_club, ALICE) == []


def test_boards_sent_unasked_do_not_count(asking_club: Post) -> None:
    """Else anybody could silence a player by playing with them."""
    for number in range(3):
        asking_club.mail(ALICE, "challenge alice bob -size=3x3")
        asking_club.mail(ALICE, "as alice sesame", f"move {101 + number} b2")
    assert subjects(asking_club, BOB, times=21) == ["pbmserv: list"] * 20 + ["pbmserv: limit"]


def test_everybody_has_a_limit_of_their_own(asking_club: Post) -> None:
    subjects(asking_club, ALICE, times=22)
    assert subjects(asking_club, "Bob <BOB@example.org>") == ["pbmserv: list"]
    assert subjects(asking_club, "Alice <ALICE@EXAMPLE.ORG>") == []


def test_a_believed_address_is_not_limited(sqlite_post: Post) -> None:
    """Where a From address is proof, whoever has an account has given it; strangers have not."""
    sqlite_post.people(alice="sesame")
    assert len(subjects(sqlite_post, ALICE, times=25)) == 25
    assert subjects(sqlite_post, "eve@example.net", times=25)[-2:] == ["pbmserv: list", "pbmserv: limit"]


# People without an account


@pytest.mark.parametrize("text", ["", "hello there", "Buy now!\nhttp://spam.example", "we moved"])
def test_a_stranger_without_a_command_gets_three_letters_a_day(asking_club: Post, text: str) -> None:
    """They say nothing of theirs (`test_plain_words`, `test_wordy_limits`)."""
    for _ in range(3):
        (letter,) = asking_club.mail("eve@example.net", "hi", text)
        assert letter.kind == "short"
        assert "spam.example" not in letter.raw.decode()
    assert asking_club.mail("eve@example.net", "hi", text) == []
    assert asking_club.fates()[-2:] == ["handled", "silent"]


@pytest.mark.parametrize(
    "line", ["help", "list", "show 101", "games", "signup", "signup eve", "signup eve pepper"]
)
def test_a_stranger_may_ask_openly(asking_club: Post, line: str) -> None:
    (letter,) = asking_club.mail("eve@example.net", line)
    assert letter.kind == (
        "sign-up" if line.startswith("signup eve") else "short" if line == "signup" else "stranger"
    )


def test_a_strangers_own_text_does_not_come_back(asking_club: Post) -> None:
    """Nobody can have us send an advertisement to somebody whose From address they write."""
    for line in ("show spam.example", "help spam.example", "games spam.example", "signup spam.example"):
        for letter in asking_club.mail("victim@example.net", line, "spam.example spam.example"):
            assert "spam.example spam" not in text_of(letter)
            assert line not in text_of(letter)


def test_a_stranger_gets_three_short_answers_a_day(asking_club: Post) -> None:
    for _ in range(3):
        (letter,) = asking_club.mail("eve@example.net", "move 101 c3")
        assert letter.kind == "short"
        assert "move" not in header_of(letter, "Subject")
    assert asking_club.mail("eve@example.net", "resign 101") == []
    assert len(asking_club.mail("eve@example.net", "help")) == 1
    asking_club.clock.move(days=1, microseconds=-1)
    assert asking_club.mail("eve@example.net", "resign 101") == []
    asking_club.clock.move(microseconds=1)
    assert len(asking_club.mail("eve@example.net", "resign 101")) == 1


def test_two_hundred_strangers_a_day(asking_club: Post) -> None:
    assert policy.STRANGERS_A_DAY.most == 200
    post = asking_club
    assert len(post.mail("eve@example.net", "help")) == 1
    with writing(post.house.engine) as connection:
        spend(connection, [policy.STRANGERS_A_DAY.count()] * (policy.STRANGERS_A_DAY.most - 2), post.clock())
    assert len(post.mail("200@example.net", "help")) == 1
    assert post.mail("201@example.net", "help") == []
    assert len(post.mail(ALICE, "list")) == 1, "players are not strangers"
    assert len(post.mail("eve@example.net", "signup eve pepper")) == 1, "the door stays open"
    post.clock.move(days=1)
    assert len(post.mail("201@example.net", "help")) == 1


def test_one_strangers_address_gets_twenty_answers_a_day(asking_club: Post) -> None:
    assert policy.STRANGER_A_DAY.most == 20
    eve = "eve@example.net"
    for _ in range(2):
        assert subjects(asking_club, eve, "help", times=10) == ["pbmserv: help"] * 10
        asking_club.clock.move(hours=2)
    assert subjects(asking_club, eve, "help", times=3) == ["pbmserv: limit"]
    assert subjects(asking_club, "zoe@example.net", "help") == ["pbmserv: help"]
    asking_club.clock.move(days=1)
    assert subjects(asking_club, eve, "help") == ["pbmserv: help"]


def test_nobody_is_answered_whose_address_is_doubtful(asking_club: Post) -> None:
    for doubtful in ("alice@bank.example <eve@example.net>", "a@b.example, c@d.example", "", "undisclosed:;"):
        assert asking_club.mail(doubtful, "help") == []
    assert asking_club.fates()[-4:] == ["silent"] * 4


def test_proof_from_a_doubtful_address_is_answered_at_home(asking_club: Post) -> None:
    (letter,) = asking_club.mail("alice@bank.example <eve@example.net>", "as alice sesame", "list")
    assert letter.recipient == ALICE


def test_two_servers_come_to_rest(sqlite_post: Post) -> None:
    """An answer of ours that another server, or we ourselves, take for a mail brings no answer."""
    (letter,) = sqlite_post.mail("eve@example.net", "help")
    assert sqlite_post.send(letter.raw, letter.envelope_sender) == []
    here = sqlite_post.house
    other = Post(App(here.engine, Server("other@server.test"), here.new_token, here.hasher), sqlite_post.clock)
    assert other.send(letter.raw, letter.envelope_sender) == []
    assert other.fates()[-2:] == ["silent", "silent"]


def test_a_server_without_manners_comes_to_rest_too(sqlite_post: Post) -> None:
    """Another program that answers each mail, marks nothing as automatic and quotes all."""
    (letter,) = sqlite_post.mail("robot@example.net", "help")
    answers = 1
    for _ in range(100):
        received = message_from_bytes(letter.raw, policy=SMTP)
        letters = sqlite_post.mail("robot@example.net", f"Re: {received['Subject']}", text_of(letter))
        if not letters:
            break
        answers += 1
        letter = letters[0]
    assert answers < 5


def test_a_password_does_not_make_a_bomb(post: Post) -> None:
    """An answer goes to the address of whoever proved to be somebody, never to a From that proved nothing."""
    post.people(mallory="secret")
    post.mail("victim@example.org", "help", "", From="victim@example.org")
    before = [each.recipient for each in post.letters()].count("victim@example.org")
    for _ in range(3):
        post.mail("victim@example.org", "as mallory secret", "help")
    recipients = [each.recipient for each in post.letters()]
    assert recipients.count("victim@example.org") == before
    assert recipients.count("mallory@example.org") == 3 + 1
