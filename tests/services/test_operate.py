"""What an operator does: a command in a player's place, a new password, a board once more."""

import pytest

from pbmserv.services.admin.act import CannotOperate, run_as, set_password
from pbmserv.services.admin.mails import CannotResend, resend
from pbmserv.services.views import list_players, load_board
from tests.services.post import Post, header_of, text_of

ALICE, BOB = "alice@example.org", "bob@example.org"


@pytest.fixture
def club(post: Post) -> Post:
    """Alice and Bob at a board where it is alice's turn."""
    post.people(alice="sesame", Bob="poppy", carol="pepper")
    post.mail(ALICE, "challenge alice bob -size=3x3")
    return post


def new_letters(post: Post, before: int) -> list[str]:
    """To whom letters were queued since."""
    return [letter.recipient for letter in post.letters()[before:]]


def test_a_move_in_a_players_place(club: Post) -> None:
    before = len(club.letters())
    done = run_as(club.house, "ALICE", "Move 101  C3", club.clock())
    assert done.done
    assert done.text.startswith("You played C3 on board 101.")
    assert "It is Bob's turn." in done.text
    assert new_letters(club, before) == [ALICE, BOB]
    seen = load_board(club.house, 101)
    assert seen is not None
    assert [(entry.kind, entry.seat, entry.text) for entry in seen.match.entries] == [("played", 0, "C3")]


def test_a_refusal_changes_nothing(club: Post) -> None:
    before = len(club.letters())
    for line in ("move 101 c3", "move 102 c3", "resign 999", "mvoe 101", "move 101", "ludo move 101 c3"):
        done = run_as(club.house, "bob", line, club.clock())
        assert not done.done, line
        assert done.text
    assert new_letters(club, before) == []
    seen = load_board(club.house, 101)
    assert seen is not None
    assert seen.match.entries == ()


def test_looking_sends_nothing(club: Post) -> None:
    before = len(club.letters())
    assert "Summary of Cephalopod variant Board 101" in run_as(club.house, "carol", "show 101", club.clock()).text
    assert "The games here" in run_as(club.house, "carol", "list", club.clock()).text
    assert new_letters(club, before) == []


def test_a_challenge_and_a_resignation(club: Post) -> None:
    before = len(club.letters())
    assert run_as(club.house, "carol", "challenge carol alice bob", club.clock()).done
    assert run_as(club.house, "bob", "resign 101", club.clock()).done
    assert new_letters(club, before) == ["carol@example.org", ALICE, BOB, ALICE, BOB]


@pytest.mark.parametrize(
    ("userid", "line", "told"),
    [
        ("zoe", "list", "nobody is called zoe"),
        ("alice", "hello there", "no command"),
        ("alice", "", "no command"),
        ("alice", "as alice sesame", "no command"),
        ("alice", "change password alice sesame tahini", "pbmserv admin password"),
        ("alice", "signup eve pepper", "pbmserv admin password"),
    ],
)
def test_what_cannot_be_done(club: Post, userid: str, line: str, told: str) -> None:
    with pytest.raises(CannotOperate, match=told):
        run_as(club.house, userid, line, club.clock())
    assert len(list_players(club.house)) == 3


def test_passwords_in_the_line_play_no_part(club: Post) -> None:
    """The operator's own proof holds; a password that somebody pasted is neither asked for nor shown."""
    done = run_as(club.house, "alice", "move 101 alice wr0ng-one c3", club.clock())
    assert done.done
    assert "wr0ng-one" not in done.text + "".join(text_of(letter) for letter in club.letters())


@pytest.mark.parametrize("password", ["tahini", "T\u00e4h1n1-!", "x" * 72])
def test_a_new_password(club: Post, password: str) -> None:
    set_password(club.house, "ALICE", password, club.clock())
    assert "That is not the password" in text_of(club.mail(ALICE, "as alice sesame", "list")[0])
    assert "The games here" in text_of(club.mail(ALICE, f"as alice {password}", "list")[0])


def test_a_new_password_in_another_form_of_its_letters(club: Post) -> None:
    """Lines of a mail are read in one form of each letter; so must be what an operator types."""
    set_password(club.house, "alice", "\uff53\uff45\uff53ame\u0301", club.clock())
    assert "The games here" in text_of(club.mail(ALICE, "as alice sesam\u00e9", "list")[0])


@pytest.mark.parametrize("password", ["", "abc", "x" * 73, "two words", "tab\tword", "  "])
def test_a_password_that_no_mail_could_bear(club: Post, password: str) -> None:
    with pytest.raises(CannotOperate, match="one word of 4 to 72"):
        set_password(club.house, "alice", password, club.clock())
    assert "The games here" in text_of(club.mail(ALICE, "as alice sesame", "list")[0])


def test_a_password_for_nobody(club: Post) -> None:
    with pytest.raises(CannotOperate, match="nobody is called zoe"):
        set_password(club.house, "zoe", "tahini", club.clock())


def test_a_board_once_more(club: Post) -> None:
    before = len(club.letters())
    assert resend(club.house, 101, None, club.clock()) == ["alice", "Bob"]
    assert new_letters(club, before) == [ALICE, BOB]
    first, second = club.letters()[before:]
    assert header_of(first, "Subject") == "Cephalopod variant Board 101: alice vs Bob"
    assert header_of(first, "Message-ID") != header_of(second, "Message-ID")
    assert "To move, answer this mail" in text_of(first)
    assert "To move, answer this mail" not in text_of(second)


def test_a_board_once_more_for_one(club: Post) -> None:
    before = len(club.letters())
    assert resend(club.house, 101, "BOB", club.clock()) == ["Bob"]
    assert new_letters(club, before) == [BOB]


def test_a_finished_board_once_more(club: Post) -> None:
    run_as(club.house, "alice", "resign 101", club.clock())
    assert resend(club.house, 101, None, club.clock()) == ["alice", "Bob"]


@pytest.mark.parametrize(
    ("number", "userid", "told"),
    [
        (102, None, "no board 102"),
        (-1, None, "no board -1"),
        (102, "alice", "no board 102"),
        (101, "carol", "carol does not play on board 101: alice, Bob do"),
        (101, "zoe", "zoe does not play on board 101"),
    ],
)
def test_no_such_board_or_player(club: Post, number: int, userid: str | None, told: str) -> None:
    before = len(club.letters())
    with pytest.raises(CannotResend, match=told):
        resend(club.house, number, userid, club.clock())
    assert new_letters(club, before) == []
