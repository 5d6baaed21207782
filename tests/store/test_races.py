"""Workers that do the same at the same time: what players see is as if one had been first."""

import threading
from collections.abc import Callable, Sequence

import pytest
from sqlalchemy import Connection

from pbmserv.services.admin.act import run_as
from pbmserv.services.app import App
from pbmserv.services.views import list_players, load_board
from pbmserv.services.worker import process_next
from pbmserv.store import matches
from pbmserv.store.queries import TransactionQueries
from tests.conftest import Clock
from tests.services.post import Post, header_of, text_of

PATIENCE = 60.0


@pytest.fixture
def post(house: App, clock: Clock) -> Post:
    """A house with four players, where two workers have nothing to do yet."""
    made = Post(house, clock)
    made.people(alice="sesame", bob="poppy", carol="pepper", dora="tahini")
    return made


def at_once(*tasks: Callable[[], object]) -> None:
    """Runs each in a thread of its own; what one of them raises is raised here."""
    raised: list[BaseException] = []

    def run(task: Callable[[], object]) -> None:
        try:
            task()
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)
    if raised:
        raise raised[0]


def workers(post: Post, count: int = 2) -> None:
    """So many workers, each until nothing waits any more."""

    def work() -> None:
        while "waiting" in post.fates():
            process_next(post.house, post.clock)

    at_once(*[work] * count)


def meet(monkeypatch: pytest.MonkeyPatch, where: object, name: str, count: int = 2) -> None:
    """The first calls of a function of the store come together at its end: nobody goes on before all are there."""
    real: Callable[..., object] = getattr(where, name)
    barrier, met = threading.Barrier(count, timeout=PATIENCE), threading.local()

    def meeting(*arguments: object) -> object:
        result = real(*arguments)
        if not hasattr(met, "once"):
            met.once = True
            barrier.wait()
        return result

    monkeypatch.setattr(where, name, meeting)


def boards(post: Post, *numbers: int) -> Sequence[tuple[str, ...]]:
    """Who plays on these boards."""
    found = [load_board(post.house, number) for number in numbers]
    return [seen.match.userids for seen in found if seen]


