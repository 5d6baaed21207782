"""Floods: a house whose passwords are counted, and mails that nobody meant well with."""

from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mails
from pbmserv.services.worker import process_next
from tests.conftest import ADDRESS
from tests.services.hashing import CountingHasher
from tests.services.post import Post

ALICE, BOB, EVE = "alice@example.org", "bob@example.org", "eve@evil.example"


def counting(post: Post, hasher: CountingHasher) -> Post:
    """The same post, where it is counted what is hashed and verified; alice and bob play on board 101."""
    here = post.house
    club = Post(App(here.engine, here.server, here.new_token, hasher), post.clock)
    club.people(alice="sesame", bob="poppy")
    club.mail(ALICE, "challenge alice bob -size=3x3")
    # What unknown userids are held against is made once.
    club.mail(BOB, "resign 101 nobody guess")
    club.clock.move(hours=2)
    return club


def costs(hasher: CountingHasher) -> int:
    """How much that is slow was done so far."""
    return hasher.verified + hasher.hashed


def bring(post: Post, raw: bytes, host: str, sender: str = EVE, is_handed_on: bool = False) -> None:
    """Keeps a mail as the listener does that a host has brought, and handles all."""
    (number,) = receive_mails(
        post.house, [IncomingEnvelope(raw, sender, (ADDRESS,), host, is_handed_on)], post.clock()
    )
    assert isinstance(number, int)
    post.work()


def handled_first(post: Post) -> int:
    """Handles one mail, and gives its number."""
    waiting = {kept.id for kept in post.inbox() if kept.status == "waiting"}
    assert process_next(post.house, post.clock)
    (done,) = waiting - {kept.id for kept in post.inbox() if kept.status == "waiting"}
    return done
