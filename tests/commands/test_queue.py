"""Moves said ahead of time: what is queued, plays by itself, is dropped; a move that waits for `confirm`."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pbmserv.commands import queue_notation
from pbmserv.commands.command import Decision, Remark
from pbmserv.commands.lookup import NotYourBoard
from pbmserv.commands.move import MovePlayed, NothingSubmitted, Submitted
from pbmserv.commands.queue import (
    BadQueue,
    MovesQueued,
    QueueDropped,
    QueueFailed,
    QueueOnTurn,
    QueuePlayed,
    QueueShown,
)
from pbmserv.games.game import Seat
from pbmserv.matches.conditional_moves import Branch, FailedQueue, branches_of
from pbmserv.matches.log import Entry, Match, rules_of
from pbmserv.matches.moves import AlreadyGone, GameOver, IllegalMove, NotYourTurn, StalePly, play
from pbmserv.matches.replay import GameState, fold
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed
from tests.commands.memory import NOON, Table
from tests.examples import examples


def tree(line: str) -> tuple[Branch, ...]:
    """The tree that a line says."""
    read = queue_notation.read(line)
    assert isinstance(read, tuple)
    return read


def queued(table: Table, seat: Seat = 0, board: int = 101) -> tuple[Branch, ...]:
    """What a seat has queued."""
    return branches_of(table.records.plan(board, seat, "queue"))


def done(table: Table, line: str, sender: str) -> Decision:
    """What comes of a line that is not refused."""
    decided = table.decide(line, sender)
    assert isinstance(decided, Decision), decided
    return decided


def log(table: Table, board: int = 101) -> list[str]:
    """What stands in a board's log."""
    return [entry.text or entry.kind for entry in table.match(board).entries]


@pytest.fixture
def trio() -> Table:
    """Board 101 of Anna, bob and cora; Anna has played a1."""
    table = Table("Anna", "bob", "cora")
    table.give("challenge anna bob cora -size=3x3", "anna")
    table.give("move 101 a1", "anna")
    return table


def test_it_plays_when_it_fits(table: Table) -> None:
    """In the same decision, as a ply that took no time; what follows stays queued, and only the owner is told."""
    line = "if c3 then c1; if b2 then c3 if a3 then c1"
    assert table.give(f"queue 101 {line}", "anna") == MovesQueued(101, tree(line), replaced=False)
    assert log(table) == ["A1"]
    decided = done(table, "move 101 b2", "bob")
    assert decided.reply == MovePlayed(101, "B2", (("Anna", "C3"),))
    assert [(entry.kind, entry.seat, entry.text) for entry in decided.entries] == [
        ("played", 1, "B2"),
        ("played", 0, "C3"),
    ]
    assert decided.entries[1].used == 0
    assert decided.boards[0].state.plies == 3
    assert decided.remarks == (Remark(101, "Anna", QueuePlayed(("C3",))),)
    assert queued(table) == tree("if a3 then c1")
    decided = done(table, "move 101 a3", "bob")
    assert decided.reply == MovePlayed(101, "A3", (("Anna", "C1"),))
    assert queued(table) == ()
    assert done(table, "move 101 b3xa3,b2", "bob").remarks == ()


def test_it_is_dropped_when_it_does_not_fit(table: Table) -> None:
    """Its owner is told what was not foreseen, and nobody else."""
    table.give("queue 101 if b2 then c3", "anna")
    decided = done(table, "move 101 c1", "bob")
    assert decided.reply == MovePlayed(101, "C1")
    assert len(decided.entries) == 1
    assert decided.remarks == (Remark(101, "Anna", QueueFailed(101, FailedQueue(0, "other", ("c1",)))),)
    assert queued(table) == ()


def test_two_queues_answer_each_other(table: Table) -> None:
    """Until one has nothing to say; on one's own turn the first move is played at once."""
    table.give("queue 101 if c3 then c1 if a3 then b3 if c2 then b1", "anna")
    decided = done(table, "queue 101 c3 if c1 then a3", "bob")
    assert decided.reply == MovePlayed(101, "C3", (("Anna", "C1"), ("", "A3"), ("Anna", "B3xA3,C3")))
    assert log(table) == ["A1", "C3", "C1", "A3", "B3xA3,C3"]
    assert decided.boards[0].on_turn == "bob"
    assert decided.remarks == (Remark(101, "Anna", QueuePlayed(("C1", "B3xA3,C3"))),)
    assert (queued(table, 0), queued(table, 1)) == (tree("if c2 then b1xa1,c1"), ())


