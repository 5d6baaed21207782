"""Whatever happens to matches in whatever order, ratings are what the logs give, to the last digit."""

import random
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pytest
from sqlalchemy import Connection, Engine, event, text

from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.matches.log import Entry, EntryKind, Match, rules_of
from pbmserv.matches.ratings import (
    INACTIVE_AFTER,
    SECTIONS,
    Rating,
    RatingChange,
    RatingResult,
    Section,
    Tally,
    pool_named,
    reckoned,
)
from pbmserv.matches.replay import GameState, replay
from pbmserv.services.app import App
from pbmserv.store import matches, players, rankings, ratings
from pbmserv.store.engine import reading, writing
from pbmserv.store.queries import TransactionQueries
from pbmserv.store.rankings import counted_players
from pbmserv.store.ratings import states_of
from tests.conftest import prepared
from tests.store import rankings as in_memory
from tests.store.club import NOON, add_players, keep, new_match

CHOICES: Final[tuple[tuple[Section, ...], ...]] = (SECTIONS, ("inactive",), ("established", "provisional"))
MEMBERS: Final = ("ann", "bob", "carl", "dora", "eve", "finn")
SMALL, PLAIN = "cephalopod 3x3", "cephalopod"
PATIENCE: Final = 60.0
FORGET = text("UPDATE players SET userid = 'former player', userid_lower = :name, skeleton = '' WHERE id = :id")
WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A club without boards, on either database."""
    built = prepared(database_url)
    with writing(built) as connection:
        add_players(connection, *MEMBERS)
    yield built
    built.dispose()


def begin(engine: Engine, number: int, *userids: str, pool: str = SMALL) -> GameState:
    """A match that has just begun."""
    match = replace(new_match(number, *userids), options=pool_named(pool).options)
    with writing(engine) as connection:
        return replay(keep(connection, match))


def enter(connection: Connection, board: GameState, *entries: Entry) -> GameState:
    """Keeps entries as a command does."""
    for entry in entries:
        board = board.apply(entry)
    matches.write(connection, Decision(MovePlayed(board.match.number, ""), entries=entries, boards=(board,)))
    return board


def entry(
    board: GameState, kind: EntryKind, seat: int | None, at: datetime, what: str = "", later: int = 1
) -> Entry:
    """The next entry of a board."""
    return Entry(board.match.number, board.state.entries + later, at, kind, seat, what)


def moved_all(engine: Engine, board: GameState) -> GameState:
    """After everybody has made a move."""
    game = rules_of(board.match)
    with writing(engine) as connection:
        for seat in range(len(board.match.userids)):
            move = next(iter(game.moves(board.state.position)))
            text = game.write(board.state.position, move)
            board = enter(connection, board, entry(board, "played", seat, NOON, text))
    return board


def ended(engine: Engine, board: GameState, minutes: float, loser: int = 0) -> GameState:
    """After one of two has resigned, so many minutes after noon."""
    with writing(engine) as connection:
        return enter(connection, board, entry(board, "resigned", loser, NOON + timedelta(minutes=minutes)))


def two(engine: Engine, number: int, *userids: str) -> GameState:
    """A match of two who both have moved."""
    return moved_all(engine, begin(engine, number, *userids))


def from_the_logs(connection: Connection) -> dict[str, tuple[RatingChange, ...]]:
    """A plain recomputation by board size, that shares nothing with the tables but the reckoning of one list."""
    results: dict[str, list[RatingResult]] = {SMALL: [], PLAIN: []}
    for number in matches.all_numbers(connection):
        match = matches.load(connection, number)
        assert match is not None
        board = replay(match)
        moved = {turn.seat for turn in board.state.turns if turn.move}
        if match.rated and board.state.status == "finished" and moved == set(range(len(match.userids))):
            assert board.state.outcome is not None
            ids = [1 + MEMBERS.index(userid) for userid in match.userids]
            ranks = tuple(zip(ids, board.state.outcome.ranks, strict=True))
            pool = SMALL if match.options == (("size", "3x3"),) else PLAIN
            results[pool].append(RatingResult(match.entries[-1].at, number, ranks))
    return {pool: reckoned({}, found) for pool, found in results.items()}


def assert_right(engine: Engine) -> tuple[RatingChange, ...]:
    """Both tables are equal to a recomputation; gives what the 3x3 boards did."""
    with reading(engine) as connection:
        expected = from_the_logs(connection)
        for pool, changes in expected.items():
            assert ratings.stored_changes(connection, pool) == changes
            tallies = ratings.latest(changes)
            assert ratings.stored_tallies(connection, pool) == tallies
            assert rankings.stored_counts(connection, pool) == counted_players(states_of(tallies.values()))
        assert ratings.pools(connection) == {pool for pool, changes in expected.items() if changes}
    return expected[SMALL]


def test_nothing_counts_before_the_end(engine: Engine) -> None:
    two(engine, 101, "ann", "bob")
    assert assert_right(engine) == ()


def test_who_ends_later_counts_later(engine: Engine) -> None:
    """Though it is written first."""
    first, second = two(engine, 101, "ann", "bob"), two(engine, 102, "bob", "carl")
    ended(engine, second, 5)
    assert [change.board for change in assert_right(engine)] == [102, 102]
    ended(engine, first, 3)
    changes = assert_right(engine)
    assert [change.board for change in changes] == [101, 101, 102, 102]
    assert changes[2].before == changes[1].after.rating


def test_an_operator_changes_what_has_counted(engine: Engine) -> None:
    """Undone it does not count, ended again it counts then; awarded to another, made void."""
    boards = {number: two(engine, number, "ann", "bob", "carl") for number in (101, 102, 103)}
    with writing(engine) as connection:
        for number, board in boards.items():
            then = NOON + timedelta(minutes=number)
            out = enter(connection, board, entry(board, "resigned", 0, then))
            boards[number] = enter(connection, out, entry(out, "resigned", 1, then))
    assert len(assert_right(engine)) == 9

    def operate(number: int, kind: EntryKind, seat: int | None, minutes: float, what: str = "") -> None:
        with writing(engine) as connection:
            done = entry(boards[number], kind, seat, NOON + timedelta(minutes=minutes), what)
            boards[number] = enter(connection, boards[number], done)

    operate(101, "rewound", None, 200, "3")
    assert {change.board for change in assert_right(engine)} == {102, 103}
    operate(101, "awarded", 0, 201)
    assert [change.board for change in assert_right(engine)][-1] == 101
    operate(102, "annulled", None, 202)
    assert {change.board for change in assert_right(engine)} == {101, 103}
    operate(103, "awarded", 0, 203)
    assert [change.rank for change in assert_right(engine)][-3:] == [1, 2, 2]
    for number in (101, 103):
        operate(number, "annulled", None, 204)
    assert assert_right(engine) == ()
    with reading(engine) as connection:
        assert ratings.pools(connection) == set()


def random_step(chance: random.Random, board: GameState, now: datetime) -> tuple[Entry, ...]:
    """Something that may happen on a board, at or before now."""
    at = now - timedelta(minutes=chance.choice([0, 0, 0, chance.randrange(60)]))
    state = board.state
    if state.status != "active":
        kind: EntryKind = chance.choice(["rewound", "awarded", "annulled"])
        seat = chance.randrange(len(board.match.userids)) if kind == "awarded" else None
        what = str(chance.randrange(state.plies + 1)) if kind == "rewound" else ""
        return (entry(board, kind, seat, at, what),)
    assert state.to_move is not None
    game = rules_of(board.match)
    what = game.write(state.position, chance.choice(list(game.moves(state.position))))
    if state.plies < len(board.match.userids) and chance.random() < 0.9:
        return (entry(board, "played", state.to_move, at, what),)
    if len(state.seats_in) == 2 and chance.random() < 0.3:
        one, other = chance.sample(state.seats_in, 2)
        return entry(board, "proposed", one, at), entry(board, "accepted", other, at, later=2)
    kind = chance.choice(["resigned", "forfeited", "removed", "declined", "awarded", "annulled", "resigned"])
    return (entry(board, kind, None if kind == "annulled" else chance.choice(state.seats_in), at),)


def random_boards(engine: Engine, chance: random.Random, sizes: list[int]) -> list[GameState]:
    """Matches of so many players each, on 3x3 or on the usual board."""
    return [
        begin(
            engine,
            number,
            *chance.sample(MEMBERS, chance.choice(sizes)),
            pool=chance.choice([SMALL, PLAIN]),
        )
        for number in range(101, 119)
    ]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_random_club(engine: Engine, seed: int) -> None:
    """Matches of all sizes begin, end in any order, are undone, awarded, made void; one in ten is unrated."""
    chance = random.Random(seed)
    boards = random_boards(engine, chance, [2, 2, 3, 4])
    most = 0
    for minute in range(160):
        index = chance.randrange(len(boards))
        with writing(engine) as connection:
            steps = random_step(chance, boards[index], NOON + timedelta(minutes=minute))
            boards[index] = enter(connection, boards[index], *steps)
        if minute % 20 == 0:
            most = max(most, len(assert_right(engine)))
    assert max(most, len(assert_right(engine))) > 4
    assert ratings_of(engine, PLAIN)
    assert_listed_right(engine, {board.match.number: board.match for board in boards})


def ratings_of(engine: Engine, pool: str) -> dict[int, Tally]:
    """The tallies of a pool."""
    with reading(engine) as connection:
        return ratings.stored_tallies(connection, pool)


def step(engine: Engine) -> int:
    """Counts some matches anew, as anybody may at any time."""
    with writing(engine) as connection:
        return ratings.recount(connection, SMALL) + ratings.recount(connection, PLAIN)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_random_club_counted_anew_in_steps(engine: Engine, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever begins, ends and is undone between two steps, and whoever takes them: it comes out right."""
    monkeypatch.setattr(ratings, "STEP", 1)
    chance = random.Random(seed)
    boards = random_boards(engine, chance, [2, 2, 3])
    pending = 0
    for minute in range(160):
        index = chance.randrange(len(boards))
        with writing(engine) as connection:
            steps = random_step(chance, boards[index], NOON + timedelta(minutes=minute))
            boards[index] = enter(connection, boards[index], *steps)
            pending += bool(ratings.recounted(connection))
        if chance.random() < 0.3:
            step(engine)
        assert_tallies_are_last_changes(engine)
    while step(engine):
        pass
    assert pending > 5
    assert len(assert_right(engine)) > 4
    assert ratings_of(engine, PLAIN)


