"""Many mails at once: what they cost, whom they keep waiting, and whom they shut out."""

import logging
from dataclasses import replace

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services import worker
from pbmserv.services.admin.act import CannotInvite, invite
from pbmserv.services.app import App
from pbmserv.services.limits import places_of, spend
from pbmserv.services.views import list_players
from pbmserv.store import inbox
from pbmserv.store.engine import writing
from tests.conftest import ADDRESS, Clock
from tests.hostile.flooding import ALICE, BOB, EVE, bring, costs, counting, handled_first
from tests.services.hashing import CountingHasher
from tests.services.post import Post, address_of, header_of, text_of

NO_ROOM = "Your account was not opened: the limit"
OPENED = "Make your first move on the board below"


@pytest.fixture
def hasher() -> CountingHasher:
    """Weak, and counting."""
    return CountingHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture
def club(sqlite_house: App, clock: Clock, hasher: CountingHasher) -> Post:
    """Alice and bob at board 101, where a From address proves nothing and every hash is counted."""
    return counting(Post(replace(sqlite_house, server=Server(ADDRESS, variants=True)), clock), hasher)


@pytest.fixture
def full_club(club: Post) -> Post:
    """The same on a day on which all places for newcomers are taken."""
    take_places(club, policy.SIGN_UPS.most)
    return club


def take_places(post: Post, count: int, domain: str = "") -> None:
    """So many have signed up today, each from a domain of their own or all from one."""
    with writing(post.house.engine) as connection:
        for number in range(count):
            address = f"n{number}@{domain or f'made{number}-up.example'}"
            places = (limit.count(of, owner=address) for limit, of in places_of(address))
            spend(connection, places, post.clock())


def names(post: Post) -> list[str]:
    """The userids of all who have an account."""
    return [player.userid for player in list_players(post.house)]


# What a mail costs


@pytest.mark.parametrize(
    "text", ["signup eve pepper", "signup eve pepper\nsignup eve2 pepper2\nsignup eve3 pepper3"]
)
def test_sign_ups_cost_one_hash_a_mail(club: Post, hasher: CountingHasher, text: str) -> None:
    """Many new passwords in a mail that proves nothing, each of which takes a while to hash."""
    before = costs(hasher)
    club.mail(EVE, "", text)
    assert costs(hasher) == before + 1
    assert "eve" in names(club)


def test_six_claims_cost_one_verification(club: Post, hasher: CountingHasher) -> None:
    """Six userids with passwords, and new ones, in a mail of a stranger."""
    before = costs(hasher)
    text = "\n".join(f"change password nobody{number} guess{number} fresh{number}" for number in range(6))
    club.mail(EVE, "", f"{text}\nsignup eve pepper")
    assert costs(hasher) == before + 1


def test_a_sign_up_on_a_full_day_costs_nothing(full_club: Post, hasher: CountingHasher) -> None:
    """A flood of sign-ups with passwords, long after all places of the day are taken."""
    before = costs(hasher)
    for number in range(5):
        full_club.mail(f"e{number}@evil{number}.example", f"signup e{number} pepper")
    assert costs(hasher) == before
    assert len(names(full_club)) == 2


def test_a_mail_beyond_the_limit_costs_nothing(club: Post, hasher: CountingHasher) -> None:
    """Sign-ups with passwords in a player's name, sent on after the last answer that they can get."""
    for _ in range(22):
        club.mail(ALICE, "list")
    before = costs(hasher)
    assert club.mail(ALICE, "signup zoe pepper") == []
    assert costs(hasher) == before


def test_a_second_copy_costs_nothing(club: Post, hasher: CountingHasher) -> None:
    """The same mail with passwords, again and again."""
    raw = club.write(EVE, "move 101 alice guess a1")
    club.send(raw)
    before = costs(hasher)
    raw = club.write(BOB, "signup zoe pepper")
    club.send(raw)
    club.send(raw)
    assert costs(hasher) == before + 1


def test_passwords_of_strangers_come_to_rest(club: Post, hasher: CountingHasher) -> None:
    """Wrong passwords for ever other userids from ever other addresses, each of which takes a while to verify."""
    for number in range(205):
        club.put(club.write(f"m{number}@evil.example", f"resign 101 who{number} guess"))
    before = costs(hasher)
    club.work()
    assert costs(hasher) == before + 200
    club.mail(ALICE, "move 101 alice sesame a1")
    assert club.moves() == ["A1"], "from their own address players are heard"


