"""`standings`, `ratings`, `history`: what they tell, page by page."""

import re
from datetime import timedelta

import pytest

from pbmserv.commands import boards, ratings
from pbmserv.commands.boards import HistoryTold
from pbmserv.commands.command import NotOurPlayer, Reply
from pbmserv.commands.lookup import NoSuchPlayer, WrongForm
from pbmserv.commands.ratings import NoSuchStandings, RatingsTold, StandingsTable
from pbmserv.commands.server import Server
from pbmserv.matches.log import Entry, EntryKind
from pbmserv.rendering.markup import laid_out
from pbmserv.rendering.templates import say
from tests.commands.memory import Table

SERVER = Server("pbm@club.test", variants=True)


def game(
    table: Table, first: str, second: str, end: EntryKind | None = "resigned", seat: int = 1, options: str = ""
) -> int:
    """A game of two that ends so for a seat, after a move of each."""
    number = table.records.next_number()
    table.give(f"challenge {first} {second} {options}", first)
    table.give(f"move {number} b2", first)
    table.give(f"move {number} a1", second)
    if end is not None:
        match = table.match(number)
        table.keep(match.with_entries((Entry(number, 3, table.now, end, seat),)))
    return number


@pytest.fixture
def club() -> Table:
    """Ann has won three times against ben, then she and cem six times each; nobody else has played."""
    table = Table("ann", "ben", "cem", "dee")
    for opponent, loser in (*(("ben", 1),) * 3, *(("cem", 0), ("cem", 1)) * 6):
        table.now += timedelta(days=1)
        game(table, "ann", opponent, seat=loser)
    return table


def test_standings_rank_only_who_is_established(club: Table) -> None:
    told = club.give("standings", "dee")
    assert isinstance(told, StandingsTable)
    shown = [(line.section, line.place, line.userid, line.tally.counted, line.tally.won) for line in told.lines]
    assert shown == [
        ("established", 1, "ann", 15, 9),
        ("established", 2, "cem", 12, 6),
        ("provisional", None, "ben", 3, 0),
    ]
    assert dict(told.counts) == {"established": 2, "provisional": 1, "inactive": 0}


def test_a_rating_is_shown_once_it_is_established(club: Table) -> None:
    """The first match that establishes it tells it, without a change, and those before it tell none."""
    history = laid_out(say(reply(club, "history cem"), SERVER))
    lines = [line for line in history.split("\n") if " by resignation, " in line]
    told = [line.partition(" by resignation, ")[2] for line in reversed(lines)]
    shown = next(place for place, line in enumerate(told) if "established with this game" in line)
    assert told[:shown] == ["rating not established yet"] * shown
    assert 9 <= shown + 1 <= 12
    assert all(" -> " in line for line in told[shown + 1 :])
    for text in (history, laid_out(say(reply(club, "ratings ben"), SERVER)), *tables(club)):
        assert "1500" not in text
    assert "Cephalopod: not established yet; 3 games, 0 won" in laid_out(say(reply(club, "ratings ben"), SERVER))


def tables(club: Table) -> list[str]:
    """The standings in both kinds of text, in which ben stands without a number."""
    told = reply(club, "standings all")
    texts = [laid_out(say(told, SERVER, words=words)) for words in (False, True)]
    assert re.search(r"(?m)^ +ben +3 +0$", texts[0])
    assert "    ben: 3 games, 0 won." in texts[1].split("\n")
    assert all("2 players have an established rating, and 1 is on the way to one." in text for text in texts)
    return texts


def reply(club: Table, line: str) -> Reply:
    """What dee is told."""
    told = club.give(line, "dee")
    assert isinstance(told, Reply)
    return told


