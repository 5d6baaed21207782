"""Parses one line of a mail: decides whether it is meant as a command, and which.

The answer is a `Parsed` or `Unparsed` line, or None for prose. A line is meant as a command if its first word is a
command, a game, a board's number or an unmistakable slip; in an answer to a board mail also if it reads as a move.

Text around a command is skipped, but a command that gives something up must be spelled exactly. What is
no command, like `play robot`, can only open a game, which binds nobody.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pbmserv.commands.command import Credentials, Secret, commands
from pbmserv.commands.lookup import WrongForm
from pbmserv.commands.queue_notation import CUT
from pbmserv.commands.typed_moves import (
    CELLS,
    Spelling,
    is_move_like,
    is_of_words,
    is_plainly_said,
    without_decoration,
)
from pbmserv.commands.vocabulary import (
    COURTESY,
    NEVER_BY_SLIP,
    ROBOTS,
    SMALL_WORDS,
    close_to,
    is_number,
    is_userid,
)
from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.parser.decoration import strip_decoration, without_label
from pbmserv.parser.fitting import PROSE, ParsedLine, asked_for, fitted, refused
from pbmserv.parser.game_names import is_board_of_game, is_of_game, is_talk_of_game, opened_by_game, options_last
from pbmserv.parser.parsed import Parsed, UnknownCommand
from pbmserv.parser.prose import RESULTS, given_up, is_sentence, single_word_reply, without_courtesy, yes_or_no
from pbmserv.parser.slips import acts, named_command, names_board_or_square, slip_for
from pbmserv.parser.told import told_move
from pbmserv.parser.words import FIRST_BOARD, board_number, plain_word

_LONGEST = 1000

_BESIDE_A_MOVE = frozenset({"propose", "reject", "rematch"})


def parse_line(line: str, answered_board: int | None, spelling: Spelling = CELLS) -> ParsedLine:
    """The meaning of a normalised line.

    `answered_board` is the board of the mail replied to, if any, and `spelling` how moves are typed there.
    """
    words = line[:_LONGEST].split()
    if not words:
        return PROSE
    read = _read(words, answered_board, spelling)
    if _is_half_read(read, spelling):
        spoken = _spoken(line, answered_board, spelling)
        if spoken.is_spoken or read.is_bare:
            return spoken
    if read.parsed is not None and read.parsed.arguments.text:
        return replace(read, parsed=_whole(read.parsed, line[:_LONGEST], line[_LONGEST:]))
    if read.parsed is not None and read.parsed.arguments.ahead and len(line) > _LONGEST:
        return replace(read, parsed=_cut_off(read.parsed))
    if read.parsed is not None or read.claim is not None:
        return read
    plain = strip_decoration(words)
    if plain.words != tuple(words) and not (len(plain.words) == 1 and opened_by_game(plain.words)):
        inner = _read(list(plain.words), answered_board, spelling)
        if inner.parsed is not None and _gives_up(inner.parsed):
            return _asked_back(inner.parsed, answered_board)
        if inner.parsed is not None and not plain.only_marks and _is_word_alone(inner, spelling):
            return read
        if (
            inner.parsed is not None
            or inner.claim is not None
            or (plain.only_marks and read.is_prose and not inner.is_prose)
        ):
            spoken = _spoken(line, answered_board, spelling) if _is_half_read(inner, spelling) else PROSE
            return inner if spoken.is_prose else spoken
    if not read.is_prose:
        return read
    spoken = _spoken(line, answered_board, spelling)
    return _challenge(words, answered_board) if spoken.is_prose else spoken


def _whole(line: Parsed, read: str, unread: str) -> Parsed:
    """The line with all its text, of which only `read`, up to `unread`, has been parsed."""
    words = line.arguments.text
    if not unread or not read.rstrip().endswith(words):
        return line
    blanks = read[len(read.rstrip()) :]
    return replace(line, arguments=replace(line.arguments, text=f"{words}{blanks}{unread}"))


def _cut_off(line: Parsed) -> Parsed:
    """The line with an unreadable mark where it was cut, since plans must be complete."""
    return replace(line, arguments=replace(line.arguments, ahead=f"{line.arguments.ahead} {CUT}"))


def _is_half_read(read: ParsedLine, spelling: Spelling) -> bool:
    """Whether other words stand next to a possible move: `d4です`, `move d4, have a nice day`, `movo para d4`."""
    if read.unparsed is not None:
        error = read.unparsed.error
        return isinstance(error, UnknownCommand) or (isinstance(error, WrongForm) and error.command == "move")
    return read.is_bare and read.parsed is not None and not read.parsed.arguments.move.isascii()


def _spoken(line: str, answered_board: int | None, spelling: Spelling) -> ParsedLine:
    """The move within a sentence, in a reply about a board whose game is known: `I play d4, thanks`."""
    move = told_move(line, spelling) if answered_board is not None and spelling.is_known else ""
    if not move:
        return PROSE
    return replace(fitted(commands()["move"], [move], None, answered_board), is_bare=True, is_spoken=True)


def _read(words: list[str], answered_board: int | None, spelling: Spelling) -> ParsedLine:
    first, rest = words[0].lower(), words[1:]
    if first == "as" and len(rest) == 2 and is_userid(rest[0]) and rest[0].lower() not in SMALL_WORDS:
        return ParsedLine(claim=Credentials(rest[0], Secret(rest[1])))
    opened = opened_by_game(words)
    if opened is not None:
        return _of_game(*opened, answered_board, spelling)
    if _begins_with_board(words):
        return _board_first(words, None, answered_board)
    answer = commands().get(yes_or_no(words) or "")
    if answer is not None:
        return fitted(answer, [], None, answered_board)
    given_up_here = _alone(words, answered_board, spelling) or _given_up(words, answered_board)
    if given_up_here is not None:
        return given_up_here
    command, after = named_command(words)
    if command is not None:
        said = without_courtesy(command.name, command.kind, after)
        is_prose = is_sentence(command.name, command.kind, said, answered_board)
        return PROSE if is_prose else fitted(command, said, None, answered_board)
    move = "" if answered_board is None else _bare_move(without_label(words), spelling)
    if move:
        return replace(fitted(commands()["move"], [move], None, answered_board), is_bare=True)
    return slip_for(words, None, answered_board, spelling)


def _bare_move(words: list[str], spelling: Spelling) -> str:
    """The move, if the words are nothing else; moves without a cell must be written plainly."""
    if not is_move_like(words, spelling):
        return ""
    move = without_decoration(words, spelling)
    return move if not is_of_words(move, spelling) or is_plainly_said(words, move) else ""


def _is_word_alone(line: ParsedLine, spelling: Spelling) -> bool:
    return line.is_bare and line.parsed is not None and is_of_words(line.parsed.arguments.move, spelling)


def _alone(words: list[str], answered_board: int | None, spelling: Spelling) -> ParsedLine | None:
    """A single word in a move's place in a reply about a board. Doubtful words and results lead to a question."""
    result = RESULTS.get("".join(words).strip(".!"))
    if result is not None and answered_board is not None:
        return asked_for(result, answered_board)
    word, is_plain = single_word_reply(words) or ("", False)
    if not word or answered_board is None or word in spelling.alone:
        return None
    if word not in commands():
        read = fitted(commands()["move"], [word], None, answered_board)
        return replace(read, is_bare=True) if is_plain else None
    if not is_plain:
        return asked_for(word, answered_board)
    read = fitted(commands()[word], [], None, answered_board)
    return replace(read, is_bare=word not in _BESIDE_A_MOVE)


