"""What docs/playing.md and the rules texts promise about how a move may be written, tried for every game."""

import re
from pathlib import Path

from pbmserv.games import games
from pbmserv.games.game import Game, MoveError, Unreadable
from tests.every import every, for_each
from tests.parser.meaning import meaning

ROOT = Path(__file__).parents[2]
BOARD = 101
HOW = "# HOW TO WRITE A MOVE"


def promised(game: Game) -> list[str]:
    """What is written as a move in that section of the rules, and the example of docs/playing.md."""
    info = game.info
    text = (ROOT / "templates" / "en" / "rules" / f"{info.name}.txt").read_text()
    section = text.partition(HOW)[2].partition("\n# ")[0]
    pieces = [piece.strip('().,;:"') for piece in section.split()]
    dialect = re.compile(info.dialect or "(?!)", re.ASCII | re.IGNORECASE)
    moves = [
        each for each in pieces if re.search("[a-z][0-9]", each) or each in info.words or dialect.fullmatch(each)
    ]
    row = re.search(rf"(?m)^\|[^|]*\| `{re.escape(info.name)}` \|.*$", (ROOT / "docs" / "playing.md").read_text())
    assert row is not None
    return list(dict.fromkeys([*moves, re.findall("`([^`]+)`", row[0])[-1]]))


def reading(game: Game, text: str) -> object:
    """The move that a game reads at its start, or the error that it raises."""
    try:
        return game.read(game.start(game.info.least_seats, {}), text)
    except MoveError as error:
        return (type(error), getattr(error, "rule", None), getattr(error, "begun", None))


@for_each("name", games())
def test_what_is_promised_is_read(name: str) -> None:
    """In either case, in an answer to a board and behind its number, whatever stands between two cells."""
    game = games()[name]

    def check(text: str) -> None:
        for typed in (text, text.upper(), text.lower()):
            assert meaning(typed, BOARD, game.info) == f"move {BOARD} {typed}"
            assert meaning(f"move {BOARD} {typed}", None, game.info) == f"move {BOARD} {typed}"
            found = reading(game, typed)
            assert not (isinstance(found, tuple) and found[:1] == (Unreadable,)), found
        if re.fullmatch("(?:[a-z][0-9]+-)+[a-z][0-9]+", text):
            for typed in (text.replace("-", " "), text.replace("-", "").upper()):
                assert reading(game, typed) == reading(game, text)

    every(promised(game), check)


@for_each(
    ("name", "typed"),
    [("oware", "c"), ("oware", "C"), ("kalah", "e"), ("four-in-a-row", "4"), ("four-in-a-row", "d")],
)
def test_the_letter_or_the_number_of_a_place_is_enough(name: str, typed: str) -> None:
    game = games()[name]
    start = game.start(2, {})
    assert game.write(start, game.read(start, typed)) == {"c": "C1", "e": "E1"}.get(typed.lower(), "D1")
