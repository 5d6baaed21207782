"""The rules of shogi and minishogi as drawn positions, their published trees, and two other engines."""

from random import Random
from typing import Any

import pytest

from pbmserv.games import shogi as rules
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.games.shogi import KINDS, WORDS, Position, Shogi, minishogi, shogi
from pbmserv.matches.moves import reason_against
from pbmserv.rendering.accessible import accessible_board
from tests.every import for_each
from tests.games.by_hand import assert_end_before_limit, cells_of, figure_of, leaves, played, written
from tests.games.second_engine import SecondEngine, play_random_games
from tests.games.slow_shogi import slow_start

GAME: Any = shogi
MINI: Any = minishogi
LETTERS = {text: mark for mark, (text, _) in KINDS.items()}


def position_of(figure: str, hands: tuple[str, str] = ("", ""), turn: int = 0, game: Any = GAME) -> Position:
    board = game.start(2, {}).board
    marks = [
        LETTERS.get(text) or (LETTERS[text.upper()].lower() if text != "." else ".")
        for text in cells_of(board, figure)
    ]
    return Position(board, "".join(marks), hands, turn)


def targets(position: Position, name: str) -> set[str]:
    """Where the piece on a cell may go, with a plus where it may promote."""
    board = position.board
    found = GAME.moves(position, (board.numbers[name],))
    return {board.names[move[1]] + ("+" if move[-1] == "promote" else "") for move in found}


ONE_DROP = """
.  .  .  .  k  .  .  .  .
.  .  .  .  .  .  .  .  L
P  P  P  P  P  P  P  P  L
.  .  .  .  .  .  .  .  L
.  .  .  .  .  .  .  .  L
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  L
.  .  .  .  .  .  .  .  L
.  .  .  .  K  .  .  .  L
"""
MEN = """
.  .  .  .  k  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  N  .  .
.  .  p  .  .  .  .  .  P
.  .  .  .  .  S  .  .  .
.  R  .  .  G  .  .  .  .
.  .  .  .  .  .  .  .  L
.  .  B  .  .  .  .  .  .
.  .  .  .  K  .  .  .  .
"""
PROMOTED = """
.  .  .  .  k  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  +R .  .  .  .  .  +P .
.  .  .  .  .  .  .  .  .
.  .  .  .  +B .  .  .  .
.  .  .  .  .  .  .  +N .
.  .  .  .  .  .  .  .  .
K  .  .  .  .  .  .  .  .
"""
LAST_ROWS = """
.  .  .  .  k  .  .  .  .
P  L  .  .  .  .  .  .  .
.  .  N  .  .  .  .  .  S
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  K  .  .  .  .
"""
DROPS = """
.  .  .  .  .  .  .  .  k
.  .  .  .  .  .  G  .  .
.  .  .  .  .  .  .  P  G
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  P  +P .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  K  .  .  .  .
"""
CHECKED = """
k  .  .  .  r  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  G  K  G  .  .  .
"""
STALEMATE = """
.  .  .  .  .  .  .  .  k
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  R  G
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  K  .  .  .  .
"""
CHASE = """
.  .  .  .  .  .  .  .  k
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
.  .  .  .  .  .  .  .  .
R  .  .  .  .  .  .  .  .
.  .  .  .  K  .  .  .  .
"""


def test_the_start() -> None:
    assert figure_of(shogi.scene(shogi.start(2, {}))).split("\n")[:3] == [
        "l n s g k g s n l",
        ". r . . . . . b .",
        "p p p p p p p p p",
    ]
    assert figure_of(minishogi.scene(minishogi.start(2, {}))).split("\n") == [
        "r b s g k",
        ". . . . p",
        ". . . . .",
        "P . . . .",
        "K G S B R",
    ]
    assert shogi.scene(shogi.start(2, {})).hands == ((), ())
    with pytest.raises(BadOption):
        shogi.start(2, {"size": "8"})


@for_each(
    ("figure", "source", "expected"),
    [
        (MEN, "E1", "D1 F1 D2 E2 F2"),
        (MEN, "E4", "D4 F4 D5 E5 E3"),
        (MEN, "F5", "E6 F6 G6 G4"),
        (MEN, "B4", "A4 C4 D4 B1 B2 B3 B5 B6 B7 B7+ B8 B8+ B9 B9+"),
        (MEN, "C2", "B1 D1 B3 A4 D3"),
        (MEN, "G7", "F9+ H9+"),
        (MEN, "I3", "I4 I5"),
        (MEN, "I6", "I7 I7+"),
        (PROMOTED, "B6", "A6 C6 D6 E6 F6 G6 B1 B2 B3 B4 B5 B7 B8 B9 A7 C7 A5 C5"),
        (PROMOTED, "H6", "G6 I6 G7 H7 I7 H5"),
        (PROMOTED, "H3", "G3 I3 G4 H4 I4 H2"),
        (PROMOTED, "E4", "D4 F4 E5 E3 D5 C6 F5 G6 D3 C2 B1 F3 G2 H1 H7 B7 A8 I8"),
        (LAST_ROWS, "A8", "A9+"),
        (LAST_ROWS, "B8", "B9+"),
        (LAST_ROWS, "C7", "B9+ D9+"),
        (LAST_ROWS, "I7", "H8 H8+ I8 I8+ H6 H6+"),
    ],
)
def test_how_pieces_move(figure: str, source: str, expected: str) -> None:
    assert targets(position_of(figure), source) == set(expected.split())


