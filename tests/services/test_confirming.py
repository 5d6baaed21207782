"""What waits for a `yes`: who may say it, from where, how long, and what it does then."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args

import pytest

from pbmserv.cli.bootstrap import new_token
from pbmserv.commands.account import Exported
from pbmserv.commands.command import ConfirmationKind
from pbmserv.commands.server import Server
from pbmserv.matches.player import PersonalData, PersonalQuestion
from pbmserv.rendering.templates import say
from pbmserv.services.app import App
from pbmserv.services.views import list_players, load_board
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, Clock, long_tokens
from tests.services.post import Post, address_of, text_of, token_of

ALICE, BOB, MALLORY, WORK = "alice@example.org", "bob@example.org", "mallory@evil.example", "alice@work.example"
EVE, EVES = "eve@example.org", "signup eve pepper"


@pytest.fixture
def post(sqlite_house: App, clock: Clock) -> Post:
    """Nobody yet; From addresses prove nothing."""
    return Post(replace(sqlite_house, server=Server(ADDRESS, variants=True), new_token=long_tokens()), clock)


@pytest.fixture
def club(post: Post) -> Post:
    """Alice and bob at board 101 of 3x3, where it is alice's turn."""
    post.people(alice="sesame", bob="poppy")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    return post


def asked(post: Post, subject: str = "101 a1", text: str = "", sender: str = ALICE) -> QueuedMessage:
    """Has something wait; the mail that asks."""
    (letter,) = post.mail(sender, subject, text)
    assert post.moves() == []
    return letter


def add_work(post: Post) -> None:
    """Alice has a second address."""
    post.mail(ALICE, "as alice sesame", f"add {WORK}")
    post.answer(post.sent_to(WORK)[-1], "yes")


# Commands


@pytest.mark.parametrize("yes", ["yes", "Yes!", "YES, please.", "> 101 a1\n\nyes"])
def test_an_answer_is_a_yes(club: Post, yes: str) -> None:
    club.answer(asked(club), yes)
    assert club.moves() == ["A1"]


def test_yes_with_the_token_in_a_new_mail(club: Post) -> None:
    token = token_of(asked(club))
    assert len(token) == 20
    club.mail(ALICE, f"yes {token.upper()}")
    assert club.moves() == ["A1"]


@pytest.mark.parametrize("sender", [BOB, MALLORY])
def test_nobody_elses_yes(club: Post, sender: str) -> None:
    letter = asked(club)
    club.answer(letter, "yes", sender=sender)
    club.answer(letter, f"yes {token_of(letter)}", sender=sender)
    club.mail(sender, f"yes {token_of(letter)}")
    club.mail(sender, f"no {token_of(letter)}")
    assert club.moves() == []
    club.answer(letter, "yes")
    assert club.moves() == ["A1"], "and theirs has not closed the question"


def test_a_yes_from_another_address_of_the_player(club: Post) -> None:
    add_work(club)
    club.answer(asked(club), "yes", sender=WORK)
    assert club.moves() == ["A1"]


def test_a_question_goes_to_the_first_address(club: Post) -> None:
    """Else whoever writes in a player's name from their second address would choose where."""
    add_work(club)
    assert asked(club, sender=WORK).recipient == ALICE


def test_a_yes_is_good_once(club: Post) -> None:
    letter = asked(club, "set html off")
    club.answer(letter, "yes")
    club.mail(ALICE, "set alice sesame html on")
    club.answer(letter, "yes")
    club.mail(ALICE, f"yes {token_of(letter)}")
    assert next(player for player in list_players(club.house) if player.userid == "alice").mail.html


def test_a_week_later_it_is_too_late(club: Post) -> None:
    letter = asked(club)
    club.clock.move(days=7)
    club.answer(letter, "yes")
    assert club.moves() == []


def test_within_the_week_it_is_not(club: Post) -> None:
    letter = asked(club)
    club.clock.move(days=7, seconds=-1)
    club.answer(letter, "yes")
    assert club.moves() == ["A1"]


