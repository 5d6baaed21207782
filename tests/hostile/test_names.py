"""Names by which somebody would be taken for somebody else."""

import pytest

from pbmserv.commands.vocabulary import OFFICES, skeleton
from pbmserv.services.views import list_players
from tests.services.post import Post, text_of

MALLORY = "mallory@evil.example"


def sign_up(post: Post, name: str, sender: str = MALLORY) -> str:
    """What a sign-up is answered with."""
    letters = post.mail(sender, f"signup {name} poppy")
    return text_of(letters[0]) if letters else ""


def is_open(post: Post, name: str, sender: str = MALLORY) -> bool:
    """Whether a sign-up brings the first mail, which says under which name the account waits."""
    return sign_up(post, name, sender).startswith(f"Hello, {name}! Make your first move")


def suggested(text: str) -> str:
    """The first name that an answer suggests."""
    return next(line.split()[1] for line in text.split("\n") if line.startswith("    signup "))


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "name",
    [
        *(
            "operator",
            "Admin",
            "postmaster",
            "support",
            "server",
            "root",
            "system",
            "webmaster",
            "abuse",
            "security",
        ),
        *("moderator", "referee", "robot-9", "robotics", "pbmserv", "pbm-serv", "0perator", "adm1n", "adrnin"),
        *("rnoderator", "r00t", "sy5tem", "vvebmaster", "p.b.m.s.e.r.v", "admin2", "club-admin", "the.operator"),
        *("former-player", "formerp1ayer", "r0bot-x", "no-reply", "mailer-daemon", "s-e-c-u-r-i-t-y", "supporrt"),
    ],
)
def test_a_name_of_the_house(club: Post, name: str) -> None:
    """Somebody wants to be read as the house itself, in its words or nearly so."""
    refused = sign_up(club, name)
    assert "can't be a username" in refused
    assert not any(each.userid == name for each in list_players(club.house))
    assert is_open(club, suggested(refused))


@pytest.mark.parametrize(
    "name", ["ALICE", "a1ice", "al1ce", "ali-ce", "a.l.i.c.e", "allcee", "A1lce", "b0b", "b-o-b", "carrl", "car1"]
)
def test_a_name_like_a_players(club: Post, name: str) -> None:
    """Somebody wants to be taken for a player who is here."""
    refused = sign_up(club, name)
    assert "looks too much like" in refused or " is taken." in refused
    assert is_open(club, suggested(refused))


@pytest.mark.parametrize(("one", "other"), [("vivvian", "viwian"), ("Millie", "rni11ie"), ("isis", "is1s")])
def test_pairs_that_look_alike(club: Post, one: str, other: str) -> None:
    """Two letters look like one, a digit like a letter, in whichever of the two names they stand."""
    club.people(**{one: "poppy"})
    assert f"looks too much like {one}" in sign_up(club, other)


def test_a_name_is_held_before_it_is_answered(club: Post) -> None:
    """Somebody is quick: they sign up the double of a name while its owner has not answered the first mail yet."""
    club.mail("dora@example.org", "signup dora poppy")
    assert "looks too much like dora" in sign_up(club, "d0ra")
    club.clock.move(days=8)
    assert is_open(club, "d0ra")


def test_ones_own_name_once_more(club: Post) -> None:
    """No attack: who signs up anew before they have answered may write their name otherwise."""
    club.mail("dora@example.org", "signup dora poppy")
    club.clock.move(days=2)
    assert is_open(club, "D0ra", "dora@example.org")
    club.answer(club.sent_to("dora@example.org")[-1], "yes")
    assert club.is_confirmed("D0ra")
    assert not any(each.userid == "dora" for each in list_players(club.house))


def test_a_name_is_free_again(club: Post) -> None:
    """No attack: a player who has left keeps no name from anybody."""
    club.answer(club.mail("carl@example.org", "delete carl lotus")[0], "yes")
    assert is_open(club, "car1")


def test_no_office_hides_another() -> None:
    """Each office is its own, so that the list says what it keeps back."""
    assert all(office.isascii() and skeleton(office) for office in OFFICES)
    assert skeleton("robot") in {skeleton(each) for each in OFFICES}