@for_each(
    ("word", "columns", "left_out"),
    [
        ("pawn", "abdefgi", {"I8"}),
        ("gold", "abcdefghi", set()),
        ("knight", "abcdefghi", set()),
        ("lance", "abcdefghi", set()),
    ],
)
def test_where_pieces_are_dropped(word: str, columns: str, left_out: set[str]) -> None:
    """Not a second pawn in columns C and H; not where they could not move on; no pawn for mate on I8."""
    position = position_of(DROPS, ("GNLP", ""))
    board = position.board
    highest = {"pawn": 8, "lance": 8, "knight": 7}.get(word, 9)
    empty = {board.names[cell] for cell, mark in enumerate(position.cells) if mark == "."}
    wanted = {f"{column.upper()}{row}" for column in columns for row in range(1, highest + 1)} & empty
    assert {board.names[int(move[1])] for move in shogi.moves(position, (word,))} == wanted - left_out


def test_the_only_drop_of_a_kind_is_told_in_words() -> None:
    """As on a board whose moves are heard."""
    position = position_of(ONE_DROP, ("P", ""))
    told = accessible_board(GAME, position, shogi.scene(position), ("ann", "bob"), None, with_moves=True)
    assert "pawn-i4" in told.others


def test_a_gold_may_give_mate_where_a_pawn_may_not() -> None:
    position = position_of(DROPS, ("GP", ""))
    assert shogi.outcome(played(GAME, position, "gold-i8")) == Outcome((1, 2), "mate")
    with pytest.raises(Illegal) as caught:
        shogi.read(position, "pawn-i8")
    assert caught.value.rule == rules.PAWN_DROPS
    free = position_of(DROPS.replace("G", "."), ("GP", ""))
    assert "PAWN-I8" in written(GAME, free)


def test_whoever_is_in_check_must_end_it() -> None:
    position = position_of(CHECKED, ("RP", ""))
    assert GAME.scene(position).attacked == (position.board.numbers["E1"],)
    assert GAME.scene(GAME.start(2, {})).attacked == ()
    assert written(GAME, position) == {"E1-D2", "E1-F2", "D1-E2", "F1-E2"} | {
        f"{word}-E{row}" for word in ("ROOK", "PAWN") for row in range(2, 9)
    }


def test_what_happens() -> None:
    position = position_of(MEN, ("", "P"))
    cells = position.board.numbers
    taken, events = shogi.play(position_of(MEN.replace("+", " ")), shogi.read(position, "i6-i7+"))
    assert events == (
        Event("moved", 0, (cells["I6"], cells["I7"]), "pawn"),
        Event("promoted", 0, (cells["I7"],), "promoted pawn"),
    )
    start = played(GAME, shogi.start(2, {}), "c3-c4 g7-g6 b2xh8+")
    scene = shogi.scene(start)
    assert [[(piece.text, count) for piece, count in hand] for hand in scene.hands] == [[("B", 1)], []]
    assert (scene.marked, scene.vacated, scene.captured) == ((cells["H8"],), (cells["B2"],), (cells["H8"],))
    assert scene.cells[cells["H8"]][0].text == "+B"
    start = played(GAME, start, "g9xh8")
    assert [[(piece.text, count) for piece, count in hand] for hand in shogi.scene(start).hands] == [
        [("B", 1)],
        [("b", 1)],
    ]
    after, events = shogi.play(start, shogi.read(start, "bishop e5"))
    assert events == (Event("placed", 0, (cells["E5"],), "bishop"),)
    assert after.hands == ("", "B")
    assert (shogi.scene(after).marked, shogi.scene(after).vacated) == ((cells["E5"],), ())
    assert taken.hands == ("", "")