# Whom it keeps waiting


def test_an_answer_passes_all_strangers(club: Post) -> None:
    """A flood of strangers' mails just before a move."""
    for number in range(30):
        club.put(club.write(f"m{number}@evil.example", f"signup m{number} pepper"))
    board = club.sent_to(ALICE)[-1]
    move = club.put(club.write(ALICE, "a1"), ALICE, [address_of(board)])
    assert handled_first(club) == move
    assert club.moves() == ["A1"]


def test_an_answer_passes_a_flood_in_its_own_name(club: Post) -> None:
    """A flood in the name of the player who moves."""
    for number in range(30):
        club.put(club.write(ALICE, f"signup m{number} pepper"))
    board = club.sent_to(ALICE)[-1]
    move = club.put(club.write(ALICE, "a1"), ALICE, [address_of(board)])
    assert handled_first(club) == move
    assert club.moves() == ["A1"]


@pytest.mark.parametrize("header", ["To", "Cc", "Delivered_To", "X_Original_To"])
def test_the_word_is_found_in_the_headers(club: Post, header: str) -> None:
    """The same, where the way to us has taken the word out of the envelope."""
    club.put(club.write(ALICE, "list"))
    given = {header: address_of(club.sent_to(ALICE)[-1])}
    move = club.put(club.write(ALICE, "a1", **given), ALICE)
    assert handled_first(club) == move


def test_a_message_id_is_no_way_past(club: Post) -> None:
    """A flood in a player's name that names one of our Message-IDs: everybody sees those who is sent a copy."""
    board = club.sent_to(ALICE)[-1]
    first = club.put(club.write(BOB, "list"))
    club.put(club.write(ALICE, "list", In_Reply_To=header_of(board, "Message-ID")))
    assert [kept.priority for kept in club.inbox()[-2:]] == [inbox.PLAYERS, inbox.PLAYERS]
    assert handled_first(club) == first


def test_a_word_of_somebody_elses_is_no_way_past(club: Post) -> None:
    """A stranger, or another player, who writes to the personal address of a mail to alice."""
    word = address_of(club.sent_to(ALICE)[-1])
    for sender, priority in (
        (EVE, inbox.UNKNOWN_SENDERS),
        (BOB, inbox.PLAYERS),
        (ALICE, inbox.ANSWERS),
    ):
        club.put(club.write(sender, "list"), sender, [word])
        assert club.inbox()[-1].priority == priority


def test_a_flood_in_one_name_does_not_delay_another(club: Post) -> None:
    """A flood in alice's name just before bob's mail, which proves nothing either."""
    for _ in range(30):
        club.put(club.write(ALICE, "list"))
    club.clock.move(seconds=30)
    from_bob = club.put(club.write(BOB, "list"))
    handled_first(club)
    assert handled_first(club) == from_bob


def test_strangers_have_their_turn_however_many_answers_come(club: Post) -> None:
    """A flood of answers to personal addresses, which come first."""
    board = club.sent_to(ALICE)[-1]
    stranger = club.put(club.write(EVE, "help"))
    for _ in range(100):
        club.put(club.write(ALICE, "show 101"), ALICE, [address_of(board)])
    taken = 0
    while club.row(stranger).status == "waiting":
        assert worker.process_some(club.house, club.clock)
        taken += 1
    assert taken <= worker.MOST_TURNS
    assert any(kept.status == "waiting" for kept in club.inbox())


# Whom it shuts out


def test_one_domain_does_not_take_all_places(club: Post) -> None:
    """Made-up names at one domain and its subdomains."""
    take_places(club, policy.SIGN_UPS_A_DOMAIN.most - 1, "sub.evil.example")
    assert OPENED in text_of(club.mail(EVE, "signup eve pepper")[0])
    (letter,) = club.mail("zoe@evil.example", "signup zoe pepper")
    assert NO_ROOM in text_of(letter)
    assert club.mail("zoe@evil.example", "signup zoe pepper") == [], "that is said once a day"
    assert "zoe" not in names(club)
    assert OPENED in text_of(club.mail("carol@example.net", "signup carol cumin")[0])
    club.clock.move(days=1)
    assert OPENED in text_of(club.mail("zoe@evil.example", "signup zoe pepper")[0])


