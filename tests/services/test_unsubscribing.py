"""Unsubscribing: what each mail says of it in its head, and what the command and the link there do."""

import re
from datetime import timedelta

import pytest
from sqlalchemy import update

from pbmserv.mail.sending.transport import Delivered
from pbmserv.matches.player import Player
from pbmserv.services.admin.banning import ban
from pbmserv.services.deliver import note
from pbmserv.services.scheduler.clocks import look_after_clocks
from pbmserv.services.scheduler.due import send_digest
from pbmserv.services.scheduler.retention import purge
from pbmserv.services.sender import WORDS_LAST
from pbmserv.services.unsubscribe import find_leave_link, unsubscribe
from pbmserv.services.views import list_outbox, list_players, load_board
from pbmserv.store.engine import writing
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.tables import addresses
from tests.services.post import Post, header_of, text_of

ALICE, BOB, CARL = "alice@example.org", "bob@example.org", "carl@example.org"
SITE = "https://club.test"


@pytest.fixture
def club(post: Post) -> Post:
    """Alice plays Bob on board 101, with pages that mail programs may ask, on either kind of database."""
    club = post.with_server(site_url=SITE)
    club.people(alice="sesame", bob="poppy")
    club.mail(ALICE, "challenge alice bob -size=3x3")
    return club


def key_of(letter: QueuedMessage) -> str:
    """The key of its link to unsubscribe."""
    found = re.search(rf", <{SITE}/leave/(\w+)>$", header_of(letter, "List-Unsubscribe"))
    assert found is not None
    return found[1]


def command_of(letter: QueuedMessage) -> tuple[str, str]:
    """The address and the command of its mail to unsubscribe."""
    found = re.match(r"<mailto:(\S+)\?subject=(\S+?)>", header_of(letter, "List-Unsubscribe"))
    assert found is not None
    return found[1], found[2].replace("%20", " ")


def player(club: Post, userid: str) -> Player:
    """A player as the records have them."""
    return next(each for each in list_players(club.house) if each.userid == userid)


def to(address: str, letters: list[QueuedMessage]) -> QueuedMessage:
    """The one letter among them that went to an address."""
    (found,) = (letter for letter in letters if letter.recipient == address)
    return found


def test_every_mail_to_a_player_has_both_ways(club: Post) -> None:
    """A command to the mail's own address, and a link that stops the same; each link is another."""
    club.mail(BOB, "set broadcast on")
    club.mail(ALICE, "move 101 b2")
    club.mail(ALICE, "broadcast", "Hello to all!")
    club.mail(ALICE, "message bob", "Hello to you!")
    letters = [each for each in club.letters() if each.recipient]
    assert {"answer", "board", "notice"} <= {each.kind for each in letters}
    for letter in letters:
        assert header_of(letter, "List-Id") == "pbmserv <boards.club.test>"
        assert command_of(letter)[0] == header_of(letter, "From").partition("<")[2].removesuffix(">")
        assert header_of(letter, "List-Unsubscribe-Post") == "List-Unsubscribe=One-Click"
        is_answer = letter.kind not in ("board", "notice")
        assert header_of(letter, "Auto-Submitted") == ("auto-replied" if is_answer else "auto-generated")
        assert b"\nPrecedence:" not in letter.raw
    assert len({key_of(letter) for letter in letters}) == len(letters)
    commands = {command_of(letter)[1] for letter in letters}
    assert commands == {"set mail off", "set broadcast off", "set messages off"}


def test_without_pages_that_are_safe_to_ask_there_is_only_the_command(post: Post) -> None:
    """RFC 8058 wants https; a stranger's mail is on no list, since there is nothing to leave."""
    club = post.with_server(site_url="http://club.test")
    club.people(alice="sesame")
    (letter,) = club.mail(ALICE, "help")
    assert "leave" not in header_of(letter, "List-Unsubscribe")
    assert b"List-Unsubscribe-Post" not in letter.raw
    for stranger in club.with_server(site_url=SITE).mail("eve@example.net", "help"):
        assert b"\nList-" not in stranger.raw