def assert_tallies_are_last_changes(engine: Engine) -> None:
    """However far it has come."""
    with reading(engine) as connection:
        for pool in (SMALL, PLAIN):
            last = ratings.latest(ratings.stored_changes(connection, pool))
            assert ratings.stored_tallies(connection, pool) == last


def assert_listed_right(engine: Engine, boards: dict[int, Match]) -> None:
    """Listings say what a reckoning in memory does, page by page."""
    with reading(engine) as connection:
        members = players.everybody(connection)
        records = TransactionQueries(connection)
        ids = {player.userid: player.id for player in members}
        for now in (NOON + timedelta(hours=3), NOON + INACTIVE_AFTER + timedelta(minutes=120)):
            for sections in CHOICES:
                for first, count in ((0, 50), (1, 2), (50, 50)):
                    for pool in map(pool_named, (SMALL, PLAIN)):
                        listed = records.standings(pool, sections, now, first, count)
                        expected = in_memory.standings(boards, members, pool, sections, now, first, count)
                        assert listed == expected
        assert records.rated_pools("cephalopod") == in_memory.pools(boards, "cephalopod")
        assert records.rated_pools("hex") == []
        for player in members:
            whole = tuple(in_memory.rated_matches(boards, ids, player.id, None))
            for game in (None, "cephalopod"):
                theirs = records.rated_matches(player, game, 1, 3)
                assert (theirs.lines, theirs.total) == (whole[1:4], len(whole))
            assert records.rated_matches(player, "hex", 0, 3).total == 0
            results = records.results(player, 3)
            assert tuple(each.match for each in results) == whole[:3]
            for each in results:
                state = replay(boards[each.match.board]).state
                assert state.outcome is not None
                assert each.ending == state.ending
                assert each.is_shared == (state.outcome.ranks.count(each.match.rank) > 1)
            for pool in map(pool_named, (SMALL, PLAIN)):
                course = records.course(player, pool, 4)
                newest = [(each.at, each.after) for each in whole if each.pool == pool][:4]
                assert [(each.at, each.rating) for each in course] == newest[::-1]
            on = records.rated_on(player, [101, 102, 103])
            assert on == {line.board: line for line in whole if line.board <= 103}
            tallies = {
                pool: found
                for pool in in_memory.pools(boards)
                if (found := in_memory.tallies(boards, ids, pool).get(player.id)) is not None
            }
            for game in (None, "cephalopod"):
                assert list(records.tallies(player, game).items()) == [*tallies.items()]
            assert records.tallies(player, "hex") == {}


