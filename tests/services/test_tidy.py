"""Tidying: old mails' words go, and nobody who plays can tell."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Row, event, func, insert, select, text, update

from pbmserv.matches.queries import ListingQuery
from pbmserv.services.admin.check import check
from pbmserv.services.admin.mails import retry
from pbmserv.services.app import App
from pbmserv.services.scheduler.retention import Purged, count_old, discard, purge
from pbmserv.services.views import list_boards, load_board
from pbmserv.store import mail_tokens, players, retention
from pbmserv.store.engine import reading, writing
from pbmserv.store.inbox import ANSWERS, PLAYERS, priorities_of
from pbmserv.store.mail_tokens import AnsweredMail
from pbmserv.store.outbox import QueuedMessage
from pbmserv.store.tables import addresses, bounces, inbox, old_tokens, outbox
from tests.conftest import NOON, Clock
from tests.services.post import Post, text_of, thread_word_of, token_of

BOB = "bob@example.org"
KEEP = timedelta(days=90)
WORD = "Plugh-77"


def tidied(house: App, now: datetime, keep: timedelta = KEEP) -> Purged:
    """Tidies to the end, and gives what was done in all."""
    return sum(purge(house, now - keep, now), Purged())


def rows(house: App, table: Any) -> list[Row[Any]]:
    """A whole table, in order."""
    with reading(house.engine) as connection:
        return list(connection.execute(select(table).order_by(table.c.id)))


def hand_over(house: App, status: str = "sent") -> None:
    """All that waits in the outbox is sent, or has failed."""
    with writing(house.engine) as connection:
        connection.execute(update(outbox).where(outbox.c.status == "waiting").values(status=status, error=WORD))


def note_bounce(house: App, outbox_id: int, at: datetime, address: str = "x@example.org") -> None:
    """A mail of ours has come back."""
    row = {"outbox_id": outbox_id, "address": address, "at": at, "is_hard": True, "reason": "gone"}
    with writing(house.engine) as connection:
        connection.execute(insert(bounces).values(row))


@dataclass(frozen=True)
class Told:
    """What people can see of a house."""

    boards: object
    listing: object


def told(house: App) -> Told:
    """All boards whole, and the listing."""
    listing = list_boards(house, ListingQuery(filter="all", count=1000))
    return Told([load_board(house, line.number) for line in listing.lines], listing)


def set_one_aside(post: Post) -> int:
    """A mail that our own failure has stopped."""
    mail_id = post.put(post.write("alice@example.org", f"as alice {WORD}"))
    with writing(post.house.engine) as connection:
        changed = {"status": "set aside", "tries": 5, "error": "KeyError"}
        connection.execute(update(inbox).where(inbox.c.id == mail_id).values(changed))
    return mail_id


def test_what_goes_and_what_stays(post: Post, clock: Clock) -> None:
    post.people(alice="sesame", bob="poppy")
    hand_over(post.house, "failed")
    raw = post.write("alice@example.org", "challenge alice bob -size=3x3")
    post.send(raw)
    post.send(raw)
    post.mail("alice@example.org", "help", Auto_Submitted="auto-generated")
    hand_over(post.house)
    set_aside = set_one_aside(post)
    note_bounce(post.house, 1, clock())
    clock.move(days=60)
    post.mail("alice@example.org", "101 b2")
    hand_over(post.house)
    post.mail("bob@example.org", "list")
    note_bounce(post.house, 2, clock())
    clock.move(days=31)
    waiting = post.put(post.write("bob@example.org", "101 c3"))
    before_in, before_out = rows(post.house, inbox), rows(post.house, outbox)
    old_in = [row for row in before_in if row.handled_at is not None and row.id < set_aside]
    old_out = [row for row in before_out if row.created_at < clock() - KEEP]
    assert [row.status for row in old_in] == ["handled"] * 3 + ["duplicate", "silent"]
    assert {row.status for row in old_out} == {"sent", "failed"}

    of_boards = [row for row in old_out if row.match is not None]
    assert len(of_boards) == 2
    expected = Purged(len(old_in), len(old_out), 1)
    assert count_old(post.house, clock() - KEEP) == len(old_in) + len(old_out)
    assert tidied(post.house, clock()) == expected
    assert count_old(post.house, clock() - KEEP) == 0
    assert tidied(post.house, clock()) == Purged()

    assert rows(post.house, inbox) == [row for row in before_in if row not in old_in]
    assert {row.id for row in rows(post.house, inbox)} >= {set_aside, waiting}
    assert rows(post.house, outbox) == [row for row in before_out if row not in old_out]
    with reading(post.house.engine) as connection:
        kept = connection.execute(select(old_tokens)).all()
    assert {row.outbox_id for row in kept} == {row.id for row in of_boards}
    assert len(kept) == 2 * len(of_boards)
    with reading(post.house.engine) as connection:
        assert connection.execute(select(bounces.c.outbox_id)).scalars().all() == [2]

    assert retry(post.house, set_aside, clock())
    post.work()
    assert {post.row(mail_id).status for mail_id in (set_aside, waiting)} == {"handled"}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_nobody_can_tell(post: Post, clock: Clock, seed: int) -> None:
    """At any age, however often: the check is clean, boards and listings are as before, second copies known."""
    chance = random.Random(seed)
    post.people(alice="sesame", bob="poppy")
    texts = ["challenge alice bob -size=3x3", "challenge bob alice -size=3x3", "list", "games alice", "hello"]
    texts += [f"{board} {square}" for board in (101, 102) for square in ("a1", "b2", "c3", "a3", "c1", "resign")]
    written = []
    for _ in range(40):
        sender = chance.choice(["alice@example.org", "bob@example.org", "eve@example.org"])
        raw = post.write(sender, chance.choice(texts))
        post.send(raw, sender)
        if post.fates()[-1] == "handled":
            written.append(raw)
        if chance.random() < 0.5:
            hand_over(post.house, chance.choice(["sent", "failed"]))
        clock.move(days=chance.choice([0, 0.01, 1, 10]))
        if chance.random() < 0.2:
            before = told(post.house)
            tidied(post.house, clock(), timedelta(days=chance.choice([14, 30, 90])))
            assert told(post.house) == before
            assert check(post.house) == []
    before, letters = told(post.house), len(post.letters())
    assert before.listing.total > 0  # type: ignore[attr-defined]
    clock.move(days=91)
    assert tidied(post.house, clock()).received > 0
    assert [bytes(row.raw) for row in rows(post.house, inbox)] == [b""], "only the newest row is there, empty"
    assert told(post.house) == before
    assert check(post.house) == []
    letters = len(post.letters())
    for raw in written:
        assert post.send(raw, "relay@example.net") == []
        assert post.fates()[-1] == "duplicate"
    assert len(post.letters()) == letters
    assert told(post.house) == before


def left(house: App) -> int:
    """How many rows deleted mails have left."""
    with reading(house.engine) as connection:
        return connection.execute(select(func.count()).select_from(old_tokens)).scalar_one()


def answered_by(post: Post, letter: QueuedMessage, with_tags: bool) -> AnsweredMail | None:
    """What an answer to a letter is taken for, by the address of ours or by its Message-ID alone."""
    tokens = [token_of(letter)] if with_tags else []
    with reading(post.house.engine) as connection:
        player = players.find_at(connection, letter.recipient)
        assert player is not None
        return mail_tokens.find_answered_mail(connection, player.id, tokens, [thread_word_of(letter)])


@pytest.mark.parametrize("with_tags", [True, False])
def test_a_deleted_mail_is_answered_as_before(post: Post, clock: Clock, with_tags: bool) -> None:
    """Whose it was, the board, its ply and the time are known; its links are dead."""
    post.people(alice="sesame", bob="poppy")
    letter, _ = post.mail("alice@example.org", "challenge alice bob -size=3x3")
    before = answered_by(post, letter, with_tags)
    assert before is not None
    assert (before.match, before.shown) == (101, ((101, 0),))
    hand_over(post.house)
    post.mail("alice@example.org", "list")
    clock.move(days=91)
    assert tidied(post.house, clock()).sent > 0
    assert letter.id not in {row.id for row in rows(post.house, outbox)}
    assert answered_by(post, letter, with_tags) == replace(before, message_id="", key_digest=None)
    assert answered_by(post, replace(letter, recipient="bob@example.org"), with_tags) is None, "it was alice's"
    with reading(post.house.engine) as connection:
        lanes = priorities_of(connection, [(who, [token_of(letter)]) for who in ("alice@example.org", BOB)])
        assert lanes == [ANSWERS, PLAYERS]
        owner = players.addressed_by(connection, ["nonsense", token_of(letter)])
        assert owner is not None
        assert owner.userid == "alice"
    post.mail("alice@example.org", "revoke alice sesame")
    assert answered_by(post, letter, with_tags) == replace(before, message_id="", key_digest=None, is_revoked=True)
    with reading(post.house.engine) as connection:
        assert priorities_of(connection, [("alice@example.org", [token_of(letter)])]) == [PLAYERS]


def test_an_old_answer_is_refused_for_its_ply(post: Post, clock: Clock) -> None:
    """Though the move could be played today; the mail is long gone, and its writer proves who they are."""
    post.people(alice="sesame", bob="poppy")
    begun, _ = post.mail("alice@example.org", "challenge alice bob -size=3x3")
    for sender, move in (("alice@example.org", "b2"), (BOB, "a1")):
        post.mail(sender, f"101 {move}")
    hand_over(post.house)
    clock.move(days=120)
    tidied(post.house, clock())
    assert begun.id not in {row.id for row in rows(post.house, outbox)}
    refused = post.answer(begun, "as alice sesame\nc3")
    assert "Not done" in text_of(refused[0])
    assert post.moves() == ["B2", "A1"]


def test_a_board_that_is_over_leaves_no_tokens(post: Post, clock: Clock) -> None:
    """As soon as they prove nothing any more; what was kept while it was played on goes, too."""
    post.people(alice="sesame", bob="poppy")
    for _ in range(2):
        post.mail("alice@example.org", "challenge alice bob -size=3x3")
    hand_over(post.house)
    clock.move(days=20)
    post.mail("alice@example.org", "102 resign")
    hand_over(post.house)
    post.mail("alice@example.org", "list")
    clock.move(days=20)
    tidied(post.house, clock(), timedelta(days=14))
    assert left(post.house) == 2 * 6, "answers to all of them still prove who wrote"
    clock.move(days=71)
    tidied(post.house, clock(), timedelta(days=14))
    assert left(post.house) == 2 * 2, "those of board 101"
    post.mail("alice@example.org", "101 resign")
    tidied(post.house, clock(), timedelta(days=14))
    assert left(post.house) == 0


def test_tokens_are_looked_through_in_parts(post: Post, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    post.people(alice="sesame", bob="poppy")
    for _ in range(3):
        post.mail("alice@example.org", "challenge alice bob -size=3x3")
    hand_over(post.house)
    post.mail("alice@example.org", "list")
    clock.move(days=91)
    tidied(post.house, clock())
    assert left(post.house) == 12
    monkeypatch.setattr("pbmserv.services.scheduler.retention.TOKENS", 3)
    for number in (101, 103):
        post.mail("alice@example.org", f"{number} resign")
    tidied(post.house, clock())
    assert left(post.house) == 4


def test_what_is_owed_to_a_suspended_address_stays(post: Post, clock: Clock) -> None:
    """Its boards are sent once it is written to again, however late."""
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    hand_over(post.house)
    came_back, withheld = (row.id for row in rows(post.house, outbox) if row.match is not None)
    note_bounce(post.house, came_back, clock(), "bob@example.org")
    with writing(post.house.engine) as connection:
        bobs = addresses.c.address == "bob@example.org"
        connection.execute(update(addresses).where(bobs).values(suspended_at=clock()))
        connection.execute(update(outbox).where(outbox.c.id == withheld).values(status="withheld"))
    clock.move(days=91)
    assert tidied(post.house, clock()) == Purged(received=3, sent=2)
    for row in rows(post.house, outbox):
        assert (row.id in (came_back, withheld), row.redacted_at, bytes(row.raw) != b"") == (True, None, True)
    with writing(post.house.engine) as connection:
        connection.execute(update(addresses).values(suspended_at=None))
        connection.execute(update(outbox).values(status="sent"))
    assert tidied(post.house, clock()) == Purged(sent=2, bounces=1)


def test_small_batches_and_any_stop(post: Post, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is a transaction of its own; what is not done by one run is done by the next."""
    post.people(alice="sesame", bob="poppy")
    for _ in range(5):
        post.mail("alice@example.org", "list")
    hand_over(post.house)
    clock.move(days=91)
    monkeypatch.setattr("pbmserv.services.scheduler.retention.BATCH", 3)
    assert next(purge(post.house, clock() - KEEP, clock())) == Purged(received=3)
    assert count_old(post.house, clock() - KEEP) == 4 + 7
    assert [step.mails for step in purge(post.house, clock() - KEEP, clock())] == [3, 1, 3, 3, 1]


