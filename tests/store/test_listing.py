"""Boards by the page: what is found is what looking at each board finds, and each page goes along an index."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise, product
from typing import Any, get_args

import pytest
from sqlalchemy import Connection, event

from pbmserv.matches.queries import MOST_COUNTED, BoardRow, Boards, BoardSearch, ListingQuery, Sort, cursor_of
from pbmserv.services.app import App
from pbmserv.store import listing
from pbmserv.store.engine import reading, writing
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.tables import clocks
from tests.bench.million import BUSY, LIGHT, PARTNER, ROBOT, USERIDS, build
from tests.store.club import NOON, Club, fits, listed, make_club

NAMED = [(), ("ann",), ("BOB", "carl"), ("Ann", "bob", "dora"), ("nobody",)]


@contextmanager
def set_clocks(connection: Connection, club: Club) -> Iterator[dict[int, Any]]:
    """Most of the running boards have a deadline, some of them the same."""
    chance = random.Random(3)
    deadlines = {}
    for board in club.boards:
        if listed(board).summary.status == "active" and chance.random() < 0.8:
            at = NOON + timedelta(days=chance.randrange(4))
            row = {"match": board.number, "turn": 0, "plies": 0, "player_id": 1, "reminders": 0, "deadline_at": at}
            connection.execute(clocks.insert().values(row))
            deadlines[board.number] = at
    yield deadlines


def found_by_looking(club: Club, deadlines: dict[int, Any], wanted: BoardSearch) -> list[BoardRow]:
    """What must be found, in its order."""
    names = [userid.lower() for userid in wanted.userids]
    asked = ListingQuery(wanted.game, wanted.userids, wanted.boards)
    lines = [replace(line, deadline=deadlines.get(line.number)) for line in map(listed, club.boards)]
    fitting = [line for line in lines if fits(line, asked, names)]
    if wanted.sort == "time":
        with_time = [line for line in fitting if line.deadline]
        return sorted(with_time, key=lambda line: (line.deadline, line.number))
    if wanted.sort == "newest":
        return sorted(fitting, key=lambda line: -line.number)
    return sorted(fitting, key=lambda line: (line.summary.last_at, line.number), reverse=True)


def searches() -> Iterator[BoardSearch]:
    """Every kind of question."""
    for game, userids, boards, sort in product(
        (None, "cephalopod", "ludo"), NAMED, get_args(Boards), get_args(Sort)
    ):
        if sort != "time" or boards == "active":
            yield BoardSearch(game, userids, boards, sort, count=4)


@pytest.mark.parametrize(
    "most_sorted",
    [
        pytest.param(listing.MOST_SORTED, id="few boards"),
        pytest.param(0, id="many boards", marks=pytest.mark.slow),
    ],
)
def test_pages_are_what_looking_at_each_board_finds(
    house: App, monkeypatch: pytest.MonkeyPatch, most_sorted: int
) -> None:
    """Forward page by page to the end, and back again; also as it is done for players with many boards."""
    monkeypatch.setattr(listing, "MOST_SORTED", most_sorted)
    with writing(house.engine) as connection:
        club = make_club(connection)
        with set_clocks(connection, club) as deadlines:
            for wanted in searches():
                whole = found_by_looking(club, deadlines, wanted)
                pages = list(pages_of(connection, wanted))
                assert [line for page in pages for line in page] == whole, wanted
                assert listing.search(connection, wanted).total == len(whole), wanted
                for before, after in pairwise(pages):
                    place = cursor_of(after[0], wanted.sort)
                    assert listing.search(connection, replace(wanted, before=place)).lines == tuple(before), wanted


def pages_of(connection: Connection, wanted: BoardSearch) -> Iterator[Sequence[BoardRow]]:
    """Page after page, as links lead on."""
    while True:
        found = listing.search(connection, wanted)
        yield found.lines
        if not found.has_later:
            return
        wanted = replace(wanted, after=cursor_of(found.lines[-1], wanted.sort))


def test_of_many_nobody_is_told_how_many(house: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_COUNTED", 5)
    with writing(house.engine) as connection:
        make_club(connection)
        assert listing.search(connection, BoardSearch(boards="all")).total == 6
        assert listing.search(connection, BoardSearch(userids=("Ann",), boards="all")).total == 6
        assert TransactionQueries(connection).boards(ListingQuery(filter="all")).total == 40
    assert MOST_COUNTED == 1000


# How they are found: in a house of a thousand, as SQLite without statistics plans it


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A house of a thousand matches."""
    engine = build(tmp_path_factory.mktemp("thousand") / "pbmserv.db", 1000)
    yield engine
    engine.dispose()


