"""Who wrote a mail: what proves it, where that is found, and what it is good for. Seen from the outside edge."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from pbmserv.cli.bootstrap import new_token
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock, long_tokens
from tests.services.post import Post, address_of, header_of, text_of, word_of

ALICE, BOB, MALLORY = "alice@example.org", "bob@example.org", "mallory@evil.example"

AUTHENTIC = "mx.club.test; dmarc=pass header.from=example.org"


def club_of(house: App, clock: Clock, **settings: str) -> Post:
    """Alice and bob at board 101 of 3x3, where it is alice's turn; From addresses prove nothing."""
    server = replace(Server(ADDRESS, variants=True), **settings)  # type: ignore[arg-type]
    post = Post(replace(house, server=server, new_token=long_tokens()), clock)
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    return post


@pytest.fixture
def club(sqlite_house: App, clock: Clock) -> Post:
    """The club on SQLite."""
    return club_of(sqlite_house, clock)


@pytest.fixture
def either_club(house: App, clock: Clock) -> Post:
    """The club on either kind of database."""
    return club_of(house, clock)


def board_mail(post: Post, address: str = ALICE, board: int = 101) -> QueuedMessage:
    """The last mail about a board that went to an address."""
    return [letter for letter in post.sent_to(address) if letter.match == board][-1]


# Where the personal address is found


def by_envelope(letter: QueuedMessage, change: Callable[[str], str]) -> tuple[dict[str, str], str]:
    """The mail server notes it, the headers do not tell."""
    return {}, change(address_of(letter))


def by_header(name: str) -> Callable[[QueuedMessage, Callable[[str], str]], tuple[dict[str, str], str]]:
    """A header holds the personal address."""
    return lambda letter, change: ({name: change(address_of(letter))}, ADDRESS)


def by_id(name: str) -> Callable[[QueuedMessage, Callable[[str], str]], tuple[dict[str, str], str]]:
    """A header holds the Message-ID."""
    return lambda letter, change: ({name: change(header_of(letter, "Message-ID"))}, ADDRESS)


PLACES = {
    "the envelope": by_envelope,
    "Delivered-To": by_header("Delivered-To"),
    "X-Original-To": by_header("X-Original-To"),
    "To": by_header("To"),
    "Cc": by_header("Cc"),
    "In-Reply-To": by_id("In-Reply-To"),
    "References": by_id("References"),
}
ONLY_IDS = ("In-Reply-To", "References")


@pytest.mark.parametrize("place", [place for place in PLACES if place not in ONLY_IDS])
def test_an_answer_is_known_by_each_place(club: Post, place: str) -> None:
    """Whatever was done to its letters on the way."""
    turns = ((ALICE, "a1", str), (BOB, "c3", str.lower), (ALICE, "a3", str.upper))
    for address, square, change in turns:
        headers, recipient = PLACES[place](board_mail(club, address), change)
        club.send(club.write(address, "hi", square, **headers), address, [recipient])
    assert club.moves() == ["A1", "C3", "A3"]


@pytest.mark.parametrize("place", ONLY_IDS)
def test_a_message_id_tells_which_mail_is_answered_and_proves_nothing(club: Post, place: str) -> None:
    """A bare square is known for a move on its board at its ply; but it waits for a `yes`."""
    headers, recipient = PLACES[place](board_mail(club), str)
    (question,) = club.send(club.write(ALICE, "hi", "a1", **headers), ALICE, [recipient])
    assert (club.moves(), question.recipient, question.match) == ([], ALICE, 101)
    club.answer(question, "yes")
    assert club.moves() == ["A1"]
    (stale,) = club.send(club.write(ALICE, "hi", "a3", **headers), ALICE, [recipient])
    assert "Not done" in text_of(stale)


def test_another_delimiter(sqlite_house: App, clock: Clock) -> None:
    post = club_of(sqlite_house, clock, delimiter="-")
    places = [place for place in PLACES if place not in ONLY_IDS]
    for square, place in zip(("a1", "c1", "a3", "c3", "a2"), places, strict=True):
        turn = ALICE if len(post.moves()) % 2 == 0 else BOB
        headers, recipient = PLACES[place](board_mail(post, turn), str)
        post.send(post.write(turn, "hi", f"101 {square}", **headers), turn, [recipient])
    assert len(post.moves()) == len(places)