def test_a_move_without_a_condition(table: Table) -> None:
    """Plays whatever the others do, if it is allowed then; `else` only where no condition fits."""
    table.give("queue 101 c3 then c1", "anna")
    assert done(table, "move 101 b3", "bob").reply == MovePlayed(101, "B3", (("Anna", "C3"),))
    decided = done(table, "move 101 c1", "bob")
    assert decided.remarks == (Remark(101, "Anna", QueueFailed(101, FailedQueue(0, "answer", ("c1",), "c1"))),)
    table.give("move 101 a3", "anna")
    table.give("queue 101 if b1 then c2; else b1", "anna")
    assert done(table, "move 101 a2", "bob").reply == MovePlayed(101, log(table)[-2], (("Anna", log(table)[-1]),))
    assert log(table)[-1].startswith("B1")


@pytest.mark.parametrize("line", ["if b2 then c3; else c1", "c1; if b2 then c3"])
def test_a_case_goes_before_any_other_move(table: Table, line: str) -> None:
    """Wherever the move without a condition stands in the line."""
    table.give(f"queue 101 {line}", "anna")
    assert done(table, "move 101 b2", "bob").reply == MovePlayed(101, "B2", (("Anna", "C3"),))


def test_what_follows_an_open_move_is_pruned(table: Table) -> None:
    """Once the move is played it is known what can still come true."""
    table.give("queue 101 c3 if b1 then a3; c3 if b2 then a3", "anna")
    assert queued(table) == tree("c3 if b1 then a3; c3 if b2 then a3")
    table.give("move 101 b2", "bob")
    assert log(table)[-1] == "C3"
    assert queued(table) == tree("if b1xa1,b2 then a3")


@pytest.mark.parametrize(
    ("line", "before", "word", "why"),
    [
        ("if a1 then c3", "if", "a1", "illegal"),
        ("if b2 then a1", "if b2 then", "a1", "illegal"),
        ("if b2 then c3 if c3 then a2", "if b2 then c3 if", "c3", "illegal"),
        ("if b2 then z9", "if b2 then", "z9", "illegal"),
        ("if hello then c3", "if", "hello", "unreadable"),
        ("a1", "", "a1", "illegal"),
        ("hello", "", "hello", "unreadable"),
        ("if b2 b3 then c3", "if b2", "b3", "many"),
        ("if b2 then c3; if b2 then c1", "if b2 then", "c1", "twice"),
        ("if b2", "if b2", "", "end"),
        ("if b2 then c3, if b3 then c3", "if b2 then c3,", "if", "unclear"),
    ],
)
def test_what_cannot_come_true(table: Table, line: str, before: str, word: str, why: str) -> None:
    """The wrong part is told, nothing is stored, and the lines that are offered do work."""
    refused = table.decide(f"queue 101 {line}", "anna")
    assert isinstance(refused, BadQueue)
    assert (refused.before, refused.word, refused.why) == (before, word, why)
    assert queued(table) == ()
    for ready in refused.ready:
        assert isinstance(table.give(ready, "anna"), MovesQueued), ready


def test_several_captures() -> None:
    """The choices are lines that work, for a condition as for an answer."""
    table = Table("Anna", "bob")
    table.give("challenge anna bob -size=3x3", "anna")
    for sender, move in (("anna", "a2"), ("bob", "c2"), ("anna", "b1"), ("bob", "b3"), ("anna", "c1xb1,c2")):
        table.give(f"move 101 {move}", sender)
    refused = table.decide("queue 101 if b1 then b2; if c2 then b2", "anna")
    assert isinstance(refused, BadQueue)
    assert (refused.word, refused.why) == ("b2", "ambiguous")
    for ready in refused.ready:
        assert isinstance(table.give(ready, "anna"), MovesQueued), ready


def test_it_is_shown_replaced_and_dropped(table: Table) -> None:
    """By its owner only."""
    assert table.give("queue 101", "anna") == QueueShown(101, ())
    assert table.give("queue 101 off", "anna") == QueueDropped(101, had=False)
    table.give("queue 101 if b2 then c3", "anna")
    assert table.give("queue 101", "anna") == QueueShown(101, tree("if b2 then c3"))
    assert table.give("queue 101 if b2 then c1", "anna") == MovesQueued(101, tree("if b2 then c1"), replaced=True)
    assert table.give("queue 101", "bob") == QueueShown(101, ())
    assert table.give("queue 101", "cora") == NotYourBoard(board=101, userid="cora")
    assert table.give("queue 101 None.", "anna") == QueueDropped(101, had=True)
    assert queued(table) == ()


def test_on_ones_own_turn(table: Table) -> None:
    """A line that answers the last move plays at once, whoever was quicker; any other has to begin with a move."""
    refused = table.decide("queue 101 if b2 then c3", "bob")
    assert isinstance(refused, QueueOnTurn)
    ready = parse_line(refused.ready, None).parsed
    assert isinstance(ready, Parsed)
    decided = done(table, "queue 101 if a1 then c3 if c1 then a3", "bob")
    assert decided.reply == MovePlayed(101, "C3")
    assert queued(table, 1) == tree("if c1 then a3")
    assert isinstance(table.give("queue 101 a1 if b2 then c1", "anna"), IllegalMove)
    refused = table.decide("queue 101 c1 if c1 then b2", "anna")
    assert isinstance(refused, BadQueue)
    assert log(table) == ["A1", "C3"]
    assert isinstance(table.give(refused.ready[0], "anna"), MovePlayed)