@for_each(
    ("figure", "hands", "text", "rule"),
    [
        (MEN, "", "j3", rules.THE_BOARD),
        (MEN, "", "P-9z", 0),
        (MEN, "", "c6-c5", rules.OWN_PIECE),
        (MEN, "", "e1-e3", rules.KING),
        (MEN, "", "b4-c5", rules.ROOK),
        (MEN, "", "c2-c3", rules.BISHOP),
        (MEN, "", "e4-d3", rules.GOLD),
        (MEN, "", "f5-g5", rules.SILVER),
        (MEN, "", "g7-g8", rules.KNIGHT),
        (MEN, "", "i3-i7", rules.LANCE),
        (MEN, "", "i6-h7", rules.PAWN),
        (MEN, "", "i3-i4+", rules.PROMOTION),
        (LAST_ROWS, "", "a8-a9=stay", rules.PROMOTION),
        (PROMOTED, "", "h3-g2", rules.PROMOTION),
        (MEN, "", "gold-c3", rules.DROPPING),
        (MEN, "G", "gold-e1", rules.DROPPING),
        (LAST_ROWS, "N", "knight-d8", rules.DROPPING),
        (DROPS, "P", "pawn-c5", rules.PAWN_DROPS),
        (DROPS, "P", "pawn gold", rules.DROPPING),
        (DROPS, "P", "pawn stay", rules.DROPPING),
        (DROPS, "P", "pawn++", rules.DROPPING),
        (CHECKED, "", "d1-c2", rules.SAFETY),
        (MEN, "", "G-9a", rules.GOLD),
        (MEN, "", "R*5e", rules.DROPPING),
    ],
)
def test_illegal_moves(figure: str, hands: str, text: str, rule: int) -> None:
    with pytest.raises(Illegal if rule else Unreadable) as caught:
        shogi.read(position_of(figure, (hands, "")), text)
    if rule:
        assert caught.value.args[0] == rule


@for_each(
    ("figure", "turn", "text", "ended"),
    [
        (DROPS, 0, "gold-i8", Outcome((1, 2), "mate")),
        (STALEMATE, 0, "e1-e2", None),
        (STALEMATE, 0, "i6-i5", None),
        (STALEMATE, 0, "i6-i7", Outcome((1, 2), "stalemate")),
    ],
)
def test_endings(figure: str, turn: int, text: str, ended: Outcome | None) -> None:
    after = played(GAME, position_of(figure, ("G", ""), turn), text)
    assert shogi.outcome(after) == ended
    if ended:
        assert_end_before_limit(GAME, after)
        assert_end_before_limit(minishogi, after)
        assert shogi.to_move(after) is None
        for typed in ("e9-e8", "K-5b"):
            with pytest.raises(Illegal) as caught:
                shogi.read(after, typed)
            assert caught.value.rule == rules.ENDING


@for_each(("game", "ended"), [(GAME, Outcome((1, 1), "repeated")), (MINI, Outcome((2, 1), "repeated"))])
def test_the_fourth_time_ends_it(game: Any, ended: Outcome) -> None:
    there = {"shogi": ("e1-e2", "e9-e8", "e2-e1", "e8-e9"), "minishogi": ("b1-b2", "d5-d4", "b2-b1", "d4-d5")}
    position = game.start(2, {})
    for text in there[game.info.name] * 3:
        assert game.outcome(position) is None
        position = played(game, position, text)
    assert game.outcome(position) == ended
    assert not list(game.moves(position))


@for_each(
    ("texts", "ended"),
    [
        (("i9-h9", "i2-h2", "h9-i9", "h2-i2"), Outcome((2, 1), "perpetual")),
        (("i9-h9", "i2-g2", "h9-i9", "g2-i2"), Outcome((1, 1), "repeated")),
    ],
)
def test_perpetual_check_loses(texts: tuple[str, ...], ended: Outcome) -> None:
    position = played(GAME, position_of(CHASE), "a2-i2")
    for text in texts * 3:
        assert shogi.outcome(position) is None
        position = played(GAME, position, text)
    assert shogi.outcome(position) == ended
    assert shogi.to_move(position) is None


def test_the_longest_game_is_a_draw() -> None:
    position = position_of(CHASE)
    long = Position(position.board, position.cells, seen=tuple(map(str, range(499))))
    assert shogi.outcome(long) is None
    assert shogi.outcome(played(GAME, long, "a2-a3")) == Outcome((1, 1), "exhausted")


def test_reading() -> None:
    start = shogi.start(2, {})
    for text in ("c3-c4", "C3C4", "P-7f", "p-7f", "7g7f", "7G7F"):
        assert shogi.write(start, shogi.read(start, text)) == "C3-C4"
    assert shogi.write(start, shogi.read(start, shogi.info.example)) == "C3-C4"
    for text in ("rook", "pawn c3 thanks", "7g"):
        with pytest.raises((Unreadable, Illegal)):
            shogi.read(start, text)