@pytest.mark.parametrize("place", ONLY_IDS)
def test_where_mailboxes_know_no_tags(sqlite_house: App, clock: Clock, place: str) -> None:
    """All mails come from one address, and a Message-ID proves the next move on its board; no more than that."""
    post = club_of(sqlite_house, clock, delimiter="")
    assert {address_of(letter) for letter in post.letters()} == {ADDRESS}
    headers, _ = PLACES[place](board_mail(post), str)
    others = ("resign", "set html off", "a1#2", "queue 101 if b2 then c3", "chat 101 hello", "move 101 resign")
    for line in others:
        (asked,) = post.mail(ALICE, "hi", line, **headers)
        assert asked.recipient == ALICE
        assert post.moves() == [], line
    (asked,) = post.mail(ALICE, "hi", "chat 101\nWell met.", **headers)
    assert "for the next move on its board, but not for this" in " ".join(text_of(asked).split())
    (told,) = post.answer(asked, "yes")
    assert "ends with a word" in " ".join(text_of(told).split())
    assert BOB in [each.recipient for each in post.answer(asked, f"yes {word_of(asked)}\nWell met.")]
    post.mail(ALICE, "hi", "a1", **headers)
    assert post.moves() == ["A1"]
    headers, _ = PLACES[place](board_mail(post, BOB), str)
    post.mail(BOB, "hi", "c3", **headers)
    assert post.moves() == ["A1", "C3"]


def test_a_database_finds_it(either_club: Post) -> None:
    either_club.answer(board_mail(either_club), "a1")
    either_club.answer(board_mail(either_club, BOB), "c3")
    assert either_club.moves() == ["A1", "C3"]


# What it is bound to


def test_anybody_else_with_it_is_nobody(club: Post) -> None:
    """A mail that was forwarded, with its token, to another player or to a stranger."""
    letter = board_mail(club)
    for thief in (BOB, MALLORY):
        club.answer(letter, "a1", sender=thief)
        club.answer(letter, "resign", sender=thief)
        club.answer(letter, "set html off", sender=thief)
    assert club.moves() == []
    assert not [each for each in club.letters() if "resigned" in text_of(each)]


def test_a_token_that_nobody_was_sent_proves_nothing(club: Post) -> None:
    club.mail(ALICE, "hi", "101 a1", To=f"pbmserv+{new_token()}@club.test")
    club.mail(ALICE, "hi", "101 a1", In_Reply_To=f"<b101.0.{new_token()}@club.test>")
    club.mail(ALICE, "hi", "101 a1", In_Reply_To="<b101@club.test>", References="<b101.0@club.test>")
    assert club.moves() == []


def test_the_token_of_a_mail_to_somebody_unknown_proves_nothing(club: Post) -> None:
    """What a stranger is sent comes from the plain address; its Message-ID stands for nobody, now and later."""
    (letter,) = club.mail("eve@example.org", "help")
    assert address_of(letter) == ADDRESS
    club.people(eve="pepper")
    club.answer(letter, "set html off", sender="eve@example.org")
    assert club.sent_to("eve@example.org")[-1].kind == "answer"
    assert "waits for" in text_of(club.sent_to("eve@example.org")[-1])


def test_the_bounce_address_proves_nothing(club: Post) -> None:
    letter = board_mail(club)
    club.mail(ALICE, "hi", "101 a1", To=letter.envelope_sender)
    word = letter.envelope_sender.removeprefix("pbmserv+b.").removesuffix("@club.test")
    assert len(word) > 4
    assert word.encode() not in letter.raw
    assert club.moves() == []


def test_a_stale_answer_is_refused_with_todays_board(club: Post) -> None:
    """Also when it is that player's turn again, and the move would be fine."""
    first = board_mail(club)
    club.answer(first, "a1")
    club.answer(board_mail(club, BOB), "c3")
    (letter,) = club.answer(first, "a3")
    assert club.moves() == ["A1", "C3"]
    assert letter.match == 101
    assert header_of(letter, "Message-ID").startswith("<b101.2.")
    club.answer(letter, "a3")
    assert club.moves() == ["A1", "C3", "A3"]


def test_a_mail_proves_nothing_about_a_board_that_it_did_not_show(club: Post) -> None:
    """It is asked about, and the answer shows it, so that an answer to that one is good."""
    old = board_mail(club)
    club.mail(ALICE, "challenge alice bob -size=3x3")
    (question,) = club.answer(old, "102 a1")
    assert club.moves(102) == []
    assert "not for this" in text_of(question)
    club.answer(question, "yes")
    assert (club.moves(102), club.moves(101)) == (["A1"], [])


def test_many_boards_in_one_mail_are_each_at_their_own_ply(club: Post) -> None:
    """`next` shows both boards; on one of them something has happened since."""
    club.mail(ALICE, "challenge alice bob -size=3x3")
    (both,) = club.mail(ALICE, "as alice sesame", "next")
    club.answer(board_mail(club, ALICE, 101), "a1")
    club.answer(board_mail(club, BOB, 101), "c3")
    club.answer(both, "101 a3\n102 b2")
    assert club.moves(101) == ["A1", "C3"]
    assert club.moves(102) == ["B2"]


