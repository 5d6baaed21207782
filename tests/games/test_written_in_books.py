"""Whole games as books and phones write them: each move is read as itself, or asked, and never as another one."""

from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from typing import Any

from pbmserv.games.chess import Chess, antichess, atomic, chess, crazyhouse
from pbmserv.games.game import Move
from pbmserv.matches.log import Match
from pbmserv.matches.moves import AmbiguousMove, play
from pbmserv.matches.replay import GameState, replay
from tests.every import for_each

NOON = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
SPANISH = """
    e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 c4 c6 cxb5 axb5 Nc3 Bb7 Bg5 b4 Nb1 h6
    Bh4 c5 dxe5 Nxe4 Bxe7 Qxe7 exd6 Qf6 Nbd2 Nxd6 Nc4 Nxc4 Bxc4 Nb6 Ne5 Rae8 Bxf7+ Rxf7 Nxf7 Rxe1+ Qxe1 Kxf7
"""
BISHOP_OR_PAWN = "d4 Nf6 Nc3 e6 a3 d5 Bf4 Bb4 axb4 c5"
FRENCH = """
    e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3 Ne7 Qg4
    Qc7 Qxg7 Rg8 Qxh7 cxd4 Ne2 Nbc6 f4 Bd7 Qd3 dxc3 Nxc3 a6 Rb1 Na5
"""


ASKED = "?"


def in_book(game: Chess, position: Any, move: Move, legal: Sequence[Move]) -> str:
    """A move as books write it, but for check and mate; written for this test from the rules of the notation."""
    scene, source, target = game.scene(position), move[0], int(move[1])
    names = scene.board.names
    if isinstance(source, str):
        return {"pawn": "", "knight": "N"}.get(source, source[0].upper()) + "@" + names[target].lower()
    (piece,), there = scene.cells[source], scene.cells[target]
    kind = piece.kind.removeprefix("chess/")
    if there and there[0].seat == piece.seat:
        return "O-O" if target > source else "O-O-O"
    here, end = names[source].lower(), names[target].lower()
    if kind == "pawn":
        becomes = "".join("=" + ("N" if word == "knight" else str(word)[0].upper()) for word in move[2:])
        return (end if here[0] == end[0] else f"{here[0]}x{end}") + becomes
    others = [
        names[int(each[0])].lower()
        for each in legal
        if isinstance(each[0], int) and each[0] != source and each[1] == target
        if scene.cells[each[0]][0].kind == piece.kind and scene.cells[target][:1] != scene.cells[each[0]]
    ]
    if not others:
        where = ""
    elif all(other[0] != here[0] for other in others):
        where = here[0]
    else:
        where = here[1] if all(other[1] != here[1] for other in others) else here
    return ("N" if kind == "knight" else kind[0].upper()) + where + "x" * bool(there) + end


def board_of(game: Chess, number: str = "518") -> GameState:
    options = (("setup", number),) if game is chess else ()
    return replay(Match(101, game.info.name, game.info.rules, options, False, ("a", "b"), "a", NOON))


def said(board: GameState, text: str, may_be_small: bool) -> tuple[str, ...]:
    """The move that is played for a text, or those that are offered, and a question mark."""
    state, besides = board.state, (text[0].lower() + text[1:],) if may_be_small else ()
    try:
        return (play(board, state.to_move or 0, text, None, NOON, besides=besides).text,)
    except AmbiguousMove as asked:
        return (*asked.choices, ASKED)


def after(board: GameState, text: str) -> GameState:
    return board.apply(play(board, board.state.to_move or 0, text, None, NOON))


@for_each("game", [chess, antichess, atomic, crazyhouse], ids=lambda game: game.info.name)
@for_each("seed", range(2))
def test_random_games_as_books_and_phones_write_them(game: Chess, seed: int) -> None:
    random = Random(f"books {game.info.name} {seed}")
    board = board_of(game, str(random.randrange(960)))
    while board.state.to_move is not None and board.state.plies < 120:
        position = board.state.position
        legal = list(game.moves(position))
        for move in random.sample(legal, min(4, len(legal))):
            meant, written = game.write(position, move), in_book(game, position, move, legal)
            assert said(board, written, may_be_small=False) == (meant,), written
            phone = written[0].upper() + written[1:]
            found = said(board, phone, may_be_small=True)
            assert found == (meant,) or (phone[0] == "B" and {meant, ASKED} <= {*found}), phone
        board = after(board, game.write(position, random.choice(legal)))


@for_each("texts", [SPANISH, BISHOP_OR_PAWN, FRENCH])
def test_games_from_books(texts: str) -> None:
    """None of their moves is asked, even with a phone's capitals, but for a pawn's that looks like a bishop's."""
    board = board_of(chess)
    for text in texts.split():
        before = board.state.position
        found = said(board, text[0].upper() + text[1:], may_be_small=True)
        assert (found[-1] == ASKED) == (text == "bxc3")
        board = after(board, text)
        assert found[0] == board.match.entries[-1].text
        assert chess.san(before, chess.read(before, found[0])) == text


@for_each(
    ("text", "may_be_small", "found"),
    [
        ("bxc5", True, ("B4xC5",)),
        ("Bxc5", False, ("B4xC5", ASKED)),
        ("Bxc5", True, ("B4xC5", ASKED)),
        ("Be5", True, ("F4-E5",)),
        ("be5", True, ("F4-E5",)),
        ("Bxb8", True, ("F4xB8",)),
        ("bxb8", True, ("F4xB8",)),
    ],
)
def test_a_capital_b_is_never_the_pawn(text: str, may_be_small: bool, found: tuple[str, ...]) -> None:
    """In 1.d4 Nf6 2.Nc3 e6 3.a3 d5 4.Bf4 Bb4 5.axb4 c5 only the pawn can take on C5."""
    board = board_of(chess)
    for each in BISHOP_OR_PAWN.split():
        board = after(board, each)
    assert said(board, text, may_be_small) == found
