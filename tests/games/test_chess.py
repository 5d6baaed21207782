"""The rules of chess as drawn positions, published trees, a second engine, and a slow one for three checks."""

from functools import partial
from random import Random
from typing import Any, cast

import pytest

from pbmserv.games import chess as module
from pbmserv.games import chess as rules
from pbmserv.games.chess import Chess, Position, chess
from pbmserv.games.chess_moves import BOARD, first_row
from pbmserv.games.game import Event, Game, Illegal, Move, Outcome, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from tests.every import for_each
from tests.games.by_hand import figure_of, played, written
from tests.games.chess_positions import START, position_of, tree
from tests.games.second_engine import SecondEngine, play_random_games
from tests.games.slow_chess import opened

GAME = cast(Game, chess)
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -"
ENDGAME = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -"
PROMOTIONS = "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -"
TALKCHESS = "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -"
FISCHER = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -"
FISCHER_2 = "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe -"
CASTLES = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"

position = partial(position_of, chess)


def cell(name: str) -> int:
    return BOARD.numbers[name]


def test_the_start() -> None:
    start = chess.start(2, {})
    assert start == position(START)
    assert figure_of(chess.scene(start)).split("\n") == [
        "r n b q k b n r",
        "p p p p p p p p",
        *[". . . . . . . ."] * 4,
        "P P P P P P P P",
        "R N B Q K B N R",
    ]
    assert chess.scene(start).cells[cell("E8")][0].kind == "chess/king"
    for options in ({"setup": "960"}, {"setup": "-1"}, {"setup": "05"}, {"checks": "2"}, {"size": "8"}):
        with pytest.raises(BadOption):
            chess.start(2, options)


def test_first_rows_are_all_different_and_as_published() -> None:
    rows = [first_row(number) for number in range(960)]
    assert len(set(rows)) == 960
    assert (rows[0], rows[518], rows[959]) == ("BBQNNRKR", "RNBQKBNR", "RKRNNQBB")
    for row in rows:
        assert sorted(row) == sorted("RNBQKBNR")
        assert row.index("R") < row.index("K") < row.rindex("R")
        assert (row.index("B") + row.rindex("B")) % 2


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (START, [20, 400]),
        pytest.param(START, [20, 400, 8902, 197281], marks=pytest.mark.slow),
        (KIWIPETE, [48, 2039]),
        pytest.param(KIWIPETE, [48, 2039, 97862], marks=pytest.mark.slow),
        (ENDGAME, [14, 191, 2812]),
        pytest.param(ENDGAME, [14, 191, 2812, 43238], marks=pytest.mark.slow),
        (PROMOTIONS, [6, 264]),
        pytest.param(PROMOTIONS, [6, 264, 9467], marks=pytest.mark.slow),
        (TALKCHESS, [44, 1486]),
        pytest.param(TALKCHESS, [44, 1486, 62379], marks=pytest.mark.slow),
        (FISCHER, [21, 528]),
        pytest.param(FISCHER, [21, 528, 12189], marks=pytest.mark.slow),
        (FISCHER_2, [21, 807]),
        pytest.param(FISCHER_2, [21, 807, 18002], marks=pytest.mark.slow),
    ],
)
def test_published_trees(text: str, counts: list[int]) -> None:
    assert tree(chess, position(text), len(counts)) == counts


def test_castling() -> None:
    assert {"E1-H1", "E1-A1"} <= written(GAME, position(CASTLES))
    after, events = chess.play(position(CASTLES), chess.read(position(CASTLES), "o-o-o"))
    king, rook = (cell("E1"), cell("C1")), (cell("A1"), cell("D1"))
    assert events == (Event("moved", 0, king, "king"), Event("moved", 0, rook, "rook"))
    scene = chess.scene(after)
    assert (scene.marked, scene.vacated, scene.captured) == ((king[1], rook[1]), (king[0], rook[0]), ())
    assert {"E8-H8"} == {text for text in written(GAME, after) if text in ("E8-H8", "E8-A8")}  # D8 is attacked
    assert after.at.rights == (cell("A8"), cell("H8"))


