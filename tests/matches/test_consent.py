"""Draws and take-backs by consent: who may ask and answer, and that the line played on is what was played."""

from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import cephalopod
from pbmserv.matches.errors import CommandError
from pbmserv.matches.log import BrokenLog, Entry, EntryKind, Match
from pbmserv.matches.moves import (
    AlreadyGone,
    AskedThisTurn,
    ConsentPending,
    GameOver,
    LeftSince,
    NothingToAnswer,
    NothingToTakeBack,
    OfferVoid,
    OthersAnswer,
    StalePly,
    answer,
    ask_undo,
    play,
    propose,
    resign,
)
from pbmserv.matches.replay import fold, replay
from pbmserv.matches.state import Offer
from tests.every import for_each
from tests.matches.test_match import ELIMINATING, NOON, match_of

LATER = NOON + timedelta(hours=1)

ANSWERS: Final[tuple[Literal["accepted", "rejected"], ...]] = ("accepted", "rejected")


def said(match: Match, *words: str) -> Match:
    """The match after these, each `SEAT word`, all of which are allowed."""
    for each in words:
        done = tried(match, each)
        assert isinstance(done, Entry), (each, done)
        match = match.with_entries((done,))
    return match


def tried(match: Match, what: str, ply: int | None = None) -> Entry | CommandError:
    """What comes of `SEAT word`."""
    try:
        return entry_of(match, what, ply)
    except CommandError as error:
        return error


def entry_of(match: Match, what: str, ply: int | None = None) -> Entry:
    """The entry for `SEAT word`."""
    seat, word, board = int(what[0]), what[2:], replay(match)
    match word:
        case "propose":
            return propose(board, seat, LATER, ply)
        case "undo":
            return ask_undo(board, seat, LATER)
        case "accept":
            return answer("accepted", board, seat, LATER, ply)
        case "reject":
            return answer("rejected", board, seat, LATER, ply)
        case "resign":
            return resign(board, seat, LATER)
    return play(board, seat, word, None, LATER)


def test_a_draw_of_two() -> None:
    """Proposed by either at any time, and agreed by the other, who may also propose it in turn."""
    for words in (("0 propose", "1 accept"), ("1 propose", "0 accept"), ("0 propose", "1 propose")):
        state = fold(said(match_of("A1", "C3"), *words))
        assert (state.status, state.ending, state.to_move) == ("finished", "agreed", None)
        assert state.outcome is not None
        assert (state.outcome.ranks, state.outcome.reason) == ((1, 1), "draw")


def test_a_draw_of_those_who_are_still_in() -> None:
    """Whoever resigned is not asked, and is ranked below all."""
    match = said(match_of("A1", "C3", "A3", "C1", seats=4), "1 resign", "2 propose")
    assert fold(match).offer == Offer("draw", 2, (0, 3))
    assert tried(match, "1 accept") == AlreadyGone(board=101, userid="bob")
    state = fold(said(match, "3 accept", "0 accept"))
    assert state.outcome is not None
    assert (state.outcome.ranks, state.ending) == ((1, 4, 1, 1), "agreed")


def test_who_was_eliminated_is_not_asked() -> None:
    """As if they had left."""
    match = said(match_of(*ELIMINATING.split(), seats=3), "1 propose")
    assert fold(match).offer == Offer("draw", 1, (2,))


def test_a_take_back() -> None:
    """To before the asker's own last ply, whoever is on turn then; all else of the line stays."""
    asked = said(match_of("A1", "C3", "A3"), "0 undo")
    assert fold(asked).offer == Offer("undo", 0, (1,), 2)
    state = fold(said(asked, "1 accept"))
    assert state.position == fold(match_of("A1", "C3")).position
    assert (state.to_move, state.plies, state.offer) == (0, 2, None)
    state = fold(said(match_of("A1", "C3", "A3"), "1 undo", "0 accept"))
    assert (state.to_move, state.plies) == (1, 1)


def test_who_was_eliminated_by_the_ply_is_in_again() -> None:
    """Whoever the rules put out by a move is back when that never was, without being asked."""
    match = said(match_of(*ELIMINATING.split(), seats=3), "2 undo", "1 accept")
    assert fold(match).seats_in == (0, 1, 2)
    assert isinstance(tried(match, "0 propose"), Entry)


def test_all_others_have_to_agree_to_a_take_back() -> None:
    """One who does not ends it."""
    match = said(match_of("A1", "C3", "A3", seats=3), "1 undo", "2 accept")
    assert fold(match).offer == Offer("undo", 1, (0,), 1)
    assert (fold(match).plies, fold(said(match, "0 accept")).plies) == (3, 1)
    ended = said(match, "0 reject")
    assert (fold(ended).plies, fold(ended).offer) == (3, None)
    assert tried(ended, "2 accept") == NothingToAnswer(board=101, may_undo=True)