def _given_up(words: list[str], answered_board: int | None) -> ParsedLine | None:
    """`I resign`, `resign, please`: leads to a question, or, if no board is known, shows the command's form."""
    name, named_board = given_up(words) or ("", None)
    board = named_board or answered_board
    if name not in commands() or (board is None and words[0].lower() in commands()):
        return None
    return asked_for(name, board)


def _begins_with_board(words: list[str]) -> bool:
    """Whether a board's number comes first: a low one only before an action, `2026, ...` only before a command."""
    number, rest = board_number(words[0]), words[1:]
    if number is None or number < FIRST_BOARD:
        return number is not None and acts(rest)
    is_plain = is_number(words[0].lstrip("#").partition("#")[0].rstrip(":"))
    return is_plain or named_command(rest)[0] is not None or any(map(names_board_or_square, rest))


def _gives_up(parsed: Parsed) -> bool:
    # What is no command yet gives nothing up: the game refuses it in a move's place.
    said = {parsed.command.name, parsed.arguments.move.lower()}
    return not said.isdisjoint(NEVER_BY_SLIP.intersection(commands()))


def _asked_back(meant: Parsed, answered_board: int | None) -> ParsedLine:
    """A command that gives something up and is not spelled exactly leads to a question."""
    move = meant.arguments.move.lower()
    board = next((ref.number for ref in meant.arguments.boards), answered_board)
    return asked_for(move if move in NEVER_BY_SLIP else meant.command.name, board)