@for_each(
    ("text", "able"),
    [
        ("r3k2r/8/8/8/4r3/8/8/R3K2R w KQkq -", set()),
        ("r3k2r/8/8/8/5r2/8/8/R3K2R w KQkq -", {"E1-A1"}),
        ("r3k2r/8/8/8/1r6/8/8/R3K2R w KQkq -", {"E1-A1", "E1-H1"}),
        ("r3k2r/8/8/8/8/8/8/RN2K1nR w KQkq -", set()),
        ("r3k2r/8/8/8/8/8/8/R3K2R w kq -", set()),
        ("4k3/8/8/8/8/8/8/5RKR w FH -", {"G1-F1"}),
        ("4k3/8/8/8/8/8/8/6KR w H -", {"G1-H1"}),
        ("4k3/8/8/8/8/8/8/RK6 w A -", {"B1-A1"}),
        ("4k3/8/8/8/8/8/8/rR2K3 w B -", set()),
        ("4k3/8/8/8/8/8/8/rRK5 w B -", set()),
        ("4k3/8/8/8/8/8/8/1RKN4 w B -", set()),
        ("4k3/8/8/8/8/8/8/R4K2 w A -", {"F1-A1"}),
    ],
)
def test_who_may_castle(text: str, able: set[str]) -> None:
    here = position(text)
    castling = {chess.write(here, move) for move in chess.moves(here) if chess.san(here, move)[0] == "O"}
    assert castling == able


def test_castling_is_lost() -> None:
    here = played(GAME, position(CASTLES), "h1-h2 a8-a7 h2-h1 a7-a8")
    assert here.at.rights == (cell("A1"), cell("H8"))
    assert played(GAME, position(CASTLES), "a1xa8").at.rights == (cell("H1"), cell("H8"))
    assert played(GAME, position(CASTLES), "e1-e2").at.rights == (cell("A8"), cell("H8"))


def test_a_blank_behind_the_piece_makes_it_no_pawn() -> None:
    start = chess.start(2, {})
    for text in ("N f3", "knight f3", "Knight-f3"):
        assert chess.write(start, chess.read(start, text)) == "G1-F3"


def test_a_king_in_check_is_shown() -> None:
    assert chess.scene(position("4k3/8/8/8/4r3/8/8/R3K2R w KQ -")).attacked == (cell("E1"),)
    assert chess.scene(position("4k3/8/8/8/4r3/8/8/R3K2R b KQ -")).attacked == ()


def test_in_passing() -> None:
    here = played(GAME, chess.start(2, {}), "e2-e4 a7-a6 e4-e5 d7-d5")
    after, events = chess.play(here, chess.read(here, "exd6 e.p."))
    assert [(event.kind, event.cells) for event in events] == [
        ("moved", (cell("E5"), cell("D6"))),
        ("captured", (cell("D5"),)),
    ]
    assert chess.scene(after).captured == (cell("D5"),)
    assert "E5xD6" not in written(GAME, played(GAME, here, "h2-h3 h7-h6"))
    # The pawns hide the king from the rook, so that it cannot be done, and the position is as if it could not.
    assert position("8/8/8/8/k2Pp2R/8/8/4K3 b - d3").at.passing == -1
    assert position("8/8/8/8/k2Pp3/8/8/4K3 b - d3").at.passing == cell("D3")


def test_promotion() -> None:
    here = position("3r4/4P3/8/8/k7/8/8/K7 w - -")
    assert {text for text in written(GAME, here) if "=" in text} == {
        f"{where}={word}" for where in ("E7-E8", "E7xD8") for word in ("QUEEN", "ROOK", "BISHOP", "KNIGHT")
    }
    after, events = chess.play(here, chess.read(here, "exd8=n"))
    assert [(event.kind, event.piece) for event in events] == [
        ("moved", "pawn"),
        ("captured", "rook"),
        ("promoted", "knight"),
    ]
    assert chess.scene(after).cells[cell("D8")][0].text == "N"
    for text in ("e7-e8", "e8", "exd8", "e7xd8"):
        with pytest.raises(Unfinished) as caught:
            chess.read(here, text)
        assert caught.value.begun == (cell("E7"), cell("D8" if "d8" in text else "E8"))