def test_who_left_before_the_ply_stays_away() -> None:
    """The leaving stands between the ply before and the one that is taken back."""
    match = said(match_of("A1", "C3", "A3", "C1", seats=4), "1 resign", "0 B2", "0 undo", "2 accept", "3 accept")
    state = fold(match)
    assert (state.gone, state.plies, state.to_move) == ((1,), 4, 0)
    assert state.position == fold(said(match_of("A1", "C3", "A3", "C1", seats=4), "1 resign")).position


def test_nobody_comes_back_by_consent() -> None:
    """Who has left since the asker's move; another player's later move can be taken back."""
    match = said(match_of("A1", "C3", "A3", "C1", seats=4), "1 resign")
    assert tried(match, "3 undo") == LeftSince(board=101, userids=("bob",))
    match = said(match, "0 B2")
    assert tried(match, "2 undo") == LeftSince(board=101, userids=("bob",))
    assert isinstance(tried(match, "0 undo"), Entry)


def test_one_thing_at_a_time_and_each_once_a_turn() -> None:
    """After the next ply all is open again."""
    match = said(match_of("A1", "C3", "A3"), "0 propose")
    pending = ConsentPending(board=101, kind="draw", by="Anna", is_own=True, may_answer=False)
    assert (tried(match, "0 undo"), tried(match, "0 propose")) == (pending, pending)
    assert tried(match, "1 undo") == ConsentPending(
        board=101, kind="draw", by="Anna", is_own=False, may_answer=True
    )
    match = said(match, "1 reject")
    assert tried(match, "0 propose") == AskedThisTurn(board=101, kind="draw")
    match = said(match, "0 undo", "0 reject", "1 propose")
    match = said(match, "1 C1")
    assert fold(match).offer is None
    assert isinstance(tried(match, "0 propose"), Entry)


def test_own_offers_are_not_accepted() -> None:
    """They can be withdrawn; who has agreed does so once."""
    match = said(match_of("A1", "C3", "A3", seats=3), "0 propose", "1 accept")
    assert tried(match, "0 accept") == OthersAnswer(board=101, kind="draw", is_own=True, waits_for=("cora",))
    for again in ("1 accept", "1 reject"):
        assert tried(match, again) == OthersAnswer(board=101, kind="draw", is_own=False, waits_for=("cora",))
    assert fold(said(match, "0 reject")).offer is None


def test_nothing_to_take_back_and_nothing_to_answer() -> None:
    assert tried(match_of("A1"), "1 undo") == NothingToTakeBack(board=101)
    assert tried(match_of("A1"), "1 accept") == NothingToAnswer(board=101, may_undo=False)
    assert tried(match_of("A1"), "0 reject") == NothingToAnswer(board=101, may_undo=True)


@for_each("word", ["propose", "undo", "accept", "reject"])
def test_after_the_end(word: str) -> None:
    over = said(match_of("A1", "C3"), "0 resign")
    assert isinstance(tried(over, f"1 {word}"), GameOver)


def test_a_stale_answer_agrees_to_nothing() -> None:
    """Neither to what was offered after another ply, nor to what was offered after the mail that is answered."""
    match = said(match_of("A1", "C3"), "0 propose")
    assert tried(match, "1 accept", 2) == OfferVoid(board=101, another=True)
    assert tried(match, "1 reject", 2) == OfferVoid(board=101, another=True)
    assert tried(match_of("A1"), "1 accept", 3) == OfferVoid(board=101, another=False)
    assert isinstance(tried(match, "1 propose", 2), StalePly)
    assert isinstance(tried(match, "1 accept", 3), Entry)
    board = replay(match)
    for seconds, agrees in ((-1, False), (0, True), (60, True)):
        seen_at = LATER + timedelta(seconds=seconds)
        for kind in ANSWERS:
            with nullcontext() if agrees else pytest.raises(OfferVoid):
                answer(kind, board, 1, LATER, None, seen_at)


BROKEN: list[tuple[EntryKind, int, str]] = [
    ("accepted", 1, ""),
    ("rejected", 1, ""),
    ("asked", 0, "0"),
    ("asked", 1, "0"),
    ("asked", 0, "3"),
    ("asked", 0, ""),
]


@for_each(("kind", "seat", "text"), BROKEN)
def test_what_cannot_stand_in_a_log(kind: EntryKind, seat: int, text: str) -> None:
    """Consent to nothing, and take-backs of other plies than one's own last."""
    match = match_of("A1", "C3", "A3")
    with pytest.raises(BrokenLog, match="entry 4"):
        fold(match.with_entries((Entry(101, 4, LATER, kind, seat, text),)))