def test_ratings_that_are_not_established_do_not_tell_an_order(engine: Engine) -> None:
    """Finn has won twice and eve has lost twice; carl has won once and comes after both."""
    pairs = [("ann", "bob")] * 12 + [("carl", "dora"), ("eve", "finn"), ("eve", "finn")]
    boards = {}
    for number, (first, second) in enumerate(pairs, 101):
        loser = number % 2 if first == "ann" else 1 if first == "carl" else 0
        boards[number] = ended(engine, two(engine, number, first, second), number, loser).match
    orders = []
    with reading(engine) as connection:
        for now in (NOON, NOON + 2 * INACTIVE_AFTER):
            listed = TransactionQueries(connection).standings(pool_named(SMALL), SECTIONS, now, 0, 50).lines
            orders.append([(line.userid, line.place) for line in listed])
    on_the_way = [("eve", None), ("finn", None), ("carl", None), ("dora", None)]
    assert orders[0][2:] == orders[1][2:] == on_the_way
    assert [place for _, place in orders[0][:2]] == [1, 2]
    assert [userid for userid, _ in orders[0]] == [userid for userid, _ in orders[1]]
    assert_listed_right(engine, boards)


def test_two_at_once(postgresql_house: App) -> None:
    """The one that has ended earlier commits later; neither is lost, and each has the other before it or after."""
    engine = postgresql_house.engine
    with writing(engine) as connection:
        add_players(connection, *MEMBERS)
    early, late = two(engine, 101, "ann", "bob"), two(engine, 102, "ann", "bob")
    other = threading.Thread(target=lambda: ended(engine, early, 1))
    with writing(engine) as connection:
        enter(connection, late, entry(late, "resigned", 0, NOON + timedelta(minutes=2)))
        other.start()
        deadline = time.monotonic() + PATIENCE
        waits = False
        while other.is_alive() and not waits and time.monotonic() < deadline:
            with reading(engine) as watching:
                waits = watching.execute(WAITING).scalar_one() > 0
            other.join(0.02)
        assert waits
    other.join(PATIENCE)
    assert [change.board for change in assert_right(engine)] == [101, 101, 102, 102]