def test_numbers_are_not_given_again(post: Post, clock: Clock) -> None:
    """A bounce names a mail by its number: the newest keeps its place even where all are old."""
    post.people(alice="sesame")
    post.mail("alice@example.org", "list")
    hand_over(post.house)
    before = [row.id for row in rows(post.house, outbox)]
    clock.move(days=91)
    assert tidied(post.house, clock()) == Purged(received=2, sent=2)
    post.mail("alice@example.org", "list")
    assert [row.id for row in rows(post.house, outbox)] == [before[-1], before[-1] + 1]


def test_the_newest_mail_is_deleted_when_another_has_come(post: Post, clock: Clock) -> None:
    """Until then it is empty, and an answer to it is recognised all the time."""
    post.people(alice="sesame", bob="poppy")
    letter = post.mail("alice@example.org", "challenge alice bob -size=3x3")[-1]
    before = answered_by(post, letter, with_tags=True)
    assert before is not None
    for is_there in (True, False):
        hand_over(post.house)
        clock.move(days=91)
        tidied(post.house, clock())
        assert [row.redacted_at is not None for row in rows(post.house, outbox)] == [True]
        assert (rows(post.house, outbox)[0].id == letter.id) == is_there
        found = answered_by(post, letter, with_tags=True)
        assert found == replace(before, message_id="", key_digest=None)
        post.mail("alice@example.org", "list")