@dataclass
class Naive:
    """The same told in another way: a stack of what was played and who left, and at most one offer."""

    seats: int
    line: list[tuple[int, Any]] = field(default_factory=list)
    offer: tuple[str, int, set[int]] | None = None
    tried: set[tuple[str, int]] = field(default_factory=set)
    is_over: bool = False
    after: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.after = [self.position()]

    def position(self) -> Any:
        """From the start, along the line."""
        position = cephalopod.start(self.seats, {"size": "3x3"})
        for seat, move in self.line:
            if move is None and self.seats == 2:
                return position  # between two it is over, and the board stays as it is
            acted = cephalopod.leave(position, seat) if move is None else cephalopod.play(position, move)
            position = acted[0]
        return position

    def plies(self) -> list[int]:
        """Where in the line the plies are."""
        return [place for place, (_, move) in enumerate(self.line) if move is not None]

    def playing(self) -> set[int]:
        """Who neither left nor was put out."""
        position, out = cephalopod.start(self.seats, {"size": "3x3"}), set[int]()
        for seat, move in self.line:
            acted = cephalopod.leave(position, seat) if move is None else cephalopod.play(position, move)
            position = acted[0]
            out |= {event.seat for event in acted[1] if event.kind == "eliminated"}
        return set(range(self.seats)) - out - {seat for seat, move in self.line if move is None}

    def turned(self) -> None:
        """A ply or a leaving ends all that was asked."""
        self.offer, self.tried = None, set()
        has_left = self.seats == 2 and any(move is None for _, move in self.line)
        self.is_over = has_left or cephalopod.outcome(self.position()) is not None

    def may(self, seat: int, word: str) -> bool:
        """Whether a seat may say that now."""
        if self.is_over or seat not in self.playing():
            return False
        waits = self.offer is not None and seat in self.offer[2]
        if word == "accept":
            return waits
        if word == "reject":
            return self.offer is not None and (waits or self.offer[1] == seat)
        if self.offer is not None:
            return word == "propose" and self.offer[0] == "propose" and waits
        if (word, seat) in self.tried:
            return False
        return word == "propose" or self.last_of(seat) is not None

    def last_of(self, seat: int) -> int | None:
        """Where the seat's last ply stands, unless somebody left after it."""
        mine = [place for place in self.plies() if self.line[place][0] == seat]
        left = any(move is None for _, move in self.line[mine[-1] :]) if mine else True
        return None if left else mine[-1]

    def say(self, seat: int, word: str) -> None:
        """What then happens."""
        if word in ("propose", "undo") and self.offer is None:
            self.offer = word, seat, self.playing() - {seat}
            self.tried.add((word, seat))
        elif word == "reject":
            self.offer = None
        else:
            assert self.offer is not None
            kind, by, waits_for = self.offer
            waits_for.remove(seat)
            if not waits_for and kind == "propose":
                self.is_over, self.offer = True, None
            elif not waits_for:
                place = self.last_of(by)
                assert place is not None
                del self.line[place:]
                self.after[len(self.plies()) :] = [self.position()]
                self.offer, self.tried = None, set()


WORDS = st.sampled_from(["propose", "undo", "undo", "accept", "accept", "accept", "reject", "resign"])
ACTIONS = st.lists(st.tuples(st.integers(0, 5), WORDS | st.integers(0, 99) | st.integers(0, 99)), max_size=60)


@given(st.integers(2, 4), ACTIONS)
def test_any_course_of_offers_and_take_backs(seats: int, actions: list[tuple[int, str | int]]) -> None:
    """Allowed is what the naive telling allows, and the log folds to what it says, at every ply of the line."""
    match, naive = match_of(seats=seats), Naive(seats)
    for seat, what in actions:
        seat %= seats
        before = fold(match)
        if isinstance(what, int):
            if before.to_move is None:
                break
            moves = list(cephalopod.moves(before.position))
            move = moves[what % len(moves)]
            done = tried(match, f"{before.to_move} {cephalopod.write(before.position, move)}")
            naive.line.append((before.to_move, move))
            naive.after.append(naive.position())
            naive.turned()
        else:
            done = tried(match, f"{seat} {what}")
            if what == "resign" and isinstance(done, Entry) and done.kind == "declined":
                break
            if what == "resign" and isinstance(done, Entry):
                naive.line.append((seat, None))
                naive.turned()
            elif what != "resign":
                assert isinstance(done, Entry) is naive.may(seat, what), (what, done)
                if isinstance(done, Entry):
                    naive.say(seat, what)
        if isinstance(done, CommandError):
            continue
        after = replay(match).apply(done)
        match = match.with_entries((done,))
        state = fold(match)
        assert after.state == state
        assert state.position == naive.position()
        assert (state.status != "active") is naive.is_over
        assert set(state.seats_in) == naive.playing()
        assert state.plies == len(naive.plies())
        offered = state.offer and (state.offer.by, set(state.offer.waits_for))
        assert offered == (naive.offer and naive.offer[1:])
        assert [turn.seat for turn in state.turns] == [each for each, _ in naive.line]
        assert [replay(match).at(ply).state.position for ply in range(state.plies + 1)] == naive.after
