"""One line of a mail: is it meant as a command, and which?

The answer is a `Parsed` or `Unparsed` line, or None for prose. A line is meant as a command if its first word is a
command, a game, a board's number or an unmistakable slip; in an answer to a board mail also if it reads as a move.

What stands around a command is passed over, but no line gives anything up that is not written as it should be.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbmserv.commands.base.lookup import UnknownGame, WrongForm
from pbmserv.commands.base.registry import Command, commands
from pbmserv.commands.base.request import BLOT, Credentials, Secret
from pbmserv.commands.base.vocabulary import (
    FIRST_BOARD,
    NEVER_BY_SLIP,
    SMALL_WORDS,
    board_number,
    close_to,
    is_move_like,
    is_number,
    is_userid,
    without_decoration,
)
from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.parser.decoration import strip_decoration, without_label
from pbmserv.parser.errors import NotPlainlySaid, UnknownCommand
from pbmserv.parser.grammar import FittedWords, fit
from pbmserv.parser.inline_text import cut_off, whole
from pbmserv.parser.parsed import Parsed, Unparsed
from pbmserv.parser.prose import given_up, is_sentence, single_word_reply, without_courtesy, yes_or_no
from pbmserv.parser.typos import (
    Typo,
    has_witness,
    is_talk,
    likely_commands,
    names_board_or_square,
    near_pair,
    near_word,
)

_LONGEST = 1000

_BESIDE_A_MOVE = frozenset({"propose", "reject", "rematch"})


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """What one line came to: exactly one of the three, or nothing when it is prose.

    It is bare when it names a move and neither command nor board, or is only a word in a move's place.
    """

    parsed: Parsed | None = None
    unparsed: Unparsed | None = None
    claim: Credentials | None = None
    is_bare: bool = False

    @property
    def is_prose(self) -> bool:
        """Whether the line is not meant for the server."""
        return self.parsed is None and self.unparsed is None and self.claim is None


PROSE = ParsedLine()


def parse_line(line: str, answered_board: int | None) -> ParsedLine:
    """The meaning of a normalised line; `answered_board` is the board of the mail that it answers, if any."""
    words = line[:_LONGEST].split()
    if not words:
        return PROSE
    read = _read(words, answered_board)
    if read.parsed is not None and read.parsed.arguments.text:
        return replace(read, parsed=whole(read.parsed, line[:_LONGEST], line[_LONGEST:]))
    if read.parsed is not None and read.parsed.arguments.ahead and len(line) > _LONGEST:
        return replace(read, parsed=cut_off(read.parsed))
    if read.parsed is not None or read.claim is not None:
        return read
    plain = strip_decoration(words)
    if plain.words != tuple(words):
        inner = _read(list(plain.words), answered_board)
        if inner.parsed is not None and _gives_up(inner.parsed):
            return _asked_back(inner.parsed, answered_board)
        if inner.parsed is not None or inner.claim is not None or (plain.only_marks and read.is_prose):
            return inner
    return read


def _read(words: list[str], answered_board: int | None) -> ParsedLine:
    first, rest = words[0].lower(), words[1:]
    if first == "as" and len(rest) == 2 and is_userid(rest[0]) and rest[0].lower() not in SMALL_WORDS:
        return ParsedLine(claim=Credentials(rest[0], Secret(rest[1])))
    if first in games():
        return _of_game(first, rest, answered_board)
    if _begins_with_board(words):
        return _board_first(words, None, answered_board)
    answer = commands().get(yes_or_no(words) or "")
    if answer is not None:
        return _fitted(answer, [], None, answered_board)
    given_up_here = _alone(words, answered_board) or _given_up(words, answered_board)
    if given_up_here is not None:
        return given_up_here
    command, after = _named(words)
    if command is not None:
        said = without_courtesy(command.name, command.kind, after)
        is_prose = is_sentence(command.name, command.kind, said, answered_board)
        return PROSE if is_prose else _fitted(command, said, None, answered_board)
    said = words if answered_board is None else without_label(words)
    if answered_board is not None and is_move_like(said):
        move = without_decoration(said).split()
        return replace(_fitted(commands()["move"], move, None, answered_board), is_bare=True)
    return _slip(words, None, answered_board)


def _alone(words: list[str], answered_board: int | None) -> ParsedLine | None:
    """A word in a move's place, alone in an answer to a board. Marks of doubt have it asked back."""
    word, is_plain = single_word_reply(words) or ("", False)
    if not word or answered_board is None:
        return None
    if word not in commands():
        return _fitted(commands()["move"], [word], None, answered_board) if is_plain else None
    if not is_plain:
        return _fatal(word, answered_board)
    read = _fitted(commands()[word], [], None, answered_board)
    return replace(read, is_bare=word not in _BESIDE_A_MOVE)