@for_each(
    ("text", "typed", "stored"),
    [
        (START, "Nf3 nf3 NF3 g1f3 G1-F3 Ng1f3 Ng1-f3 N-f3 knight-f3", "G1-F3"),
        (START, "e4 E4 e2e4 e2-e4 pe4 e4+ e4#", "E2-E4"),
        (START, "Nc3 b1c3 Nb1c3 Nbc3 N1c3", "B1-C3"),
        (CASTLES, "O-O o-o 0-0 e1-h1 e1h1 e1-g1 e1g1 Kg1 O-O+", "E1-H1"),
        (CASTLES, "O-O-O 0-0-0 e1-a1 e1c1 Kc1", "E1-A1"),
        ("4k3/8/8/8/8/8/3P4/1N2K3 w - -", "Nc3 Knight-c3", "B1-C3"),
        ("4k3/8/8/3p4/4P3/8/8/K7 w - -", "exd5 EXD5 ed5 e4d5 e4xd5 e:d5 e4:d5", "E4xD5"),
        ("3r4/4P3/8/8/k7/8/8/K7 w - -", "e8=Q e8Q e8q e8=queen e7e8=Q e7-e8=queen e7e8queen e8/Q", "E7-E8=QUEEN"),
        ("3r4/4P3/8/8/k7/8/8/K7 w - -", "exd8=b ed8b e7xd8=bishop e7xd8b", "E7xD8=BISHOP"),
        ("4k3/8/8/8/R6R/8/8/1K6 w - -", "Rad4 Ra4d4 a4d4", "A4-D4"),
        ("4k3/8/8/8/8/R7/8/RK6 w - -", "R1a2 Ra1a2", "A1-A2"),
        ("4k3/8/8/8/1N6/8/8/1N2K3 w - -", "N1d2", "B1-D2"),
        ("4k3/8/8/8/1N3N2/8/8/K7 w - -", "Nbd5 Nb4d5", "B4-D5"),
        ("4k3/8/8/8/8/2n5/1P6/K3B3 w - -", "b2xc3", "B2xC3"),
        ("4k3/8/8/8/8/2n5/8/K3B3 w - -", "Bxc3 Bc3 BXC3 Be1xc3 bishop-c3 bishopxc3", "E1xC3"),
        ("4k3/8/8/8/8/2n5/1P6/K7 w - -", "bxc3 bc3 BXC3 pxc3 b2xc3 B2xC3", "B2xC3"),
        ("4k3/8/8/8/8/2n5/1P6/K3B3 w - -", "bxc3 bc3 b2c3 b2xc3 B2xc3 B2xC3", "B2xC3"),
        ("4k3/8/8/8/8/2n5/1P6/K3B3 w - -", "Bxc3 Bc3", "E1xC3"),
        ("4k3/8/8/8/8/8/1P6/K2B4 w - -", "Bb3 bb3 B-b3 BB3", "D1-B3"),
        ("4k3/8/8/8/8/8/1P6/K2B4 w - -", "b3 B3 b2b3 pb3", "B2-B3"),
        ("4k3/8/8/8/8/8/1P6/K2B4 w - -", "bc2 Bc2", "D1-C2"),
        ("n3k3/1P6/8/8/8/8/8/K7 w - -", "bxa8=B Bxa8=B bxa8B bxa8(B) b7a8=bishop", "B7xA8=BISHOP"),
        ("n3k3/1P6/8/8/8/8/8/K7 w - -", "bxa8(Q) bxa8=Q Bxa8=q", "B7xA8=QUEEN"),
        ("n3k3/1P6/8/8/8/8/8/K7 w - -", "b8=B b8B b8(B) bb8=B", "B7-B8=BISHOP"),
        ("4k3/8/8/8/8/2n5/3B4/B6K w - -", "B1xc3 Baxc3", "A1xC3"),
    ],
)
def test_reading(text: str, typed: str, stored: str) -> None:
    here = position(text)
    for each in typed.split():
        assert chess.write(here, chess.read(here, each)) == stored, each


@for_each(
    ("text", "typed", "fitting"),
    [
        ("4k3/8/8/8/8/2n5/1P6/K3B3 w - -", "BXC3", {"B2xC3", "E1xC3"}),
        ("4k3/8/8/8/8/2n5/8/K3B3 w - -", "bxc3 bc3", {"E1xC3"}),
        ("4k3/8/8/8/8/2n5/1P6/K7 w - -", "Bxc3 Bc3", {"B2xC3"}),
        ("4k3/8/8/8/8/8/1P6/K7 w - -", "Bb3 bb3", {"B2-B3"}),
        ("4k3/8/8/8/8/2n5/1P1B4/K7 w - -", "B2xc3", {"B2xC3", "D2xC3"}),
        ("4k3/8/8/8/R6R/8/8/K7 w - -", "Rd4 rd4", {"A4-D4", "H4-D4"}),
        ("4k3/8/8/8/8/5N2/8/KN6 w - -", "Nd2 nd2 knight-d2", {"B1-D2", "F3-D2"}),
    ],
)
def test_what_fits_several_moves_is_asked(text: str, typed: str, fitting: set[str]) -> None:
    here = position(text)
    for each in typed.split():
        with pytest.raises(Unfinished) as caught:
            chess.read(here, each)
        assert {chess.write(here, move) for move in caught.value.fits} == fitting, each


