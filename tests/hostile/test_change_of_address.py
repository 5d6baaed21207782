"""An account whose address a thief has changed: its owner gets it back, and nobody else does."""

import pytest

from pbmserv.services.admin.act import CannotOperate, give_address
from pbmserv.services.views import list_players
from pbmserv.store.engine import reading
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.players import password_hash
from pbmserv.store.queries import TransactionQueries
from tests.conftest import ADDRESS
from tests.services.post import Post, header_of, text_of

ALICE, BOB, CARL = "alice@example.org", "bob@example.org", "carl@example.org"
EVIL, EVIL_TOO, EVIL_THREE = "evil@evil.example", "evil@too.example", "evil@three.example"


def change(post: Post, to: str, password: str = "sesame", verb: str = "change address") -> list[QueuedMessage]:
    """Somebody who knows the password changes alice's address, and the new one says yes: what this brings."""
    post.mail(to, f"{verb} alice {password} {to}")
    post.clock.move(minutes=1)
    brought = post.answer(post.sent_to(to)[-1], "yes")
    post.clock.move(minutes=1)
    return brought


def theirs(post: Post, userid: str = "alice") -> list[str]:
    """A player's addresses, the first one first."""
    with reading(post.house.engine) as connection:
        records = TransactionQueries(connection)
        player = records.player(userid)
        return [*records.addresses(player)] if player else []


def has_password(post: Post) -> bool:
    """Whether alice has one in force."""
    with reading(post.house.engine) as connection:
        return password_hash(connection, "alice") != "-"


def take_back(post: Post, letter: QueuedMessage, word: str = "no", **headers: str) -> str:
    """What the first letter says that an answer to this one brings."""
    (answer, *_) = post.answer(letter, word, **headers)
    post.clock.move(minutes=1)
    return text_of(answer)


def plain(text: str, address: str) -> list[str]:
    """The words of a text, wherever its lines are broken, without an address."""
    return text.replace(address, "X").split()


def told(post: Post, address: str = ALICE) -> list[QueuedMessage]:
    """The mails to an address that tell it of a new one."""
    return [each for each in post.sent_to(address) if header_of(each, "Subject") == "pbmserv: your address"]


def test_a_thief_who_knows_the_password_changes_the_address(club: Post) -> None:
    """A thief with the password has all mail go elsewhere: the owner learns where, and takes it back."""
    change(club, EVIL)
    assert theirs(club) == [EVIL]
    (letter,) = told(club)
    assert EVIL in text_of(letter)
    assert "alice" in text_of(letter)
    said = take_back(club, letter)
    assert theirs(club) == [ALICE]
    assert not has_password(club)
    assert "forgot alice" in said
    assert "Board 101" in said
    assert "taken" in text_of(club.sent_to(EVIL)[-1])


def test_the_password_that_the_thief_knows_is_used_again(club: Post) -> None:
    """The thief changes the address once more by the password that did it before: it is worthless now."""
    change(club, EVIL)
    take_back(club, told(club)[0])
    club.mail(BOB, f"change address alice sesame {EVIL_TOO}")
    assert "not the password" in text_of(club.sent_to(BOB)[-1])
    assert club.sent_to(EVIL_TOO) == []
    assert theirs(club) == [ALICE]


def test_a_chain_of_changes(club: Post) -> None:
    """The thief changes the address three times, so that the owner's mail is about one that is gone already."""
    for address in (EVIL, EVIL_TOO, EVIL_THREE):
        change(club, address)
        club.clock.move(days=1)
    assert theirs(club) == [EVIL_THREE]
    take_back(club, told(club)[0])
    assert theirs(club) == [ALICE]
    for address in (EVIL, EVIL_TOO):
        said = " ".join(take_back(club, told(club, address)[0]).split())
        assert "this address has no account here, so nothing was done" in said
    assert theirs(club) == [ALICE]


def test_the_thief_takes_back_first(club: Post) -> None:
    """The thief's first address takes back the second before the owner reads mail: the owner still can."""
    change(club, EVIL)
    change(club, EVIL_TOO)
    take_back(club, told(club, EVIL)[0])
    assert theirs(club) == [EVIL]
    take_back(club, told(club)[0])
    assert theirs(club) == [ALICE]


def test_an_address_is_added_before_and_changed_to_after(club: Post) -> None:
    """The thief adds an address, has another take the first place, and goes on from the added one."""
    change(club, EVIL_TOO, verb="add")
    assert theirs(club) == [ALICE, EVIL_TOO]
    change(club, EVIL)
    assert theirs(club) == [EVIL, EVIL_TOO]
    take_back(club, told(club)[-1])
    assert theirs(club) == [ALICE]


