"""Unknown first words: typos and abbreviations of commands, and which commands may be meant."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbmserv.commands.command import Arguments, Command, commands
from pbmserv.commands.typed_moves import CELLS, Spelling, any_spelling, clear_move
from pbmserv.commands.vocabulary import COURTESY, NEVER_BY_SLIP, SMALL_WORDS, SPELLINGS, close_to
from pbmserv.games import games
from pbmserv.games.board import is_cell_like
from pbmserv.parser.fitting import PROSE, FittedWords, ParsedLine, fit_any, fitted, refused, secrets_of
from pbmserv.parser.game_names import unknown_game
from pbmserv.parser.parsed import UnknownCommand
from pbmserv.parser.prose import ADDRESSED, PROSY, is_sentence, is_witness
from pbmserv.parser.words import FIRST_BOARD, board_number, plain_word

PASS = "pass"  # noqa: S105
"""Short for `password`, and an everyday word: `Pass me the salt`."""

ELSEWHERE = frozenset(
    {"con", "del", "dele", "for", "hel", "hell", "last", "lost", "mes", "mess", "pro", "que", "sub", "und"}
)
"""Foreign or ordinary words that look like an abbreviated command and are not: `Und d4`."""

_LONG_NAME = 6
_LONG_ENOUGH = 5
_CLOSE = 0.75
_CLOSE_WORD = 0.72


@dataclass(frozen=True, slots=True)
class Typo:
    """A command's name, what was typed for it, and the words after that."""

    name: str
    typed: str
    after: tuple[str, ...]

    @property
    def has_long_name(self) -> bool:
        """Whether the name is long enough that no common word is close to it."""
        return len(self.name) >= _LONG_NAME

    @property
    def is_unmistakable(self) -> bool:
        """Whether it is certainly meant, whatever follows, since enough of a long name was typed."""
        return self.has_long_name and len(self.typed) >= _LONG_ENOUGH


def likely_commands(words: Sequence[str]) -> list[Typo]:
    """The commands that the first words may be a typo or an abbreviation for.

    >>> [typo.name for typo in likely_commands(["mvoe", "101", "c3"])]
    ['move']
    >>> likely_commands(["sign", "up", "anna", "sesame"])[0].after
    ('anna', 'sesame')
    """
    joined = "".join(words[:2]).lower()
    if joined in commands():
        return [Typo(joined, joined, tuple(words[2:]))]
    found = []
    for name in commands():
        count = name.count(" ") + 1
        if len(words) >= count and all(map(_may_mean, words, name.split())):
            found.append(Typo(name, " ".join(words[:count]), tuple(words[count:])))
    return found


def is_one_slip_away(word: str, meant: str) -> bool:
    """Whether `word` is `meant` with one letter added, missing or wrong, or two swapped.

    The first letter must be right: it is seldom mistyped, and another one mostly makes another word.

    >>> [is_one_slip_away(word, "move") for word in ("mvoe", "moove", "moov", "love", "omve")]
    [True, True, False, False, True]
    """
    if word == meant or abs(len(word) - len(meant)) > 1:
        return False
    start = 0
    while start < min(len(word), len(meant)) and word[start] == meant[start]:
        start += 1
    rest, other = word[start:], meant[start:]
    swapped = len(rest) > 1 and rest[1::-1] + rest[2:] == other
    return swapped or (start > 0 and (rest[1:] == other or rest == other[1:] or rest[1:] == other[1:]))


def has_witness(slip: Typo, arguments: Arguments) -> bool:
    """Whether the next words confirm a command: `more` is near `move`, and `more 101 c3` is not prose."""
    if slip.name == "help" and slip.after:
        return " ".join(arguments.words) in {*commands(), *games(), "commands"} - PROSY
    said = arguments.words or arguments.options or arguments.game in games()
    return not slip.after or bool(said) or any(map(names_board_or_square, slip.after))


def is_talk(slip: Typo, answered_board: int | None) -> bool:
    """Whether it is more likely prose that begins like a command: `Yes, b2`, `Forget d4`."""
    if slip.typed.lower() == "forget" and answered_board is not None:
        return True
    if slip.name in ADDRESSED:
        return is_sentence(slip.name, commands()[slip.name].kind, slip.after, answered_board)
    if slip.name not in PROSY or (slip.name in NEVER_BY_SLIP and not slip.after):
        return False
    kind = commands()[slip.name].kind
    return not any(map(is_witness, slip.after)) or is_sentence(slip.name, kind, slip.after, answered_board)


def near_pair(words: Sequence[str]) -> tuple[str, ...]:
    """Two-word commands that the first two words may be a bad typo for: such a line may hold secrets."""
    if len(words) < 3 or (words[0].lower() == PASS and words[1].lower() in SMALL_WORDS):
        return ()
    pairs = [name for name in commands() if " " in name]
    half = [name for name in pairs if len(words) == 4 and any(_may_mean(words[0], part) for part in name.split())]
    return close_to(" ".join(words[:2]), pairs, _CLOSE) or tuple(half)


def near_word(word: str, after: Sequence[str]) -> tuple[str, ...]:
    """Commands that a word may be a bad typo for, if a board or square follows and it is not prose.

    Commands that give something up must be spelled better than that, and the first letter must be right, unless
    letters were only swapped.

    >>> near_word("moooove", ["101", "c3"]), near_word("testing", ["123"]), near_word("movie", ["at", "d4"])
    (('move',), (), ())
    """
    lowered = word.lower()
    names = [
        name
        for name in commands()
        if (name[0] == lowered[0] or sorted(name) == sorted(lowered)) and name not in PROSY | NEVER_BY_SLIP
    ]
    is_prose = any(plain_word(each) in SMALL_WORDS - COURTESY for each in after)
    if is_prose or not (word.isalpha() and word.isascii()) or word.lower() in ELSEWHERE:
        return ()
    return close_to(word, names, _CLOSE_WORD)


def names_board_or_square(word: str) -> bool:
    """Whether a word is a board's number or begins like a square."""
    return is_cell_like(word) or (board_number(word) or 0) >= FIRST_BOARD


def _may_mean(word: str, meant: str) -> bool:
    lowered = word.lower()
    if lowered in ELSEWHERE or not word.isascii():
        return False
    if lowered == meant or (len(word) >= 3 and meant.startswith(lowered)):
        return True
    return len(word) >= 4 and is_one_slip_away(lowered, meant)


def slip_for(
    words: list[str], game: str | None, answered_board: int | None, spelling: Spelling = CELLS
) -> ParsedLine:
    """The command that an unknown first word is a typo for, or the question which one; prose if there is none."""
    first, rest = words[0].lower(), words[1:]
    if len(words) > 1 and _is_move(words, spelling):
        return PROSE
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
    """Whether words begin with an action of a player: a move, or giving something up."""
    return bool(words) and (is_cell_like(words[0]) or words[0].lower() in NEVER_BY_SLIP)


def named_command(words: list[str]) -> tuple[Command | None, list[str]]:
    """The command that words begin with, and the words after its name; None and all words without a command."""
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
    """Whether it would become a command that must be spelled correctly."""
    moves = {found.arguments.move.lower() for _, found in fitting}
    return slip.name in NEVER_BY_SLIP or not NEVER_BY_SLIP.isdisjoint(moves)


def _repaired(slip: Typo, found: FittedWords, words: list[str]) -> str:
    """A complete line, ready to send, unless it may hold a secret."""
    may_hold = secrets_of(found.claim, found.new_password) or near_pair(words)
    return slip.name if may_hold else " ".join([slip.name, *slip.after])
