"""Nobody finds a password by guessing: how many guesses there are, what they cost, and what their answers tell."""

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from pbmserv.commands import policy
from pbmserv.services import worker
from pbmserv.services.app import App
from pbmserv.services.authenticate import MOST_CLAIMS, CredentialsToVerify, VerifiedCredentials, verify
from pbmserv.services.limits import cost_of_guess, spend
from pbmserv.services.scheduler.retention import purge
from pbmserv.store.engine import reading, writing
from pbmserv.store.tables import counts
from tests.services.hashing import CountingHasher
from tests.services.post import Post, text_of

ALICE, CAROL = "alice@example.org", "carol@example.org"

WRONG = "That is not the password"
RESTING = "too many wrong passwords"
TOO_MANY = f"A mail can hold {MOST_CLAIMS} different passwords"


@pytest.fixture
def club(asking_post: Post, hasher: CountingHasher) -> Post:
    """Alice, bob and carol, alice and bob at a board, where a From address proves nothing."""
    here = asking_post.house
    post = Post(App(here.engine, here.server, here.new_token, hasher), asking_post.clock)
    post.people(alice="sesame", bob="poppy", carol="tahini")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    return post


def said(post: Post, sender: str, text: str) -> str:
    """What the first answer to some lines says."""
    return text_of(post.mail(sender, "", text)[0])


def guess_at_alice(post: Post, times: int = policy.WRONG_FOR_USERID.most) -> None:
    """Wrong passwords from as many addresses."""
    for number in range(times):
        post.mail(f"m{number}@evil.example", "", f"set alice guess{number} html off")


def test_after_ten_guesses_at_one_userid_none_is_looked_at(club: Post, hasher: CountingHasher) -> None:
    assert policy.WRONG_FOR_USERID.most == 10
    guess_at_alice(club)
    before = hasher.verified, hasher.hashed
    wrong = said(club, CAROL, "set alice still-wrong html off")
    right = said(club, CAROL, "set ALICE sesame html off")
    assert RESTING in wrong
    assert wrong == right.replace("ALICE", "alice"), "a guess is not known to be right by what is answered"
    assert (hasher.verified, hasher.hashed) == before
    assert WRONG not in said(club, CAROL, "set bob poppy html off"), "others are as ever"


def test_the_ninth_does_not_count_against_the_owner(club: Post) -> None:
    guess_at_alice(club, policy.WRONG_FOR_USERID.most - 1)
    assert "words" in said(club, ALICE, "set alice sesame words on")


def test_userids_that_nobody_has_are_no_other(club: Post) -> None:
    guess_at_alice(club)
    for number in range(policy.WRONG_FOR_USERID.most):
        assert WRONG in said(club, CAROL, f"set zoe guess{number} html off")
    zoe, alice = (said(club, CAROL, f"set {userid} guess html off") for userid in ("zoe", "alice"))
    assert RESTING in zoe
    assert zoe.replace("zoe", "alice").split() == alice.split()


def test_the_owner_goes_on_by_answering(club: Post) -> None:
    guess_at_alice(club)
    board = [letter for letter in club.sent_to(ALICE) if letter.match == 101][-1]
    club.answer(board, "a1")
    assert club.moves() == ["A1"]


def test_an_hour_later_passwords_count_again(club: Post) -> None:
    guess_at_alice(club)
    club.clock.move(hours=1, microseconds=-1)
    assert RESTING in said(club, CAROL, "move 101 alice sesame a1")
    club.clock.move(microseconds=1)
    assert WRONG not in said(club, CAROL, "move 101 alice sesame a1")
    assert club.moves() == ["A1"]


def test_twenty_guesses_from_one_address(club: Post, hasher: CountingHasher) -> None:
    assert policy.WRONG_FROM_SENDER.most == 20
    for number in range(policy.WRONG_FROM_SENDER.most):
        club.mail(CAROL, "", f"set nobody{number} guess html off")
    before = hasher.verified
    club.mail("Carol <CAROL@example.org>", "", "move 101 alice sesame a1")
    assert club.moves() == []
    assert hasher.verified == before
    club.mail(ALICE, "", "move 101 alice sesame a1")
    assert club.moves() == ["A1"], "other senders are as ever"


def test_sixty_guesses_and_then_the_right_one(club: Post) -> None:
    """Silence hides no success either."""
    for number in range(60):
        club.mail(CAROL, "", f"move 101 alice guess{number} a1")
    assert club.mail(CAROL, "", "move 101 alice sesame a1") == []
    assert club.moves() == []


def test_guesses_that_are_not_answered_count(club: Post) -> None:
    for _ in range(22):
        club.mail("m@evil.example", "help")
    for number in range(policy.WRONG_FOR_USERID.most):
        assert club.mail("m@evil.example", "", f"move 101 alice guess{number} a1") == []
    club.mail("m@evil.example", "", "move 101 alice sesame a1")
    assert club.moves() == []