def test_each_size_has_its_own_ratings(club: Table) -> None:
    """A rating in one says nothing in another; the plain name is that of the default size, asked for or not."""
    game(club, "ben", "cem", options="-size=3x3")
    game(club, "ben", "cem", options="-size=5x5")
    small, plain = reply(club, "standings -size=3X3"), reply(club, "standings -size=5x5")
    assert isinstance(small, StandingsTable)
    assert isinstance(plain, StandingsTable)
    assert [(line.userid, line.tally.counted) for line in small.lines] == [("ben", 1), ("cem", 1)]
    assert plain == reply(club, "standings")
    assert {line.userid: line.tally.counted for line in plain.lines} == {"ann": 15, "cem": 13, "ben": 4}
    assert "Standings of Cephalopod variant 3x3" in laid_out(say(small, SERVER))
    assert "    cephalopod standings -size=3x3" in laid_out(say(plain, SERVER)).split("\n")
    assert "    cephalopod standings" in laid_out(say(small, SERVER)).split("\n")
    told = reply(club, "ratings ben")
    assert isinstance(told, RatingsTold)
    assert [(pool.name, tally.counted) for pool, tally, _ in told.tallies] == [
        ("cephalopod", 4),
        ("cephalopod 3x3", 1),
    ]
    assert {line.pool.title for line in told.lines} == {"Cephalopod", "Cephalopod variant 3x3"}


@pytest.mark.parametrize("options", ["-size=4x4", "-size=", "-size", "-size=3x3 -size=5x5"])
def test_standings_of_no_size(club: Table, options: str) -> None:
    refused = club.give(f"standings {options}", "ann")
    assert isinstance(refused, NoSuchStandings)
    assert isinstance(club.give(f"standings -{refused.name}={refused.choices[0]}", "ann"), StandingsTable)


def test_standings_of_numbers_are_those_of_all_of_them(club: Table) -> None:
    for options in ("-setup=any", "-setup=7", "-setup=0"):
        told = club.give(f"chess standings {options}", "ann")
        assert isinstance(told, StandingsTable)
        assert told.pool.name == "chess setup=any"
    refused = club.give("chess standings -setup=960", "ann")
    assert isinstance(refused, NoSuchStandings)
    assert refused.choices == ("518", "any")


def test_standings_leave_out_who_is_inactive(club: Table) -> None:
    club.now += timedelta(days=170)
    told = club.give("standings", "dee")
    assert isinstance(told, StandingsTable)
    assert [line.userid for line in told.lines] == ["ann", "cem"]
    assert told.counts["inactive"] == 1
    away, everybody = club.give("standings inactive", "dee"), club.give("cephalopod standings all", "dee")
    assert isinstance(away, StandingsTable)
    assert isinstance(everybody, StandingsTable)
    assert [line.userid for line in away.lines] == ["ben"]
    assert [line.userid for line in everybody.lines] == ["ann", "cem", "ben"]


def test_a_robot_is_marked(club: Table) -> None:
    club.make_robot("ann", "greedy")
    told = club.give("standings", "dee")
    assert isinstance(told, StandingsTable)
    text = laid_out(say(told, SERVER))
    assert "ann (robot)" in text
    assert "cem (robot)" not in text
    assert "ann, a robot:" in laid_out(say(told, SERVER, words=True))


def test_a_wide_table_fits_a_mail() -> None:
    """The longest userids, all of them robots, with the largest numbers."""
    names = [f"{letter}" * 20 for letter in "abc"]
    table = Table(*names)
    for other in names[1:]:
        game(table, names[0], other)
    for name in names:
        table.make_robot(name, robot=name)
    told = table.give("standings", names[0])
    assert isinstance(told, StandingsTable)
    rows = [line for line in say(told, SERVER).split("\n") if "(robot)" in line]
    assert len(rows) == 3
    assert max(map(len, rows)) <= 72


def test_ratings_tell_every_change(club: Table) -> None:
    told = club.give("ratings", "ann")
    assert isinstance(told, RatingsTold)
    assert [line.board for line in told.lines] == list(range(115, 100, -1))
    assert all(late.before == early.after for late, early in zip(told.lines, told.lines[1:], strict=False))
    assert told.lines[-1].before.points == 1500
    ((name, tally, section),) = told.tallies
    assert (name.name, section, tally.counted, tally.rating) == (
        "cephalopod",
        "established",
        15,
        told.lines[0].after,
    )


