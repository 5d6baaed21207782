"""Proof: what it costs, what it is held against, and what happens when passwords change at the wrong moment."""

from collections.abc import Callable

import pytest
from argon2 import PasswordHasher, extract_parameters

from pbmserv.commands.changes import NewPlayer
from pbmserv.services import worker
from pbmserv.services.admin.act import set_password
from pbmserv.services.app import App, password_hasher
from pbmserv.services.authenticate import CredentialsToVerify, VerifiedCredentials, verify
from pbmserv.services.views import load_board
from pbmserv.store import accounts
from pbmserv.store.engine import writing
from tests.services.hashing import CountingHasher
from tests.services.post import Post, text_of

WRONG = "That is not the password"


@pytest.fixture
def club(asking_post: Post, hasher: CountingHasher) -> Post:
    """Alice and bob at a board where it is alice's turn, where a From address proves nothing."""
    here = asking_post.house
    post = Post(App(here.engine, here.server, here.new_token, hasher), asking_post.clock)
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    post.mail("nobody@example.org", "as nobody nothing", "list")  # makes what unknown userids are held against
    return post


def answer(post: Post, subject: str, text: str = "", sender: str = "alice@example.org") -> str:
    """What the first letter says that a mail brings."""
    return text_of(post.mail(sender, subject, text)[0])


def plies(post: Post) -> int:
    """How many moves were played on the board."""
    seen = load_board(post.house, 101)
    assert seen is not None
    return seen.state.plies


def test_the_strength_is_as_agreed() -> None:
    parameters = extract_parameters(password_hasher().hash("x"))
    assert (parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (19_456, 2, 1)
    assert parameters.type.name == "ID"


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("alice sesame", True),
        ("ALICE sesame", True),
        ("alice SESAME", False),
        ("alice sesam", False),
        ("alice sesamee", False),
        ("bob sesame", False),
        ("zoe sesame", False),
        ("zoe nobody", False),
    ],
)
def test_every_claim_costs_the_same(club: Post, hasher: CountingHasher, claim: str, right: bool) -> None:
    """Somebody unknown is found out neither by the answer nor by the time it takes."""
    before = hasher.verified, hasher.hashed
    said = answer(club, f"as {claim}", "list")
    assert (hasher.verified - before[0], hasher.hashed - before[1]) == (1, 0)
    assert (WRONG not in said) is right
    userid = claim.split()[0]
    assert right or said.replace(userid, "X") == answer(club, f"as {userid} else", "list").replace(userid, "X")


def test_the_decoys_own_password_opens_nothing(club: Post) -> None:
    """Unknown userids are held against a hash; whoever knows what it is of still is nobody."""
    raw = club.write("alice@example.org", "hi", "as zoe nobody\u00a0has\u00a0this\u00a0password\nlist")
    club.send(raw)
    said = answer(club, "as zoe nobody", "list")
    assert WRONG in said


def test_one_claim_is_verified_once(club: Post, hasher: CountingHasher) -> None:
    before = hasher.verified
    answer(club, "many", "as alice sesame\n" + "move 101 alice sesame a1\n" * 10)
    assert hasher.verified == before + 1


def test_one_mail_is_one_guess(club: Post, hasher: CountingHasher) -> None:
    """Nothing is run after a wrong password, so no later one is looked at: a mail cannot try twenty."""
    before = hasher.verified
    guesses = "\n".join(f"move 101 alice guess{number} a1" for number in range(19))
    said = answer(club, "many", f"{guesses}\nmove 101 alice sesame a1")
    assert said.count(WRONG) == 1
    assert plies(club) == 0
    assert hasher.verified == before + 1


def test_what_nobody_asks_for_costs_nothing(club: Post, hasher: CountingHasher) -> None:
    before = hasher.verified, hasher.hashed
    club.mail("alice@example.org", "as alice sesame", "list", Precedence="bulk")
    club.mail("alice@example.org", "hello", "my password is sesame")
    assert (hasher.verified, hasher.hashed) == before


@pytest.mark.parametrize("password", ["abc", "x" * 73])
def test_an_unfit_password_is_not_even_hashed(club: Post, hasher: CountingHasher, password: str) -> None:
    before = hasher.hashed
    assert "password" in answer(club, f"signup eve {password}", sender="eve@example.org")
    assert "password" in answer(club, f"change password alice sesame {password}")
    assert hasher.hashed == before


