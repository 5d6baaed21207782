"""Matches go in and come out whole; summaries and listings say what the logs say."""

from dataclasses import replace
from datetime import timedelta
from itertools import product
from typing import get_args

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.queries import Filter, ListingQuery
from pbmserv.matches.replay import fold, replay
from pbmserv.matches.state import Summary, summarise
from pbmserv.services.app import App
from pbmserv.store import matches
from pbmserv.store.engine import reading, writing
from pbmserv.store.queries import MOST, RecentBoards, TransactionQueries
from pbmserv.store.tables import entries as entry_table
from tests.store.club import NOON, WHOLE_GAME, add_players, keep, make_club, new_match, played


def test_a_match_comes_out_as_it_went_in(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "Alice", "bob", "carol")
        kept = [
            keep(connection, new_match(101, "bob", "Alice")),
            keep(connection, replace(new_match(102, "Alice", "bob", "carol"), rated=False, options=())),
            keep(connection, new_match(103, "carol", "Alice"), played(new_match(103, "carol", "Alice"), 5)),
            keep(connection, replace(new_match(104, "bob", "carol"), started_by="Alice")),
        ]
    with reading(house.engine) as connection:
        assert [matches.load(connection, number) for number in (101, 102, 103, 104)] == kept
        assert matches.load(connection, 105) is None
        assert matches.all_numbers(connection) == [101, 102, 103, 104]


def test_userids_come_out_as_their_owners_write_them(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "Alice", "Bob")
        keep(connection, new_match(101, "ALICE", "bOB"))
        found = matches.load(connection, 101)
    assert found is not None
    assert (found.userids, found.started_by) == (("Alice", "Bob"), "Alice")


@pytest.mark.parametrize(
    ("plies", "then", "wanted"),
    [
        (0, None, ("active", 0, 0, "")),
        (1, None, ("active", 1, 1, "C3")),
        (5, None, ("active", 1, 5, "C2xB2,C1,C3")),
        (len(WHOLE_GAME), None, ("finished", None, len(WHOLE_GAME), WHOLE_GAME[-1])),
        (2, "resigned", ("finished", None, 2, "B1")),
        (0, "declined", ("declined", None, 0, "")),
    ],
)
def test_the_summary_follows_the_log(
    house: App, plies: int, then: str | None, wanted: tuple[str, int | None, int, str]
) -> None:
    match = new_match(101, "alice", "bob")
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        kept = keep(connection, match, played(match, plies, then))  # type: ignore[arg-type]
        found = matches.summary(connection, 101)
        assert matches.summary(connection, 102) is None
    status, to_move, count, last_move = wanted
    last_at = kept.entries[-1].at if kept.entries else NOON
    assert found == Summary(status, to_move, count, last_at, last_move)  # type: ignore[arg-type]
    assert found == summarise(fold(kept))


def test_entries_of_several_matches_in_one_decision(house: App) -> None:
    both = [new_match(number, "alice", "bob") for number in (101, 102)]
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        for match in both:
            keep(connection, match)
        entries = played(both[0], 2), played(both[1], 1)
        after = tuple(replay(match.with_entries(each)) for match, each in zip(both, entries, strict=True))
        matches.write(connection, Decision(MovePlayed(101, ""), entries=entries[0] + entries[1], boards=after))
        found = [matches.summary(connection, match.number) for match in both]
    assert [summary.plies for summary in found if summary] == [2, 1]


def test_one_place_in_a_log_is_taken_once(house: App) -> None:
    """The primary key is the safety net below the lock."""
    match = new_match(101, "alice", "bob")
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        keep(connection, match, played(match, 1))
    with pytest.raises(IntegrityError), writing(house.engine) as connection:
        connection.execute(insert(entry_table).values(matches._entry_row(played(match, 1)[0])))
    with reading(house.engine) as connection:
        assert len(connection.execute(select(entry_table)).all()) == 1


