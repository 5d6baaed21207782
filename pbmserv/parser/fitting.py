"""What the words of a line come to once its command is known: a `Parsed` line, or a refusal of its form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbmserv.commands.command import BLOT, Command, Credentials, Secret, commands
from pbmserv.commands.lookup import UnknownGame, WrongForm
from pbmserv.parser.errors import NotPlainlySaid, UnknownCommand
from pbmserv.parser.grammar import FittedWords, fit
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.parser.words import FIRST_BOARD, board_number


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """What one line came to: exactly one of the three, or nothing when it is prose.

    It is bare when it names a move and neither command nor board, or is only a word in a move's place. A move that
    is said among words is `spoken`.
    """

    parsed: Parsed | None = None
    unparsed: Unparsed | None = None
    claim: Credentials | None = None
    is_bare: bool = False
    is_spoken: bool = False

    @property
    def is_prose(self) -> bool:
        """Whether the line is not meant for the server."""
        return self.parsed is None and self.unparsed is None and self.claim is None


PROSE = ParsedLine()


def fitted(command: Command, words: Sequence[str], game: str | None, answered_board: int | None) -> ParsedLine:
    """The meaning of `words` behind a command, with a `game` before it if one was named; or a refusal."""
    found = fit_any(command, words, answered_board)
    takes_game = any("[game]" in form for form in command.forms)
    if found is None or (game and not (takes_game and found.arguments.game in (None, game))):
        about_board = any("board" in form for form in command.forms)
        board = (board_number(words[0]) if words else None) if about_board else None
        harmless = [words[0]] if board is not None else []
        shown = " ".join([*([game] if game else []), command.name, *harmless, *(["..."] if words[1:] else [])])
        if board is None and about_board:
            board = answered_board
        example = command.example.replace(str(FIRST_BOARD), str(board or FIRST_BOARD))
        wrong = WrongForm(board=board, command=command.name, forms=command.forms, example=example)
        return refused(shown, wrong)
    answered = found.arguments.boards and not (words and board_number(words[0]) is not None)
    named = [str(answered_board), *words] if answered else words
    if found.arguments.text:
        # What is said is no part of the command: a line is told again to whoever the mail seems to be from.
        named = [str(ref.number) for ref in found.arguments.boards] or [*found.arguments.userids]
    line = _blotted(" ".join([command.name, *named]), found)
    parsed = Parsed(line, command, found.arguments, found.claim, found.new_password, found.token)
    return ParsedLine(parsed=_with_game(parsed, game) if game else parsed)


def fit_any(command: Command, words: Sequence[str], answered_board: int | None) -> FittedWords | None:
    """What the first of a command's forms makes of the words that they fit."""
    found = (fit(form, command.name, words, answered_board) for form in command.forms)
    return next((each for each in found if each is not None), None)


def _with_game(parsed: Parsed, game: str) -> Parsed:
    return replace(parsed, line=f"{game} {parsed.line}", arguments=replace(parsed.arguments, game=game))


def asked_for(name: str, board: int | None) -> ParsedLine:
    """The question whether somebody means a command that gives something up."""
    is_on_board = board is not None and any("board" in form for form in commands()[name].forms)
    ready = f"{name} {board}" if is_on_board else name
    return ParsedLine(unparsed=Unparsed(name, NotPlainlySaid(board=board if is_on_board else None, ready=ready)))


def secrets_of(claim: Credentials | None, *others: Secret | None) -> list[str]:
    """What must be blotted wherever it stands, longest first."""
    found = [claim.password.value] if claim else []
    return sorted([*found, *(other.value for other in others if other)], key=len, reverse=True)


def _blotted(line: str, fitted: FittedWords) -> str:
    for secret in secrets_of(fitted.claim, fitted.new_password, fitted.token):
        line = re.sub(rf"(?<!\S){re.escape(secret)}(?!\S)", BLOT, line, flags=re.IGNORECASE)
    return line


def refused(line: str, error: WrongForm | UnknownCommand | UnknownGame) -> ParsedLine:
    """A line that was meant as a command, and is none; `line` is what may be told of it."""
    return ParsedLine(unparsed=Unparsed(line, error))
