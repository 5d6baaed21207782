"""What a player may do on a board, and that every game played so folds back to itself."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import cephalopod, games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.moves import (
    AlreadyGone,
    AmbiguousMove,
    GameOver,
    IllegalMove,
    NotYourTurn,
    Reason,
    StalePly,
    UnreadableMove,
    play,
    reason_against,
    resign,
)
from pbmserv.matches.replay import GameState, fold, replay
from pbmserv.matches.state import summarise
from tests.every import for_each
from tests.matches.test_match import ELIMINATING, NOON, match_of

LATER = NOON + timedelta(hours=1)


def played(match: Match, seat: int, text: str, ply: int | None = None) -> Entry | CommandError:
    """What comes of a move."""
    try:
        return play(replay(match), seat, text, ply, LATER)
    except CommandError as error:
        return error


def resigned(match: Match, seat: int, ply: int | None = None) -> Entry | CommandError:
    """What comes of a resignation."""
    try:
        return resign(replay(match), seat, LATER, ply)
    except CommandError as error:
        return error


def test_a_move() -> None:
    """An entry that follows, in stored notation."""
    match = match_of("A1", "C1")
    assert played(match, 0, "b1 = c1 + a1") == Entry(101, 3, LATER, "played", 0, "B1xA1,C1")
    assert played(match, 0, "b1", 3) == Entry(101, 3, LATER, "played", 0, "B1xA1,C1")


@for_each(
    ("game", "text", "expected"),
    [
        ("cephalopod", "c9", Reason("off", "C9", "A1", "E5", "C9")),
        ("cephalopod", "c3, z1", Reason("off", "Z1", "A1", "E5", "C3, Z1")),
        ("cephalopod", "a1", Reason("taken", "A1", "A1", "E5", "A1")),
        ("cephalopod", "b2xa1,e5", Reason("rule", "B2", "A1", "E5", "B2xA1,E5")),
        ("breakthrough", "d4-d5", Reason("empty", "D4", "A1", "H8", "D4-D5")),
        ("breakthrough", "d8-d7", Reason("other", "D8", "A1", "H8", "D8-D7")),
        ("breakthrough", "a1-a2", Reason("rule", "A1", "A1", "H8", "A1-A2")),
        ("checkers", "45-40", Reason("rule")),
        ("chess", "e4-e5", Reason("empty", "E4", "A1", "H8", "E4-E5")),
        ("chess", "e5", Reason("rule", "", "A1", "H8", "E5")),
        ("chess", "r1e2", Reason("rule", "", "A1", "H8", "R1E2")),
        ("chess", "r9", Reason("off", "R9", "A1", "H8", "R9")),
        ("hex", "a1", Reason("taken", "A1", "A1", "K11", "A1")),
    ],
)
def test_reasons_that_the_board_tells(game: str, text: str, expected: Reason) -> None:
    """What everybody sees is told without a rule."""
    rules = games()[game]
    position = rules.start(2, {})
    if game in ("cephalopod", "hex"):
        position, _ = rules.play(position, rules.read(position, "a1"))
    assert reason_against(rules, position, rules.to_move(position) or 0, text) == expected


def test_a_move_with_a_question_mark_is_asked_back() -> None:
    """It is the example; what is no move either way is not."""
    match = match_of("A1", "C1")
    asked = played(match, 0, "b2?")
    assert asked == UnreadableMove(board=101, game="cephalopod", example="b2", asked=True)
    for text in ("zz?", "a1?", "zz"):
        refused = played(match, 0, text)
        assert isinstance(refused, UnreadableMove)
        assert not refused.asked


def test_refused_moves() -> None:
    """By ply, turn, notation and rules, in this order."""
    match = match_of("A1", "C1")
    assert played(match, 1, "zz", 2) == StalePly(
        board=101, move="zz", meant=2, now=3, to_move="Anna", again="", still_goes=True
    )
    assert played(match, 0, "B2", 4) == StalePly(
        board=101, move="B2", meant=4, now=3, to_move="Anna", again="b2", still_goes=True
    )
    assert played(match, 0, "a1", 1) == StalePly(
        board=101, move="a1", meant=1, now=3, to_move="Anna", again="b2", still_goes=False
    )
    assert played(match, 1, "zz", 3) == NotYourTurn(board=101, to_move="Anna", example="b2")
    assert isinstance(played(match, 0, "zz"), UnreadableMove)
    for text, rule in [("d4", 1), ("a1", 2), ("b2xa1,c1", 3)]:
        refused = played(match, 0, text)
        assert isinstance(refused, IllegalMove)
        assert refused.rule == rule
        assert isinstance(played(match, 0, refused.example), Entry)
    refused = played(match_of("A2", "B1", "C2", "B3"), 0, "b2")
    assert isinstance(refused, AmbiguousMove)
    assert len(refused.choices) > 5


def test_resigning_declines_before_a_first_move() -> None:
    """Of one's own: what the others did does not matter, nor whose turn it is."""
    for match, seat, kind in [
        (match_of(), 0, "declined"),
        (match_of(), 1, "declined"),
        (match_of("A1"), 1, "declined"),
        (match_of("A1"), 0, "resigned"),
        (match_of("A1", "C3"), 1, "resigned"),
        (match_of("A1", "C3", seats=3), 2, "declined"),
    ]:
        entry = resigned(match, seat)
        assert isinstance(entry, Entry)
        assert (entry.kind, entry.seq, entry.text) == (kind, len(match.entries) + 1, "")
        assert fold(match.with_entries((entry,))).status == ("declined" if kind == "declined" else "finished")