def plans(engine: Any, wanted: BoardSearch) -> list[str]:
    """The plan of each statement of a search that reads matches, seats or clocks, a line a step."""
    asked: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        asked.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    try:
        with reading(engine) as connection:
            listing.search(connection, wanted)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    with reading(engine) as connection:
        return [
            "\n".join(row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters))
            for statement, parameters in asked
            if statement.startswith("SELECT") and "ORDER BY" in statement and "LIMIT" in statement
        ]


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        (BoardSearch(boards="all"), "ix_matches_last_at_number"),
        (BoardSearch("cephalopod", boards="all"), "ix_matches_game_last_at_number"),
        (BoardSearch(), "ix_matches_status_last_at"),
        (BoardSearch("cephalopod"), "ix_matches_game_status_last_at"),
        (BoardSearch(boards="inactive"), "ix_matches_over"),
        (BoardSearch("cephalopod", boards="inactive"), "ix_matches_game_over"),
        (BoardSearch(sort="newest"), "ix_matches_status_number"),
        (BoardSearch("cephalopod", sort="newest"), "ix_matches_status_number"),
        (BoardSearch(boards="inactive", sort="newest"), ""),
        (BoardSearch("cephalopod", boards="inactive", sort="newest"), "ix_matches_game_number"),
        (BoardSearch("cephalopod", boards="all", sort="newest"), "ix_matches_game_number"),
        (BoardSearch(sort="time"), "ix_clocks_deadline_at_match"),
        (BoardSearch("cephalopod", sort="time"), "ix_clocks_deadline_at_match"),
        (BoardSearch(userids=("robot",), boards="inactive"), "ix_seats_player_id_ended_at_match"),
        (BoardSearch("cephalopod", ("light", "partner"), "inactive"), "ix_seats_player_id_ended_at_match"),
        (BoardSearch(userids=("robot",), sort="newest"), "ix_seats_player_id_ended_at_match"),
        (BoardSearch(userids=("robot",), boards="all", sort="newest"), "ix_seats_player_id_match"),
        (BoardSearch("cephalopod", ("robot",), boards="inactive", sort="newest"), "ix_seats_player_id_match"),
    ],
)
def test_a_page_goes_along_an_index(thousand: Any, wanted: BoardSearch, index: str) -> None:
    """It need not be sorted, nor gone through as a whole."""
    (first,) = plans(thousand, wanted)
    later = replace(wanted, after=cursor_of(line_of(thousand, wanted), wanted.sort))
    for plan in (first, *plans(thousand, later)):
        assert index in plan, plan
        assert "TEMP B-TREE" not in plan, plan
        assert index or "AUTOMATIC" not in plan, plan


def line_of(engine: Any, wanted: BoardSearch) -> BoardRow:
    """A line of a listing."""
    with reading(engine) as connection:
        return listing.search(connection, wanted).lines[0]


def test_running_boards_of_a_player_are_sorted(thousand: Any) -> None:
    """They are found by the player, not among all; of somebody with very many it is the other way round."""
    (plan,) = plans(thousand, BoardSearch(userids=("robot",)))
    assert plan.splitlines()[0].startswith("SEARCH seats USING COVERING INDEX ix_seats_player_id_ended_at_match")
    assert "SEARCH matches USING INTEGER PRIMARY KEY" in plan


def test_running_boards_of_a_very_busy_player(thousand: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_SORTED", 0)
    (plan,) = plans(thousand, BoardSearch(userids=("robot",)))
    assert "ix_matches_status_last_at" in plan
    assert "TEMP B-TREE" not in plan
    (plan,) = plans(thousand, BoardSearch(userids=("robot",), sort="time"))
    assert "ix_clocks_deadline_at_match" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("userids", [("robot", "light"), ("light", "robot"), ("partner", "robot", "light")])
def test_several_players_are_found_by_who_has_fewest_boards(thousand: Any, userids: tuple[str, ...]) -> None:
    with reading(thousand) as connection:
        ids = listing._ids(connection, userids, is_running=False)
    assert ids is not None
    assert ids[0] == LIGHT
    assert ids[-1] == ROBOT
    assert USERIDS[PARTNER] == "partner"
    assert BUSY not in ids