def test_nobody_else_can_close_a_question_by_asking_another(club: Post) -> None:
    """Else a forged mail would make the player's own `yes` be for nothing."""
    old, _ = asked(club, "101 a1"), asked(club, "101 b2")
    club.answer(old, "yes")
    assert club.moves() == ["A1"]


def test_the_same_question_is_answered_once_in_whichever_mail(club: Post) -> None:
    first, second = asked(club, "set html off"), asked(club, "set html off")
    club.answer(first, "yes")
    club.mail(ALICE, "as alice sesame", "set html on")
    club.answer(second, "yes")
    assert next(player for player in list_players(club.house) if player.userid == "alice").mail.html


@pytest.mark.parametrize("words", ["yes\nno", "no\nyes"])
@pytest.mark.parametrize("line", ["101 a1", "delete"])
def test_yes_and_no_in_one_mail_do_nothing(club: Post, line: str, words: str) -> None:
    letter = asked(club, line)
    club.answer(letter, words)
    assert club.moves() == []
    assert club.is_confirmed("alice")
    club.answer(letter, "yes")
    assert club.moves() == (["A1"] if line == "101 a1" else [])
    assert club.is_confirmed("alice") == (line == "101 a1")


def test_an_answer_without_yes_or_no_is_told_what_waits(club: Post) -> None:
    """And may be answered just as well as the mail before."""
    letter = asked(club, "101 a1")
    (told,) = club.answer(letter, "OK, sure!")
    assert "move 101 a1" in text_of(told)
    club.answer(told, "yes")
    assert club.moves() == ["A1"]


@pytest.mark.parametrize("words", ["forgot\nyes", "add new@example.org\nyes", "yes\nforgot"])
def test_questions_end_with_their_player(club: Post, words: str) -> None:
    """Whatever else is asked in the mail that says goodbye."""
    club.answer(asked(club, "delete"), words)
    assert not club.is_confirmed("alice")
    assert set(club.fates()) == {"handled"}


def test_what_waits_is_the_players_own(club: Post) -> None:
    """Lines of two people in one mail: nobody is asked about the other's."""
    (letter,) = club.mail(BOB, "hi", "resign 101\ndelete alice sesame")
    club.answer(letter, "yes")
    seen = load_board(club.house, 101)
    assert seen is not None
    assert [entry.seat for entry in seen.match.entries] == [0]


def test_questions_about_other_commands_stay(club: Post) -> None:
    club.mail(ALICE, "challenge alice bob -size=3x3")
    move, other, setting = asked(club, "101 a1"), asked(club, "102 b2"), asked(club, "set html off")
    for letter in (setting, other, move):
        club.answer(letter, "yes")
    assert (club.moves(101), club.moves(102)) == (["A1"], ["B2"])
    assert not next(player for player in list_players(club.house) if player.userid == "alice").mail.html


def test_no_closes_it(club: Post) -> None:
    letter = asked(club)
    club.answer(letter, "no")
    club.answer(letter, "yes")
    assert club.moves() == []


def test_yes_to_a_move_that_has_become_stale(club: Post) -> None:
    letter = asked(club, "101 a1")
    club.mail(ALICE, "101 alice sesame b2")
    club.mail(BOB, "101 bob poppy c3")
    (refusal,) = club.answer(letter, "yes")
    assert club.moves() == ["B2", "C3"]
    assert refusal.match == 101


def test_words_wait_with_the_command(club: Post) -> None:
    """They may be somebody else's: the question counts them, and only its own yes passes them on."""
    letter = asked(club, "101 a1", "You are a bad loser.")
    assert "Your text below it (5 words) waits, too, and goes along." in " ".join(text_of(letter).split())
    club.answer(asked(club, "101 a1"), "yes\n\nGood luck!")
    told = "".join(map(text_of, club.sent_to(BOB)))
    assert "bad loser" not in told
    assert "| Good luck!" in told


