"""The log of a match and its fold: what may stand in it, and what it adds up to."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pbmserv.games import cephalopod
from pbmserv.games.game import Event
from pbmserv.matches.log import BrokenLog, Entry, EntryKind, Match, rules_of
from pbmserv.matches.replay import fold, replay
from pbmserv.matches.state import Summary, summarise
from tests.every import for_each

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
PLAYERS = ("Anna", "bob", "cora", "dora", "emil", "fay")


def match_of(*moves: str, seats: int = 2, size: str = "3x3") -> Match:
    """A match whose players played these moves in turn, a minute each."""
    options = (("size", size),)
    match = Match(101, "cephalopod", "cephalopod/1", options, True, PLAYERS[:seats], PLAYERS[0], NOON)
    return match.with_entries(log([("played", seq % seats, move) for seq, move in enumerate(moves)]))


def log(things: Sequence[tuple[EntryKind, int, str]], start: int = 1) -> tuple[Entry, ...]:
    """Entries with these kinds, seats and texts, numbered from `start`."""
    return tuple(
        Entry(101, seq, NOON + timedelta(minutes=seq), kind, seat, text)
        for seq, (kind, seat, text) in enumerate(things, start)
    )


GAME = ("A1", "C1", "B1xA1,C1", "A1", "C1")
ELIMINATING = """
    C3 A3 C2 B2 C1 A1 B3xA3,B2,C3 A3 B1xA1,C1 A1 B2xB1,B3,C2 B3 C1 C3 A2xA1,A3 A1 B1xA1,C1 C2
    A1xA2,B1 A3 C1 A2xA1,A3 B1 A3xA2,B3 B3 A1 A2
"""
"""A game of three on 3x3 whose last move fills the board and puts the first player out."""


def test_fold_of_nothing() -> None:
    """The start."""
    state = fold(match_of())
    assert (state.status, state.to_move, state.plies, state.turns) == ("active", 0, 0, ())
    assert (state.outcome, state.gone, state.last_at) == (None, (), NOON)
    assert state.position == cephalopod.start(2, {"size": "3x3"})
    assert fold(match_of(), 0) == state


@for_each("ply", range(len(GAME) + 1))
def test_fold_at_every_ply(ply: int) -> None:
    """Right after a ply it is as if nothing had happened since."""
    state = fold(match_of(*GAME), ply)
    assert state == fold(match_of(*GAME[:ply]))
    assert state.plies == ply
    assert state.to_move == ply % 2
    assert [turn.move for turn in state.turns] == list(GAME[:ply])
    assert [turn.ply for turn in state.turns] == list(range(1, ply + 1))
    assert state.last_at == NOON + timedelta(minutes=ply)
    position = cephalopod.start(2, {"size": "3x3"})
    for text in GAME[:ply]:
        position, _ = cephalopod.play(position, cephalopod.read(position, text))
    assert state.position == position


def test_fold_at_a_ply_leaves_out_what_came_after_it() -> None:
    """A resignation after the last ply is no part of that ply; the whole log has it."""
    match = match_of("A1", "C3")
    match = match.with_entries(log([("resigned", 0, "")], 3))
    assert fold(match, 2).status == "active"
    assert fold(match, 1) == fold(match_of("A1"))
    assert fold(match).status == "finished"


def test_declined() -> None:
    """It is over for all, without an outcome."""
    match = match_of("A1").with_entries(log([("declined", 1, "")], 2))
    state = fold(match)
    assert (state.status, state.to_move, state.outcome, state.gone) == ("declined", None, None, (1,))
    assert (state.turns[-1].ply, state.turns[-1].move, state.plies) == (None, None, 1)


def test_left_by_one_of_two() -> None:
    """The other has won."""
    state = fold(match_of("A1", "C3").with_entries(log([("resigned", 1, "")], 3)))
    assert (state.status, state.to_move, state.gone) == ("finished", None, (1,))
    assert state.outcome is not None
    assert (state.outcome.ranks, state.outcome.reason) == ((1, 2), "alone")


def test_left_by_one_of_three() -> None:
    """The others play on; it need not be the leaver's turn, and the ply goes on counting."""
    match = match_of("A1", "C3", "A3", seats=3).with_entries(log([("resigned", 1, "")], 4))
    state = fold(match)
    assert (state.status, state.to_move, state.plies, state.gone) == ("active", 0, 3, (1,))
    assert state.outcome is None
    match = match.with_entries(log([("played", 0, "B2"), ("played", 2, "C3")], 5))
    assert (fold(match).plies, fold(match).to_move, fold(match).turns[-1].ply) == (5, 0, 5)
    assert fold(match, 3).gone == ()
    assert fold(match, 4).gone == (1,)


def test_eliminated() -> None:
    """Whom the rules put out has not gone of their own will, but does nothing any more."""
    match = match_of(*ELIMINATING.split(), seats=3)
    state = fold(match)
    assert (state.status, state.to_move, state.gone, state.plies) == ("active", 1, (), 27)
    assert Event("eliminated", 0) in state.turns[-1].events
    kinds: list[EntryKind] = ["resigned", "declined", "played"]
    for kind in kinds:
        with pytest.raises(BrokenLog, match="entry 28"):
            fold(match.with_entries(log([(kind, 0, "B2")], 28)))