def test_three_players(trio: Table) -> None:
    """A condition names both others' moves; what was played already may be named too, or left out."""
    few = trio.decide("queue 101 if b2 then c3", "anna")
    assert isinstance(few, BadQueue)
    assert (few.why, few.to_move) == ("few", "cora")
    assert isinstance(trio.give("queue 101 if b2 c1 then c3", "anna"), MovesQueued)
    assert done(trio, "move 101 b2", "bob").entries[1:] == ()
    assert queued(trio) == tree("if b2 c1 then c3")
    assert isinstance(trio.give("queue 101 if b2 c1 then c3; if a3 then c1", "anna"), MovesQueued)
    assert queued(trio) == tree("if c1 then c3; if a3 then c1")
    decided = done(trio, "move 101 c1", "cora")
    assert decided.reply == MovePlayed(101, "C1", (("Anna", "C3"),))


def test_somebody_leaves(trio: Table) -> None:
    """Then it may be the turn of one who has moves queued."""
    for sender, move in (("bob", "b2"), ("cora", "c3"), ("anna", "c1")):
        trio.give(f"move 101 {move}", sender)
    trio.give("queue 101 a3", "cora")
    decided = done(trio, "resign 101", "bob")
    assert [entry.kind for entry in decided.entries] == ["resigned", "played"]
    assert decided.remarks == (Remark(101, "cora", QueuePlayed(("A3",))),)
    assert decided.boards[0].on_turn == "Anna"


def taken_back(table: Table, ply: int) -> None:
    """The operator goes back to a ply."""
    match = table.match(101)
    entry = Entry(101, len(match.entries) + 1, NOON, "rewound", None, str(ply))
    table.keep(match.with_entries((entry,)))


def test_taken_back_moves(table: Table) -> None:
    """What was queued for another line of moves is dropped, and so is what was submitted."""
    table.give("queue 101 if c3 then c1", "anna")
    taken_back(table, 0)
    table.give("move 101 b1", "anna")
    decided = done(table, "move 101 c3", "bob")
    assert decided.remarks == (Remark(101, "Anna", QueueFailed(101, FailedQueue(0, "taken back"))),)
    table.give("queue 101 if c1 then b3", "bob")
    taken_back(table, 2)
    assert done(table, "move 101 c1", "anna").reply == MovePlayed(101, "C1", (("bob", "B3"),))
    table.give("submit 101 a3", "anna")
    taken_back(table, 2)
    table.give("move 101 c2", "anna")
    table.give("move 101 a2", "bob")
    refused = table.decide("confirm 101", "anna")
    assert isinstance(refused, NothingSubmitted)
    assert refused.taken_back


def test_submit_and_confirm(table: Table) -> None:
    """Nothing is played before `confirm`, and then only on that board; the newest counts."""
    assert table.decide("confirm 101", "anna") == NothingSubmitted(board=101, example="")
    assert isinstance(table.decide("submit 101 b2", "anna"), NotYourTurn)
    table.give("submit 101 b2", "bob")
    decided = done(table, "submit 101 C3", "bob")
    assert decided.reply == Submitted(101, ("c3",))
    assert (decided.entries, decided.boards, decided.to_players, decided.remarks) == (
        (),
        (),
        (),
        (),
    )
    assert [turn.move for turn in decided.previews[0].state.turns] == ["A1", "C3"]
    assert log(table) == ["A1"]
    table.give("queue 101 if c3 then c1", "anna")
    assert table.give("confirm 101", "bob") == MovePlayed(101, "C3", (("Anna", "C1"),))
    assert isinstance(table.decide("confirm 101", "bob"), NothingSubmitted)


def test_confirm_on_a_board_that_has_changed(trio: Table) -> None:
    """It is refused with today's board."""
    trio.give("submit 101 b2", "bob")
    trio.give("move 101 c3", "bob")
    refused = trio.decide("confirm 101", "bob")
    assert isinstance(refused, StalePly)
    assert (refused.meant, refused.now) == (2, 3)


def test_over_or_gone(trio: Table) -> None:
    """Nothing can be queued where nothing can be played."""
    trio.give("move 101 b2", "bob")
    trio.give("resign 101", "bob")
    assert isinstance(trio.give("queue 101 c3", "bob"), AlreadyGone)
    trio.give("move 101 c3", "cora")
    trio.give("resign 101", "cora")
    for line in ("queue 101 c1", "confirm 101"):
        assert isinstance(trio.give(line, "anna"), GameOver)


