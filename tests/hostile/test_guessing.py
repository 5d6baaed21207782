"""Wrong passwords, sent to find the right one or to shut its owner out."""

from dataclasses import replace

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import App
from tests.conftest import ADDRESS, Clock
from tests.hostile.flooding import ALICE, BOB, EVE, counting
from tests.services.hashing import CountingHasher
from tests.services.post import Post, text_of

RESTING = "too many wrong passwords"


@pytest.fixture
def hasher() -> CountingHasher:
    """Weak, and counting."""
    return CountingHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def club(sqlite_house: App, clock: Clock, hasher: CountingHasher) -> Post:
    """Alice and bob at board 101, where a From address proves nothing and every hash is counted."""
    return counting(Post(replace(sqlite_house, server=Server(ADDRESS, variants=True)), clock), hasher)


def guess(post: Post, sender: str, times: int) -> None:
    """Wrong passwords of alice's; `{}` in the sender is each one's number."""
    for number in range(times):
        post.mail(sender.format(number), "", f"set alice guess{number} html off")


def test_guesses_from_one_address_do_not_lock_the_owner_out(club: Post) -> None:
    """Ten wrong passwords of alice's from a stranger: she goes on with the right one, from her own address."""
    guess(club, EVE, policy.WRONG_FOR_USERID.most)
    club.mail(ALICE, "move 101 alice sesame a1")
    assert club.moves() == ["A1"]


def test_guesses_from_many_addresses_come_to_rest(club: Post, hasher: CountingHasher) -> None:
    """A wrong password from each of many made-up addresses, and then the right one from another."""
    guess(club, "m{}@evil.example", policy.WRONG_FOR_USERID.most)
    before = hasher.verified
    assert RESTING in text_of(club.mail(BOB, "resign 101 alice sesame")[0])
    assert hasher.verified == before
    club.mail(ALICE, "move 101 alice sesame a1")
    assert club.moves() == ["A1"]


def test_guesses_in_the_owners_own_name_come_to_rest(club: Post, hasher: CountingHasher) -> None:
    """A forger of alice's From guesses at her password: after ten an hour none is looked at from there."""
    guess(club, ALICE, policy.WRONG_FROM_HOME.most)
    before = hasher.verified
    assert RESTING in text_of(club.mail(ALICE, "move 101 alice sesame a1")[0])
    assert hasher.verified == before
    assert club.moves() == []


def test_who_forges_the_owner_shuts_out_no_more_than_a_password(club: Post) -> None:
    """The same forger wants alice shut out: her answers to our mails count on, and so do her other addresses."""
    club.mail(ALICE, "", "as alice sesame\nadd alice@home.example")
    club.answer(club.sent_to("alice@home.example")[-1], "yes")
    guess(club, ALICE, policy.WRONG_FROM_HOME.most)
    club.answer(next(mail for mail in reversed(club.sent_to(ALICE)) if mail.match == 101), "a1")
    assert club.moves() == ["A1"]
    club.mail(BOB, "move 101 bob poppy b1")
    assert "words" in text_of(club.mail("alice@home.example", "set alice sesame words on")[0])


def test_who_forges_the_owner_wins_nothing_where_domains_vouch(club: Post) -> None:
    """The same, where alice's own mails come with dmarc=pass: no forged guess counts against those."""
    post = club.with_server(authserv_id="mx.club.test")
    guess(post, ALICE, policy.WRONG_FROM_HOME.most)
    passed = "mx.club.test; dmarc=pass header.from=example.org"
    post.mail(ALICE, "move 101 alice sesame a1", Authentication_Results=passed)
    assert post.moves() == ["A1"]


def test_guesses_at_others_in_the_owners_name_do_not_lock_them_out(club: Post) -> None:
    """Twenty wrong passwords of other userids in alice's name."""
    for number in range(20):
        club.mail(ALICE, "", f"set who{number} guess html off")
    club.mail(ALICE, "move 101 alice sesame a1")
    assert club.moves() == ["A1"]