SEVERAL = ("A2", "B1", "C2", "B3", "B2")
BROKEN: dict[str, tuple[Entry, ...]] = {
    "a gap": log([("played", 0, "A1")], 2),
    "twice the same": log([("played", 0, "A1")]) * 2,
    "backwards": log([("played", 0, "A1"), ("played", 1, "C3")])[::-1],
    "out of turn": log([("played", 1, "A1")]),
    "twice in turn": log([("played", 0, "A1"), ("played", 0, "C3")]),
    "not in the notation": log([("played", 0, "northwest")]),
    "no text": log([("played", 0, "")]),
    "off the board": log([("played", 0, "D4")]),
    "on a die": log([("played", 0, "A1"), ("played", 1, "A1")]),
    "could be several": log([("played", seq % 2, move) for seq, move in enumerate(SEVERAL)]),
    "after a decline": log([("declined", 0, ""), ("played", 0, "A1")]),
    "declined twice": log([("declined", 0, ""), ("declined", 0, "")]),
    "after the end": log([("played", 0, "A1"), ("resigned", 1, ""), ("played", 0, "A2")]),
    "resigned after the end": log([("played", 0, "A1"), ("resigned", 1, ""), ("resigned", 0, "")]),
    "no such seat": log([("resigned", 2, "")]),
    "no seat at all": log([("declined", -1, "")]),
    "no known kind": log([("accepted", 0, "")]),
}


@for_each("entries", BROKEN.values())
def test_a_broken_log(entries: tuple[Entry, ...]) -> None:
    """Whatever does not follow is found, and nothing is guessed."""
    with pytest.raises(BrokenLog, match="board 101"):
        fold(match_of().with_entries(entries))


def test_nobody_leaves_twice() -> None:
    """Nor does one who left do anything else."""
    match = match_of("A1", "C3", "A3", seats=3).with_entries(log([("resigned", 1, "")], 4))
    kinds: list[EntryKind] = ["resigned", "declined", "played"]
    for kind in kinds:
        with pytest.raises(BrokenLog, match="not in the game"):
            fold(match.with_entries(log([(kind, 1, "B2")], 5)))


@pytest.mark.parametrize(
    "change",
    [
        {"game": "ludo"},
        {"rules": "cephalopod/2"},
        {"options": (("size", "4x4"),)},
        {"options": (("speed", "3"),)},
    ],
    ids=["game", "rules", "value", "option"],
)
def test_rules_that_are_not_to_be_had(change: dict[str, str]) -> None:
    """A match is never folded under rules that it was not played under."""
    with pytest.raises(BrokenLog, match="board 101"):
        fold(replace(match_of("A1"), **change))  # type: ignore[arg-type]


def test_seats() -> None:
    """A userid is one without regard to case."""
    match = match_of(seats=3)
    assert [match.seat_of(userid) for userid in ("anna", "BOB", "Cora", "dora", "")] == [0, 1, 2, None, None]
    assert rules_of(match).info.name == "cephalopod"


def test_with_entries_leaves_the_old_match() -> None:
    """Matches are values."""
    match = match_of("A1")
    longer = match.with_entries(log([("played", 1, "C3")], 2))
    assert (len(match.entries), len(longer.entries)) == (1, 2)
    assert match.with_entries(()) == match


def test_summaries() -> None:
    """What listings tell."""
    one, two = NOON + timedelta(minutes=1), NOON + timedelta(minutes=2)
    played = match_of("A1")
    assert summarise(fold(match_of())) == Summary("active", 0, 0, NOON, "")
    assert summarise(fold(played)) == Summary("active", 1, 1, one, "A1")
    assert summarise(fold(match_of("A1", "C3"))) == Summary("active", 0, 2, two, "C3")
    declined = played.with_entries(log([("declined", 1, "")], 2))
    assert summarise(fold(declined)) == Summary("declined", None, 1, two, "A1")
    resigned = played.with_entries(log([("resigned", 0, "")], 2))
    assert summarise(fold(resigned)) == Summary("finished", None, 1, two, "A1")


def test_what_a_seat_knows() -> None:
    """What it was told, or played last; and what it did itself right after that, never what befell it."""
    things: list[tuple[EntryKind, int, str]] = [
        ("played", 0, "A1"), ("played", 1, "C1"), ("proposed", 1, ""), ("extended", 1, "5"), ("rejected", 0, ""),
    ]  # fmt: skip
    board = replay(match_of().with_entries(log(things)))
    assert [board.known_to(0, told) for told in (None, 0, 1, 3, 4, 5)] == [1, 1, 1, 3, 5, 5]
    assert [board.known_to(1, told) for told in (None, 0, 1, 3, 4, 5)] == [3, 0, 3, 3, 4, 5]
    assert [board.has_news(0, told) for told in (None, 3, 4, 5)] == [True, True, False, False]
    assert [board.has_news(None, told) for told in (0, 4, 5)] == [True, True, False]
