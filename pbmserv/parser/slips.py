"""A first word that is no command: a slip for one, or perhaps meant as one."""

from collections.abc import Sequence

from pbmserv.commands.command import Command, commands
from pbmserv.commands.typed_moves import CELLS, Spelling, any_spelling, clear_move
from pbmserv.commands.vocabulary import NEVER_BY_SLIP, SPELLINGS
from pbmserv.games.board import is_cell_like
from pbmserv.parser.errors import UnknownCommand
from pbmserv.parser.fitting import PROSE, ParsedLine, fit_any, fitted, refused, secrets_of
from pbmserv.parser.game_names import unknown_game
from pbmserv.parser.grammar import FittedWords
from pbmserv.parser.typos import (
    Typo,
    has_witness,
    is_talk,
    likely_commands,
    names_board_or_square,
    near_pair,
    near_word,
)
from pbmserv.parser.words import FIRST_BOARD, board_number


def slip_for(
    words: list[str], game: str | None, answered_board: int | None, spelling: Spelling = CELLS
) -> ParsedLine:
    """The command that an unknown first word is a slip for, or the question which one; prose if it is none."""
    first, rest = words[0].lower(), words[1:]
    unknown = unknown_game(words, answered_board)
    if unknown is not None:
        return refused(f"{first} ...", unknown)
    slips = [slip for slip in likely_commands(words) if not is_talk(slip, answered_board)]
    fitting: list[tuple[Typo, FittedWords]] = []
    clear = [slip for slip in slips if slip.is_unmistakable]
    for slip in slips:
        found = fit_any(commands()[slip.name], slip.after, answered_board)
        if found is not None:
            fitting.append((slip, found))
            if has_witness(slip, found.arguments) and slip not in clear:
                clear.append(slip)
    if len(slips) == 1 and clear and not _is_fatal(clear[0], fitting):
        return fitted(commands()[clear[0].name], clear[0].after, game, answered_board)
    if clear or any(slip.has_long_name or _is_move(slip.after, spelling) for slip, _ in fitting):
        suggestions = [_repaired(slip, found, words) for slip, found in fitting] or [slip.name for slip in clear]
        boards = [ref.number for _, found in fitting for ref in found.arguments.boards]
        board = boards[0] if boards else None
        return refused(first, UnknownCommand(board=board, word=first, suggestions=tuple(suggestions)))
    is_meant = any(names_board_or_square(word) or acts([word]) for word in rest)
    near = _turned(words) or near_pair(words) or (near_word(first, rest) if is_meant else ())
    return refused(first[:40], UnknownCommand(word=first[:40], suggestions=near)) if near else PROSE


def acts(words: Sequence[str]) -> bool:
    """Whether words begin with what only a player does: a move, or giving something up."""
    return bool(words) and (is_cell_like(words[0]) or words[0].lower() in NEVER_BY_SLIP)


def named_command(words: list[str]) -> tuple[Command | None, list[str]]:
    """The command that words begin with, and those after its name; no command, and all of them."""
    for length in (2, 1):
        name = " ".join(words[:length]).lower()
        command = commands().get(SPELLINGS.get(name, name))
        if command is not None:
            return command, words[length:]
    return None, words


def _is_move(words: Sequence[str], spelling: Spelling) -> bool:
    return bool(words) and spelling.is_known and bool(clear_move(" ".join(words), spelling))


def _turned(words: list[str]) -> tuple[str, ...]:
    """The line that is meant by a game's word before a board: `pass 101`."""
    number = board_number(words[1]) if len(words) == 2 else None
    is_turned = (number or 0) >= FIRST_BOARD and words[0].lower() in any_spelling().alone
    return (f"move {number} {words[0].lower()}",) if is_turned else ()


def _is_fatal(slip: Typo, fitting: list[tuple[Typo, FittedWords]]) -> bool:
    """Whether it would come out as a command that is never taken by slip."""
    moves = {found.arguments.move.lower() for _, found in fitting}
    return slip.name in NEVER_BY_SLIP or not NEVER_BY_SLIP.isdisjoint(moves)


def _repaired(slip: Typo, found: FittedWords, words: list[str]) -> str:
    """A whole line ready to be sent, unless it may hold a secret."""
    may_hold = secrets_of(found.claim, found.new_password) or near_pair(words)
    return slip.name if may_hold else " ".join([slip.name, *slip.after])