def _given_up(words: list[str], answered_board: int | None) -> ParsedLine | None:
    """`I resign`, `resign, please`: asked back; a command's own form is told where no board is known."""
    name, named_board = given_up(words) or ("", None)
    board = named_board or answered_board
    if name not in commands() or (board is None and words[0].lower() in commands()):
        return None
    return _fatal(name, board)


def _begins_with_board(words: list[str]) -> bool:
    """Whether a board's number stands first: a low one only before an act, `2026, ...` only before a command."""
    number, rest = board_number(words[0]), words[1:]
    if number is None or number < FIRST_BOARD:
        return number is not None and _acts(rest)
    is_plain = is_number(words[0].lstrip("#").partition("#")[0].rstrip(":"))
    return is_plain or _named(rest)[0] is not None or any(map(names_board_or_square, rest))


def _gives_up(parsed: Parsed) -> bool:
    # What is no command yet gives nothing up: the game refuses it in a move's place.
    said = {parsed.command.name, parsed.arguments.move.lower()}
    return not said.isdisjoint(NEVER_BY_SLIP.intersection(commands()))


def _asked_back(meant: Parsed, answered_board: int | None) -> ParsedLine:
    """What gives something up, and is not written as it should be, is not done."""
    move = meant.arguments.move.lower()
    board = next((ref.number for ref in meant.arguments.boards), answered_board)
    return _fatal(move if move in NEVER_BY_SLIP else meant.command.name, board)


def _fatal(name: str, board: int | None) -> ParsedLine:
    is_on_board = board is not None and any("board" in form for form in commands()[name].forms)
    ready = f"{name} {board}" if is_on_board else name
    return ParsedLine(unparsed=Unparsed(name, NotPlainlySaid(board=board if is_on_board else None, ready=ready)))


def _of_game(game: str, words: list[str], answered_board: int | None) -> ParsedLine:
    if [word.lower() for word in words] in ([], ["help"]):
        return _fitted(commands()["help"], [game], None, answered_board)
    if board_number(words[0]) is not None:
        return _board_first(words, game, answered_board)
    command, after = _named(words)
    if command is None:
        slip = _slip(words, game, answered_board)
        if not slip.is_prose:
            return slip
        suggestions = close_to(words[0], commands()) or ("challenge", "move", "games")
        return _unparsed(game, UnknownCommand(word=words[0][:40], suggestions=suggestions))
    return _fitted(command, without_courtesy(command.name, command.kind, after), game, answered_board)


def _board_first(words: list[str], game: str | None, answered_board: int | None) -> ParsedLine:
    """`101 c3`, `119 resign`, `101 show`: the board stands before what is to be done on it."""
    board, rest = words[0], words[1:]
    command, after = _named(rest) if rest else (commands()["show"], [])
    if command is None or not any("board" in form for form in command.forms):
        command, after = commands()["move"], rest
    said = without_courtesy(command.name, command.kind, after)
    return _fitted(command, [board, *said], game, answered_board)


def _named(words: list[str]) -> tuple[Command | None, list[str]]:
    for length in (2, 1):
        command = commands().get(" ".join(words[:length]).lower())
        if command is not None:
            return command, words[length:]
    return None, words


def _fitted(command: Command, words: Sequence[str], game: str | None, answered_board: int | None) -> ParsedLine:
    fitted = _fit(command, words, answered_board)
    if fitted is None or (game and not any("[game]" in form for form in command.forms)):
        about_board = any("board" in form for form in command.forms)
        board = (board_number(words[0]) if words else None) if about_board else None
        harmless = [words[0]] if board is not None else []
        shown = " ".join([*([game] if game else []), command.name, *harmless, *(["..."] if words[1:] else [])])
        if board is None and about_board:
            board = answered_board
        example = command.example.replace(str(FIRST_BOARD), str(board or FIRST_BOARD))
        wrong = WrongForm(board=board, command=command.name, forms=command.forms, example=example)
        return _unparsed(shown, wrong)
    answered = fitted.arguments.boards and not (words and board_number(words[0]) is not None)
    named = [str(answered_board), *words] if answered else words
    if fitted.arguments.text:
        # What is said is no part of the command: a line is told again to whoever the mail seems to be from.
        named = [str(ref.number) for ref in fitted.arguments.boards] or [*fitted.arguments.userids]
    line = _blotted(" ".join([command.name, *named]), fitted)
    parsed = Parsed(line, command, fitted.arguments, fitted.claim, fitted.new_password, fitted.token)
    return ParsedLine(parsed=_with_game(parsed, game) if game else parsed)