def test_limits_count_as_before(post: Post, clock: Clock) -> None:
    """What limits look at is a day old at most."""
    for number in range(3):
        post.mail("eve@example.org", f"move 10{number} a1")
    hand_over(post.house)
    sent = len(post.letters())
    assert sent == 3, "three short answers a day"
    clock.move(hours=23)
    tidied(post.house, clock(), timedelta(days=14))
    assert post.mail("eve@example.org", "move 107 a1") == []


def test_a_clock_that_is_behind_tidies_nothing(post: Post, clock: Clock) -> None:
    post.people(alice="sesame")
    hand_over(post.house)
    assert tidied(post.house, clock() - timedelta(days=5000)) == Purged()


def test_discard(post: Post, clock: Clock) -> None:
    post.people(alice="sesame", bob="poppy")
    mail_id = set_one_aside(post)
    assert not discard(post.house, 1, clock()), "it was handled"
    assert not discard(post.house, 999, clock())
    assert discard(post.house, mail_id, clock())
    row = post.row(mail_id)
    assert (row.status, bytes(row.raw), row.sender, row.error) == ("discarded", b"", "", None)
    assert not discard(post.house, mail_id, clock())
    assert not retry(post.house, mail_id, clock())
    post.work()
    assert post.row(mail_id).status == "discarded"
    assert bytes(post.row(1).raw) != b""


