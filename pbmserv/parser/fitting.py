"""Matches the words of a line with the forms of its command: a `Parsed` line, or an error that shows the forms.

A form names its slots in the words that people read: `board`, `offer` (its number), `number` (a puzzle's),
`userid+` (one or more), `[filter]` (may be left out), `[userid password]` (both or neither), `move[#ply]`,
`subject` and `text` (all the rest; `: text` what stands behind the first colon), `[-options]` (anywhere).
A `board` that is left out is the one that the mail answers, if it answers one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pbmserv.commands.command import BLOT, Arguments, BoardRef, Command, Credentials, Secret, commands
from pbmserv.commands.lookup import UnknownGame, WrongForm
from pbmserv.commands.queue_notation import is_like_moves
from pbmserv.commands.typed_moves import any_spelling, is_move_like, without_decoration
from pbmserv.commands.vocabulary import COURTESY, FILTERS, SETTINGS, SMALL_WORDS, is_address, is_userid
from pbmserv.games.board import is_cell_like
from pbmserv.parser.parsed import NotPlainlySaid, Parsed, UnknownCommand, Unparsed
from pbmserv.parser.words import FIRST_BOARD, board_number, stripped_board

Words = Sequence[str]

_SLOT = re.compile(r"\[userid password\]|\[-options\]|\[?[a-z]+(?:\[#ply\])?\]?\+?")
_BOARD = re.compile(r"([0-9]{1,9})(?:#([0-9]{1,4}))?")
_LIKELY_BOARD = re.compile(r"[0-9]{3,9}(?:#[0-9]*)?")
_OFFER = re.compile(r"[1-9][0-9]?", re.ASCII)
_PUZZLE = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)
_NO_USERIDS = SMALL_WORDS | COURTESY | SETTINGS
_TOKEN = re.compile(r"[a-z0-9]{20}", re.IGNORECASE | re.ASCII)
_GUARD = re.compile(r"(.*?)(?<!\s)\s*#\s*([0-9]{1,4})")
_OPTION_APART = re.compile(
    r"(?<!\S)(?:-+ ?|(?=[a-z]+ ?=))([a-z]+)(?: ?[=:] ?| )([0-9]+)(?: ?[x*\xd7] ?([0-9]+))?[.,;!]*(?!\S)",
    re.IGNORECASE,
)
_BEHIND_COLON = ": text"
_AROUND_OFFER = "\"'`*()[]{}<>#,;:!."
_AROUND_USERIDS = "\"'`*()[]{}<>\u00ab\u00bb,;:!."
_AROUND_WORDS = "\"'`*_()[]{}<>\u00ab\u00bb,;:!."


@dataclass(frozen=True, slots=True)
class FittedWords:
    """A line matched with a form: its arguments, and separately its secrets."""

    arguments: Arguments
    claim: Credentials | None = None
    new_password: Secret | None = None
    token: Secret | None = None


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    optional: bool
    many: bool
    with_ply: bool = False

    def counts(self, left: int) -> Iterator[int]:
        """The numbers of remaining words that it may take, in the order to try."""
        if self.name == "claim":
            yield from (0, 2)
        elif self.name == "text" or (self.name in ("move", "moves", "subject") and not self.many):
            yield left
            if self.optional and left:
                yield 0
        elif self.many:
            yield from range(0 if self.may_lack else 1, left + 1)
        else:
            yield 1
            if self.may_lack:
                yield 0

    @property
    def may_lack(self) -> bool:
        """Whether it may take no word; a board may come from the mail replied to."""
        return self.optional or self.name == "board"


def fit(form: str, name: str, words: Words, answered_board: int | None) -> FittedWords | None:
    """Parses `words` (those after the command's name) by one form; None if they do not fit."""
    slots = _slots(form.partition(name)[2])
    options: list[tuple[str, str]] = []
    said = ""
    if form.endswith(_BEHIND_COLON):
        words, said = _apart(words)
        slots = slots[:-1]
        if not said:
            return None
    if any(slot.name == "options" for slot in slots):
        words = _OPTION_APART.sub(_together, " ".join(words)).split()
        options = [_option(word) for word in words if word.startswith("-")]
        words = [word for word in words if not word.startswith("-")]
        slots = tuple(slot for slot in slots if slot.name != "options")
    fitted = _fit(slots, tuple(words), answered_board)
    if fitted is None:
        return None
    has_no_password = any(slot.name == "password" for slot in slots) and fitted.new_password is None
    if has_no_password and not _may_be_name(fitted.arguments.userids[0]):
        return None
    if options or said:
        text = said or fitted.arguments.text
        fitted = replace(fitted, arguments=replace(fitted.arguments, options=tuple(sorted(options)), text=text))
    if fitted.claim is not None and not fitted.claim.userid:
        fitted = replace(fitted, claim=replace(fitted.claim, userid=fitted.arguments.userids[0]))
    is_alone = fitted.token is not None and fitted.new_password is None
    if is_alone and any(slot.name == "new" for slot in slots):
        # A password may look like a token: which of the two it is, the question tells that it answers.
        fitted = replace(fitted, new_password=fitted.token)
    return fitted


@lru_cache(maxsize=128)
def _slots(text: str) -> tuple[_Slot, ...]:
    found = []
    for part in _SLOT.findall(text):
        if part == "[userid password]":
            found.append(_Slot("claim", optional=True, many=False))
            continue
        name = part.replace("[#ply]", "").strip("[]+-")
        found.append(_Slot(name, part.startswith("["), many="+" in part, with_ply="#ply" in part))
    return tuple(found)


def _apart(words: Words) -> tuple[Words, str]:
    """The words up to the first that ends in a colon, and the text after it."""
    end = next((place for place, word in enumerate(words, 1) if word.endswith(":")), len(words))
    named = words[: end - 1] if end and words[end - 1] == ":" else words[:end]
    return named, " ".join(words[end:])


def _together(option: re.Match[str]) -> str:
    """Joins an option and its value that were written apart, like `-size 3 x 3`."""
    value = "x".join(part for part in option.groups()[1:] if part)
    return f" -{option[1]}={value} "


def _option(word: str) -> tuple[str, str]:
    name, _, value = word.strip("-").partition("=")
    return name.lower().rstrip(".,;:!"), value.strip(_AROUND_WORDS).replace("\xd7", "x")


def _fit(slots: tuple[_Slot, ...], words: tuple[str, ...], board: int | None) -> FittedWords | None:
    if not slots:
        return FittedWords(Arguments()) if not words else None
    slot, later = slots[0], slots[1:]
    for count in slot.counts(len(words)):
        if count > len(words):
            continue
        rest = _fit(later, words[count:], board)
        if rest is None:
            continue
        filled = _READERS[slot.name](words[:count], rest, board, slot)
        if filled is not None:
            return filled
    return None


def _boards(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    found = [_BOARD.fullmatch(stripped_board(word)) if board_number(word) is not None else None for word in words]
    refs = tuple(BoardRef(int(match[1]), int(match[2]) if match[2] else None) for match in found if match)
    if len(refs) < len(words) or any(ref.ply is not None and not slot.with_ply for ref in refs):
        return None
    if not words and not slot.optional:
        if board is None:
            return None
        refs = (BoardRef(board),)
    return replace(rest, arguments=replace(rest.arguments, boards=refs + rest.arguments.boards))


def _offer(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    number = _OFFER.fullmatch(words[0].strip(_AROUND_OFFER)) if words else None
    return replace(rest, arguments=replace(rest.arguments, offer=int(number[0]))) if number else None


def _userids(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    if any(board_number(word) is not None for word in words):
        return None
    userids = tuple(word.strip(_AROUND_USERIDS) or word for word in words)
    return replace(rest, arguments=replace(rest.arguments, userids=userids + rest.arguments.userids))


def _may_be_name(word: str) -> bool:
    """Whether a single word is meant as a name, even one not allowed; otherwise it may be a password."""
    return is_userid(word) or "@" in word or (word.isalpha() and not word.isascii())


def _claim(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    if not words:
        return rest
    if not is_userid(words[0]) or is_cell_like(words[0]) or words[0].lower() in _NO_USERIDS:
        return None
    return replace(rest, claim=Credentials(words[0], Secret(words[1])))


def _old_password(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    # Slots are filled from the right: whose password it is stands before it, and `fit` adds it.
    return replace(rest, claim=Credentials("", Secret(words[0])))


def _new_password(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    return replace(rest, new_password=Secret(words[0])) if words else rest


def _first_password(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    # It may be left out, and then an address stands in its place.
    is_left_out = bool(words) and slot.optional and not rest.arguments.address and is_address(words[0])
    return None if is_left_out else _new_password(words, rest, board, slot)


def _token(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    if not words:
        return rest
    return replace(rest, token=Secret(words[0])) if _TOKEN.fullmatch(words[0]) else None


def _move(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    # Which game the board is of, only the records know.
    spelling = any_spelling()
    text, ply = without_decoration(words, spelling), None
    guard = _GUARD.fullmatch(text)
    is_one_word = len(words) == 1 or (len(words) == 3 and words[1] == "#" and guard is not None)
    if (not is_one_word and not is_move_like(words, spelling)) or _LIKELY_BOARD.fullmatch(stripped_board(text)):
        return None
    if guard:
        text, ply = guard[1], int(guard[2])
    return replace(rest, arguments=replace(rest.arguments, move=text, ply=ply)) if text else None


def _moves(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    # A move in a line is one word, so that what people put between moves may stand at its end.
    parts = [part for word in words for part in word.split(";")]
    moves = tuple(move for part in parts if (move := without_decoration([part]).strip(",.!\"'")))
    if not moves or _LIKELY_BOARD.fullmatch(stripped_board(moves[0])):
        return None
    return replace(rest, arguments=replace(rest.arguments, moves=moves))


def _ahead(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    if words and not is_like_moves(words):
        return None
    return replace(rest, arguments=replace(rest.arguments, ahead=" ".join(words)))


def _text(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    return replace(rest, arguments=replace(rest.arguments, text=" ".join(words)))


def _words(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    lowered = tuple(word.strip(_AROUND_WORDS).lower() or word for word in words)
    if slot.name == "filter" and any(word not in FILTERS for word in lowered):
        return None
    if slot.name == "number" and not _PUZZLE.fullmatch(lowered[0]):
        return None
    if slot.name == "key" and len(rest.arguments.words) > 1 and lowered[0] not in SETTINGS:
        # Else `set alice sesame html off` would set something called alice.
        return None
    return replace(rest, arguments=replace(rest.arguments, words=lowered + rest.arguments.words))


def _game(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    return replace(rest, arguments=replace(rest.arguments, game=words[0].lower() if words else None))


def _address(words: Words, rest: FittedWords, board: int | None, slot: _Slot) -> FittedWords | None:
    # Without an @ it may as well be a part of the password.
    if words and "@" not in words[0]:
        return None
    address = "".join(words).strip(_AROUND_WORDS)
    return replace(rest, arguments=replace(rest.arguments, address=address))


_READERS: dict[str, Callable[[Words, FittedWords, int | None, _Slot], FittedWords | None]] = {
    "board": _boards,
    "offer": _offer,
    "number": _words,
    "userid": _userids,
    "claim": _claim,
    "old": _old_password,
    "new": _new_password,
    "password": _first_password,
    "token": _token,
    "move": lambda words, rest, board, slot: (_moves if slot.many else _move)(words, rest, board, slot),
    "moves": _ahead,
    "text": _text,
    "filter": _words,
    "subject": _words,
    "key": _words,
    "value": _words,
    "game": _game,
    "address": _address,
}


@dataclass(frozen=True, slots=True)
class ParsedLine:
    """The result of one line: exactly one of the three, or nothing if it is prose.

    It is bare if it names a move but neither command nor board, or is only a word in a move's place. A move
    within a sentence is `spoken`.
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
    """The meaning of `words` after a command, with a `game` before it if one was named; or an error."""
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
        # What is said is no part of the command: a line is echoed to the address that the mail seems to be from.
        named = [str(ref.number) for ref in found.arguments.boards] or [*found.arguments.userids]
    line = _blotted(" ".join([command.name, *named]), found)
    parsed = Parsed(line, command, found.arguments, found.claim, found.new_password, found.token)
    return ParsedLine(parsed=_with_game(parsed, game) if game else parsed)


def fit_any(command: Command, words: Sequence[str], answered_board: int | None) -> FittedWords | None:
    """The match with the first of a command's forms that fits the words."""
    found = (fit(form, command.name, words, answered_board) for form in command.forms)
    return next((each for each in found if each is not None), None)


def _with_game(parsed: Parsed, game: str) -> Parsed:
    return replace(parsed, line=f"{game} {parsed.line}", arguments=replace(parsed.arguments, game=game))


def asked_for(name: str, board: int | None) -> ParsedLine:
    """The question whether a command that gives something up is meant."""
    is_on_board = board is not None and any("board" in form for form in commands()[name].forms)
    ready = f"{name} {board}" if is_on_board else name
    return ParsedLine(unparsed=Unparsed(name, NotPlainlySaid(board=board if is_on_board else None, ready=ready)))


def secrets_of(claim: Credentials | None, *others: Secret | None) -> list[str]:
    """The words to blot out wherever they stand, longest first."""
    found = [claim.password.value] if claim else []
    return sorted([*found, *(other.value for other in others if other)], key=len, reverse=True)


def _blotted(line: str, fitted: FittedWords) -> str:
    for secret in secrets_of(fitted.claim, fitted.new_password, fitted.token):
        line = re.sub(rf"(?<!\S){re.escape(secret)}(?!\S)", BLOT, line, flags=re.IGNORECASE)
    return line


def refused(line: str, error: WrongForm | UnknownCommand | UnknownGame) -> ParsedLine:
    """A line that was meant as a command and is not one; `line` is the part safe to repeat."""
    return ParsedLine(unparsed=Unparsed(line, error))