def test_ratings_of_somebody_else_and_of_nobody(club: Table) -> None:
    told = club.give("cephalopod ratings BEN", "dee")
    assert isinstance(told, RatingsTold)
    assert (told.userid, told.total) == ("ben", 3)
    nothing = club.give("ratings", "dee")
    assert isinstance(nothing, RatingsTold)
    assert (nothing.tallies, nothing.lines) == ((), ())
    assert isinstance(club.give("ratings zoe", "dee"), NoSuchPlayer)
    assert isinstance(club.give("ratings", "stranger@example.org"), NotOurPlayer)


def test_history_tells_each_kind_of_end() -> None:
    table = Table("ann", "ben")
    endings: tuple[tuple[EntryKind, int], ...] = (
        ("resigned", 1),
        ("forfeited", 0),
        ("removed", 1),
        ("awarded", 0),
    )
    for end, seat in endings:
        game(table, "ann", "ben", end, seat)
    game(table, "ann", "ben", None)
    drawn = table.match(game(table, "ann", "ben", None))
    offer = Entry(drawn.number, 3, table.now, "proposed", 0), Entry(drawn.number, 4, table.now, "accepted", 1)
    table.keep(drawn.with_entries(offer))
    void = table.match(game(table, "ann", "ben", None))
    entry = Entry(void.number, 3, table.now, "annulled", None)
    table.keep(void.with_entries((entry,)))
    told = table.give("history", "ann")
    assert isinstance(told, HistoryTold)
    assert [(line.listed.number, line.rank, line.ending) for line in told.lines] == [
        (106, 1, "agreed"),
        (104, 1, "awarded"),
        (103, 1, "removed"),
        (102, 2, "forfeited"),
        (101, 1, "resigned"),
    ]
    assert (told.total, told.void) == (5, 1)
    text = laid_out(say(told, SERVER))
    for result in ("won by resignation,", "lost on time,", "won, one player was removed,", "drawn by agreement,"):
        assert result in text


def test_history_of_several_is_what_they_played_together(club: Table) -> None:
    told = club.give("history ben ann", "dee")
    assert isinstance(told, HistoryTold)
    assert (told.userid, told.others, told.total) == ("ben", ("ann",), 3)
    assert all(line.rank == 2 for line in told.lines)
    nothing = club.give("history ben cem", "dee")
    assert isinstance(nothing, HistoryTold)
    assert nothing.total == 0
    assert isinstance(club.give("history ann zoe", "dee"), NoSuchPlayer)
    assert isinstance(club.give("history", "stranger@example.org"), NotOurPlayer)


@pytest.mark.parametrize("name", ["standings", "ratings", "history"])
def test_a_listing_comes_page_by_page(club: Table, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Each page says how to get the next one, and that line brings it; nothing is shown twice or left out."""
    monkeypatch.setattr(ratings, "MOST_RANKED", 2)
    monkeypatch.setattr(ratings, "MOST_LINES", 2)
    monkeypatch.setattr(boards, "MOST_FINISHED", 2)
    line, seen, pages = name, [], 0
    while line:
        told = club.give(line, "ann")
        assert isinstance(told, StandingsTable | RatingsTold | HistoryTold)
        seen += list(told.lines)
        pages += 1
        text = laid_out(say(told, SERVER)).split("\n")
        line = next((each.strip() for each in text if f"--page={told.page + 1}" in each), "")
        assert bool(line) == bool(told.more)
    monkeypatch.undo()
    whole = club.give(name, "ann")
    assert isinstance(whole, StandingsTable | RatingsTold | HistoryTold)
    assert tuple(seen) == whole.lines
    assert pages == (len(seen) + 1) // 2


@pytest.mark.parametrize(
    "options", ["--page=0", "--page=two", "--page", "--pages=2", "--page=2 --pages=3", "next"]
)
def test_words_that_mean_nothing_here(club: Table, options: str) -> None:
    assert isinstance(club.give(f"standings {options}", "ann"), WrongForm)


def test_the_last_page_and_beyond(club: Table) -> None:
    told = club.give("history ann --page=9", "ann")
    assert isinstance(told, HistoryTold)
    assert (told.lines, told.more, told.total) == ((), 0, 15)
