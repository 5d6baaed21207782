"""A board of a game that this server does not have any more: a sentence, and everything else goes on."""

from dataclasses import replace

from sqlalchemy import update

from pbmserv.store.engine import writing
from pbmserv.store.queries import RecentBoards
from pbmserv.store.tables import entries, matches
from tests.services.post import Post, text_of
from tests.web.club import asking


def test_its_board_is_refused_in_one_sentence(sqlite_post: Post) -> None:
    post = sqlite_post
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "hex challenge alice bob")
    post.mail("alice@example.org", "challenge alice bob")
    with writing(post.house.engine) as connection:
        connection.execute(update(matches).where(matches.c.number == 101).values(game="lost", rules="lost/1"))
    for line in ("show 101", "move 101 c3", "resign 101"):
        (answer, *_) = post.mail("alice@example.org", line)
        assert "its game is no longer on this server" in " ".join(text_of(answer).split()), line
    (answer, *_) = post.mail("alice@example.org", "move 102 c3")
    assert text_of(answer).startswith("You played C3. It is bob's turn.\n")
    assert answer.match == 102
    assert set(post.fates()) == {"handled"}


def test_its_page_says_so(sqlite_post: Post) -> None:
    post = sqlite_post
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "hex challenge alice bob")
    with writing(post.house.engine) as connection:
        connection.execute(update(matches).where(matches.c.number == 101).values(game="lost", rules="lost/1"))
    get = asking(post.house)
    for path in ("/boards/101", "/boards/101.svg", "/boards/101/record.txt"):
        shown = get(path)
        assert shown.status_code == 404
        assert "The game of board 101 is no longer on this server" in shown.text
    for path in ("/", "/games", "/players/alice"):
        assert get(path).status_code == 200


def test_a_broken_log_is_our_fault_and_no_missing_game(sqlite_post: Post) -> None:
    """Then nobody is told that a game is gone: the mail waits for the operator, and the page admits a fault."""
    post = sqlite_post
    post.people(alice="sesame", bob="poppy")
    post.mail("alice@example.org", "hex challenge alice bob")
    post.mail("alice@example.org", "move 101 c3")
    with writing(post.house.engine) as connection:
        connection.execute(update(entries).where(entries.c.match == 101).values(text="no move"))
    fresh = Post(replace(post.house, recent=RecentBoards(), looked_at=RecentBoards()), post.clock, post.written)
    assert fresh.mail("bob@example.org", "show 101") == []
    assert fresh.inbox()[-1].status == "waiting"
    shown = asking(fresh.house)("/boards/101")
    assert shown.status_code == 500
    assert "no longer on this server" not in shown.text
