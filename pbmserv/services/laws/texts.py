"""The laws of texts that are no moves, or nearly: what is refused, and what is offered instead."""

import re
from itertools import islice
from typing import Any, Final

from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.games.game import Game, Illegal, Unfinished, Unreadable
from pbmserv.services.laws.setups import VERY_MANY, read_or_refuse, rules_of, setups_of

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