def test_two_challenges_at_the_same_time(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both want the number 101; one gets 102. On SQLite they cannot even meet."""
    if post.house.engine.dialect.name == "postgresql":
        meet(monkeypatch, TransactionQueries, "next_number")
    for one, other in (("alice", "bob"), ("carol", "dora")):
        post.put(post.write(f"{one}@example.org", f"challenge {one} {other}"))
    workers(post)
    assert set(boards(post, 101, 102)) == {("alice", "bob"), ("carol", "dora")}
    assert load_board(post.house, 103) is None
    assert [kept.tries for kept in post.inbox()] == [0] * 6
    assert len(post.letters()) == 4 + 4


def test_an_operators_challenge_loses_the_race(
    postgresql_house: App, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between its asking for a number and its using it, a worker uses the same."""
    post = Post(postgresql_house, clock)
    post.people(alice="sesame", bob="poppy", carol="pepper")
    post.put(post.write("alice@example.org", "challenge alice bob"))
    real = TransactionQueries.next_number

    def overtaken(records: TransactionQueries) -> int:
        number = real(records)
        monkeypatch.undo()
        assert process_next(post.house, post.clock)
        return number

    monkeypatch.setattr(TransactionQueries, "next_number", overtaken)
    assert run_as(post.house, "carol", "challenge carol bob", post.clock()).done
    assert boards(post, 101, 102) == [("alice", "bob"), ("carol", "bob")]


def two_moves(post: Post) -> None:
    """Alice moves on her board from two mailboxes at once: the order of one sender's mails does not hold here."""
    post.mail("alice@example.org", "challenge alice bob -size=3x3")
    post.put(post.write("alice@example.org", "move 101 alice sesame a1"))
    post.put(post.write("alice@work.example", "move 101 alice sesame c3"))


def one_was_played(post: Post) -> None:
    """Exactly one of the two moves; the other is refused as any move out of turn."""
    seen = load_board(post.house, 101)
    assert seen is not None
    assert [(entry.seq, entry.seat) for entry in seen.match.entries] == [(1, 0)]
    assert seen.match.entries[0].text in ("A1", "C3")
    played, other = ("a1", "c3") if seen.match.entries[0].text == "A1" else ("c3", "a1")
    done, refused = (
        next(text_of(letter) for letter in reversed(post.letters()) if letter.kind == kind)
        for kind in ("answer", "fruitless")
    )
    assert done.startswith(f"You played {played.upper()}. It is bob's turn.")
    assert refused.startswith(f"Not done: move 101 alice *** {other}\n\nIt is bob's turn on board 101.")
    assert {(kept.status, kept.tries) for kept in post.inbox()} == {("handled", 0)}


def test_two_moves_at_the_same_time(post: Post) -> None:
    two_moves(post)
    workers(post)
    one_was_played(post)


def test_two_moves_where_the_lock_fails(
    postgresql_house: App, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The primary key (match, seq) is the net below: the loser is run again, and then it is out of turn."""
    post = Post(postgresql_house, clock)
    post.people(alice="sesame", bob="poppy")
    two_moves(post)

    def no_lock(connection: Connection, numbers: Sequence[int]) -> None:
        pass

    monkeypatch.setattr(matches, "lock", no_lock)
    meet(monkeypatch, matches, "load")
    workers(post)
    monkeypatch.undo()
    one_was_played(post)


def test_moves_on_many_boards_in_one_mail(post: Post) -> None:
    """Two who name the same boards in opposite order never wait for each other."""
    for _ in range(3):
        post.mail("alice@example.org", "challenge alice bob -size=3x3")
    down = "\n".join(f"{number} b2" for number in (103, 102, 101))
    up = "\n".join(f"{number} a1" for number in (101, 102, 103))
    post.put(post.write("alice@example.org", "many", f"as alice sesame\n{down}"))
    post.put(post.write("alice@work.example", "many", f"as alice sesame\n{up}"))
    workers(post)
    logs = [seen.match.entries for seen in (load_board(post.house, number) for number in (101, 102, 103)) if seen]
    assert len({tuple(entry.text for entry in log) for log in logs}) == 1
    assert [len(log) for log in logs] == [1, 1, 1]


def test_one_userid_for_two_who_ask_at_once(post: Post) -> None:
    for number in range(4):
        post.put(post.write(f"new{number}@example.org", "signup eve pepper"))
    workers(post, 4)
    assert [player.userid for player in list_players(post.house)].count("eve") == 1
    answers = [text_of(letter) for letter in post.letters()[4:]]
    assert len(answers) == 4
    assert sum(text.startswith("Welcome, eve!") for text in answers) == 1
    assert {kept.tries for kept in post.inbox()} == {0}


def test_many_workers_handle_each_mail_once_and_in_order(post: Post) -> None:
    """The mails of one sender come one after another, whoever handles them."""
    senders = [f"{userid}@example.org" for userid in ("alice", "bob", "carol", "dora")]
    before = len(post.letters())
    asked = {
        sender: [post.written + 1 + turn * 4 + place for turn in range(5)] for place, sender in enumerate(senders)
    }
    for _ in range(5):
        for sender in senders:
            post.put(post.write(sender, "list"))
    workers(post, 4)
    assert set(post.fates()) == {"handled"}
    answers = [(letter.recipient, header_of(letter, "In-Reply-To")) for letter in post.letters()[before:]]
    for sender in senders:
        ids = [f"<in-{number}@example.org>" for number in asked[sender]]
        assert [answered for recipient, answered in answers if recipient == sender] == ids


def test_one_mail_by_two_roads_at_the_same_time(post: Post) -> None:
    """Two copies, kept at the same moment, with several workers: one effect, one answer."""
    raw = post.write("alice@example.org", "challenge alice bob")
    before = len(post.letters())
    for sender in ("alice@example.org", "relay@example.net", "alice@example.org"):
        post.put(raw, sender)
    workers(post, 3)
    assert sorted(post.fates()[4:]) == ["duplicate", "duplicate", "handled"]
    assert len(post.letters()) == before + 2
    assert load_board(post.house, 102) is None