def test_a_stale_resignation() -> None:
    """A guard holds for it, too."""
    assert resigned(match_of("A1"), 1, 1) == StalePly(
        board=101, move="resign", meant=1, now=2, to_move="bob", again="resign", still_goes=True
    )
    assert isinstance(resigned(match_of("A1"), 1, 2), Entry)


def test_nothing_after_the_end() -> None:
    """Whoever tries, whatever it is, and whatever ply they mean."""
    for match, declined in [(match_of(), True), (match_of("A1"), False)]:
        entry = resigned(match, 0)
        assert isinstance(entry, Entry)
        over = match.with_entries((entry,))
        for seat in (0, 1):
            refused = GameOver(board=101, declined=declined, all_here=True)
            assert played(over, seat, "b2", 99) == refused
            assert resigned(over, seat) == refused
    gone = replace(over, userids=("Anna", "former player"))
    told = resigned(gone, 0)
    assert isinstance(told, GameOver)
    assert not told.all_here


def test_who_left_stays_away() -> None:
    """In a game of three and more the others play on."""
    match = match_of("A1", "C3", "A3", seats=3)
    entry = resigned(match, 1)
    assert isinstance(entry, Entry)
    match = match.with_entries((entry,))
    gone = AlreadyGone(board=101, userid="bob")
    assert (played(match, 1, "b2"), resigned(match, 1)) == (gone, gone)
    assert [fold(match).is_in(seat) for seat in range(3)] == [True, False, True]
    assert isinstance(played(match, 0, "b2"), Entry)


def test_who_was_eliminated_stays_away() -> None:
    """As if they had left."""
    match = match_of(*ELIMINATING.split(), seats=3)
    gone = AlreadyGone(board=101, userid="Anna")
    assert (played(match, 0, "b2"), resigned(match, 0)) == (gone, gone)
    assert isinstance(resigned(match, 2), Entry)


@given(st.integers(2, 6), st.sampled_from(["3x3", "3x5", "5x5"]), st.lists(st.integers(0, 999), max_size=60))
def test_a_game_folds_back_to_itself(seats: int, size: str, choices: list[int]) -> None:
    """Played through `turn`, a game stands as it does when the rules are asked directly, after each ply."""
    match = match_of(seats=seats, size=size)
    position = cephalopod.start(seats, {"size": size})
    positions, out = [position], set[int]()
    for choice in choices:
        seat = cephalopod.to_move(position)
        if seat is None:
            break
        legal = list(cephalopod.moves(position))
        move = legal[choice % len(legal)]
        text = cephalopod.write(position, move)
        entry = played(match, seat, text.lower(), len(positions))
        assert isinstance(entry, Entry)
        assert entry.text == text
        match = match.with_entries((entry,))
        position, events = cephalopod.play(position, move)
        positions.append(position)
        out |= {event.seat for event in events if event.kind == "eliminated"}
        for each in out:
            refused = played(match, each, "a1")
            assert isinstance(refused, AlreadyGone | GameOver)
    state = fold(match)
    assert state.position == position
    assert (state.to_move, state.outcome) == (cephalopod.to_move(position), cephalopod.outcome(position))
    assert summarise(state).plies == len(positions) - 1
    assert [fold(match, ply).position for ply in range(len(positions))] == positions
    assert (state.status == "finished") is (state.outcome is not None)


@given(st.integers(2, 6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 30)), max_size=80))
def test_nothing_that_is_accepted_breaks_the_log(seats: int, attempts: list[tuple[int, int]]) -> None:
    """Whoever tries whatever: each entry given can be kept, and a refusal says why."""
    match = match_of(seats=seats)
    for seat, what in attempts:
        seat %= seats
        text = f"{'abc'[what % 3]}{what // 3 % 3 + 1}"
        before = fold(match)
        done = resigned(match, seat) if what == 30 else played(match, seat, text)
        if isinstance(done, CommandError):
            assert fold(match) == before
            continue
        after = replay(match).apply(done)
        match = match.with_entries((done,))
        state = fold(match)
        assert after == replay(match) == GameState(match, state)
        assert (state.outcome is None) is (state.status != "finished")
        assert (state.to_move is None) is (state.status != "active")
        assert state.to_move is None or state.is_in(state.to_move)


@for_each("seats", [3, 4, 5, 6])
def test_all_but_one_leave(seats: int) -> None:
    """After all have moved, in whatever turn; the last who stays has won."""
    squares = ("A1", "A3", "C1", "C3", "E1", "E3")
    match = match_of(*squares[:seats], seats=seats, size="5x5")
    for seat in range(1, seats):
        entry = resigned(match, seat)
        assert isinstance(entry, Entry)
        match = match.with_entries((entry,))
    state = fold(match)
    assert state.gone == tuple(range(1, seats))
    assert state.outcome is not None
    assert state.outcome.ranks[0] == 1
    assert state.plies == seats