def test_what_needs_no_proof_is_done_at_once(club: Post) -> None:
    # The welcomes of this hour leave no room for a list of all games.
    club.clock.move(hours=1)
    (letter,) = club.mail(ALICE, "hi", "list\n101 a1\nhelp move")
    assert "The games here" in text_of(letter)
    assert club.moves() == []
    club.answer(letter, "yes")
    assert club.moves() == ["A1"]


def test_no_other_mails_token_is_a_yes(club: Post) -> None:
    """A board mail proves who answers, and asks nothing; a forgotten password's mail asks only for that."""
    asked(club, "101 a1")
    board = next(letter for letter in club.sent_to(ALICE) if letter.match == 101)
    club.answer(board, "yes")
    club.mail(ALICE, f"yes {token_of(board)}")
    (_, forgotten) = club.mail(MALLORY, "forgot alice")
    for text in ("yes", f"yes {token_of(forgotten)}"):
        club.answer(forgotten, text)
    assert club.moves() == []


def test_the_mail_about_a_forgotten_password_does_nothing_else(club: Post) -> None:
    """Whoever brought it about must not be able to guess what its answer will do."""
    (_, forgotten) = club.mail(MALLORY, "forgot alice")
    assert forgotten.recipient == ALICE
    for line in ("101 a1", "delete", "signoff", "set html off", f"add {WORK}"):
        club.answer(forgotten, line)
    assert club.moves() == []
    assert club.is_confirmed("alice")
    assert club.sent_to(WORK) == []
    assert "waits for" in text_of(club.sent_to(ALICE)[-1])


def test_a_new_password_by_the_answer_alone(club: Post) -> None:
    (_, forgotten) = club.mail(MALLORY, "forgot alice")
    token = token_of(forgotten)
    club.mail(MALLORY, f"yes {token} tahini")
    club.mail(BOB, f"yes {token} tahini")
    club.mail(ALICE, "as alice tahini", "101 a1")
    assert club.moves() == []
    club.answer(forgotten, "yes tahini")
    club.mail(MALLORY, f"yes {token} cumin")
    club.answer(forgotten, "yes cumin")
    club.mail(ALICE, "as alice cumin", "101 b2")
    club.mail(ALICE, "as alice tahini", "101 a1")
    assert club.moves() == ["A1"]


# New addresses


def test_a_new_account_is_nothing_until_its_address_answers(post: Post) -> None:
    """By whatever road somebody has us write there."""
    post.people(alice="sesame")
    post.mail(EVE, EVES)
    ways = [
        ("help", ""),
        ("list", ""),
        ("forgot", ""),
        ("forgot eve", ""),
        ("as eve pepper", "list"),
        ("as eve pepper", "set html off"),
        ("as eve pepper", f"add {WORK}"),
        ("challenge eve alice", ""),
        ("as eve pepper", "challenge eve alice"),
        ("signup eve2 pepper", ""),
        ("signup", ""),
        ("hello", "yes"),
        ("hello", f"yes {new_token()}"),
        ("x" * 2_000, "no such thing"),
        ("What is this?", "Who are you?"),
    ]
    for subject, text in ways:
        post.mail(EVE, subject, text)
        post.mail(MALLORY, subject, text)
    post.mail(ALICE, "as alice sesame", "challenge alice eve\nblock eve")
    post.mail(ALICE, "as alice sesame", f"signup eve3 pepper {EVE}\nadd {EVE}\nchange address {EVE}")
    _, *letters = post.sent_to(EVE)
    assert len(letters) == 3, "words bring three letters a day, with none of theirs"
    for letter in letters:
        assert letter.kind == "short"
        assert [each for each in ("xxx", "no such", "What is", "eve", "pepper") if each in text_of(letter)] == []
        assert [each for each in ("list", "help") if f"    {each}" in text_of(letter)] == [], (
            "which would bring nothing"
        )
    post.answer(letters[-1], "yes")
    assert len(post.sent_to(EVE)) == 4
    assert post.sent_to(WORK) == []
    assert not post.is_confirmed("eve")


