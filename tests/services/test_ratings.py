"""Ratings as people and the operator meet them: in the last mail of a game, and when they were tampered with."""

import re

import pytest
from sqlalchemy import text

from pbmserv.server.scheduler import JOBS
from pbmserv.services.admin.act import run_as
from pbmserv.services.admin.check import check, rebuild, recount_all
from pbmserv.services.admin.referee import annul, award, rule
from pbmserv.services.app import App
from pbmserv.store import ratings
from pbmserv.store.engine import reading, writing
from tests.services.post import Post, text_of

ALICE, BOB, CAROL = (f"{userid}@example.org" for userid in ("alice", "bob", "carol"))
POOL = "cephalopod 3x3"
TOLD = "Your Cephalopod variant 3x3 rating: not established yet (1 game so far)"


@pytest.fixture
def club(sqlite_post: Post) -> Post:
    """Alice has won against bob, bob against carol; alice and carol play on."""
    post = sqlite_post
    post.people(alice="sesame", bob="poppy", carol="pepper")
    for first, second in ((ALICE, BOB), (BOB, CAROL), (ALICE, CAROL)):
        begin(post, first, second)
    post.mail(BOB, "101 resign")
    post.mail(CAROL, "102 resign")
    return post


def begin(post: Post, first: str, second: str, options: str = "", moves: tuple[str, ...] = ("b2", "a1")) -> None:
    """A game in which these moves are made."""
    names = " ".join(address.partition("@")[0] for address in (first, second))
    post.mail(first, f"challenge {names} -size=3x3 {options}")
    for sender, move in zip((first, second), moves, strict=False):
        letter = next(each for each in reversed(post.sent_to(sender)) if "Board" in text_of(each))
        post.answer(letter, move)


def tamper(house: App, statement: str) -> None:
    """Changes rows behind everybody's back."""
    with writing(house.engine) as connection:
        assert connection.execute(text(statement)).rowcount > 0


def stored(house: App) -> tuple[object, object]:
    """Both tables."""
    with reading(house.engine) as connection:
        return ratings.stored_changes(connection, POOL), ratings.stored_tallies(connection, POOL)


def test_the_last_mail_tells_each_player_their_own(post: Post) -> None:
    """The loser is the one who is answered; who only looks at the board is told nothing."""
    post.people(alice="sesame", bob="poppy", carol="pepper")
    begin(post, ALICE, BOB)
    lost, won = post.mail(BOB, "101 resign")
    assert TOLD in text_of(won)
    assert TOLD in text_of(lost)
    (seen,) = post.mail(ALICE, "show 101")
    assert TOLD in text_of(seen)
    (as_it_was,) = post.mail(ALICE, "show 101#1")
    (other,) = post.mail(CAROL, "show 101")
    assert "rating" not in text_of(as_it_was) + text_of(other)


def test_the_mail_that_establishes_a_rating_shows_it(sqlite_post: Post) -> None:
    """Before, it says how many games there have been; after that, what each one changes."""
    post = sqlite_post
    post.people(alice="sesame", bob="poppy")
    told = []
    for number in range(101, 115):
        begin(post, ALICE, BOB)
        loser = (BOB, ALICE)[number % 2]
        letters = post.mail(loser, f"{number} resign")
        told += [
            line
            for line in text_of(letters[0]).splitlines()
            if line.startswith("Your Cephalopod variant 3x3 rating: ")
        ]
        post.clock.move(days=1)
    first = next(place for place, line in enumerate(told) if "not established" not in line)
    assert 8 <= first <= 12
    assert told[1] == "Your Cephalopod variant 3x3 rating: not established yet (2 games so far)"
    assert re.fullmatch(r".*: \d+ \+/- \d+, established with this", told[first])
    assert all(re.fullmatch(r".*: \d+ \+/- \d+ -> \d+ \+/- \d+ \([+-]\d+\)", line) for line in told[first + 1 :])
    assert len(told) == 14


def test_a_chat_after_the_end_does_not_tell_it_again(club: Post) -> None:
    letters = club.mail(BOB, "chat 101", "Well played.")
    assert "Well played." in text_of(letters[1])
    assert "rating" not in text_of(letters[1])


@pytest.mark.parametrize(
    ("options", "moves", "end"),
    [("--unrated", ("b2", "a1"), "resign"), ("", ("b2",), "resign")],
    ids=["unrated", "declined"],
)
def test_what_does_not_count_is_not_told(post: Post, options: str, moves: tuple[str, ...], end: str) -> None:
    post.people(alice="sesame", bob="poppy")
    begin(post, ALICE, BOB, options, moves)
    assert "rating" not in "".join(text_of(letter) for letter in post.mail(BOB, f"101 {end}"))
    assert stored(post.house) == ((), {})


def test_an_operator_ends_a_game_for_somebody(club: Post) -> None:
    """The mails tell it as well."""
    run_as(club.house, "carol", "resign 103", club.clock())
    assert "Your Cephalopod variant 3x3 rating: not established yet (2 games so far)" in text_of(
        club.sent_to(ALICE)[-1]
    )
    assert check(club.house) == []