def test_only_the_first_move_on_a_board_follows_on_what_was_shown(club: Post) -> None:
    letter = board_mail(club)
    club.answer(letter, "101 a1\n101 bob poppy c3\n101 a3")
    assert club.moves() == ["A1", "C3", "A3"]


def test_an_answer_from_another_address_of_the_player(club: Post) -> None:
    """It is as good, and is answered at the first address."""
    work = "alice@work.example"
    (question, _) = club.answer(board_mail(club), f"as alice sesame\nadd {work}")[::-1]
    club.answer(question, "yes", sender=work)
    letters = club.answer(board_mail(club), "a1", sender=work)
    assert club.moves() == ["A1"]
    assert work not in [letter.recipient for letter in letters]


def test_an_old_board_mail_is_known_for_ever_and_proves_for_ninety_days(either_club: Post) -> None:
    """Its words are let go of after a while; whose it was, and what it showed, is kept."""
    post = either_club
    letter = board_mail(post)
    with post.house.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE outbox SET status = 'sent'")
    post.clock.move(days=89)
    post.answer(letter, "c3")
    assert post.moves() == ["C3"]
    post.mail(BOB, "101 bob poppy a3")
    newest = board_mail(post)
    with post.house.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE outbox SET status = 'sent'")
    post.clock.move(days=400)
    for _ in purge(post.house, post.clock() - timedelta(days=90), post.clock()):
        pass
    assert letter.raw not in [each.raw for each in post.letters()]
    (asked,) = post.answer(newest, "a1")
    assert post.moves() == ["C3", "A3"]
    post.answer(asked, "yes")
    assert post.moves() == ["C3", "A3", "A1"]


# What a mail's way proves


@pytest.mark.parametrize(
    ("authserv_id", "results", "plays"),
    [
        ("mx.club.test", AUTHENTIC, True),
        ("", AUTHENTIC, False),
        ("mx.other.test", AUTHENTIC, False),
        ("mx.club.test", "mx.evil.example; dmarc=pass header.from=example.org", False),
        ("mx.club.test", "mx.club.test; dmarc=pass header.from=evil.example", False),
        ("mx.club.test", "mx.club.test; dmarc=fail header.from=example.org", False),
        ("mx.club.test", "mx.club.test; spf=pass; dkim=pass header.d=example.org", False),
        ("mx.club.test", 'mx.club.test; spf=pass smtp.mailfrom="x; dmarc=pass"', False),
    ],
)
def test_dmarc(club: Post, authserv_id: str, results: str, plays: bool) -> None:
    here = club.with_server(authserv_id=authserv_id)
    here.mail(ALICE, "101 a1", Authentication_Results=results)
    assert here.moves() == (["A1"] if plays else [])


def test_only_the_topmost_results_count(club: Post) -> None:
    """The server's own are above those that came with the mail."""
    here = club.with_server(authserv_id="mx.club.test")
    forged = here.write(ALICE, "101 a1", Authentication_Results=AUTHENTIC)
    here.send(b"Authentication-Results: mx.club.test; dmarc=fail header.from=example.org\r\n" + forged, ALICE)
    assert here.moves() == []


# Passwords, and nothing at all


@pytest.mark.parametrize("text", ["101 alice sesame a1", "as alice sesame\n101 a1", "as ALICE sesame\na1"])
@pytest.mark.parametrize("sender", [ALICE, BOB, MALLORY])
def test_a_password_proves_from_anywhere(club: Post, text: str, sender: str) -> None:
    subject = "Re: Cephalopod Board 101: alice vs bob"
    letters = club.mail(sender, subject, text)
    assert club.moves() == ["A1"]
    assert {letter.recipient for letter in letters} == {ALICE, BOB}, "never where a From address alone asks for it"


def test_a_wrong_password_is_not_mended_by_a_personal_address(club: Post) -> None:
    club.answer(board_mail(club), "as alice wrong\na1")
    club.answer(board_mail(club), "101 alice wrong a1")
    assert club.moves() == []


def test_a_from_address_proves_nothing(club: Post) -> None:
    club.mail(ALICE, "101 a1")
    assert club.moves() == []


def test_who_has_deleted_the_account_is_nobody_for_the_rest_of_the_mail(club: Post) -> None:
    """Neither by password nor by the address that was theirs; and it is no fault that sets the mail aside."""
    club.answer(board_mail(club), "delete")
    question = club.sent_to(ALICE)[-1]
    club.answer(question, "yes\nset alice sesame html off\nset html off")
    assert club.fates()[-1] == "handled"
    assert not club.is_confirmed("alice")