def test_a_claim_of_a_new_account_beside_a_true_one(post: Post) -> None:
    """The password of an account that nobody has answered for is good for nothing."""
    post.people(alice="sesame")
    post.mail(EVE, EVES)
    post.mail(ALICE, "as alice sesame", f"add eve pepper {WORK}\nset eve pepper html off")
    assert post.sent_to(WORK) == []
    assert len(post.sent_to(EVE)) == 1
    assert all(player.mail.html for player in list_players(post.house))


def test_the_welcome_may_be_answered_with_the_password_too(post: Post) -> None:
    (letter,) = post.mail(EVE, EVES)
    post.answer(letter, "as eve pepper\nyes\nset html off")
    assert post.is_confirmed("eve")
    assert not list_players(post.house)[0].mail.html


@pytest.mark.parametrize("text", ["yes", "help", "games"])
def test_any_command_answers_the_welcome(post: Post, text: str) -> None:
    (letter,) = post.mail(EVE, EVES)
    post.answer(letter, text)
    assert post.is_confirmed("eve")


@pytest.mark.parametrize("text", ["", "Who are you?", "I am away until Monday.", "> yes", "no"])
def test_no_other_answer_does(post: Post, text: str) -> None:
    (letter,) = post.mail(EVE, EVES)
    post.answer(letter, text)
    assert not post.is_confirmed("eve")


def test_no_other_player_answers_the_welcome(post: Post) -> None:
    """Nor does its word do in a mail from elsewhere that does not answer it. An answer from an address that is
    nobody's does: mail to the new one is read there."""
    post.people(alice="sesame")
    (letter,) = post.mail(EVE, EVES)
    post.answer(letter, "yes", sender=ALICE)
    for sender in (ALICE, MALLORY):
        post.mail(sender, f"yes {token_of(letter)}")
    assert not post.is_confirmed("eve")
    letters = post.answer(letter, "yes", sender=MALLORY)
    assert post.is_confirmed("eve")
    assert [each.recipient for each in letters] == [EVE]


def test_it_is_asked_once_a_day_at_most_and_only_the_newest_counts(post: Post) -> None:
    (first,) = post.mail(EVE, EVES)
    for _ in range(5):
        post.mail(EVE, EVES)
        post.clock.move(hours=4)
    assert len(post.sent_to(EVE)) == 1
    post.clock.move(hours=4)
    (second,) = post.mail(EVE, EVES)
    post.answer(first, "yes")
    assert not post.is_confirmed("eve")
    post.answer(second, "yes")
    assert post.is_confirmed("eve")


def test_the_userid_is_free_again_after_a_week(post: Post) -> None:
    (letter,) = post.mail(EVE, EVES)
    post.mail("eve@other.example", EVES)
    post.clock.move(days=7)
    assert len(post.mail(EVE, "help")) == 1, "by then the address is as any other again"
    (other,) = post.mail("eve@other.example", EVES)
    post.answer(letter, "yes")
    assert not post.is_confirmed("eve")
    post.answer(other, "yes")
    assert [player.address for player in list_players(post.house)] == ["eve@other.example"]


def test_signing_up_another_address(post: Post) -> None:
    """It is asked there, and only there; the sender's own address becomes nobody's."""
    letters = post.mail(EVE, f"{EVES} {WORK}")
    assert [letter.kind for letter in letters if letter.recipient == WORK] == ["question"]
    assert post.house.server.address == address_of(post.sent_to(EVE)[0]), "that answer asks nothing"
    post.answer(post.sent_to(EVE)[0], "yes")
    assert not post.is_confirmed("eve")
    post.answer(post.sent_to(WORK)[0], "yes")
    assert [player.address for player in list_players(post.house)] == [WORK]