def _of_game(game: str, words: list[str], answered_board: int | None, spelling: Spelling) -> ParsedLine:
    if [word.lower() for word in words] in ([], ["help"]):
        is_talk = not words and answered_board is not None
        return PROSE if is_talk else fitted(commands()["help"], [game], None, answered_board)
    words = options_last(words)
    if board_number(words[0]) is not None:
        return _board_first(words, game, answered_board) if is_board_of_game(words) else PROSE
    command, after = named_command(words)
    if command is None:
        return _perhaps_of_game(game, words, answered_board, spelling)
    said = without_courtesy(command.name, command.kind, after)
    if is_talk_of_game(command, said, answered_board):
        return PROSE
    if command.name in NEVER_BY_SLIP and not said and answered_board is not None:
        return asked_for(command.name, answered_board)
    return fitted(command, said, game, answered_board)


def _perhaps_of_game(game: str, words: list[str], answered_board: int | None, spelling: Spelling) -> ParsedLine:
    """Words after a game's name that are not a command: a typo for one, a move, or prose."""
    if words[0].lower() in SMALL_WORDS:
        return PROSE
    move = _bare_move(words, spelling) if answered_board is not None else ""
    if move:
        ready = f"move {answered_board} {move}"
        return refused(game, UnknownCommand(board=answered_board, word=game, suggestions=(ready,)))
    slip = slip_for(words, game, answered_board) if len(words) > 1 else PROSE
    if not slip.is_prose or not is_of_game(words):
        return slip
    suggestions = close_to(words[0], commands()) or ("challenge", "move", "games")
    return refused(game, UnknownCommand(word=words[0][:40], suggestions=suggestions))


def _board_first(words: list[str], game: str | None, answered_board: int | None) -> ParsedLine:
    """`101 c3`, `119 resign`, `101 show`: the board comes before the action."""
    board, rest = words[0], words[1:]
    command, after = named_command(rest) if rest else (commands()["show"], [])
    if command is None or not any("board" in form for form in command.forms):
        command, after = commands()["move"], rest
    said = without_courtesy(command.name, command.kind, after)
    return fitted(command, [board, *said], game, answered_board)


_PLAY: Final = "play"
_WITH: Final = frozenset({"with", "against", "vs"})
_MOST_OTHERS: Final = 5


def _challenge(words: Sequence[str], answered_board: int | None) -> ParsedLine:
    """`play robot`, `play go against bob -size=9`: in a reply about a board only against a robot; else prose."""
    plain = [*map(plain_word, words)]
    while plain and plain[-1] in COURTESY:
        plain.pop()
    if plain[:1] != [_PLAY] or words[-1].endswith(("?", "!")):
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
