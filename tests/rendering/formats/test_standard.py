"""Records in standard formats: read back by readers of their own, they tell the same game."""

from itertools import islice
from random import Random

import pytest

from pbmserv.games import games
from pbmserv.games.boards import squares
from pbmserv.games.game import Game, Move, Outcome
from pbmserv.matches.log import Entry, EntryKind, Match
from pbmserv.matches.replay import GameState, replay
from pbmserv.rendering.formats import KINDS, file_of, standard_record, suffix_of
from tests.conftest import NOON
from tests.rendering.formats.readers import Tree, read_sgf, read_tagged

CHESSES = [name for name, game in games().items() if hasattr(game, "san")]
LETTERS = "ABCDEFGHJKLMNOPQRST"


def started(name: str, **options: str) -> GameState:
    """A board of that game."""
    game = games()[name]
    found = tuple(sorted(options.items()))
    return replay(Match(101, name, game.info.rules, found, True, ("alice", "b]o\\b"), "alice", NOON, ()))


def entered(board: GameState, kind: EntryKind, seat: int | None, text: str = "") -> GameState:
    """The board after that."""
    return board.apply(Entry(101, board.state.entries + 1, NOON, kind, seat, text))


def played(board: GameState, *texts: str) -> GameState:
    """The board after these moves, as people type them."""
    game: Game = games()[board.match.game]
    for text in texts:
        position = board.state.position
        board = entered(board, "played", board.state.to_move, game.write(position, game.read(position, text)))
    return board


def at_random(board: GameState, plies: int, seed: int = 0) -> GameState:
    """The board after some moves, or when it is over."""
    chance, game = Random(seed), games()[board.match.game]
    for _ in range(plies):
        if board.state.to_move is None:
            break
        found: list[Move] = list(islice(game.moves(board.state.position), 500))
        board = entered(
            board, "played", board.state.to_move, game.write(board.state.position, chance.choice(found))
        )
    return board


def text_of(board: GameState) -> str:
    """Its record in the standard format."""
    record = standard_record(board, "club.test")
    assert record is not None
    assert record.suffix == suffix_of(board)
    return record.content.decode()


def sgf_of(board: GameState) -> Tree:
    """The same, read."""
    return read_sgf(text_of(board))


def test_a_game_of_go() -> None:
    """Points are two letters from the upper left corner, which is A9; a pass is an empty value."""
    board = played(started("go", size="9"), "a9", "j9", "h1", "pass", "pass")
    tree = sgf_of(board)
    assert [(*node, *node.values()) for node in tree.nodes] == [
        ("B", ["aa"]),
        ("W", ["ia"]),
        ("B", ["hi"]),
        ("W", [""]),
        ("B", [""]),
    ]
    root = {name: value for name, (value,) in tree.root.items()}
    assert root == {
        "FF": "4",
        "GM": "1",
        "CA": "UTF-8",
        "SZ": "9",
        "KM": "7.5",
        "RU": "Chinese",
        "PB": "alice",
        "PW": "b]o\\b",
        "DT": "2026-01-01",
        "EV": "Board 101",
        "PC": "club.test",
        "RE": root["RE"],
    }
    outcome = board.state.outcome
    assert outcome is not None
    black, white = outcome.scores
    assert root["RE"] == f"{'BW'[white > black]}+{abs(black - white - 0.5)}"


def test_a_tie_of_go_is_white_s_by_half_a_point() -> None:
    """44 points to 37 and komi: with 7.5 in the record a program comes to the same result."""
    rows = range(2, 10)
    texts = [text for row in rows for text in (f"e{row}", f"f{row}")]
    board = played(started("go", size="9"), *texts, "d1", "e1", "pass", "pass")
    assert board.state.outcome == Outcome((2, 1), "score", (44, 44))
    root = sgf_of(board).root
    assert (root["KM"], root["RE"]) == (["7.5"], ["W+0.5"])


def test_every_point_of_go() -> None:
    """Columns leave out the letter I, and the letters of SGF do not."""
    board = at_random(started("go", size="19"), 150)
    texts = [turn.move for turn in board.state.turns]
    for text, node in zip(texts, sgf_of(board).nodes, strict=True):
        ((value,),) = node.values()
        if text == "pass":
            assert value == ""
        else:
            column, row = "abcdefghijklmnopqrs".index(value[0]), "abcdefghijklmnopqrs".index(value[1])
            assert f"{LETTERS[column]}{19 - row}" == text