def test_numbers_start_at_101(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        assert TransactionQueries(connection).next_number() == 101
        keep(connection, new_match(101, "alice", "bob"))
        assert TransactionQueries(connection).next_number() == 102
        keep(connection, new_match(250, "alice", "bob"))
        assert TransactionQueries(connection).next_number() == 251
    with pytest.raises(IntegrityError), writing(house.engine) as connection:
        keep(connection, new_match(100, "alice", "bob"))


NAMED = [(), ("ann",), ("BOB", "carl"), ("Ann", "bob", "dora"), ("nobody",)]


def test_listings_say_what_the_boards_say(house: App) -> None:
    """Every filter, for nobody, one, some, and somebody unknown, in any case, against looking at each board."""
    with writing(house.engine) as connection:
        club = make_club(connection)
        records = TransactionQueries(connection)
        games = (None, "cephalopod", "ludo")
        for game, userids, which in product(games, NAMED, get_args(Filter)):
            wanted = ListingQuery(game, userids, which)
            assert records.boards(wanted) == club.listing(wanted), wanted


@pytest.mark.parametrize("which", get_args(Filter))
def test_pages_are_the_whole(house: App, which: Filter) -> None:
    with writing(house.engine) as connection:
        club = make_club(connection)
        whole = club.listing(ListingQuery(filter=which, count=1000))
        assert whole.total > 3
        pages = [
            TransactionQueries(connection).boards(ListingQuery(filter=which, first=first, count=3))
            for first in range(0, whole.total + 3, 3)
        ]
    assert {page.total for page in pages} == {whole.total}
    assert tuple(line for page in pages for line in page.lines) == whole.lines
    assert pages[-1].lines == ()


def test_running_counts_active_boards_of_each_game(house: App) -> None:
    with writing(house.engine) as connection:
        assert TransactionQueries(connection).running() == []
        club = make_club(connection)
        active = sum(fold(match).status == "active" for match in club.boards)
        assert 0 < active < len(club.boards)
        assert TransactionQueries(connection).running() == [("cephalopod", active)]


def test_started_since_counts_the_starters_own(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        for number, hours in ((101, 0), (102, 1), (103, 2)):
            keep(connection, new_match(number, "alice", "bob", started=NOON + timedelta(hours=hours)))
        keep(connection, new_match(104, "bob", "alice", started=NOON + timedelta(hours=2)))
        records = TransactionQueries(connection)
        assert records.started_since("ALICE", NOON - timedelta(seconds=1)) == 3
        assert records.started_since("alice", NOON) == 2
        assert records.started_since("alice", NOON + timedelta(hours=2)) == 0
        assert records.started_since("bob", NOON) == 1
        assert records.started_since("nobody", NOON) == 0
        over = new_match(105, "alice", "bob")
        keep(connection, over, played(over, 0, "declined", 1))
        assert records.started_in_play("ALICE") == 3
        assert records.started_in_play("nobody") == 0


def test_unbegun_counts_boards_where_the_opponent_has_not_moved(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob", "carol")
        records = TransactionQueries(connection)
        first, second, third, fourth, fifth = (new_match(number, "alice", "bob") for number in range(101, 106))
        keep(connection, first)
        keep(connection, second, played(second, 1))
        assert records.unbegun("Alice", "BOB") == 2
        keep(connection, third, played(third, 2))
        keep(connection, fourth, played(fourth, 0, "declined", 1))
        keep(connection, fifth, played(fifth, 1, "resigned", 0))
        assert records.unbegun("alice", "bob") == 2
        assert records.unbegun("bob", "alice") == 0
        keep(connection, new_match(106, "bob", "alice"))
        keep(connection, replace(new_match(107, "carol", "bob"), started_by="alice"))
        keep(connection, new_match(108, "alice", "carol"))
        assert records.unbegun("alice", "bob") == 3
        assert records.unbegun("bob", "alice") == 1
        assert records.unbegun("alice", "carol") == 2
        assert records.unbegun("alice", "nobody") == 0


def test_players_are_found_whatever_the_case(house: App) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "Alice", "bob")
        records = TransactionQueries(connection)
        alice = records.player("aLICE")
        assert alice is not None
        assert (alice.userid, alice.address) == ("Alice", "alice@example.org")
        assert records.player_at("ALICE@Example.ORG") == alice
        assert records.player_at("nobody@example.org") is None
        assert records.similar_userids("allice") == ["Alice"]
        assert records.similar_userids("zzzzz") == []


@pytest.mark.parametrize("userid", ["alice", "ALICE"])
def test_a_userid_and_an_address_belong_to_one(house: App, userid: str) -> None:
    with writing(house.engine) as connection:
        add_players(connection, "Alice")
    with pytest.raises(IntegrityError), writing(house.engine) as connection:
        add_players(connection, userid)


def test_what_was_added_since_is_all_that_is_read(house: App) -> None:
    """A board known from an earlier commit comes out as if it had been read whole."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob")
        match = keep(connection, new_match(101, "alice", "bob"), played(new_match(101, "alice", "bob"), 9))
        whole = replay(match)
        for plies in (0, 1, 5, 9):
            known = replay(replace(match, entries=match.entries[:plies]))
            assert matches.replayed(connection, 101, known) == whole
        assert matches.replayed(connection, 101) == whole


def test_what_is_known_must_be_the_beginning_of_the_log(house: App) -> None:
    """Other facts, another last entry, a longer log than there is: it is of another database, and is not used."""
    with writing(house.engine) as connection:
        add_players(connection, "alice", "bob", "carl")
        match = keep(connection, new_match(101, "alice", "bob"), played(new_match(101, "alice", "bob"), 5))
        longer = match.with_entries(played(match, 7)[5:])
        late = replace(match.entries[-1], at=NOON + timedelta(days=1))
        for other in (
            longer,
            replace(match, userids=("alice", "carl")),
            replace(match, entries=(*match.entries[:-1], late)),
        ):
            assert matches.replayed(connection, 101, replay(other)) == replay(match)


def test_recent_boards_are_bounded() -> None:
    """Those played on last stay."""
    recent = RecentBoards()
    boards = [replay(new_match(number, "alice", "bob")) for number in range(101, 101 + MOST)]
    recent.remember(boards)
    recent.remember([boards[0]])
    recent.remember([replay(new_match(999, "alice", "bob"))])
    assert recent.find(101) == boards[0]
    assert recent.find(102) is None
    assert recent.find(999) is not None
