"""What people say for a command: `play robot`, `new game please`. Only what opens a game, which binds nobody."""

from collections.abc import Sequence
from typing import Final

from pbmserv.commands.command import commands
from pbmserv.commands.vocabulary import COURTESY, ROBOTS, SMALL_WORDS, is_userid
from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.parser.errors import UnknownCommand
from pbmserv.parser.fitting import PROSE, ParsedLine, fitted, refused
from pbmserv.parser.game_names import opened_by_game
from pbmserv.parser.words import board_number, phrases

_PLAY: Final = "play"
_WITH: Final = frozenset({"with", "against", "vs"})
_MOST_OTHERS: Final = 5
_MARKS: Final = ".,;:!?\"'()*"
_NEW_GAME: Final = ("challenge", "seek", "games")


def wish_for(words: Sequence[str], answered_board: int | None) -> ParsedLine:
    """The command that words stand for which are no command's own; prose if they stand for none.

    Who asks a question has not decided. With whom a game is wished for, only an answer to a board tells.
    """
    plain = [word.strip(_MARKS).lower() for word in words]
    while plain and plain[-1] in COURTESY | {"you"}:
        plain.pop()
    if tuple(plain) in phrases("again"):
        return _again(words, answered_board)
    return _challenge(words, plain, answered_board) if plain[:1] == [_PLAY] else PROSE


def _again(words: Sequence[str], answered_board: int | None) -> ParsedLine:
    if words[-1].endswith("?"):
        return PROSE
    if answered_board is None:
        return refused("new game", UnknownCommand(word="new game", suggestions=_NEW_GAME))
    return fitted(commands()["rematch"], [], None, answered_board)


def _challenge(words: Sequence[str], plain: Sequence[str], answered_board: int | None) -> ParsedLine:
    """`play robot`, `play go against bob -size=9`: in an answer to a board only against a robot."""
    if words[-1].endswith(("?", "!")):
        return PROSE
    said, names = opened_by_game(words[1 : len(plain)]) or (None, [*words[1 : len(plain)]])
    if names and names[0].lower() in _WITH:
        names = names[1:]
    others = [name.rstrip(".,;:") for name in names if not name.startswith("-")]
    options = [name for name in names if name.startswith("-")]
    is_of_names = 0 < len(others) <= _MOST_OTHERS and all(map(_may_be_player, others))
    is_robot = any(name.lower().startswith(ROBOTS) for name in others)
    if not is_of_names or (answered_board is not None and not is_robot):
        return PROSE
    return fitted(commands()["challenge"], [*others, *options], said, None)


def _may_be_player(word: str) -> bool:
    is_taken = word.lower() in SMALL_WORDS | COURTESY or word.lower() in commands() or word.lower() in games()
    return is_userid(word) and not is_taken and not is_cell_like(word) and board_number(word) is None