def test_an_address_that_is_added_in_silence(club: Post) -> None:
    """The thief only adds an address, to write from there for ever: the first one learns of it and can end it."""
    change(club, EVIL, verb="add")
    (letter,) = told(club)
    assert EVIL in text_of(letter)
    take_back(club, letter)
    assert theirs(club) == [ALICE]
    assert not has_password(club)


def test_the_account_is_deleted_at_once(club: Post) -> None:
    """The thief deletes the account before its owner reads mail: that waits as long as it can be taken back."""
    change(club, EVIL)
    (refused,) = club.mail(EVIL, "delete alice sesame")
    assert "Nothing is deleted" in text_of(refused)
    take_back(club, told(club)[0])
    assert theirs(club) == [ALICE]


def test_a_question_is_left_open(club: Post) -> None:
    """The thief has a new address asked, and a new password, before the owner takes back, and says yes after."""
    change(club, EVIL)
    club.mail(EVIL_TOO, f"change address alice sesame {EVIL_TOO}")
    asked = club.sent_to(EVIL_TOO)[-1]
    club.mail(EVIL, "forgot alice")
    forgot = club.sent_to(EVIL)[-1]
    club.clock.move(minutes=1)
    take_back(club, told(club)[0])
    club.answer(asked, "yes")
    club.answer(forgot, "yes stolen")
    assert theirs(club) == [ALICE]
    assert not has_password(club)


def test_a_new_password_closes_nothing(club: Post) -> None:
    """The thief sets a new password, which ends older words: not the owner's week."""
    change(club, EVIL)
    club.mail(EVIL, "change password alice sesame stolen")
    take_back(club, told(club)[0])
    assert theirs(club) == [ALICE]
    assert not has_password(club)


def test_the_mail_to_the_owner_is_crowded_out(club: Post) -> None:
    """The thief has the owner's address flooded with questions first, so that the limits keep ours back."""
    for number in range(40):
        club.mail(EVIL, f"signup name{number} poppy {ALICE}")
        club.mail(EVIL, "forgot alice")
        club.mail(ALICE, "resign 101")
        if number % 8 == 0:
            club.clock.move(hours=1)
    change(club, EVIL)
    assert len(told(club)) == 1


def test_a_stranger_opens_an_account_for_the_old_address(club: Post) -> None:
    """The thief signs somebody up with the old address, so that it is taken when the owner wants it back."""
    change(club, EVIL)
    club.mail(EVIL_TOO, f"signup mallory poppy {ALICE}")
    take_back(club, told(club)[0])
    assert theirs(club) == [ALICE]
    assert not club.is_confirmed("mallory")


def test_the_old_address_has_an_account_of_its_own_by_then(club: Post) -> None:
    """The owner has opened a new account there meanwhile: nothing breaks, and the sentence says what to do."""
    change(club, EVIL)
    club.mail(ALICE, "signup alison poppy")
    club.answer(club.sent_to(ALICE)[-1], "yes")
    assert club.is_confirmed("alison")
    (letter,) = told(club)
    said = take_back(club, letter)
    assert "another account" in said
    assert theirs(club) == [EVIL]
    club.answer(club.answer(club.sent_to(ALICE)[-1], "delete")[0], "yes")
    take_back(club, letter)
    assert theirs(club) == [ALICE]


def test_taking_back_from_another_address(club: Post) -> None:
    """Somebody got hold of the mail that can take back and answers it from their own mailbox."""
    change(club, "alice@home.example")
    club.answer(told(club)[0], "no", sender=EVIL)
    assert theirs(club) == ["alice@home.example"]


def test_taking_back_with_a_guessed_word(club: Post) -> None:
    """Somebody forges the old address as From and makes the word up."""
    change(club, "alice@home.example")
    club.mail(ALICE, "no abcdefghij0123456789")
    club.mail(ALICE, "Re: pbmserv: your address", "no", To="pbmserv+abcdefghij0123456789@club.test")
    assert theirs(club) == ["alice@home.example"]


def test_taking_back_once_more(club: Post) -> None:
    """A mail that has taken back is answered again after the owner has changed the address for good."""
    change(club, EVIL)
    letter = told(club)[0]
    take_back(club, letter)
    club.answer(club.mail(ALICE, "forgot")[0], "yes tahini")
    change(club, "alice@home.example", "tahini")
    take_back(club, letter)
    assert theirs(club) == ["alice@home.example"]


