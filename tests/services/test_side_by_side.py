"""Two mails decided side by side on SQLite end as if one had come after the other, whatever they are about.

Each pair is played four times: in one order, in the other, and with both read before either is decided, either of
them first. The barrier between reading and deciding is no matter of timing here: both are called in turn.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Connection, delete, select

from pbmserv.commands import policy
from pbmserv.commands.changes import NewAddress
from pbmserv.commands.server import Server
from pbmserv.services import opening, worker
from pbmserv.services.app import App
from pbmserv.services.pending import PendingMail
from pbmserv.services.worker import decide_mails, process_one, read_mail
from pbmserv.store import accounts, inbox, players
from pbmserv.store.engine import reading, writing
from pbmserv.store.inbox import InboxMessage, claim
from pbmserv.store.tables import addresses, blocks, entries, matches, metadata, offers
from pbmserv.store.tables import players as player_table
from tests.conftest import ADDRESS, NOON, make_house
from tests.services.post import Post, address_of, header_of, text_of

Mails = tuple[int, int]


@dataclass(frozen=True)
class Pair:
    """Two mails that want something of the same thing."""

    # Brings a club to where both are sent, and keeps them: the first and the second.
    prepare: Callable[[Post], Mails]


def put(post: Post, who: str, line: str, sender: str = "") -> int:
    """Keeps a mail with one line."""
    address = sender or f"{who}@example.org"
    return post.put(post.write(address, line), address)


def answer(post: Post, who: str, line: str, board: str = "101") -> int:
    """Keeps the answer to the newest mail about a board that went to somebody."""
    mine = [mail for mail in post.sent_to(f"{who}@example.org") if f"Board {board}" in header_of(mail, "Subject")]
    raw = post.write(
        f"{who}@example.org",
        "Re: board",
        line,
        To=address_of(mine[-1]),
        In_Reply_To=header_of(mine[-1], "Message-ID"),
    )
    return post.put(raw, f"{who}@example.org", [address_of(mine[-1])])


def accept_and_accept(post: Post) -> Mails:
    """Two want the one seat that is open."""
    post.mail("alice@example.org", "seek")
    return put(post, "bob", "accept 1"), put(post, "carl", "accept 1")


def sign_up_and_sign_up(post: Post) -> Mails:
    """Two want the same name."""
    return put(post, "dora", "signup dora secret"), put(post, "dora", "signup dora another", "dora@second.example")


def two_last_shows(post: Post) -> Mails:
    """The last answer of an hour is asked for from two addresses of one player."""
    with writing(post.house.engine) as connection:
        player = players.find(connection, "alice")
        assert player is not None
        accounts.write_account_change(connection, NewAddress(player.id, "a@work.example", is_first=False), NOON)
    post.mail("alice@example.org", "show 101")
    return put(post, "alice", "show 101"), put(post, "alice", "show 101", "a@work.example")


def move_and_revoke(post: Post) -> Mails:
    """A move by a personal address that is revoked meanwhile, from another address of its player."""
    with writing(post.house.engine) as connection:
        player = players.find(connection, "alice")
        assert player is not None
        accounts.write_account_change(connection, NewAddress(player.id, "a@work.example", is_first=False), NOON)
    return answer(post, "alice", "c3"), put(post, "alice", "revoke", "a@work.example")


def move_and_take_back(post: Post) -> Mails:
    """A move on a board on which the last one is taken back meanwhile, by the consent of another."""
    post.mail("alice@example.org", "move 102 c3")
    post.mail("alice@example.org", "undo 102")
    return put(post, "bob", "move 102 d4"), put(post, "carl", "accept 102")


def move_and_move(post: Post) -> Mails:
    """Two moves one after the other, which came in the same moment."""
    return put(post, "alice", "move 101 c3"), put(post, "bob", "move 101 c4")


def move_and_setting(post: Post) -> Mails:
    """A move that is told to a player who wants no HTML any more."""
    return put(post, "alice", "move 101 c3"), put(post, "bob", "set html off")


def move_and_block(post: Post) -> Mails:
    """Words with a move to somebody who ignores their writer meanwhile."""
    words = post.write("alice@example.org", "move 101 c3", "move 101 c3\n\nGood luck to you!\n")
    return post.put(words, "alice@example.org"), put(post, "bob", "block alice")


def challenge_and_block(post: Post) -> Mails:
    """A challenge to somebody who ignores the challenger meanwhile."""
    return put(post, "alice", "challenge alice carl"), put(post, "carl", "block alice")


def queue_and_move(post: Post) -> Mails:
    """A queued answer to a move that comes meanwhile."""
    return put(post, "bob", "queue 101 if c3 then c4"), put(post, "alice", "move 101 c3")


def draw_and_move(post: Post) -> Mails:
    """A draw that is agreed to while somebody moves."""
    post.mail("alice@example.org", "move 101 c3")
    post.mail("alice@example.org", "propose 101")
    return put(post, "bob", "accept 101"), put(post, "alice", "resign 101")


PAIRS = {
    "accept, accept": Pair(accept_and_accept),
    "signup, signup": Pair(sign_up_and_sign_up),
    "the last answer twice": Pair(two_last_shows),
    "move, revoke": Pair(move_and_revoke),
    "move, take-back": Pair(move_and_take_back),
    "move, move": Pair(move_and_move),
    "move, setting": Pair(move_and_setting),
    "move, block": Pair(move_and_block),
    "challenge, block": Pair(challenge_and_block),
    "queue, move": Pair(queue_and_move),
    "draw, resignation": Pair(draw_and_move),
}


@pytest.fixture
def new_post(tmp_path: Path, quick_hasher: PasswordHasher, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Post]:
    """Makes clubs of three with two boards, in files of their own."""
    monkeypatch.setattr(policy, "SHOWN", replace(policy.SHOWN, most=2))
    made: list[Post] = []

    def make() -> Post:
        url = f"sqlite:///{tmp_path / f'{len(made)}.db'}"
        post = Post(make_house(url, quick_hasher, Server(ADDRESS, variants=True, confirm="from")))
        post.people(alice="sesame", bob="poppy", carl="lotus")
        post.mail("alice@example.org", "challenge alice bob")
        post.mail("alice@example.org", "challenge alice bob carl")
        made.append(post)
        return post

    return make


def in_turn(post: Post, mails: Sequence[int]) -> None:
    """Processes one after the other, each under the lock."""
    for each in mails:
        assert process_one(post.house, each, post.clock)


def at_once(post: Post, mails: Mails, first: int) -> list[int]:
    """Reads both, then decides, the mail `first` first; those to be read again are. Gives these."""
    with reading(post.house.engine) as connection:
        waiting = {each: claim(connection, each, post.clock()) for each in mails}
    found = {each: read_mail(post.house, message, post.clock) for each, message in waiting.items() if message}
    again = []
    for each in sorted(mails, key=lambda mail: mail != first):
        if decide_mails(post.house, [found[each]], post.clock) == [None]:
            again.append(each)
            process_one(post.house, each, post.clock)
    return again


def outcome(post: Post, mails: Mails) -> dict[str, object]:
    """All that people could tell, however the rows are numbered."""
    found: dict[str, object] = {}
    with reading(post.house.engine) as connection:
        for table in (matches, entries, blocks, offers, addresses, player_table):
            hidden = {"password_hash"} if table is player_table else set()
            columns = [column for column in table.c if column.name not in hidden]
            found[table.name] = sorted(map(repr, connection.execute(select(*columns))))
    assert {table.name for table in metadata.sorted_tables} >= set(found)
    found["mails"] = sorted(
        (mail.kind, mail.recipient, b"text/html" in mail.raw, re.sub(r"\b[tkwl]\d+\b", "*", text_of(mail)))
        for mail in post.letters()
    )
    found["inbox"] = [post.row(each).status for each in mails]
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", PAIRS)
def test_ends_as_in_one_order_or_the_other(name: str, new_post: Callable[[], Post]) -> None:
    """Both in turn, either first; then side by side, either written first: no third result."""
    orders = []
    for is_reversed in (False, True):
        post = new_post()
        mails = PAIRS[name].prepare(post)
        in_turn(post, mails[::-1] if is_reversed else mails)
        orders.append(outcome(post, mails))
    assert orders[0] != orders[1], "a pair whose order makes no difference shows nothing"
    for place in (0, 1):
        post = new_post()
        mails = PAIRS[name].prepare(post)
        assert mails[place] not in at_once(post, mails, mails[place])
        assert outcome(post, mails) == orders[place]


def test_what_nobody_touched_is_written_as_decided(new_post: Callable[[], Post]) -> None:
    """Two moves on two boards disturb one another as little as two people who only look."""
    post = new_post()
    mails = put(post, "alice", "move 101 c3"), put(post, "carl", "show 102")
    assert at_once(post, mails, mails[1]) == []
    assert post.moves() == ["C3"]


def test_a_second_copy_is_no_second_move(new_post: Callable[[], Post]) -> None:
    """One mail that came twice, by two roads, both copies decided before one is written."""
    post = new_post()
    raw = post.write("alice@example.org", "move 101 c3")
    mails = post.put(raw, "alice@example.org"), post.put(raw, "other@example.org")
    with writing(post.house.engine) as connection:  # as if another From had made it another sender's
        connection.exec_driver_sql("UPDATE inbox SET sender = 'x' WHERE id = ?", (mails[1],))
    assert at_once(post, mails, mails[0]) == [mails[1]]
    assert [post.row(each).status for each in mails] == ["handled", "duplicate"]
    assert post.moves() == ["C3"]


def test_nothing_is_written_if_one_write_fails(
    new_post: Callable[[], Post], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A decision is all or nothing, even if its last statement fails; what was decided beside it stands."""
    post = new_post()
    mails = put(post, "alice", "move 101 c3"), put(post, "carl", "show 102")
    with reading(post.house.engine) as connection:
        waiting = [claim(connection, each, post.clock()) for each in mails]
    found = [read_mail(post.house, message, post.clock) for message in waiting if message]
    finish = inbox.finish

    def finish_but_one(connection: Connection, mail_id: int, *others: Any, **named: Any) -> None:
        if mail_id == mails[0]:
            raise ZeroDivisionError
        finish(connection, mail_id, *others, **named)

    monkeypatch.setattr(inbox, "finish", finish_but_one)
    first, second = decide_mails(post.house, found, post.clock)
    assert first is None
    assert second is not None
    assert post.moves() == []
    assert [post.row(each).status for each in mails] == ["waiting", "handled"]


def test_a_mail_is_read_again_if_its_sender_changes_meanwhile(
    new_post: Callable[[], Post], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account is deleted between the reading of its mail, outside the lock, and its commands, inside."""
    post = new_post()
    mail = put(post, "alice", "resign 101")
    read: list[str | None] = []
    open_mail = opening.open_mail

    def open_and_change(connection: Connection, app: App, message: InboxMessage) -> PendingMail:
        opened = open_mail(connection, app, message)
        read.append(opened.identity.player.userid if opened.identity.player else None)
        if len(read) == 1:
            with writing(post.house.engine) as other:
                other.execute(delete(addresses).where(addresses.c.address == "alice@example.org"))
        return opened

    monkeypatch.setattr(worker, "open_mail", open_and_change)
    assert process_one(post.house, mail, post.clock)
    assert read == ["alice", None]
    with reading(post.house.engine) as connection:
        assert not connection.execute(select(entries).where(entries.c.kind == "resigned")).all()