def test_a_text_is_no_move() -> None:
    for text in ("hello", "N", "Nf", "f", "exd", "Nf3 please", "e9=q", "O", "o-o-", "N@f3", "bishop", "?"):
        with pytest.raises((Unreadable, Illegal)):
            chess.read(chess.start(2, {}), text)
    with pytest.raises(Unfinished):
        chess.read(chess.start(2, {}), "b1")


PINNED = "4r1k1/8/8/8/8/8/4R3/4K2R w K -"


@for_each(
    ("text", "typed", "rule"),
    [
        (START, "e2-e9", rules.THE_BOARD),
        (START, "e7-e5", rules.OWN_PIECE),
        (START, "e4-e5", rules.OWN_PIECE),
        (START, "e2-e5", rules.PAWNS),
        (START, "e2xd3", rules.PAWNS),
        (START, "e5", rules.PAWNS),
        (START, "exd3", rules.PAWNS),
        (START, "b1-d2", rules.KNIGHTS),
        (START, "Nd4", rules.KNIGHTS),
        (START, "a1-a3", rules.LINES),
        (START, "Qd4", rules.LINES),
        (START, "e1-e2", rules.KINGS),
        (START, "Ke2", rules.KINGS),
        (START, "O-O", rules.CASTLING),
        (START, "e1-g1", rules.CASTLING),
        (START, "queen", rules.FAR_ROW),
        (PINNED, "e2-d2", rules.SAFE),
        (PINNED, "Rd2", rules.SAFE),
        (PINNED, "e2-e3=queen", rules.FAR_ROW),
        ("4k3/P7/8/8/8/8/8/K7 w - -", "Na8", rules.KNIGHTS),
        ("7k/5QQ1/8/8/8/8/8/K7 b - -", "h8-h7", rules.ENDING),
        ("7k/5QQ1/8/8/8/8/8/K7 b - -", "Kh7", rules.ENDING),
    ],
)
def test_illegal_moves(text: str, typed: str, rule: int) -> None:
    with pytest.raises(Illegal) as caught:
        chess.read(position(text), typed)
    assert caught.value.rule == rule


@for_each(
    ("text", "typed", "ended"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 w - -", "Qg7", Outcome((1, 2), "mate")),
        ("7k/8/6K1/8/8/8/5Q2/8 w - -", "Qf7", Outcome((1, 1), "stalemate")),
        ("k7/8/8/8/8/8/1r6/K7 w - -", "Kxb2", Outcome((1, 1), "bare")),
        ("k7/8/8/8/8/2n5/1r6/K7 w - -", "Kxb2", Outcome((1, 1), "bare")),
        ("k1b1b3/8/8/8/8/8/1r6/K7 w - -", "Kxb2", Outcome((1, 1), "bare")),
        ("k1b2b2/8/8/8/8/8/1r6/K7 w - -", "Kxb2", None),
        ("k7/8/8/7n/8/2n5/1r6/K7 w - -", "Kxb2", None),
        ("k7/p7/8/8/8/8/1r6/K7 w - -", "Kxb2", None),
    ],
)
def test_endings(text: str, typed: str, ended: Outcome | None) -> None:
    after = played(GAME, position(text), typed)
    assert chess.outcome(after) == ended
    assert (chess.to_move(after) is None) == (ended is not None)


def test_the_third_time_is_a_draw() -> None:
    here = chess.start(2, {})
    for text in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
        assert chess.outcome(here) is None
        here = played(GAME, here, text)
    assert chess.outcome(here) == Outcome((1, 1), "repeated")
    # With another right to castle it is another position.
    here = position(CASTLES)
    for text in ("e1e2", "e8e7", "e2e1", "e7e8") * 2:
        here = played(GAME, here, text)
    assert chess.outcome(here) is None
    assert chess.outcome(played(GAME, here, "e1e2 e8e7")) == Outcome((1, 1), "repeated")


def test_fifty_moves_each_are_a_draw_unless_the_last_one_mates() -> None:
    here = Position(position("7k/8/5Q1K/8/8/8/8/8 w - -").at, quiet=99)
    assert chess.outcome(here) is None
    assert chess.outcome(played(GAME, here, "Qa6")) == Outcome((1, 1), "exhausted")
    assert chess.outcome(played(GAME, here, "Qg7")) == Outcome((1, 2), "mate")
    assert played(GAME, Position(position(START).at, quiet=99), "e4").quiet == 0


