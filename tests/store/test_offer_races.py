"""Open offers and rematches that several want at once: what players see is as if one had been first."""

import pytest
from sqlalchemy import text

from pbmserv.parser.line import parse_line
from pbmserv.services.app import App
from pbmserv.services.steps import hold
from pbmserv.services.views import list_offers, load_board
from pbmserv.store.engine import writing
from tests.conftest import Clock
from tests.services.post import Post, text_of
from tests.store.test_races import boards, workers


@pytest.fixture
def post(house: App, clock: Clock) -> Post:
    """A house with four players, where two workers have nothing to do yet."""
    made = Post(house, clock)
    made.people(alice="sesame", bob="poppy", carol="pepper", dora="tahini")
    return made


def answers(post: Post, address: str) -> str:
    """What that address was answered last."""
    return text_of([letter for letter in post.sent_to(address) if letter.kind in ("answer", "fruitless")][-1])


def test_two_accept_one_offer(post: Post) -> None:
    """One gets it, the other is told what has become of it."""
    post.mail("alice@example.org", "seek")
    for userid in ("bob", "carol", "dora"):
        post.put(post.write(f"{userid}@example.org", "accept 1"))
    workers(post, 3)
    seen = load_board(post.house, 101)
    assert seen is not None
    winner = seen.match.userids[1]
    assert load_board(post.house, 102) is None
    told = {userid: answers(post, f"{userid}@example.org") for userid in ("bob", "carol", "dora")}
    assert told.pop(winner).startswith("Your game of Cephalopod with alice has started. alice moves first.")
    assert all("Offer 1 is already taken: it became board 101" in said for said in told.values())
    assert {kept.tries for kept in post.inbox()} == {0}


def test_the_last_two_seats(post: Post) -> None:
    """Two who take the last two seats at once sit at one board, with everybody there once."""
    post.mail("alice@example.org", "seek -players=4")
    for userid in ("bob", "carol", "dora"):
        post.put(post.write(f"{userid}@example.org", "accept 1"))
    workers(post, 3)
    (userids,) = boards(post, 101)
    assert userids[0] == "alice"
    assert {*userids} == {"alice", "bob", "carol", "dora"}
    assert list_offers(post.house, None) == []


def test_two_seek_at_once(post: Post) -> None:
    """Each offer has a number of its own, and nobody has more than three."""
    senders = [f"{userid}@example.org" for userid in ("alice", "bob", "carol", "dora")]
    for sender in senders:
        for _ in range(4):
            post.put(post.write(sender, "seek"))
    workers(post, 4)
    found = list_offers(post.house, None)
    assert [offer.number for offer in found] == [*range(1, 13)]
    assert all(sum(offer.seeker == userid for offer in found) == 3 for userid in ("alice", "bob", "carol", "dora"))


def test_accepted_and_withdrawn_at_once(post: Post) -> None:
    """Either there is a board, or there is none and the offer is gone; both are told what is true."""
    for round_ in range(3):
        number = round_ + 1
        post.mail("alice@example.org", "seek")
        post.put(post.write("alice@example.org", f"withdraw {number}"))
        post.put(post.write("bob@example.org", f"accept {number}"))
        workers(post)
        assert list_offers(post.house, None) == []
        taken = "has started" in answers(post, "bob@example.org")
        said = answers(post, "alice@example.org")
        assert (f"Offer {number} is already taken" if taken else f"You have withdrawn offer {number}.") in said


def test_who_leaves_while_others_accept(post: Post) -> None:
    """Nobody is seated who has left, and no board is left running with them."""
    post.mail("alice@example.org", "seek -players=3")
    post.mail("bob@example.org", "accept 1")
    post.put(post.write("bob@example.org", "signoff"))
    post.put(post.write("alice@example.org", "signoff"))
    post.put(post.write("carol@example.org", "accept 1"))
    workers(post, 3)
    seen = load_board(post.house, 101)
    assert seen is None or seen.state.status == "declined"
    assert list_offers(post.house, None) == []
    assert {kept.tries for kept in post.inbox()} == {0}


def test_both_ask_for_a_rematch(post: Post) -> None:
    """One board begins; the second to ask is shown it."""
    post.mail("alice@example.org", "challenge alice bob")
    post.mail("alice@example.org", "resign 101")
    for userid in ("alice", "bob"):
        post.put(post.write(f"{userid}@example.org", "rematch 101"))
    workers(post)
    assert boards(post, 102) == [("bob", "alice")]
    assert load_board(post.house, 103) is None
    shown, started = sorted(answers(post, f"{userid}@example.org") for userid in ("alice", "bob"))
    first, second = ("alice", "bob") if "alice started board 102" in shown else ("bob", "alice")
    assert started.startswith(f"Your game of Cephalopod with {second} has started.")
    assert shown.startswith(f"The rematch of board 101 is already in play: {first} started board 102")


def test_what_is_held(postgresql_house: App, clock: Clock) -> None:
    """An offer that is to be accepted or withdrawn, those of whoever leaves, and the board of a rematch."""
    post = Post(postgresql_house, clock)
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "challenge alice bob")
    post.mail("alice@example.org", "seek")

    def is_held(line: str, userid: str, statement: str) -> bool:
        parsed = parse_line(line, None).parsed
        assert parsed is not None
        with writing(post.house.engine) as one, writing(post.house.engine) as other:
            hold(one, [parsed], [userid])
            return other.execute(text(f"{statement} FOR UPDATE SKIP LOCKED")).all() == []

    assert is_held("accept 1", "bob", "SELECT id FROM offers")
    assert is_held("withdraw 1", "alice", "SELECT id FROM offers")
    assert is_held("signoff", "alice", "SELECT id FROM offers")
    assert not is_held("signoff", "bob", "SELECT id FROM offers")
    assert is_held("rematch 101", "bob", "SELECT number FROM matches")
    for line, userid in (("accept 1", "bob"), ("rematch 101", "bob")):
        for player in ("alice", "bob"):
            assert is_held(line, userid, f"SELECT id FROM players WHERE userid = '{player}'"), (line, player)