def _fit(command: Command, words: Sequence[str], answered_board: int | None) -> FittedWords | None:
    found = (fit(form, command.name, words, answered_board) for form in command.forms)
    return next((each for each in found if each is not None), None)


def _with_game(parsed: Parsed, game: str) -> Parsed:
    return replace(parsed, line=f"{game} {parsed.line}", arguments=replace(parsed.arguments, game=game))


def _slip(words: list[str], game: str | None, answered_board: int | None) -> ParsedLine:
    """A first word that is no command: a slip for one, or perhaps meant as one."""
    first, rest = words[0].lower(), words[1:]
    if _is_of_unknown_game(words, answered_board):
        return _unparsed(f"{first} ...", UnknownGame(suggestions=tuple(games())))
    slips = [slip for slip in likely_commands(words) if not is_talk(slip, answered_board)]
    fitting: list[tuple[Typo, FittedWords]] = []
    clear = [slip for slip in slips if slip.is_unmistakable]
    for slip in slips:
        fitted = _fit(commands()[slip.name], slip.after, answered_board)
        if fitted is not None:
            fitting.append((slip, fitted))
            if has_witness(slip, fitted.arguments) and slip not in clear:
                clear.append(slip)
    if len(slips) == 1 and clear and not _is_fatal(clear[0], fitting):
        return _fitted(commands()[clear[0].name], clear[0].after, game, answered_board)
    if clear or any(slip.has_long_name for slip, _ in fitting):
        suggestions = [_repaired(slip, fitted, words) for slip, fitted in fitting] or [slip.name for slip in clear]
        boards = [ref.number for _, fitted in fitting for ref in fitted.arguments.boards]
        board = boards[0] if boards else None
        return _unparsed(first, UnknownCommand(board=board, word=first, suggestions=tuple(suggestions)))
    is_meant = any(names_board_or_square(word) or _acts([word]) for word in rest)
    near = near_pair(words) or (near_word(first, rest) if is_meant else ())
    return _unparsed(first[:40], UnknownCommand(word=first[:40], suggestions=near)) if near else PROSE


def _is_of_unknown_game(words: list[str], answered_board: int | None) -> bool:
    """Whether a game's name stands first that nobody knows, and then a command that must be meant."""
    command, after = _named(words[1:])
    is_name = is_userid(words[0]) and words[0].lower() not in SMALL_WORDS
    if command is None or not after or not is_name or not command.forms[0].startswith("[game]"):
        return False
    is_meant = command.name == "challenge" or any(map(names_board_or_square, after))
    return (is_meant or bool(close_to(words[0], games()))) and _fit(command, after, answered_board) is not None


def _is_fatal(slip: Typo, fitting: list[tuple[Typo, FittedWords]]) -> bool:
    """Whether it would come out as a command that is never taken by slip."""
    moves = {fitted.arguments.move.lower() for _, fitted in fitting}
    return slip.name in NEVER_BY_SLIP or not NEVER_BY_SLIP.isdisjoint(moves)


def _repaired(slip: Typo, fitted: FittedWords, words: list[str]) -> str:
    """A whole line ready to be sent, unless it may hold a secret."""
    may_hold = secrets_of(fitted.claim, fitted.new_password) or near_pair(words)
    return slip.name if may_hold else " ".join([slip.name, *slip.after])


def _acts(words: list[str]) -> bool:
    return bool(words) and (is_cell_like(words[0]) or words[0].lower() in NEVER_BY_SLIP)


def _blotted(line: str, fitted: FittedWords) -> str:
    for secret in secrets_of(fitted.claim, fitted.new_password, fitted.token):
        line = re.sub(rf"(?<!\S){re.escape(secret)}(?!\S)", BLOT, line, flags=re.IGNORECASE)
    return line


def secrets_of(claim: Credentials | None, *others: Secret | None) -> list[str]:
    """What must be blotted wherever it stands, longest first."""
    found = [claim.password.value] if claim else []
    return sorted([*found, *(other.value for other in others if other)], key=len, reverse=True)


def _unparsed(line: str, error: WrongForm | UnknownCommand | UnknownGame) -> ParsedLine:
    return ParsedLine(unparsed=Unparsed(line, error))
