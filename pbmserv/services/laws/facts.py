"""The laws of what a game says about itself, and of texts that are no moves: facts, options, rules, refusals."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.games.game import Game, Illegal, Unfinished, Unreadable
from pbmserv.games.info import BadOption
from pbmserv.rendering.templates import rules_text
from pbmserv.services.laws.setups import VERY_MANY, read_or_refuse, rules_of, setups_of


def check_information(name: str) -> None:
    """The facts are in their form, and the example is a first move."""
    game, info = games()[name], games()[name].info
    assert re.fullmatch(r"[a-z][a-z0-9-]*", info.name)
    assert info.title.isascii()
    assert re.fullmatch(rf"{re.escape(info.name)}/[0-9]+", info.rules)
    assert 2 <= info.least_seats <= info.most_seats <= len(info.sides)
    marks = [side.mark for side in info.sides]
    assert len({side.name for side in info.sides}) == len(info.sides)
    assert len(set(marks)) == len(marks) or set(marks) == {"n"}
    for side in info.sides:
        assert re.fullmatch(r"[A-Z][A-Za-z]*", side.name)
        assert re.fullmatch(r"[!-~]{1,3}", side.mark)
    start = game.start(info.least_seats, {})
    assert game.to_move(start) == 0
    assert game.read(start, info.example) in list(game.moves(start))
    assert (info.credit.inventor == "traditional") == (info.credit.year == 0)
    assert re.fullmatch(r"(?:[a-z0-9-]+\.)+[a-z]+|", info.credit.site), "info.credit.site is the name of a site"


def check_options(name: str) -> None:
    """Each value of an option begins another game, any other is refused."""
    game, info = games()[name], games()[name].info
    assert len({option.name for option in info.options}) == len(info.options)
    defaults = {option.name: option.default for option in info.options}
    start = game.start(info.least_seats, {})
    assert start == game.start(info.least_seats, defaults)
    assert refusal(game, {"no-such-option": "1"}) == ("no-such-option", "1", ())
    for option in info.options:
        values = (*option.choices, *option.variants, *map(str, option.numbers))
        values = tuple(dict.fromkeys(values))
        assert len(set(option.choices + option.variants)) == len(option.choices + option.variants)
        assert re.fullmatch(r"[a-z][a-z-]*", option.name)
        assert option.default in option.choices
        assert len(values) > 1
        starts = {game.start(info.least_seats, {option.name: value}): value for value in values}
        assert len(starts) == len(values)
        for value in values:
            assert re.fullmatch(r"[a-z0-9][a-z0-9.-]*", value)
            assert starts[game.start(info.least_seats, {option.name: value.upper()})] == value
        for value in ("", "nonsense", option.default + " ", option.default * 2):
            assert refusal(game, {option.name: value}) == (option.name, value, option.told)


def refusal(game: Game, options: Mapping[str, str]) -> Any:
    """What is said to be wrong with options, and what would do; nothing if they are taken."""
    try:
        game.start(game.info.least_seats, options)
    except BadOption as error:
        return error.name, error.value, error.choices
    return None


def check_rules_text(name: str) -> None:
    """The rules text has its form, and says whom the game is owed to, sides, words and options.

    What it tells of the game's own events, in macros at its end, has none.
    """
    text = rules_text(name).partition("{% macro ")[0]
    info = games()[name].info
    assert list(rules_of(name)) == list(range(1, len(rules_of(name)) + 1))
    assert re.findall(r"(?m)^([0-9]+)\.", text) == [str(number) for number in rules_of(name)]
    said = " ".join(text.lower().split())
    assert info.credit.inventor.lower() in said, "the rules do not name the inventor as info.credit does"
    assert info.credit.site in text
    assert str(info.credit.year or "") in text
    assert all(f"{side.name}" in text and side.mark in text for side in info.sides)
    assert all(re.search(rf"(?i)\b{word}\b", text) for word in info.words)
    assert all(f"-{option.name}=" in text for option in info.options)
    assert text.endswith("\n")
    for line in text.splitlines():
        assert len(line) <= 72
        assert line == line.rstrip()
        assert not re.match(r">|From |\.$|-- ?$", line)
        assert not re.search(r"\{[{%#]|[%#]\}|\}\}|\t", line)


MOST_NEAR: Final = 10

PROSE: Final = ("hello", "thanks", "ok", "draw", "yes", "no", "resign", "help", "gg", "good move", "bob")
"""What players write that is no move in any notation."""


def check_answer(game: Game, position: Any, text: str) -> None:
    """Whatever a text is taken for is legal, and so is what is offered instead of it."""
    answer = read_or_refuse(game, position, text)
    if isinstance(answer, Illegal):
        assert answer.rule in rules_of(game.info.name)
        near = [game.write(position, move) for move in answer.near]
        assert len(set(near)) == len(near) <= MOST_NEAR
        assert all(move in game.moves(position, move) for move in answer.near)
    elif isinstance(answer, Unfinished) and answer.fits:
        assert not answer.begun
        assert len(set(answer.fits)) == len(answer.fits) <= MOST_NEAR
        assert all(move in game.moves(position, move) for move in answer.fits)
    elif isinstance(answer, Unfinished):
        assert answer.begun
        begun = list(islice(game.moves(position, answer.begun), VERY_MANY))
        assert len(begun) > 1
        assert answer.begun not in begun
    elif not isinstance(answer, Unreadable):
        assert answer in game.moves(position, answer)
        assert answer == game.read(position, game.write(position, answer))
        assert text.strip().isascii()


def check_letters(name: str) -> None:
    """The Kelvin sign is a k in lower case, the long s an s in upper case, and wide digits are digits to `int`."""
    game = games()[name]
    start = setups_of(name)[0].start()
    alike = str.maketrans(
        "ksiKSI123456789",
        "\u212a\u017f\u0131\u212a\u017f\u0130" + "\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19",
    )
    for move in islice(game.moves(start), 400):
        text = game.write(start, move)
        for typed in (text.translate(alike), f"{text[:1]}\u3000{text[1:]}", f"{text}\u200b"):
            assert isinstance(read_or_refuse(game, start, typed), Unreadable)


def check_prose(name: str) -> None:
    """Where a game's own words stand alone they are moves."""
    game, start = games()[name], setups_of(name)[0].start()
    for text in (*PROSE, "", " ", "?", "-", "a1 please", "move a1", "a1 a2 thanks"):
        assert isinstance(read_or_refuse(game, start, text), Unreadable)


def check_dialect(name: str) -> None:
    """What is in a game's other notation is no prose."""
    info = games()[name].info
    dialect = re.compile(info.dialect, re.ASCII | re.IGNORECASE)
    assert not any(dialect.fullmatch(text) for text in ("", " ", *PROSE))


def check_words(name: str) -> None:
    """The words of moves are words, and like no cell."""
    words = games()[name].info.words
    assert len(set(words)) == len(words)
    for word in words:
        assert re.fullmatch(r"[a-z]{2,}", word)
        assert not is_cell_like(word)