@for_each(
    ("texts", "text", "expected"),
    [
        ("c3-c4", "P-3d", "G7-G6"),
        ("c3-c4 g7-g6", "Bx2b+", "B2xH8=PROMOTE"),
        ("c3-c4 g7-g6", "bx2b=", "B2xH8=STAY"),
        ("c3-c4 g7-g6", "8h2b+", "B2xH8=PROMOTE"),
        ("c3-c4 g7-g6", "8h2b", "B2xH8=STAY"),
        ("c3-c4 g7-g6", "b2xh8 promote", "B2xH8=PROMOTE"),
        ("c3-c4 g7-g6 b2xh8+", "sx2b", "G9xH8"),
        ("c3-c4 g7-g6 b2xh8+ g9xh8", "b*5e", "BISHOP-E5"),
        ("c3-c4 g7-g6 b2xh8+ g9xh8", "B'5e", "BISHOP-E5"),
        ("", "G4i-5h", "F1-E2"),
    ],
)
def test_the_notation_of_books(texts: str, text: str, expected: str) -> None:
    position = played(GAME, shogi.start(2, {}), texts)
    assert shogi.write(position, shogi.read(position, text)) == expected


def test_what_books_leave_open_is_asked() -> None:
    position = played(GAME, shogi.start(2, {}), "c3-c4 g7-g6")
    for text in ("Bx2b", "b2xh8", "b2"):
        with pytest.raises(Unfinished) as unfinished:
            shogi.read(position, text)
        assert unfinished.value.begun[0] == position.board.numbers["B2"]
    with pytest.raises(Unfinished) as asked:
        shogi.read(position, "G-5h")
    assert [shogi.write(position, move) for move in asked.value.fits] == ["D1-E2", "F1-E2"]
    for text in ("9a9b", "6f6e"):
        with pytest.raises(Illegal) as caught:
            minishogi.read(minishogi.start(2, {}), text)
        assert caught.value.rule == rules.THE_BOARD


def test_the_published_trees() -> None:
    assert [leaves(GAME, shogi.start(2, {}), plies) for plies in (1, 2)] == [30, 900]
    assert [leaves(MINI, minishogi.start(2, {}), plies) for plies in (1, 2)] == [14, 181]


@pytest.mark.slow
def test_the_published_trees_deeper() -> None:
    assert leaves(GAME, shogi.start(2, {}), 3) == 25470
    assert [leaves(MINI, minishogi.start(2, {}), plies) for plies in (3, 4)] == [2512, 35401]


@pytest.mark.parametrize("game", [shogi, minishogi])
@pytest.mark.parametrize("plies", [40, pytest.param(1200, marks=pytest.mark.slow)])
def test_the_slow_engine_agrees(game: Shogi, plies: int) -> None:
    random, count = Random(f"{game.info.name} {plies}"), 0
    while True:
        position, slow = game.start(2, {}), slow_start(game.rows, game.zone)
        names = position.board.names
        while not (ended := game.outcome(position)) or ended.reason in ("mate", "stalemate"):
            legal = {
                "".join(step if isinstance(step, str) else names[step].lower() for step in move): move
                for move in game.moves(position)
            }
            theirs = slow.legal()
            assert legal.keys() == theirs.keys()
            assert bool(ended) == (not theirs)
            if ended:
                assert (ended.reason == "mate") == slow.in_check(slow.turn)
                break
            if count == plies:
                return
            text = random.choice(list(legal))
            position, slow = game.play(position, legal[text])[0], theirs[text]
            count += 1


def place(cell: int) -> str:
    """A square as they call it: the column from the right, the row from the top."""
    return f"{9 - cell // 9}{'ihgfedcba'[cell % 9]}"


def theirs(_: Position, move: Move) -> tuple[str, ...]:
    """`7g7f`, `8h2b+` and `B*5e`."""
    if isinstance(move[0], str):
        return (f"{WORDS[move[0]]}*{place(int(move[1]))}",)
    return (place(move[0]) + place(int(move[1])) + ("+" if move[-1] == "promote" else ""),)


ENGINE = SecondEngine(
    GAME,
    "shogi",
    theirs,
    our_limits=("exhausted",),
    # They count points when both kings have come to the far rows.
    their_limit=lambda position, _: position.cells.find("K") % 9 >= 6 and position.cells.find("k") % 9 <= 2,
)


@pytest.mark.parametrize("plies", [100, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    assert play_random_games(ENGINE, plies) >= 1


def test_it_is_a_game() -> None:
    games: tuple[Game, ...] = (GAME, MINI)
    assert [game.info.name for game in games] == ["shogi", "minishogi"]


@for_each(
    ("text", "why", "cell"),
    [("gold-e5", "rule", "E5"), ("gold-c3", "taken", "C3"), ("e5-e6", "empty", "E5"), ("c7-c6", "other", "C7")],
)
def test_a_drop_that_fails_is_not_told_as_a_move(text: str, why: str, cell: str) -> None:
    reason = reason_against(GAME, shogi.start(2, {}), 0, text)
    assert (reason.why, reason.cell) == (why, cell)