def test_taking_back_after_a_week(club: Post) -> None:
    """Somebody who got the old mailbox a week later wants the account."""
    change(club, "alice@home.example")
    club.clock.move(days=7)
    take_back(club, told(club)[0])
    assert theirs(club) == ["alice@home.example"]
    assert has_password(club)


def test_the_old_mailbox_is_read_by_somebody_else(club: Post) -> None:
    """Somebody who now reads the old mailbox answers the boards that went there."""
    change(club, "alice@home.example")
    (board,) = [each for each in club.sent_to(ALICE) if each.match == 101][-1:]
    club.answer(board, "b2", sender=ALICE)
    assert club.moves() == []


def test_two_changes_that_are_meant(club: Post) -> None:
    """No attack: the owner changes twice in a week, says yes in the mailboxes that are left, and is done."""
    change(club, "alice@home.example")
    assert "stays" in take_back(club, told(club)[0], "yes")
    change(club, "alice@work.example")
    assert "stays" in take_back(club, told(club, "alice@home.example")[0], "yes")
    assert theirs(club) == ["alice@work.example"]
    assert has_password(club)
    (asked,) = club.mail("alice@work.example", "delete alice sesame")
    assert "yes" in text_of(asked)


@pytest.mark.parametrize(
    "address", [ADDRESS, "pbmserv+x@club.test", "PBMSERV-b.1@club.test", "postmaster@club.test"]
)
@pytest.mark.parametrize(
    "line", ["add alice sesame {}", "change address alice sesame {}", "signup mallory poppy {}"]
)
def test_the_servers_own_address(club: Post, line: str, address: str) -> None:
    """Somebody makes the server write to itself by an account with one of its own addresses."""
    (refused,) = club.mail(ALICE, line.format(address))
    assert "belongs to this server" in text_of(refused)
    assert club.sent_to(address.lower()) == []


@pytest.mark.parametrize(
    "line", ["add alice sesame {}", "change address alice sesame {}", "signup mallory poppy {}"]
)
def test_asking_who_plays_here(club: Post, line: str) -> None:
    """Somebody names a third party's address to find out whether it is a player's: the sentence is the same."""
    said = []
    for address in (BOB, "nobody@example.org"):
        club.mail(CARL, line.format(address))
        said.append(text_of(club.sent_to(ALICE)[-1] if "alice" in line else club.sent_to(CARL)[-1]))
        club.mail(CARL, "signup other poppy")
    assert plain(said[0], BOB) == plain(said[1], "nobody@example.org")


def test_asking_twice_who_plays_here(club: Post) -> None:
    """The third party's address is named again and again: the answer is the same each time."""
    said = {}
    for address in (BOB, "nobody@example.org"):
        said[address] = [
            plain(text_of(club.mail("spy@example.org", f"signup {name} poppy {address}")[0]), address)
            for name in ("dora", "dora", "erna")
        ]
        club.clock.move(days=8)
    assert said[BOB] == said["nobody@example.org"]


# the operator helps


def test_the_operator_gives_an_address(club: Post) -> None:
    """The old mailbox is a thief's, there is no password: the operator's word ends all that the thief has."""
    change(club, EVIL)
    change(club, EVIL_TOO, verb="add")
    assert give_address(club.house, "ALICE", "Alice@New.example", club.clock()) == "alice"
    assert theirs(club) == [EVIL, EVIL_TOO]
    asked = club.sent_to("alice@new.example")[-1]
    warned = club.sent_to(EVIL)[-1]
    assert "The operator" in text_of(warned)
    club.clock.move(minutes=1)
    club.mail(EVIL, "change password alice sesame stolen")
    (answer, *_) = club.answer(asked, "yes")
    assert "Board 101" in text_of(answer)
    assert theirs(club) == ["alice@new.example"]
    assert not has_password(club)
    for address in (ALICE, EVIL):
        take_back(club, told(club, address)[-1])
    assert theirs(club) == ["alice@new.example"]


def test_the_operator_is_told_what_cannot_be(club: Post) -> None:
    """The operator mistypes: nothing changes, and nobody is written to."""
    before = len(club.letters())
    for userid, address in (("nobody", "x@new.example"), ("alice", "x"), ("alice", ADDRESS), ("alice", BOB)):
        with pytest.raises(CannotOperate):
            give_address(club.house, userid, address, club.clock())
    assert len(club.letters()) == before
    assert len(list_players(club.house)) == 3