def test_no_trace_is_left_in_sqlite(sqlite_post: Post, clock: Clock, tmp_path: Path) -> None:
    """Neither in freed pages nor in the write-ahead log."""
    post = sqlite_post
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob", "as if\n" + "Rumpelstilzchen " * 3000)
    mail_id = set_one_aside(post)
    hand_over(post.house)

    def stored(word: str) -> bool:
        return any(word.encode() in file.read_bytes() for file in tmp_path.glob("pbmserv.db*"))

    assert stored(WORD)
    discard(post.house, mail_id, clock())
    clock.move(days=91)
    assert stored("Rumpelstilzchen")
    tidied(post.house, clock())
    assert not stored("Rumpelstilzchen")
    assert not stored(WORD)


@pytest.fixture
def statements(house: App) -> Iterator[list[tuple[str, Any]]]:
    """What is asked of the database."""
    seen: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_: object) -> None:
        seen.append((statement, parameters))

    event.listen(house.engine, "before_cursor_execute", note)
    yield seen
    event.remove(house.engine, "before_cursor_execute", note)


@pytest.mark.parametrize(
    "ask",
    [
        lambda connection: retention.count_due(connection, NOON),
        lambda connection: retention.purge_inbox(connection, NOON, NOON, 100),
        lambda connection: retention.purge_outbox(connection, NOON, NOON, NOON, 100),
    ],
)
def test_a_daily_run_looks_at_no_more_than_it_does(
    house: App, statements: list[tuple[str, Any]], ask: Callable[[Any], object]
) -> None:
    """The small indexes are used."""
    is_sqlite = house.engine.dialect.name == "sqlite"
    with writing(house.engine) as connection:
        ask(connection)
        for statement, parameters in [each for each in statements if each[0].startswith("SELECT")]:
            if not is_sqlite:
                connection.execute(text("SET LOCAL enable_seqscan = off"))
            explain = "EXPLAIN QUERY PLAN " if is_sqlite else "EXPLAIN "
            plan = str(connection.exec_driver_sql(explain + statement, parameters).all())
            assert "ix_inbox_retention" in plan or "ix_outbox_retention" in plan, plan