def test_a_move_costs_nothing_and_an_end_little(engine: Engine) -> None:
    """Statements about ratings: none as long as a match goes on, a handful when one ends behind all others."""
    seen: list[str] = []
    event.listen(
        engine,
        "before_cursor_execute",
        lambda *arguments: seen.append(arguments[2]) if "rating" in arguments[2] else 0,
    )
    for number in (101, 102, 103):
        board = two(engine, number, "ann", "bob")
    assert seen == []
    ended(engine, board, 5)
    assert 0 < len(seen) <= 9


def test_standings_are_as_if_everybody_was_counted(engine: Engine) -> None:
    """Whoever comes, plays again or is forgotten, at any time of any day."""
    chance, pool = random.Random(5), pool_named(PLAIN)
    names = [f"p{number:02}" for number in range(40)]
    tallies: dict[int, Tally] = {}
    former: set[int] = set()
    with writing(engine) as connection:
        add_players(connection, *names)
    for _ in range(30):
        with writing(engine) as connection:
            some = {each: drawn(chance) for each in chance.sample(range(7, 47), 5)}
            ratings.forget_tallies(connection, PLAIN, some)
            ratings.add_rows(connection, PLAIN, (), some)
            tallies |= some
            if chance.random() < 0.2 and (gone := chance.choice([*tallies])) not in former:
                former.add(gone)
                connection.execute(FORGET, {"id": gone, "name": f"former {gone}"})
        now = NOON + INACTIVE_AFTER + timedelta(hours=chance.randrange(-10, 90))
        there = {each: tally for each, tally in tallies.items() if each not in former}
        ranked = sorted(there, key=lambda each: _rank(there[each], now, names[each - 7]))
        with reading(engine) as connection:
            for first, count in ((0, 100), (0, 7), (chance.randrange(30), 9)):
                found = TransactionQueries(connection).standings(pool, SECTIONS, now, first, count)
                assert [line.userid for line in found.lines] == [names[each - 7] for each in ranked][first:][
                    :count
                ]
                for section in SECTIONS:
                    assert found.counts[section] == sum(each.section(now) == section for each in there.values())
    assert former


def drawn(chance: random.Random) -> Tally:
    """Some player's state."""
    rating = Rating(chance.uniform(20, 30), chance.choice([4.5, 6.25, 6.2501, 8.0]))
    return Tally(rating, chance.randrange(1, 5), 0, NOON + timedelta(hours=chance.randrange(72)))


def _rank(tally: Tally, now: datetime, name: str) -> tuple[object, ...]:
    is_established = tally.rating.is_established
    order = (0, -tally.rating.mu) if is_established else (1, -tally.counted)
    return (SECTIONS.index(tally.section(now)), *order, name)