def test_guesses_of_others_between_proving_and_deciding_count(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    def prove_then_guess(asked: CredentialsToVerify, hasher: PasswordHasher) -> VerifiedCredentials:
        found = verify(asked, hasher)
        with writing(club.house.engine) as connection:
            for _ in range(policy.WRONG_FOR_USERID.most):
                spend(connection, cost_of_guess("alice", CAROL), club.clock())
        return found

    monkeypatch.setattr(worker, "verify", prove_then_guess)
    (letter,) = club.mail(CAROL, "", "move 101 alice sesame a1")
    assert letter.recipient == CAROL
    assert RESTING in text_of(letter)
    assert club.moves() == []


def test_what_was_guessed_is_forgotten_after_a_day(club: Post) -> None:
    guess_at_alice(club, 3)
    club.clock.move(hours=23)
    guess_at_alice(club, 1)
    club.clock.move(hours=2)
    for _ in purge(club.house, club.clock(), club.clock()):
        pass
    with reading(club.house.engine) as connection:
        assert len(connection.execute(select(counts).where(counts.c.name == policy.WRONG_IN_ALL.name)).all()) == 1


# Several in one mail


def test_a_guess_that_is_the_new_password_too_is_a_guess(club: Post, hasher: CountingHasher) -> None:
    """Neither how many lines, nor to whom the answer goes, tells more than one guess a mail."""
    guesses = [f"change password alice guess{number} guess{number}" for number in range(18)]
    before = hasher.verified
    missed = club.mail(CAROL, "", "\n".join(guesses))
    hit = club.mail(CAROL, "", "\n".join([*guesses, "change password alice sesame sesame"]))
    assert [letter.recipient for letter in missed] == [letter.recipient for letter in hit] == [CAROL]
    assert hasher.verified == before + 2


def test_the_right_password_after_a_sign_up_that_is_refused(club: Post) -> None:
    """Who signs up once more by mistake, with the same password, is told only that."""
    text = "signup alice sesame\nmove 101 alice sesame a1"
    assert WRONG not in said(club, ALICE, text)
    assert club.moves() == ["A1"]


@pytest.mark.parametrize(
    "before",
    [
        "set bob wrong html off",
        "yes sesame",
        "yes abcdefghij0123456789 sesame",
        "change password carol tahini sesame",
        "set carol tahini html off",
    ],
)
def test_nobody_is_answered_at_home_for_a_later_line(club: Post, before: str) -> None:
    for guess in ("sesame", "wrong"):
        letters = club.mail("m@evil.example", "", f"{before}\nmove 101 alice {guess} a1\nmove 101 alice sesame a1")
        assert ALICE not in [letter.recipient for letter in letters if letter.kind not in ("board", "notice")]


def test_a_new_password_counts_at_once_only_for_whom_it_is_set(club: Post) -> None:
    """For anybody else it is a guess, and the only one."""
    text = "change password carol tahini guess\nmove 101 alice guess a1\nmove 101 alice sesame a1"
    assert WRONG in said(club, CAROL, text)
    for _ in range(policy.WRONG_FOR_USERID.most - 1):
        club.mail(CAROL, "", "move 101 alice guess a1")
    assert RESTING in said(club, CAROL, "move 101 alice sesame a1")


def test_a_mail_of_many_players(club: Post, hasher: CountingHasher) -> None:
    more = {f"dora{number}": f"cumin{number}" for number in range(MOST_CLAIMS - 2)}
    club.people(**more)
    everybody = {"alice": "sesame", "bob": "poppy", "carol": "tahini"} | more
    lines = [f"set {userid} {password}" for userid, password in everybody.items()]
    before = hasher.verified
    assert TOO_MANY not in said(club, ALICE, "\n".join(f"{line} html off" for line in lines[:MOST_CLAIMS]))
    assert TOO_MANY in said(club, ALICE, "\n".join(f"{line} html off" for line in lines))
    assert hasher.verified == before + 2 * MOST_CLAIMS


def test_a_mail_of_many_new_passwords(club: Post, hasher: CountingHasher) -> None:
    before = hasher.hashed
    old = ["sesame", *(f"sesame{number}" for number in range(1, MOST_CLAIMS + 1))]
    text = "\n".join(f"change password alice {one} sesame{number}" for number, one in enumerate(old, start=1))
    assert TOO_MANY in said(club, ALICE, text)
    assert hasher.hashed == before + MOST_CLAIMS
    assert WRONG not in said(club, ALICE, f"set alice sesame{MOST_CLAIMS} html off")
