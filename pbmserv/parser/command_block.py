"""Finds the command lines in a mail's body: up to three lines of greeting, the commands, and the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pbmserv.commands.typed_moves import CELLS, Spelling, is_letter, may_be_a_name
from pbmserv.games import games
from pbmserv.games.notation import names
from pbmserv.parser.corrections import asked_again, in_a_moves_place, which_one
from pbmserv.parser.fitting import PROSE, ParsedLine
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import TooMuchAtOnce, Unparsed
from pbmserv.parser.prose import ANSWERING
from pbmserv.parser.told import stands_alone
from pbmserv.parser.words import normalised

Own = Callable[[str], str]
"""Returns the part of the text below a command that is certainly the sender's."""

MOST_COMMANDS = 20
MOST_GREETING_LINES = 3

_MOST_LINES = 5 * MOST_COMMANDS
"""Command lines after which the rest of a mail is ignored: no person writes that much."""

_MOST_WORDS = 200 * MOST_COMMANDS
"""A mail with more words on its command lines is not read at all: no person types that much."""

LONGEST_LINE = 4000
"""The rest of a longer line is ignored."""

_SIGNATURE = "--"
_COLUMNS = "ABCDEFGHI"
"""Letters that may name a piece in upper case and a column in lower case."""
_STOPS = frozenset({_SIGNATURE, "stop", "quit", "end"})


@dataclass(frozen=True, slots=True)
class CommandBlock:
    """The lines meant as commands, and the text after them; without such lines the text is empty too."""

    lines: tuple[ParsedLine, ...] = ()
    rest: str = ""

    @property
    def claim(self) -> tuple[ParsedLine, ...]:
        """The line that says who writes, if it comes first."""
        return self.lines[:1] if self.lines and self.lines[0].claim is not None else ()


def read_block(text: str, board: int | None, own: Own = str, spelling: Spelling = CELLS) -> CommandBlock:
    """The command lines of a body and the text after them. A blank line neither starts nor ends the block.

    `spelling` is how moves are typed on the board.

    In a reply to a board mail, a bare `yes` or `no` is a command only if it is the only one: `Yes! c3` is a
    greeting and a move.
    """
    lines = text.split("\n")
    found: list[ParsedLine] = []
    refused: list[str] = []
    unsure: list[ParsedLine] = []
    answers: list[ParsedLine] = []
    top = below_answer = greeted = greeted_above_answer = words = 0

    def answer() -> CommandBlock:
        return CommandBlock(tuple(answers), "\n".join(lines[below_answer:]) if answers else "")

    for number, line in enumerate(lines):
        plain = normalised(line[:LONGEST_LINE])
        if not plain:
            continue
        words += plain.count(" ") + 1
        if words > _MOST_WORDS:
            return CommandBlock((ParsedLine(unparsed=Unparsed("...", TooMuchAtOnce())),))
        after = _below(lines, number) if plain.lower() in _STOPS else None
        if after is not None:
            # Nothing below the other words that end commands is read; but two dashes are not always a signature.
            below = "\n".join([*refused, own("\n".join(lines[number + 1 :])) if plain == _SIGNATURE else ""])
            return _block(found, unsure, board, after, below, spelling, lines[:top]) if found else answer()
        is_name = _is_signature(plain, bool(found), greeted > 0, spelling)
        read = PROSE if is_name else _perhaps_by_phone(parse_line(plain, board, spelling), plain)
        if read.is_spoken and not stands_alone(lines, number, spelling):
            unsure += [] if found else [read]
            read = PROSE
        is_answer = board is not None and _is_bare_answer(read)
        if not read.is_prose and not is_answer:
            if found and read.unparsed is not None:
                refused.append(plain)
            top = top if found else number
            found.append(read)
            if len(found) > _MOST_LINES:
                return CommandBlock(_one_move_only(found, unsure, board))
        elif found:
            rest = "\n".join(lines[number:])
            below = "\n".join([*refused, own(rest)])
            return _block(found, unsure, board, rest, below, spelling, lines[:top])
        elif is_answer and (not answers or greeted == greeted_above_answer):
            # What stands right below an answer and says something else is no comment.
            answers.append(read)
            below_answer, greeted_above_answer = number + 1, greeted
            if len(answers) > _MOST_LINES:
                return CommandBlock(tuple(answers))
        elif greeted == MOST_GREETING_LINES:
            return answer()
        else:
            greeted += 1
    return _block(found, unsure, board, "", "\n".join(refused), spelling, lines[:top]) if found else answer()