def test_the_command_and_the_link_do_the_same(club: Post) -> None:
    """Either way there is no more mail, the opponent is told, and nothing else changes."""
    club.people(carl="tahini")
    club.mail(CARL, "challenge carl alice bob -size=3x3")
    by_mail, by_link = player(club, "alice"), player(club, "bob")
    asking = club.with_server(confirm="ask")
    address, command = command_of(club.sent_to(ALICE)[-1])
    told = asking.send(asking.write(ALICE, command, To=address), ALICE, [address])
    for opponent in (BOB, CARL):
        assert "alice has turned off mail" in text_of(to(opponent, told))
    letters = len(club.letters())
    unsubscribe(club.house, key_of(club.sent_to(BOB)[-1]), club.clock())
    told = club.letters()[letters:]
    assert "bob has turned off mail" in text_of(to(CARL, told))
    assert {each.recipient for each in told} == {BOB, CARL}, "alice gets no mail any more"
    assert "The link to unsubscribe in a mail to you was used." in text_of(club.sent_to(BOB)[-1])
    for before in (by_mail, by_link):
        after = player(club, before.userid)
        assert after.mail.is_off
        assert not before.mail.is_off
        assert (after.address, after.mail.digest, after.mail.messages) == (before.address, None, "on")
    board = load_board(club.house, 101)
    assert board is not None
    assert board.match.entries == ()


def test_looking_stops_nothing(club: Post) -> None:
    letters = len(club.letters())
    link = find_leave_link(club.house, key_of(club.sent_to(BOB)[-1]), club.clock())
    assert link is not None
    assert not player(club, "bob").mail.is_off
    assert len(club.letters()) == letters


def test_twice_is_once(club: Post) -> None:
    """Mail programs try again: opponents are told once."""
    key = key_of(club.sent_to(BOB)[-1])
    unsubscribe(club.house, key, club.clock())
    letters = len(club.letters())
    link = unsubscribe(club.house, key.upper(), club.clock())
    assert link is not None
    assert link.has_left
    assert len(club.letters()) == letters


def test_a_digest_that_ends_leaves_no_board_untold(club: Post) -> None:
    """A board that was left to the next digest comes by itself; one that was shown does not come again."""
    club.mail(BOB, "set digest daily 07:30")
    club.mail(ALICE, "move 101 b2")
    club.clock.move(days=1)
    assert send_digest(club.house, club.clock())
    digest = club.sent_to(BOB)[-1]
    assert command_of(digest)[1] == "set digest off"
    hand_over(club)
    club.mail(ALICE, "challenge bob alice -size=3x3")
    assert club.sent_to(BOB)[-1].id == digest.id
    unsubscribe(club.house, key_of(digest), club.clock())
    assert player(club, "bob").mail.digest is None
    assert not player(club, "bob").mail.is_off
    look_after_clocks(club.house, club.clock())
    (board,) = [each for each in club.sent_to(BOB) if each.id > digest.id]
    assert board.match == 102


def hand_over(club: Post) -> None:
    """All that waits goes out."""
    for mail in list_outbox(club.house, "waiting", 1000):
        with writing(club.house.engine) as connection:
            note(connection, [(mail, Delivered())], club.clock())


def test_unsubscribing_brings_no_mail_back(club: Post) -> None:
    """Any mail from a player who has stopped all mail brings it back; the link in a digest does not."""
    club.mail(BOB, "set broadcast on")
    club.mail(ALICE, "broadcast", "Hello to all!")
    key = key_of(club.sent_to(BOB)[-1])
    unsubscribe(club.house, key_of(club.sent_to(BOB)[0]), club.clock())
    link = unsubscribe(club.house, key, club.clock())
    assert link is not None
    assert link.has_left
    assert player(club, "bob").mail.is_off