@pytest.mark.parametrize("password", ["abcd", "x" * 72, "p\u00e4ssw\u00f6rt", "***", "a'\";--"])
def test_fit_passwords(club: Post, password: str) -> None:
    fit = len(password) > 3
    said = answer(club, f"change password alice sesame {password}")
    assert said.startswith("You have a new password") is fit
    assert (WRONG not in answer(club, f"as alice {password}", "list")) is fit


def change_between(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> list[VerifiedCredentials]:
    """Something happens after the first proving and before the deciding; gives what each proving found."""
    found: list[VerifiedCredentials] = []

    def prove_then_change(asked: CredentialsToVerify, hasher: PasswordHasher) -> VerifiedCredentials:
        found.append(verify(asked, hasher))
        if len(found) == 1:
            change()
        return found[-1]

    monkeypatch.setattr(worker, "verify", prove_then_change)
    return found


def test_a_password_that_has_just_ceased_to_be_is_wrong(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    now = club.clock()
    found = change_between(monkeypatch, lambda: set_password(club.house, "alice", "tahini", now))
    assert WRONG in answer(club, "move 101 alice sesame a1")
    assert [len(credentials.verified) for credentials in found] == [1, 0]
    assert plies(club) == 0


def test_a_password_that_has_just_come_to_be_is_right(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    now = club.clock()
    found = change_between(monkeypatch, lambda: set_password(club.house, "alice", "tahini", now))
    assert WRONG not in answer(club, "move 101 alice tahini a1")
    assert [len(credentials.verified) for credentials in found] == [0, 1]
    assert plies(club) == 1


def test_an_account_that_has_just_come_to_be(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody had the userid while it was proven; when the mail is decided upon, somebody has."""
    account = NewPlayer("eve", "eve@example.org", club.house.hasher.hash("pepper"))

    def sign_up() -> None:
        with writing(club.house.engine) as connection:
            accounts.write_account_change(connection, account, club.clock())

    found = change_between(monkeypatch, sign_up)
    assert WRONG not in answer(club, "as eve pepper", "list")
    assert [len(credentials.verified) for credentials in found] == [0, 1]


def test_a_userid_and_its_first_use_in_one_mail(club: Post) -> None:
    believing = club.with_server(confirm="from")
    text = "signup zoe pepper\nchallenge zoe alice -size=3x3\nmove 102 zoe pepper a1"
    believing.mail("zoe@example.org", "hello", text)
    assert believing.moves(102) == ["A1"]


def test_a_new_password_and_its_first_use_in_one_mail(club: Post) -> None:
    said = answer(club, "hi", "change password alice sesame tahini\nmove 101 alice tahini a1")
    assert WRONG not in said
    assert plies(club) == 1
    assert WRONG in answer(club, "as alice sesame", "list")


def test_the_old_password_is_wrong_later_in_the_same_mail(club: Post) -> None:
    said = answer(club, "hi", "change password alice sesame tahini\nmove 101 alice sesame a1")
    assert WRONG in said
    assert plies(club) == 0


def test_somebody_elses_new_password_proves_nothing(club: Post) -> None:
    """A new password of one player in the same mail is no proof for another player with the same word."""
    text = "change password bob poppy sesame2\nmove 101 alice sesame2 a1"
    assert WRONG in answer(club, "hi", text, "bob@example.org")
    text = "signup eve sesame3\nmove 101 alice sesame3 a1"
    assert "A mail can hold only one password" in answer(club, "hi", text, "eve@example.org")
    text = "signup alice sesame4\nmove 101 alice sesame4 a1"
    assert "A mail can hold only one password" in answer(club, "hi", text, "eve2@example.org")
    assert plies(club) == 0


def test_a_wrong_password_stops_all_that_follows(club: Post) -> None:
    said = answer(club, "hi", "move 101 alice wrong a1\nchallenge alice bob\nlist")
    assert WRONG in said
    assert load_board(club.house, 102) is None
    assert "The games here" not in said


def test_two_players_in_one_mail(club: Post) -> None:
    said = answer(club, "hi", "move 101 alice sesame a1\nmove 101 bob poppy c3")
    assert "Not done" not in said
    assert plies(club) == 2


def test_a_hash_that_argon2_does_not_know(club: Post) -> None:
    """A damaged row is a wrong password, not a fault that sets mails aside."""
    with club.house.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE players SET password_hash = 'damaged' WHERE userid = 'alice'")
    assert WRONG in answer(club, "as alice sesame", "list")
