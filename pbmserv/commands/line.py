"""One line of a mail: is it meant as a command, and which?

The answer is a `Parsed` or `Unparsed` line, or None for prose. A line is meant as a command if its first word is a
command, a game, a board's number or an unmistakable slip; in an answer to a board mail also if it reads as a move.
"""

import re
from dataclasses import dataclass, replace

from pbmserv.commands.declaration import Command
from pbmserv.commands.forms import Fitted, fit, holds_secret
from pbmserv.commands.library import commands
from pbmserv.commands.message import Claim, Parsed, Secret, Unparsed
from pbmserv.commands.words import close_to, is_number, is_one_slip_away, is_userid, split_words
from pbmserv.games.library import games
from pbmserv.games.squares import is_square_like
from pbmserv.matches.refusals import UnknownCommand, UnknownGame, WrongForm

NEVER_BY_SLIP = frozenset({"resign", "signoff", "delete", "undo"})
BLOT = "***"
AS = WrongForm(command="as", forms=("as userid password",), example="as alice sesame")

_FIRST_BOARD = 101
_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """What one line came to: exactly one of the three, or nothing when it is prose."""

    parsed: Parsed | None = None
    unparsed: Unparsed | None = None
    claim: Claim | None = None

    @property
    def is_prose(self) -> bool:
        """Whether the line is not meant for the server."""
        return self.parsed is None and self.unparsed is None and self.claim is None


PROSE = Line()


def read_line(line: str, answered_board: int | None) -> Line:
    """The meaning of a normalised line; `answered_board` is the board of the mail that it answers, if any."""
    words = split_words(line[:_LONGEST])
    if not words:
        return PROSE
    first, rest = words[0].lower(), words[1:]
    if first == "as" and len(rest) == 2 and is_userid(rest[0]):
        return Line(claim=Claim(rest[0], Secret(rest[1])))
    if first in games():
        return _of_game(first, rest, answered_board)
    if is_number(first.partition("#")[0]) and (int(first.partition("#")[0]) >= _FIRST_BOARD or _acts(rest)):
        return _board_first(words, None, answered_board)
    command, after = _named(words)
    if command is not None:
        return _fitted(command, after, None, answered_board)
    if answered_board is not None and len(words) == 1 and is_square_like(first):
        return _fitted(commands()["move"], words, None, answered_board)
    return _slip(words, answered_board)


def _of_game(game: str, words: list[str], answered_board: int | None) -> Line:
    if not words:
        return _fitted(commands()["help"], [game], None, answered_board)
    if is_number(words[0].partition("#")[0]):
        return _board_first(words, game, answered_board)
    command, after = _named(words)
    if command is None:
        slip = _slip([*words], answered_board)
        if slip.parsed is not None:
            return replace(slip, parsed=_with_game(slip.parsed, game))
        suggestions = close_to(words[0], commands()) or ("challenge", "move", "games")
        return _unparsed(game, UnknownCommand(word=words[0][:40], suggestions=suggestions))
    return _fitted(command, after, game, answered_board)


def _board_first(words: list[str], game: str | None, answered_board: int | None) -> Line:
    """`101 c3`, `119 resign`, `101 show`: the board stands before what is to be done on it."""
    board, rest = words[0], words[1:]
    command, after = _named(rest) if rest else (commands()["show"], [])
    if command is None or not any("board" in form for form in command.forms):
        command, after = commands()["move"], rest
    return _fitted(command, [board, *after], game, answered_board)


def _named(words: list[str]) -> tuple[Command | None, list[str]]:
    for length in (2, 1):
        command = commands().get(" ".join(words[:length]).lower())
        if command is not None:
            return command, words[length:]
    return None, words


def _fitted(command: Command, words: list[str], game: str | None, answered_board: int | None) -> Line:
    fitted = _fit(command, words, answered_board)
    if fitted is None:
        harmless = [word for word in words[:1] if is_number(word.partition("#")[0])]
        shown = " ".join([*([game] if game else []), command.name, *harmless, *(["..."] if words[1:] else [])])
        return _unparsed(shown, WrongForm(command=command.name, forms=command.forms, example=command.example))
    line = _blotted(" ".join([command.name, *words]), fitted)
    parsed = Parsed(line, command, fitted.arguments, fitted.claim, fitted.new_password)
    return Line(parsed=_with_game(parsed, game) if game else parsed)


def _fit(command: Command, words: list[str], answered_board: int | None) -> Fitted | None:
    found = (fit(form, command.name, words, answered_board) for form in command.forms)
    return next((each for each in found if each is not None), None)


def _with_game(parsed: Parsed, game: str) -> Parsed:
    return replace(parsed, line=f"{game} {parsed.line}", arguments=replace(parsed.arguments, game=game))


def _slip(words: list[str], answered_board: int | None) -> Line:
    """A first word that is no command: a slip for one that the rest fits, or perhaps meant as one."""
    first, rest = words[0].lower(), words[1:]
    if rest and is_userid(words[0]) and first not in commands():
        command, after = _named(rest)
        if command is not None and command.forms[0].startswith("[game]") and after:
            fitted = _fit(command, after, answered_board)
            if fitted is not None:
                return _unparsed(f"{first} ...", UnknownGame(word=first, suggestions=tuple(games())))
    likely = [
        name
        for name in commands()
        if (len(first) >= 3 and name.startswith(first)) or (len(first) >= 4 and is_one_slip_away(first, name))
    ]
    fitting = [name for name in likely if _fit(commands()[name], rest, answered_board) is not None]
    if len(likely) == 1 and fitting and likely[0] not in NEVER_BY_SLIP:
        return _fitted(commands()[likely[0]], rest, None, answered_board)
    if fitting:
        return _unparsed(first, UnknownCommand(word=first, suggestions=tuple(_repaired(fitting, rest))))
    near = close_to(first, commands())
    if near and any(_acts([word]) or is_number(word) for word in rest):
        return _unparsed(first, UnknownCommand(word=first[:40], suggestions=near))
    return PROSE


def _repaired(names: list[str], rest: list[str]) -> list[str]:
    """Whole lines ready to be sent, unless a secret may stand among the words."""
    harmless = not any(holds_secret(form) for name in names for form in commands()[name].forms) or len(rest) < 3
    return [" ".join([name, *rest]) if harmless else name for name in names]


def _acts(words: list[str]) -> bool:
    return bool(words) and (is_square_like(words[0]) or words[0].lower() in NEVER_BY_SLIP)


def _blotted(line: str, fitted: Fitted) -> str:
    for secret in secrets_of(fitted.claim, fitted.new_password):
        line = re.sub(rf"(?<!\S){re.escape(secret)}(?!\S)", BLOT, line)
    return line


def secrets_of(claim: Claim | None, new_password: Secret | None) -> list[str]:
    """What must be blotted wherever it stands, longest first."""
    found = [claim.password.value] if claim else []
    found += [new_password.value] if new_password else []
    return sorted(found, key=len, reverse=True)


def _unparsed(line: str, refused: WrongForm | UnknownCommand | UnknownGame) -> Line:
    return Line(unparsed=Unparsed(line, refused))
