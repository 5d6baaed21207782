"""Open offers as mails: what a From address alone may do, links that are ready, and what expires."""

from datetime import timedelta

from pbmserv.services.app import App
from pbmserv.services.scheduler.retention import OFFERS_AT_ONCE, expire
from pbmserv.services.views import list_offers, load_board
from pbmserv.store import offers
from pbmserv.store.engine import writing
from tests.conftest import Clock
from tests.conversation import parsed
from tests.services.post import Post, text_of


def html_of(post: Post, sender: str, subject: str) -> str:
    """The HTML of what a mail is answered with."""
    letter = next(each for each in post.mail(sender, subject) if each.recipient == sender)
    part = parsed(letter.raw).get_body(("html",))
    assert part is not None
    content: str = part.get_content()
    return content


def test_opening_needs_no_proof(asking_post: Post) -> None:
    """What binds nobody is done at once, though the From address proves nothing; what binds waits."""
    asking_post.people(alice="sesame", bob="poppy")
    (letter,) = asking_post.mail("alice@example.org", "seek -size=3x3")
    assert text_of(letter).startswith("Your offer 1 is open")
    asking_post.mail("bob@example.org", "accept 1")
    seen = load_board(asking_post.house, 101)
    assert seen is not None
    assert seen.match.userids == ("alice", "bob")
    asking_post.mail("alice@example.org", "as alice sesame", "resign 101")
    asking_post.mail("bob@example.org", "rematch 101")
    assert load_board(asking_post.house, 102) is not None
    (letter, *_) = asking_post.mail("bob@example.org", "resign 102")
    assert "yes" in text_of(letter)
    assert load_board(asking_post.house, 102).state.status == "active"  # type: ignore[union-attr]


def test_unknown_senders(asking_post: Post) -> None:
    """Whoever has no account, or has not answered the first mail yet, neither offers nor accepts."""
    asking_post.people(alice="sesame")
    asking_post.mail("alice@example.org", "seek")
    asking_post.mail("carol@example.org", "signup carol pepper")
    for sender in ("carol@example.org", "nobody@example.org"):
        for line in ("seek", "accept 1"):
            asking_post.mail(sender, line)
    assert [offer.joined for offer in list_offers(asking_post.house, None)] == [()]
    assert load_board(asking_post.house, 101) is None


def test_ready_links(sqlite_post: Post) -> None:
    """What stands in a list can be tapped, and so can the rematch in the last mail of a board."""
    sqlite_post.people(alice="sesame", bob="poppy")
    sqlite_post.mail("alice@example.org", "seek -size=3x3")
    assert '?subject=accept%201"' in html_of(sqlite_post, "bob@example.org", "list")
    running = html_of(sqlite_post, "bob@example.org", "accept 1")
    assert "rematch" not in running
    over = html_of(sqlite_post, "bob@example.org", "resign 101")
    assert '?subject=rematch%20101"' in over
    assert "with you moving first" in over


def test_expired(post: Post) -> None:
    """After thirty days, to the moment; everybody who waited is told once, in a mail that can be answered."""
    post.people(alice="sesame", bob="poppy", carol="pepper")
    post.mail("alice@example.org", "seek -players=3")
    post.mail("bob@example.org", "accept 1")
    made = post.clock()
    post.clock.move(days=1)
    post.mail("carol@example.org", "seek")
    before = len(post.letters())
    assert not expire(post.house, made + timedelta(days=30, seconds=-1))
    assert [offer.number for offer in list_offers(post.house, None)] == [1, 2]
    for _ in range(2):
        assert not expire(post.house, made + timedelta(days=30))
    assert [offer.number for offer in list_offers(post.house, None)] == [2]
    told = post.letters()[before:]
    assert [letter.recipient for letter in told] == ["alice@example.org", "bob@example.org"]
    post.answer(told[0], "seek -players=3")
    assert [offer.number for offer in list_offers(post.house, None)] == [2, 3]
    post.mail("bob@example.org", "accept 1")
    assert load_board(post.house, 101) is None


def test_many_expire_in_small_parts(sqlite_post: Post) -> None:
    """So that nobody waits for them."""
    names = [f"player{number}" for number in range(8)]
    sqlite_post.people(**dict.fromkeys(names, "sesame"))
    for name in names:
        for _ in range(3):
            sqlite_post.mail(f"{name}@example.org", "seek")
    later = sqlite_post.clock() + timedelta(days=31)
    assert expire(sqlite_post.house, later)
    assert len(list_offers(sqlite_post.house, None)) == 24 - OFFERS_AT_ONCE
    assert not expire(sqlite_post.house, later)
    assert list_offers(sqlite_post.house, None) == []


def test_two_stewards_tell_it_once(postgresql_house: App, clock: Clock) -> None:
    """What one of them holds the other leaves alone."""
    post = Post(postgresql_house, clock)
    post.people(alice="sesame")
    post.mail("alice@example.org", "seek")
    later = post.clock() + timedelta(days=31)
    before = len(post.letters())
    with writing(post.house.engine) as connection:
        assert len(offers.made_before(connection, later - timedelta(days=30), 10)) == 1
        assert not expire(post.house, later)
    assert not expire(post.house, later)
    assert len(post.letters()) == before + 1


def test_a_word_behind_a_named_game_is_no_game(sqlite_post: Post) -> None:
    """A number of players, a size or a word that is no option is refused, and never dropped."""
    sqlite_post.people(alice="sesame")
    for line in ("cephalopod seek 3", "go seek 9x9", "go seek unrated"):
        (letter,) = sqlite_post.mail("alice@example.org", line)
        assert 'What follows "seek" can\'t be read' in text_of(letter)
    (letter,) = sqlite_post.mail("alice@example.org", "go list 9")
    assert 'What follows "list" can\'t be read' in text_of(letter)
    assert not list_offers(sqlite_post.house, None)
    sqlite_post.mail("alice@example.org", "go seek go")
    assert [offer.game for offer in list_offers(sqlite_post.house, None)] == ["go"]