@pytest.mark.parametrize(
    ("settings", "headers", "is_believed"),
    [
        ({"confirm": "from"}, {}, True),
        ({"authserv_id": "mx.club.test"}, {"Authentication_Results": "mx.club.test; dmarc=pass"}, True),
        ({}, {"Authentication_Results": "mx.club.test; dmarc=pass"}, False),
    ],
)
def test_a_believed_address_needs_no_welcome(
    post: Post, settings: dict[str, str], headers: dict[str, str], is_believed: bool
) -> None:
    here = post.with_server(**settings)
    here.mail(EVE, EVES, **headers)
    here.mail(EVE, f"signup eve2 pepper {WORK}", **headers)
    assert here.is_confirmed("eve") is is_believed
    assert not here.is_confirmed("eve2"), "another address is asked, whoever wants it"


# What is about the account, by a forged From address


BINDING = [
    "set html off",
    "block bob",
    "add mallory@evil.example",
    "change address mallory@evil.example",
    "signoff",
    "delete",
    "export",
    "chat 101 I give up",
    "resign 101",
    "change password alice guess tahini",
]


@pytest.mark.parametrize("line", BINDING)
def test_a_forged_from_does_nothing_but_ask(club: Post, line: str) -> None:
    """The question goes to the player, whose silence is a no, and who may be told no secret in it."""
    bobs, before = len(club.sent_to(BOB)), list_players(club.house)
    letters = club.mail(ALICE, line)
    assert {letter.recipient for letter in letters} == {ALICE}
    assert [text_of(letter) for letter in letters if "sesame" in text_of(letter)] == []
    assert club.sent_to(MALLORY) == []
    assert len(club.sent_to(BOB)) == bobs
    assert list_players(club.house) == before


def test_a_forged_from_beside_a_true_claim_gives_nothing_away(club: Post) -> None:
    """The line without a password is whoever's address is written; the answer goes to whoever's password is."""
    club.people(mallory="secret")
    club.mail(ALICE, "hi", "export\nset mallory secret html off")
    club.answer(club.sent_to("mallory@example.org")[-1], "yes")
    assert ALICE not in "".join(map(text_of, club.sent_to("mallory@example.org")))


def test_what_cannot_be_undone_is_asked_again_whatever_the_proof(club: Post) -> None:
    club.mail(MALLORY, "as alice sesame", "delete")
    (letter,) = club.mail(MALLORY, "as alice sesame", "delete")
    assert letter.recipient == ALICE
    assert club.is_confirmed("alice")
    club.mail(MALLORY, f"yes {token_of(letter)}")
    assert club.is_confirmed("alice")
    club.answer(letter, "yes")
    assert not club.is_confirmed("alice")


def test_personal_data_goes_to_its_owner(club: Post) -> None:
    """Also when another player proves to be somebody in the same mail, and would be answered."""
    club.people(mallory="secret")
    club.mail("mallory@example.org", "as mallory secret", "export alice sesame")
    club.mail(MALLORY, "export alice sesame")
    told = [
        letter.recipient for letter in club.letters() if BOB not in text_of(letter) and ALICE in text_of(letter)
    ]
    assert set(told) <= {ALICE}


def test_a_second_address_is_the_players_only_by_its_own_yes(club: Post) -> None:
    club.mail(ALICE, "as alice sesame", f"add {WORK}")
    (question,) = club.sent_to(WORK)
    for sender in (ALICE, BOB, MALLORY):
        club.answer(question, "yes", sender=sender)
        club.mail(sender, f"yes {token_of(question)}")
    club.mail(WORK, "as bob poppy", "list")
    (letter,) = club.mail(WORK, "help")
    assert letter.kind == "stranger"
    club.mail(BOB, "as bob poppy", f"add {WORK}")
    club.answer(question, "yes")
    assert club.mail(WORK, "help")[0].recipient == ALICE
    assert "alice" in text_of(club.mail(WORK, "as alice sesame", "next")[0])


def test_an_export_names_every_kind_of_question() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    open_now = tuple(PersonalQuestion(kind, ALICE, (), now) for kind in get_args(ConfirmationKind))
    kept = PersonalData(now, (), open_now, (), 0, ())
    said = say(Exported("alice", (), (), (), (), (), 0, kept), Server(ADDRESS))
    assert said.count(f", mailed to {ALICE}") == len(open_now)