@pytest.mark.parametrize(
    "line",
    [
        "queue 101 if b2 then c3",
        "101 queue if b2 then c3",
        "cephalopod queue 101 If b2, then c3.",
        "queue 101 bob poppy if b2 then c3",
        "Queue: 101 if b2 then c3",
    ],
)
def test_where_the_moves_stand(line: str) -> None:
    """With and without the classic password, and in an answer without the board."""
    parsed = parse_line(line, None).parsed
    assert parsed is not None
    assert parsed.command.name == "queue"
    assert queue_notation.read(parsed.arguments.ahead) == tree("if b2 then c3")
    assert (parsed.claim is not None) == ("poppy" in line)
    assert "poppy" not in parsed.line
    answered = parse_line("queue if b2 then c3", 101).parsed
    assert answered is not None
    assert answered.arguments.ahead == "if b2 then c3"


def test_a_line_that_is_too_long(table: Table) -> None:
    """Only a part of it is never queued."""
    line = "queue 101 " + "if b2 then c3; " * 80
    refused = table.decide(line, "anna")
    assert isinstance(refused, BadQueue)
    assert refused.why == "cut"


@pytest.mark.parametrize(
    ("line", "comment", "is_broken"),
    [
        ("c3 if c2 then c1", "if b2 then c3", True),
        ("c3 if c2 then c1", "Or if b2, then c3", True),
        ("c3 if c2 then c1", "; if b2 then c3", True),
        ("c3", "then b2", True),
        ("c3 if c2 then c1;", "hello", True),
        ("c3 if c2 then c1; else", "b2", True),
        ("c3 if c2 then c1", "And a good game!", False),
        ("c3 if c2 then c1", "If you like, we play another.", False),
        ("c3 if c2 then c1;", "", False),
    ],
)
def test_a_broken_line(table: Table, line: str, comment: str, is_broken: bool) -> None:
    """What a mail program has put below would go to the others: nothing is done."""
    decided = table.decide(f"queue 101 {line}", "bob", comment=comment)
    assert isinstance(decided, BadQueue) == is_broken
    if isinstance(decided, BadQueue):
        assert decided.why == "wrapped"
    assert log(table) == (["A1"] if is_broken else ["A1", "C3"])


def random_tree(chance: Random, board: GameState, seat: Seat, depth: int = 3) -> tuple[Branch, ...]:
    """A tree that can come true."""
    game = rules_of(board.match)

    def grown(position: object, left: int) -> tuple[Branch, ...]:
        branches: dict[tuple[str, ...], Branch] = {}
        for _ in range(chance.randint(1, 3) if left else 0):
            reached, others = position, []
            while game.to_move(reached) not in (seat, None):
                move = chance.choice(list(game.moves(reached)))
                others.append(game.write(reached, move).lower())
                reached, _ = game.play(reached, move)
            if game.to_move(reached) is None:
                continue
            move = chance.choice(list(game.moves(reached)))
            answer = game.write(reached, move).lower()
            then = grown(game.play(reached, move)[0], left - 1)
            branches.setdefault(tuple(others), Branch(tuple(others), answer, then))
        return tuple(branches.values())

    return grown(board.state.position, depth)


# A random game is not to be understood better by making it smaller, which takes minutes.
@settings(examples(15), phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.randoms(use_true_random=False), st.sampled_from([2, 2, 3]))
def test_random_games(chance: Random, seats: int) -> None:
    """The logs that queues bring about replay, and are the games that the same moves by hand would have been."""
    userids = ["Anna", "bob", "cora"][:seats]
    table = Table(*userids)
    table.give(f"challenge {' '.join(userids)} -size=3x3", userids[0])
    while (board := table.records.board(101)) and board.on_turn is not None:
        for seat, userid in enumerate(userids):
            if seat != board.state.to_move and board.state.is_in(seat) and chance.random() < 0.8:
                line = queue_notation.write(random_tree(chance, board, seat))
                if line and len(line) < 900:
                    assert isinstance(table.give(f"queue 101 {line}", userid), MovesQueued), line
        game = rules_of(board.match)
        text = game.write(board.state.position, chance.choice(list(game.moves(board.state.position))))
        assert isinstance(table.give(f"move 101 {text}", board.on_turn), MovePlayed)
    match = table.match(101)
    assert fold(match).position == by_hand(match).state.position
    assert not any(table.records.plan(101, seat, "queue") for seat in range(seats))


def by_hand(match: Match) -> GameState:
    """The board after the same moves, each played by the one on turn."""
    board = GameState(replace(match, entries=()), fold(replace(match, entries=())))
    for entry in match.entries:
        seat = board.state.to_move
        assert seat is not None
        played = play(board, seat, entry.text, None, NOON)
        assert isinstance(played, Entry)
        board = board.apply(played)
    return board
