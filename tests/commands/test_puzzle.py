"""Puzzles: those that come with the program, and what an answer to one is worth."""

from pathlib import Path

import pytest

from pbmserv.commands.command import Decision
from pbmserv.commands.practice import (
    BadPuzzleMove,
    NoMorePuzzles,
    NoSuchPuzzle,
    PuzzleMissed,
    PuzzlePosed,
    PuzzleShown,
    PuzzleSolved,
)
from pbmserv.commands.set import PuzzlesChanged
from pbmserv.games.game import scores_of
from pbmserv.matches.log import rules_of
from pbmserv.matches.puzzles import SEATS, Puzzle, PuzzleScore, is_best, puzzle_board
from pbmserv.robots.greedy import best_at_once
from pbmserv.robots.levels import thinker_of
from pbmserv.robots.puzzles import MARGIN
from pbmserv.store import puzzles
from pbmserv.store.puzzles import packed, packed_line, unpacked
from tests.commands.memory import Table
from tests.every import every


@pytest.fixture
def table() -> Table:
    """A table with Alice."""
    return Table("alice")


MOST_BYTES = 40_000
FEWEST = 3
LONGER = 8000


def test_the_puzzles_of_the_program_hold_what_they_say() -> None:
    """Each replays, its best move is legal and not what greed takes; all other moves have a legal answer."""

    def check(puzzle: Puzzle) -> None:
        board = puzzle_board(puzzle)
        game, position, seat = rules_of(board.match), board.state.position, board.state.to_move
        assert seat is not None
        assert len(board.match.userids) == SEATS
        legal = list(game.moves(position))
        best = game.read(position, puzzle.best)
        assert best in legal
        texts = {game.write(position, move) for move in legal}
        others = {text for text in texts if not is_best(game, position, puzzle, text)}
        assert dict(puzzle.replies).keys() == others
        assert len(others) >= FEWEST
        if scores_of(game, position):
            assert best not in best_at_once(game, position, 0, len(legal))
        after, _ = game.play(position, best)
        for text in puzzle.line:
            after, _ = game.play(after, game.read(after, text))
        for move, reply in puzzle.replies:
            there, _ = game.play(position, game.read(position, move))
            assert bool(reply) == (game.outcome(there) is None)
            assert not reply or game.write(there, game.read(there, reply)) == reply

    every(list(packed().values()), check, name=lambda each: str(each.number))


@pytest.mark.slow
def test_a_longer_thought_agrees() -> None:
    """With five times the iterations that found a puzzle, and another seed, nothing else is nearly as good."""

    def check(puzzle: Puzzle) -> None:
        board = puzzle_board(puzzle)
        game, position = rules_of(board.match), board.state.position
        thought = thinker_of(game, position).think(game, position, 77, LONGER)
        first, second, *_ = thought.candidates
        assert is_best(game, position, puzzle, game.write(position, first.move))
        assert first.value - second.value >= MARGIN

    every(list(packed().values()), check, name=lambda each: str(each.number))


def test_they_are_numbered_and_small() -> None:
    """From 1 on without a gap, each line as it is written, no position twice."""
    path = Path(puzzles.__file__).with_name("puzzles.txt")
    lines = path.read_text().splitlines()
    read = [unpacked(line) for line in lines]
    assert [each.number for each in read] == [*range(1, len(read) + 1)]
    assert [packed_line(each) for each in read] == lines
    assert len({(each.game, each.options, each.moves) for each in read}) == len(read)
    assert path.stat().st_size < MOST_BYTES


def wrong_moves(number: int) -> list[str]:
    """The moves that do not solve a puzzle."""
    return [move.lower() for move, _ in packed()[number].replies]


