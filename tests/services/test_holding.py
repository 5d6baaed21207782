"""A mail in hand is nobody else's; proving a password, which is slow, keeps nobody waiting."""

from collections.abc import Callable
from typing import Literal

from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.worker import Safeguards, process_next
from pbmserv.store import inbox
from pbmserv.store.engine import writing
from tests.conftest import ADDRESS, NOON, Clock
from tests.services.post import Post


class Watched(PasswordHasher):
    """Looks around whenever a password is proven."""

    def __init__(self, quick: PasswordHasher) -> None:
        super().__init__(time_cost=quick.time_cost, memory_cost=quick.memory_cost, parallelism=1)
        self.look: Callable[[], object] = lambda: None

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002
        """As ever."""
        self.look()
        return super().verify(hash, password)


def house_of(house: App, quick_hasher: PasswordHasher) -> tuple[Post, Watched]:
    """A club where passwords are asked for, and whoever looks around meanwhile."""
    hasher = Watched(quick_hasher)
    post = Post(App(house.engine, Server(ADDRESS, variants=True), house.new_token, hasher), Clock())
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob")
    return post, hasher


def test_a_mail_in_hand_is_held(postgresql_house: App, quick_hasher: PasswordHasher) -> None:
    """From the moment that a worker marks it, while it proves a password, and until it is done."""
    post, hasher = house_of(postgresql_house, quick_hasher)
    mail_id = post.put(post.write("alice@example.org", "move 101 alice sesame c3"))
    others: list[object] = []

    def try_to_take() -> None:
        with writing(post.house.engine) as connection:
            others.append(inbox.take(connection, NOON))

    hasher.look = try_to_take
    assert process_next(
        post.house, post.clock, Safeguards(lambda marked: try_to_take() if marked == mail_id else None)
    )
    assert others == [None, None]
    assert post.row(mail_id).status == "handled"


def test_nobody_waits_for_a_password(sqlite_house: App, quick_hasher: PasswordHasher) -> None:
    """SQLite knows but one lock: while a password is proven others can write, and the mail is handled once."""
    post, hasher = house_of(sqlite_house, quick_hasher)
    mail_id = post.put(post.write("alice@example.org", "move 101 alice sesame c3"))
    kept: list[int] = []
    hasher.look = lambda: kept.append(post.put(post.write("bob@example.org", "help")))
    assert process_next(post.house, post.clock)
    assert len(kept) == 1
    assert post.row(mail_id).status == "handled"


def test_two_on_sqlite_prove_and_one_carries_out(sqlite_house: App, quick_hasher: PasswordHasher) -> None:
    """Another worker was quicker while the password was proven: nothing is done twice."""
    post, hasher = house_of(sqlite_house, quick_hasher)
    mail_id = post.put(post.write("alice@example.org", "move 101 alice sesame c3"))
    before = len(post.letters())

    def quicker() -> None:
        hasher.look = lambda: None
        assert process_next(post.house, post.clock)

    hasher.look = quicker
    assert not process_next(post.house, post.clock)
    assert post.row(mail_id).status == "handled"
    assert len(post.letters()) == before + 2