TAMPERED = {
    "a number": ("UPDATE rating_changes SET mu = mu + 0.000000001 WHERE match = 102 AND rank = 1", 102),
    "a rank": ("UPDATE rating_changes SET rank = 2 WHERE match = 101", 101),
    "a match that is lacking": ("DELETE FROM rating_changes WHERE match = 102", 102),
    "one player that is lacking": ("DELETE FROM rating_changes WHERE match = 102 AND rank = 1", 102),
    "a match that does not count": ("UPDATE rating_changes SET match = 103 WHERE match = 102", 102),
    "another order": ("UPDATE rating_changes SET at = '2020-01-01 12:00:00.000000' WHERE match = 102", 102),
    "a tally": ("UPDATE ratings SET counted = 7 WHERE player_id = 1", 0),
    "a tally too few": ("DELETE FROM ratings WHERE player_id = 2", 0),
    "another size": ("UPDATE ratings SET pool = 'cephalopod' WHERE player_id = 1", 0),
    "a game that is none": ("UPDATE ratings SET pool = 'ludo' WHERE player_id = 1", 0),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_ratings_are_found_and_mended(club: Post, what: str) -> None:
    house, (statement, board) = club.house, TAMPERED[what]
    before = stored(house)
    tamper(house, statement)
    found = check(house)
    assert POOL in {each.ratings for each in found}
    assert board in {each.number for each in found}
    assert all(each.can_be_mended for each in found)
    assert rebuild(house, found) == len(found)
    assert stored(house) == before
    assert check(house) == []


def test_a_broken_log_leaves_the_ratings_of_its_game_alone(club: Post) -> None:
    """They can neither be checked nor written anew without it."""
    tamper(club.house, "UPDATE rating_changes SET rank = 2 WHERE match = 102")
    tamper(club.house, "UPDATE entries SET text = 'Z9' WHERE match = 101 AND seq = 1")
    before = stored(club.house)
    (found,) = check(club.house)
    assert (found.number, found.can_be_mended) == (101, False)
    assert rebuild(club.house, [found]) == 0
    assert stored(club.house) == before


def annul_the_oldest(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five games later; all but the first of those behind it are still to be counted anew."""
    for number in range(104, 109):
        begin(post, ALICE, BOB)
        post.mail(BOB, f"{number} resign")
    monkeypatch.setattr(ratings, "STEP", 1)
    rule(post.house, 101, annul(""), post.clock())


def pending(house: App) -> dict[str, int]:
    """What is still to be counted anew."""
    with reading(house.engine) as connection:
        return ratings.recounted(connection)


def test_annulling_an_old_game_is_no_one_long_transaction(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it leaves to be done stands in the database: the operator finds it, the steward goes on with it."""
    annul_the_oldest(club, monkeypatch)
    (found,) = check(club.house)
    assert found.what == "the ratings of cephalopod 3x3 are being counted anew, from board 104 on"
    assert pending(club.house) == {POOL: 104}
    (duty,) = (each for each in JOBS if each.name == "ratings")
    monkeypatch.setattr("pbmserv.services.admin.check.BATCH", 2)
    assert duty.do(club.house, club.clock())
    assert pending(club.house) == {POOL: 106}
    assert duty.do(club.house, club.clock())
    assert not duty.do(club.house, club.clock())
    assert (pending(club.house), check(club.house)) == ({}, [])


def test_whoever_dies_over_it_leaves_nothing_half_done(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed within a step, and between two."""
    annul_the_oldest(club, monkeypatch)
    before = stored(club.house)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(ratings, "add_rows", killed)
        with pytest.raises(KeyboardInterrupt):
            recount_all(club.house)
    assert stored(club.house) == before
    with pytest.raises(KeyboardInterrupt):
        recount_all(club.house, killed)
    assert pending(club.house) == {POOL: 105}
    recount_all(club.house)
    assert check(club.house) == []


def test_a_game_that_ends_meanwhile_comes_out_right(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """So does another old one that is annulled, and one that was annulled and is awarded."""
    annul_the_oldest(club, monkeypatch)
    club.mail(CAROL, "103 resign")
    rule(club.house, 102, annul(""), club.clock())
    rule(club.house, 101, award("bob", ""), club.clock())
    told: list[tuple[int, int]] = []
    recount_all(club.house, lambda done, of: told.append((done, of)))
    assert told == [(done, 7) for done in range(1, 8)]
    assert check(club.house) == []


def test_writing_anew_ends_it(club: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `admin check --rebuild` does."""
    annul_the_oldest(club, monkeypatch)
    assert rebuild(club.house, check(club.house)) == 1
    assert (pending(club.house), check(club.house)) == ({}, [])


def test_a_variant_is_called_one_wherever_it_is_told(club: Post) -> None:
    """Boards on turn, lists of games and offers, ratings and standings."""
    for asked in ("next", "games alice", "ratings alice", "standings -size=3x3", "history alice"):
        (letter,) = club.mail(ALICE, f"cephalopod {asked}" if asked.startswith("standings") else asked)
        told = re.sub(r"\S+@\S+|pbmserv: .*|    cephalopod .*", "", text_of(letter))
        assert "Cephalopod variant" in told, asked
        assert not re.search(r"(?i)cephalopod(?! variant| standings)", told), told