def test_a_proven_answer_counts(table: Table) -> None:
    """Wrong, then right: solved, at the second try. What comes later changes nothing."""
    assert table.give("puzzle", "alice", "personal") == PuzzlePosed(1, is_again=False)
    missed = table.give(f"puzzle 1 {wrong_moves(1)[0]}", "alice", "personal")
    assert isinstance(missed, PuzzleMissed)
    assert missed.reply == packed()[1].replies[0][1]
    solved = table.give(f"puzzle 1 {packed()[1].best}", "alice", "personal")
    assert isinstance(solved, PuzzleSolved)
    assert (solved.tries, solved.score) == (2, PuzzleScore(1, 0, 1))
    before = table.records.puzzle_tries(table.player("alice"))
    for text in ("solution", wrong_moves(1)[0], packed()[1].best):
        decided = table.decide(f"puzzle 1 {text}", "alice", "personal")
        assert isinstance(decided, Decision)
        assert decided.changes == ()
    assert table.records.puzzle_tries(table.player("alice")) == before
    assert table.give("puzzle", "alice", "personal") == PuzzlePosed(2, is_again=False)


def test_the_second_wrong_move_brings_the_solution(table: Table) -> None:
    """It counts as finished and not as solved, even if the right move is sent then."""
    first, second, *_ = wrong_moves(1)
    table.give(f"puzzle 1 {first}", "alice", "personal")
    shown = table.give(f"puzzle 1 {second}", "alice", "personal")
    assert isinstance(shown, PuzzleShown)
    assert (shown.best, shown.missed.lower(), shown.score) == (packed()[1].best, second, PuzzleScore(0, 0, 1))
    solved = table.give(f"puzzle 1 {packed()[1].best}", "alice", "personal")
    assert isinstance(solved, PuzzleSolved)
    assert solved.score is None
    assert table.records.puzzle_tries(table.player("alice"))[1].tries == 2


def test_the_solution_can_be_asked_for(table: Table) -> None:
    """Before any try; it is told, and nothing is solved."""
    shown = table.give("puzzle 2 solution", "alice", "personal")
    assert isinstance(shown, PuzzleShown)
    assert (shown.missed, shown.score) == ("", PuzzleScore(0, 0, 1))


@pytest.mark.parametrize(("sender", "proof"), [("alice", "none"), ("nobody@example.org", "none")])
def test_an_unproven_answer_is_judged_and_does_not_count(table: Table, sender: str, proof: str) -> None:
    """Nobody can spoil anybody's puzzles by writing in their name."""
    for text, kind in ((wrong_moves(1)[0], PuzzleMissed), (packed()[1].best, PuzzleSolved)):
        decided = table.decide(f"puzzle 1 {text}", sender, "none")
        assert isinstance(decided, Decision)
        assert isinstance(decided.reply, kind)
        assert decided.changes == ()


def test_what_cannot_be_had(table: Table) -> None:
    """No such number, no more of a game; a move that is none names some that are, and not the best one alone."""
    assert table.give("puzzle 900", "alice") == NoSuchPuzzle(number=900)
    assert table.give("puzzle amazons", "alice") == NoMorePuzzles(game="amazons")
    refused = table.give("puzzle 1 z9", "alice")
    assert isinstance(refused, BadPuzzleMove)
    assert refused.choices == (packed()[1].example,)
    assert packed()[1].example != packed()[1].best.lower()


def test_strangers_get_another_one_each_day(table: Table) -> None:
    """Nothing is stored about them, and still it is not always the first."""
    posed = table.decide("puzzle", "nobody@example.org", "none")
    assert isinstance(posed, Decision)
    assert isinstance(posed.reply, PuzzlePosed)
    assert posed.changes == ()


def test_weekly_and_off(table: Table) -> None:
    """Setting it again does not bring the next one earlier."""
    assert table.give("set puzzle weekly", "alice") == PuzzlesChanged(is_weekly=True)
    again = table.decide("set puzzle weekly", "alice")
    assert isinstance(again, Decision)
    assert again.changes == ()
    assert table.give("set puzzle off", "alice") == PuzzlesChanged(is_weekly=False)
    assert not table.player("alice").mail.puzzle