def test_a_large_provider_has_more_places(club: Post) -> None:
    """Made-up names at a provider where many people have their mailboxes."""
    take_places(club, policy.SIGN_UPS_A_DOMAIN.most, "gmail.com")
    assert OPENED in text_of(club.mail("eve@gmail.com", "signup eve pepper")[0])
    take_places(club, policy.SIGN_UPS_A_PROVIDER.most - 1, "outlook.com")
    assert OPENED in text_of(club.mail("zoe@outlook.com", "signup zoe pepper")[0])
    assert NO_ROOM in text_of(club.mail("ann@outlook.com", "signup ann pepper")[0])


def test_one_host_does_not_take_all_places(club: Post) -> None:
    """Made-up names at many domains, all brought by one host."""
    for number in range(policy.SIGN_UPS_A_HOST.most + 1):
        sender = f"e@made{number}-up.example"
        bring(club, club.write(sender, f"signup made{number} pepper"), "93.184.216.34", sender)
    assert NO_ROOM in text_of(club.letters()[-1])
    assert len(names(club)) == 2 + policy.SIGN_UPS_A_HOST.most
    for host, is_handed_on in (("93.184.216.35", False), ("127.0.0.1", False), ("93.184.216.34", True)):
        sender = f"zoe@zoe-{host.replace('.', '-')}{'-' * is_handed_on}x.example"
        bring(club, club.write(sender, f"signup zoe{len(names(club))} pepper"), host, sender, is_handed_on)
        assert OPENED in text_of(club.letters()[-1])


def test_places_are_given_back(club: Post) -> None:
    """Real people at a small provider: who answers the first mail takes no place."""
    for number in range(policy.SIGN_UPS_A_DOMAIN.most + 3):
        club.people(**{f"real{number}": "cumin"})
    assert len(names(club)) == 2 + policy.SIGN_UPS_A_DOMAIN.most + 3


def test_who_is_believed_takes_no_place(full_club: Post) -> None:
    """A flood that takes all places of the day, and a newcomer whose domain stands for them."""
    post = full_club.with_server(authserv_id="mx.club.test")
    passed = "mx.club.test; dmarc=pass header.from=example.net"
    (letter,) = post.mail("carol@example.net", "signup carol cumin", Authentication_Results=passed)
    assert NO_ROOM not in text_of(letter)
    assert post.is_confirmed("carol")


def test_who_is_invited_is_let_in(full_club: Post) -> None:
    """A flood that takes all places of the day, and mail in the name of somebody whom the operator invites."""
    dora = "dora@example.net"
    for _ in range(25):
        full_club.mail(dora, "help")
    assert invite(full_club.house, dora, full_club.clock()) == 14
    assert "\n    signup NAME\n" in text_of(full_club.sent_to(dora)[-1])
    (letter,) = full_club.answer(full_club.sent_to(dora)[-1], "signup dora cumin")
    assert OPENED in text_of(letter)
    full_club.answer(letter, "yes")
    assert full_club.is_confirmed("dora")
    assert full_club.mail("eve@example.net", "signup eve pepper")[0].kind == "no room"
    with pytest.raises(CannotInvite):
        invite(full_club.house, dora, full_club.clock())


def test_an_invitation_ends(full_club: Post) -> None:
    """An old invitation, on a day on which all places are taken."""
    invite(full_club.house, "dora@example.net", full_club.clock())
    full_club.clock.move(days=14)
    take_places(full_club, policy.SIGN_UPS.most, "again.example")
    assert full_club.mail("dora@example.net", "signup dora cumin")[0].kind == "no room"


def test_the_sentence_is_no_bomb(full_club: Post) -> None:
    """Sign-ups in the names of ever other people, to have each of them told that there is no room."""
    letters = [
        letter
        for number in range(policy.NO_ROOM_IN_ALL.most + 5)
        for letter in full_club.mail(f"v{number}@victim{number}.example", f"signup v{number} pepper")
    ]
    assert [letter.kind for letter in letters] == ["no room"] * policy.NO_ROOM_IN_ALL.most


def test_the_operator_reads_one_line(club: Post, caplog: pytest.LogCaptureFixture) -> None:
    """A flood of sign-ups, each of which might fill the log."""
    caplog.set_level(logging.WARNING)
    take_places(club, policy.SIGN_UPS.most - 3)
    for number in range(10):
        club.mail(f"e@evil{number}.example", f"signup evil{number} pepper")
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert "used up a limit of the day mail=" in said[0]
    assert said[0].endswith('limit="200 in all"')