def _perhaps_by_phone(read: ParsedLine, line: str) -> ParsedLine:
    """The line, with its move in lower case as a second reading if a phone capitalised it."""
    if not read.is_bare or read.parsed is None or not line[0].isupper():
        return read
    arguments = read.parsed.arguments
    move = arguments.move
    is_either = move[:1] == line[0] and line[0] in _COLUMNS and any(map(str.isdigit, move)) and not names(move)
    besides = (move[0].lower() + move[1:],) if is_either else ()
    return replace(read, parsed=replace(read.parsed, arguments=replace(arguments, moves=besides)))


def _is_signature(line: str, is_below: bool, is_greeted: bool, spelling: Spelling) -> bool:
    """Whether a line that may be a command is more likely a signature: a game's or piece's name, or one letter."""
    is_name = line.lower() in games() or may_be_a_name(line, spelling)
    return (is_below and is_name) or (is_greeted and is_letter(line))


def _block(
    found: Sequence[ParsedLine],
    unsure: Sequence[ParsedLine],
    board: int | None,
    rest: str,
    below: str,
    spelling: Spelling,
    above: Sequence[str],
) -> CommandBlock:
    """The block, with a question in place of each line that the text `below` takes back."""
    lines = _one_move_only(found, unsure, board)
    asked = asked_again(lines, below, spelling, "\n".join(above))
    return CommandBlock(lines, rest) if asked is None else CommandBlock(asked)


def up_to_stop(text: str) -> str:
    """The lines above one that ends all commands; everything below it is text for others."""
    lines = text.split("\n")
    end = next((place for place, line in enumerate(lines) if normalised(line).lower() in _STOPS), len(lines))
    return "\n".join(lines[:end])


def _below(lines: Sequence[str], number: int) -> str:
    """The text below a line that ends the block; includes the line if it may begin a signature."""
    is_signature = normalised(lines[number]) == _SIGNATURE
    return "\n".join([*([_SIGNATURE] if is_signature else []), *lines[number + 1 :]])


def first_line(text: str, board: int | None, spelling: Spelling = CELLS) -> tuple[ParsedLine, str]:
    """The meaning of the first line that is not blank, and the text below it."""
    first, _, rest = text.lstrip().partition("\n")
    return parse_line(normalised(first), board, spelling) if first else PROSE, rest


def _is_bare_answer(line: ParsedLine) -> bool:
    said = line.parsed
    return said is not None and said.command.name in ANSWERING and said.token is None and said.new_password is None


def _one_move_only(
    found: Sequence[ParsedLine], unsure: Sequence[ParsedLine], board: int | None
) -> tuple[ParsedLine, ...]:
    """The lines with at most one bare move: repeats count once, and of different ones none is carried out.

    A player who writes a move and `resign` below it hardly means both. Moves that are `unsure`, since their line
    may be a piece of a sentence, count where another is said.
    """
    if not any(line.is_bare for line in found):
        return tuple(found)
    bare = {
        (in_a_moves_place(line.parsed), line.parsed.arguments.ply): line.parsed.line
        for line in (*unsure, *found)
        if line.is_bare and line.parsed is not None
    }
    kept = list(found)
    first = next(place for place, line in enumerate(kept) if line.is_bare)
    if len(bare) > 1:
        kept[first] = ParsedLine(unparsed=which_one(board, tuple(bare.values())))
    return tuple(line for place, line in enumerate(kept) if place == first or not line.is_bare)
