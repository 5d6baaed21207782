"""What is known of positions: what stays true when plies are taken back, where a game turned, and its curve."""

from dataclasses import replace
from datetime import UTC, datetime

from pbmserv.games import games
from pbmserv.matches.evaluations import (
    Evaluation,
    completed,
    curve,
    gone_before,
    is_complete,
    tells,
    told_seat,
    turning_points,
    valid,
)
from pbmserv.matches.log import Entry, EntryKind, Match
from pbmserv.matches.replay import GameState, positions, replay

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WON = "d1 a1 d2 b1 d3 g1 d4"


def played(moves: str, game: str = "four-in-a-row", userids: tuple[str, ...] = ("ann", "bob")) -> GameState:
    """A board after these moves; `-1` is the leaving of seat 1, `<3` the operator's way back to after ply 3."""
    info = games()[game].info
    board = replay(Match(101, game, info.rules, (), False, userids, "ann", NOON))
    for seq, text in enumerate(moves.split(), 1):
        kind: EntryKind = "played"
        seat = board.state.to_move
        if text[0] in "-<":
            kind, seat = ("resigned", int(text[1:])) if text[0] == "-" else ("rewound", None)
        board = board.apply(
            Entry(101, seq, NOON, kind, seat, "" if kind == "resigned" else text.lstrip("<").upper())
        )
    return board


def known(board: GameState, losses: dict[int, float] | None = None) -> tuple[Evaluation, ...]:
    """Evaluations of all positions; the move of ply `n` loses `losses[n]`."""
    game, found = games()[board.match.game], []
    moves = [turn.move or "" for turn in board.state.turns if turn.ply]
    steps = zip(positions(board.match), [*moves, ""], gone_before(board), strict=True)
    for ply, (position, move, gone) in enumerate(steps, 1):
        lost = (losses or {}).get(ply, 0.0)
        chances = (0.5,) * len(board.match.userids)
        seat = game.to_move(position)
        value = 0.75 - lost if move else None
        found.append(Evaluation(seat, chances, "c1" if move else "", 0.75, gone, move, value))
    return tuple(found)


def test_all_of_the_line_is_valid() -> None:
    """Of a board that nothing was taken back on."""
    board = played(WON)
    assert valid(known(board), board) == known(board)
    assert is_complete(known(board), board)
    assert not is_complete(known(board)[:-1], board)


def test_what_was_taken_back_is_dropped() -> None:
    """Up to where the line goes on otherwise; what was played there is not known any more."""
    before = known(played("d1 a1 d2 b1"))
    back = played("d1 a1 d2 b1 <2")
    left = valid(before, back)
    assert [each.played for each in left] == ["D1", "A1", ""]
    assert left[2].played_value is None
    other = played("d1 a1 d2 b1 <2 e1 b1")
    assert [each.played for each in valid(before, other)] == ["D1", "A1", ""]
    same = played("d1 a1 d2 b1 <2 d2 b1")
    assert valid(before, same) == before


def test_a_player_who_leaves_makes_another_position() -> None:
    """In a game for three: what was known of the position before is of no use."""
    trio = ("ann", "bob", "eva")
    before = played("a1 b1 c1 a3", "cephalopod", trio)
    after = played("a1 b1 c1 a3 -1 c3", "cephalopod", trio)
    assert len(valid(known(before), after)) == 4
    assert gone_before(after) == ((), (), (), (), (1,), (1,))
    assert valid(known(after), after) == known(after)
    assert len(positions(after.match)) == 6
    assert positions(after.match)[4] != positions(before.match)[4]


def test_between_two_leaving_changes_no_position() -> None:
    """The last position stays known."""
    before, after = played("d1 a1 d2"), played("d1 a1 d2 -1")
    assert valid(known(before), after) == known(before)


def test_the_two_moves_that_lost_most() -> None:
    """In the order of the game; less than a fifth is no turn."""
    board = played(WON)
    found = turning_points(known(board, {2: 0.3, 4: 0.25, 5: 0.19, 6: 0.6}))
    assert [(each.ply, each.seat, each.played, each.best) for each in found] == [
        (2, 1, "A1", "c1"),
        (6, 1, "G1", "c1"),
    ]
    assert round(found[1].after, 2) == 0.15
    assert [each.ply for each in turning_points(known(board, {5: 0.19, 6: 0.21}))] == [6]
    assert turning_points(known(board)) == ()


def test_the_end_is_filled_from_the_result() -> None:
    """One or two positions may lack; the last move is judged by what came of it."""
    board = played(WON)
    whole = known(board)
    assert tells(whole[:-2], board)
    assert not tells(whole[:-3], board)
    assert curve(whole[:-2], board, 0) == (*[0.5] * 6, 1.0, 1.0)
    lacking = (*whole[:-2], replace(whole[-2], played="", played_value=None))
    filled = completed(lacking, board)
    assert filled[-1].chances == (1.0, 0.0)
    assert filled[-2].played_value == 1.0
    assert completed(whole, board) == whole


def test_a_running_game_tells_nothing() -> None:
    """Whatever is known, and however long it is; nor does one that was short."""
    running = played(WON.removesuffix(" d4"))
    assert not tells(known(running), running)
    short = played("d1 a1 -0")
    assert not tells(known(short), short)


def test_whose_chances_are_told() -> None:
    """The reader's own, or else the winner's."""
    board = played(WON)
    assert [told_seat(board, reader) for reader in ("bob", "BOB", "eva", None)] == [1, 1, 0, 0]
    lost = played("d1 a1 d2 -0")
    assert told_seat(lost, None) == 1