def test_a_game_of_hex() -> None:
    """Cells by name, and the swap of pieces; who is first is Black."""
    tree = sgf_of(played(started("hex", size="11"), "c2", "swap", "e5", "k11"))
    assert [(*node, *node.values()) for node in tree.nodes] == [
        ("B", ["c2"]),
        ("W", ["swap-pieces"]),
        ("B", ["e5"]),
        ("W", ["k11"]),
    ]
    assert (tree.root["GM"], tree.root["SZ"], tree.root["RE"]) == (["11"], ["11"], ["?"])


@pytest.mark.parametrize(
    ("kind", "result", "tagged"),
    [("resigned", "W+R", "1-0"), ("forfeited", "W+T", "1-0"), ("annulled", "Void", "*")],
)
def test_how_it_ended(kind: EntryKind, result: str, tagged: str) -> None:
    """In the words of either format; White is second at Go and at checkers."""
    seat = None if kind == "annulled" else 0
    assert sgf_of(entered(played(started("go"), "e5", "e6"), kind, seat)).root["RE"] == [result]
    board = entered(at_random(started("checkers"), 4), kind, seat)
    assert read_tagged(text_of(board)).result == tagged


def numbered(size: int) -> dict[str, str]:
    """The squares of draughts by number, from the top."""
    board = squares(size, size)
    found: dict[str, str] = {}
    for row in range(size, 0, -1):
        for column in range(size):
            if (column + row) % 2 == 1:
                found[str(len(found) + 1)] = board.names[column * size + row - 1]
    return found


@pytest.mark.parametrize("name", sorted(set(KINDS) & set(games())))
@pytest.mark.parametrize("seed", range(3))
def test_games_of_draughts(name: str, seed: int) -> None:
    """Squares by number or by name; each square of a capture is there."""
    board = at_random(started(name), 60, seed)
    game = read_tagged(text_of(board))
    size = 10 if name.startswith("international") else 8
    names = numbered(size)
    found = []
    for move in game.moves:
        squares_of = move.replace("x", "-").split("-")
        sign = "x" if "x" in move else "-"
        found.append(sign.join(names[each] if each in names else each.upper() for each in squares_of))
    assert found == [turn.move for turn in board.state.turns]
    assert game.tags["GameType"].split(",")[2:4] == [str(size), str(size)]
    white = next(seat for seat, side in enumerate(games()[name].info.sides) if side.name == "White")
    assert game.tags["White"] == ("alice", "b]o\\b")[white]
    first = "W" if white == 0 else "B"
    assert game.tags["GameType"].split(",")[1] == first


@pytest.mark.parametrize("name", CHESSES)
def test_games_of_chess(name: str) -> None:
    """The moves, read as people type them, lead to the same position."""
    board = at_random(started(name), 40)
    game = read_tagged(text_of(board))
    again = played(started(name), *(move.rstrip("+#") for move in game.moves))
    assert again.state.position == board.state.position
    assert game.tags.get("Variant", "Chess") == name.capitalize()


@pytest.mark.skipif("chess" not in games(), reason="there is no chess here")
def test_tags_of_chess() -> None:
    """Who won and how; another first position has its FEN."""
    fools = played(started("chess"), "f3", "e5", "g4", "qh4")
    game = read_tagged(text_of(fools))
    assert (game.moves, game.result) == (["f3", "e5", "g4", "Qh4#"], "0-1")
    assert game.tags["Termination"] == "normal"
    assert "FEN" not in game.tags
    shuffled = read_tagged(text_of(started("chess", setup="0")))
    assert shuffled.tags["Variant"] == "Chess960"
    assert shuffled.tags["SetUp"] == "1"
    assert shuffled.tags["FEN"] == "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
    assert shuffled.result == "*"


def test_other_games_have_none() -> None:
    """And a file is called after its format."""
    assert standard_record(started("oware"), "club.test") is None
    assert suffix_of(started("reversi")) is None
    assert file_of(101, "pgn") == "board-101.pgn"