def test_a_revoked_link_does_nothing(club: Post) -> None:
    key = key_of(club.sent_to(BOB)[-1])
    club.mail(BOB, "revoke")
    assert find_leave_link(club.house, key, club.clock()) is None
    assert unsubscribe(club.house, key, club.clock()) is None
    assert not player(club, "bob").mail.is_off


def test_a_link_to_an_account_that_is_gone_does_nothing(club: Post) -> None:
    """Nor does it for whoever has the address now."""
    key = key_of(club.sent_to(BOB)[-1])
    (question,) = club.mail(BOB, "delete")
    club.answer(question, "yes")
    assert unsubscribe(club.house, key, club.clock()) is None
    club.people(bob="cumin")
    assert unsubscribe(club.house, key, club.clock()) is None
    assert not player(club, "bob").mail.is_off


def test_a_link_lasts_as_long_as_an_answer_proves_anything(club: Post) -> None:
    """And no longer than its mail is kept."""
    key = key_of(club.sent_to(BOB)[-1])
    assert find_leave_link(club.house, key, club.clock() + WORDS_LAST - timedelta(minutes=1)) is not None
    assert find_leave_link(club.house, key, club.clock() + WORDS_LAST) is None
    hand_over(club)
    list(purge(club.house, club.clock() + timedelta(days=1), club.clock()))
    assert find_leave_link(club.house, key, club.clock()) is None


def test_a_link_of_another_address_that_is_theirs_no_more(club: Post) -> None:
    """What was mailed to an address that the player gave up stops nothing."""
    key = key_of(club.sent_to(BOB)[-1])
    with writing(club.house.engine) as connection:
        connection.execute(update(addresses).where(addresses.c.address == BOB).values(address="b@example.org"))
    assert unsubscribe(club.house, key, club.clock()) is None


def test_who_is_banned_can_stop_mail(club: Post) -> None:
    ban(club.house, "bob", "", club.clock())
    assert unsubscribe(club.house, key_of(club.sent_to(BOB)[0]), club.clock()) is not None
    assert player(club, "bob").mail.is_off


def test_without_tagged_addresses_the_link_proves_itself(post: Post) -> None:
    """A mail to the plain address proves nothing, so it asks; the link does what it says."""
    club = post.with_server(site_url=SITE, delimiter="")
    club.people(alice="sesame")
    asking = club.with_server(confirm="ask")
    (letter,) = asking.mail(ALICE, "help")
    assert command_of(letter) == ("pbmserv@club.test", "set mail off")
    unsubscribe(club.house, key_of(letter), club.clock())
    assert player(club, "alice").mail.is_off


def test_what_gmail_writes_for_its_reader(club: Post) -> None:
    """Its button sends the command, and a sentence below it that is meant for nobody."""
    address, command = command_of(club.sent_to(BOB)[-1])
    asking = club.with_server(confirm="ask")
    words = "This message was automatically generated by Gmail."
    asking.send(asking.write(BOB, command, words, To=address), BOB, [address])
    assert player(club, "bob").mail.is_off


def test_a_mail_of_ours_that_comes_back_stops_nothing(club: Post) -> None:
    """Forwarded to us by a rule, or sent on by hand: it is ours, automatic, and of a list."""
    letter = club.sent_to(BOB)[-1]
    letters = len(club.letters())
    for raw in (letter.raw, b"Resent-From: bob@example.org\r\n" + letter.raw):
        assert club.send(raw, BOB) == []
    without_loop = re.sub(rb"(?m)^(X-Pbmserv-Loop|From): .*\r\n", b"", letter.raw)
    assert club.send(b"From: bob@example.org\r\n" + without_loop, BOB) == []
    assert len(club.letters()) == letters
    assert club.fates()[-3:] == ["silent"] * 3


def test_two_servers_that_mail_each_other_come_to_rest(club: Post) -> None:
    """A letter of ours, handed in as mail from another server of the kind, brings no answer."""
    letter = club.sent_to(BOB)[-1]
    other = club.with_server(address="games@other.test")
    assert other.send(letter.raw, "games@other.test", ["games@other.test"]) == []