def test_checks_are_counted() -> None:
    here = played(GAME, chess.start(2, {"checks": "3"}), "e4 e5 Qh5 Nc6 Qxf7 Kxf7 Bc4 d5")
    assert (here.at.checks, chess.outcome(here)) == ((2, 0), None)
    assert chess.outcome(played(GAME, here, "Bxd5")) == Outcome((1, 2), "checks")
    assert played(GAME, chess.start(2, {}), "e4 e5 Qh5 Nc6 Qxf7").at.checks == ()


def test_the_third_check_wins_and_one_piece_is_enough_to_play_on() -> None:
    here = position("4k3/8/8/8/8/8/8/R3K3 w - -", checks=(2, 0))
    after = played(GAME, here, "Ra8")
    assert (after.at.checks, chess.outcome(after)) == ((3, 0), Outcome((1, 2), "checks"))
    assert chess.san(here, chess.read(here, "Ra8")) == "Ra8#"
    assert chess.outcome(position("4k3/8/8/8/8/8/8/B3K3 w - -", checks=(0, 0))) is None
    assert chess.outcome(position("4k3/8/8/8/8/8/8/4K3 w - -", checks=(0, 0))) == Outcome((1, 1), "bare")


def test_books_write_moves_so() -> None:
    here, found = chess.start(2, {}), []
    texts = "e2e4 d7d5 e4d5 g8f6 g1f3 f6d5 f1b5 c7c6 e1h1 c6b5 f1e1 b8d7 b1c3 d7f6"
    for text in texts.split():
        move = chess.read(here, text)
        found.append(chess.san(here, move))
        here, _ = chess.play(here, move)
    assert " ".join(found) == "e4 d5 exd5 Nf6 Nf3 Nxd5 Bb5+ c6 O-O cxb5 Re1 Nd7 Nc3 N7f6"


def names(game: Chess, here: Position, move: Move) -> tuple[str, ...]:
    """They name moves as books do."""
    return (game.san(here, move),)


def their_setup(number: int, their_game: Any) -> Any:
    row = first_row(number)
    rooks = "".join("ABCDEFGH"[column] for column in range(7, -1, -1) if row[column] == "R")
    return their_game.new_initial_state(
        f"{row.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{row} w {rooks}{rooks.lower()} - 0 1"
    )


@pytest.mark.parametrize("plies", [100, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_second_engine_agrees(plies: int) -> None:
    engine = SecondEngine(GAME, "chess", partial(names, chess), players=(1, 0))
    assert play_random_games(engine, plies) >= 1


@pytest.mark.slow
@for_each("number", range(7, 960, 24))
def test_a_second_engine_agrees_on_other_setups(number: int) -> None:
    engine = SecondEngine(
        GAME,
        "chess(chess960=true)",
        partial(names, chess),
        {"setup": str(number)},
        begin=partial(their_setup, number),
        players=(1, 0),
    )
    assert play_random_games(engine, 250) >= 1


@pytest.mark.parametrize("plies", [8, pytest.param(1500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rules", ["chess", "checks"])
def test_a_slow_engine_agrees(rules: str, plies: int) -> None:
    """From all setups, with three checks or without."""
    random, done = Random(f"{rules} {plies}"), 0
    while done < plies:
        number = random.randrange(960)
        done += play_beside(
            chess,
            {"setup": str(number), "checks": "3" if rules == "checks" else "off"},
            rules,
            number,
            random,
            plies,
        )


def play_beside(game: Chess, options: dict[str, str], rules: str, number: int, random: Random, most: int) -> int:
    """Plays a game, or so many plies of it, in both, and returns how many there were."""
    here, slow = game.start(2, options), opened(rules, first_row(number))
    for ply in range(most):
        assert told(game.outcome(here)) == slow.ended()
        legal = {game.write(here, move): move for move in game.moves(here)}
        if not legal:
            return ply
        assert legal.keys() == slow.legal().keys()
        text = random.choice(sorted(legal))
        slow.play(text)
        here, _ = game.play(here, legal[text])
    return most


def told(outcome: Outcome | None) -> str:
    """An outcome as the slow engine tells it."""
    if outcome is None:
        return ""
    winner = "draw" if outcome.ranks == (1, 1) else ("White", "Black")[outcome.ranks.index(1)]
    return f"{winner} {outcome.reason}"


def test_all_of_the_family_share_a_board() -> None:
    assert {game.scene(game.start(2, {})).board for game in module.games} == {BOARD}
