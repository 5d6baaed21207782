"""The language of `queue`: `if b2 then c3; if d4 then e5 if a1 then a2`, read into a tree and written from one.

    line    branch, and after `;` or `or` or `else` another one
    branch  [if THEIRS ... then] MINE, and what follows on that: [then] if THEIRS ... then MINE, or then MINE

A full stop behind a move ends a branch as `;` does. A comma does nothing, but for one between an answer and `if`:
nobody can tell whether that is another case or comes after the first, so the line is asked back. Each move is one
word. Reading looks at each word once, takes any text, and knows no game.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pbmserv.games.board import is_cell_like
from pbmserv.games.notation import in_one_case
from pbmserv.matches.conditional_moves import DEEPEST, MOST_MOVES, Branch, TwoAnswers, count_moves, joined

Why = Literal["word", "end", "unclear", "twice", "deep", "large", "cut", "wrapped"]


@dataclass(frozen=True, slots=True)
class Misread:
    """What is wrong at `word`, which follows `before`.

    `why`: the word cannot stand there, the line ends where a move has to follow, `if` could be meant in two ways,
    the same condition has another answer already, there are more levels or moves than may be, the line was cut, or
    goes on in the next one. `choices` are whole lines that are clear.
    """

    before: str
    word: str
    why: Why
    choices: tuple[str, ...] = ()


CUT: Final = "[cut]"
"""The mark at the end of a line that was too long to read fully."""

_Kind = Literal["move", "if", "then", "and", "else", "comma", "end"]

_WORDS: Final[dict[str, _Kind]] = {
    "if": "if",
    "then": "then",
    "->": "then",
    "=>": "then",
    "and": "and",
    "or": "else",
    "else": "else",
    "otherwise": "else",
}
_GOES_ON: Final = frozenset(word for word in _WORDS if word.isalpha())
_MOST_BELOW: Final = 5
_SEPARATOR: Final = re.compile(r"(;)")
_OPENING: Final = "\"'`*_([{<"
_CLOSING: Final = "\"'`*_)]}>.,:!"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: _Kind
    text: str


@dataclass(slots=True)
class _Chain:
    """A branch without forks, as it stands in the line: conditions and answers in turn."""

    steps: list[tuple[tuple[str, ...], str]] = field(default_factory=list)

    def branch(self) -> Branch:
        then: tuple[Branch, ...] = ()
        for others, answer in reversed(self.steps):
            then = (Branch(others, answer, then),)
        return then[0]


class _Wrong(Exception):
    def __init__(self, place: int, why: Why, choices: tuple[str, ...] = ()) -> None:
        super().__init__(place, why)
        self.place = place
        self.why: Why = why
        self.choices = choices


def read(text: str) -> tuple[Branch, ...] | Misread:
    """The tree that a line describes, with its moves `in_one_case`; or what is wrong with it."""
    if text.endswith(CUT):
        return Misread("", "", "cut")
    tokens = tuple(_tokens(text))
    try:
        chains = _Reader(tokens).chains()
        tree = joined(chain.branch() for chain in chains)
    except _Wrong as error:
        word = tokens[error.place].text if error.place < len(tokens) else ""
        return Misread(_told(tokens[: error.place]), word, error.why, error.choices)
    except TwoAnswers as error:
        before = f"if {' '.join(error.others)} then" if error.others else ""
        return Misread(before, error.answer, "twice")
    return Misread("", "", "large") if count_moves(tree) > MOST_MOVES else tree


def is_like_moves(words: Sequence[str]) -> bool:
    """Whether words are more likely moves than a userid and its password.

    >>> [is_like_moves(line.split()) for line in ("pass", "if b2 then c3", "c3; d4", "swap then c3", "anna poppy")]
    [True, True, True, True, False]
    """
    first, *more = words
    is_led = first.lower() in _WORDS or is_cell_like(first) or first.endswith(";")
    return is_led or not more or more[0].lower() in _WORDS


def is_wrapped(ahead: str, below: str) -> bool:
    """Whether a mail program has wrapped the line, so that the text `below` would go to others as a comment."""
    *_, last = ahead.lower().split()
    first = [word.strip(",;:") for word in below.lower().split()[:_MOST_BELOW]]
    is_open = last in _GOES_ON or last.endswith((";", ","))
    after = next((word for word in first if word and word not in _GOES_ON), "")
    return bool(first) and (is_open or (first[0] in {*_GOES_ON, ""} and is_cell_like(after)))


def in_turns(moves: Sequence[str], is_own: bool) -> str:
    """The `queue` line for alternating moves, the first one's own or the other's, up to the last own move.

    >>> in_turns(("h6", "Bxc3", "e6"), True), in_turns(("h6", "Bxc3", "e6"), False)
    ('h6 if Bxc3 then e6', 'if h6 then Bxc3')
    """
    kept = moves[: len(moves) - (len(moves) + is_own) % 2]
    said = (word for place, move in enumerate(kept, is_own) for word in (("if", "then")[place % 2], move))
    return " ".join(said).removeprefix("then ")


def write(branches: Iterable[Branch]) -> str:
    """The canonical line for a tree: `read` returns the same tree."""
    return "; ".join(_lines(branches))


def _lines(branches: Iterable[Branch], lead: str = "") -> Iterator[str]:
    for branch in branches:
        said = f"if {' '.join(branch.others)} then {branch.answer}" if branch.others else f"{lead}{branch.answer}"
        if not branch.then:
            yield said
        for line in _lines(branch.then, lead="then "):
            yield f"{said} {line}"


def _tokens(text: str) -> Iterator[_Token]:
    for written in _SEPARATOR.sub(r" \1 ", text).split():
        word = written.lower()
        if word == ";":
            yield _Token("end", word)
            continue
        if word in _WORDS:
            yield _Token(_WORDS[word], word)
            continue
        bare = word.lstrip(_OPENING).rstrip(_CLOSING)
        marks = word[len(word.rstrip(_CLOSING)) :]
        if bare:
            yield _Token(_WORDS.get(bare, "move"), in_one_case(written.lstrip(_OPENING).rstrip(_CLOSING)))
        if "." in marks:
            yield _Token("end", ".")
        elif "," in marks:
            yield _Token("comma", ",")


class _Reader:
    """Goes through the tokens once."""

    def __init__(self, tokens: tuple[_Token, ...]) -> None:
        self._tokens = tokens
        self._place = 0

    def chains(self) -> list[_Chain]:
        """All branches of the line. Raises _Wrong."""
        found = []
        self._pass_over("end", "comma", "else")
        while self._kind() is not None:
            found.append(self._chain())
            self._pass_over("end", "comma", "else", "and")
        if not found:
            raise _Wrong(self._place, "end")
        return found

    def _chain(self) -> _Chain:
        chain = _Chain()
        while True:
            others = self._condition() if self._kind() == "if" else ()
            chain.steps.append((others, self._move()))
            if len(chain.steps) > DEEPEST:
                raise _Wrong(self._place, "deep")
            if not self._goes_on():
                return chain

    def _condition(self) -> tuple[str, ...]:
        self._place += 1
        others = [self._move()]
        while True:
            self._pass_over("comma")
            if self._kind() == "then":
                self._place += 1
                self._pass_over("comma")
                return tuple(others)
            others.append(self._move())

    def _move(self) -> str:
        kind = self._kind()
        if kind != "move":
            raise _Wrong(self._place, "end" if kind in (None, "end") else "word")
        self._place += 1
        return self._tokens[self._place - 1].text

    def _goes_on(self) -> bool:
        """Whether the text after an answer continues its branch; if so, moves the place to its start."""
        after = self._place
        self._pass_over("comma")
        is_loose = self._place > after
        if self._kind() == "and":
            self._place += 1
            is_loose = True
        if self._kind() == "then":
            self._place += 1
            self._pass_over("comma")
            return True
        if self._kind() == "if":
            if is_loose:
                raise _Wrong(self._place, "unclear", self._both_ways(after))
            return True
        if self._kind() in (None, "end", "else"):
            return False
        raise _Wrong(self._place, "word")

    def _both_ways(self, after: int) -> tuple[str, ...]:
        said, rest = _told(self._tokens[:after]), _told(self._tokens[self._place :])
        return f"{said}; {rest}", f"{said} then {rest}"

    def _kind(self) -> _Kind | None:
        return self._tokens[self._place].kind if self._place < len(self._tokens) else None

    def _pass_over(self, *kinds: _Kind) -> None:
        while self._kind() in kinds:
            self._place += 1


def _told(tokens: Iterable[_Token]) -> str:
    """The tokens as a line that parses the same."""
    text = ""
    for token in tokens:
        glue = "" if token.kind == "comma" or token.text in (";", ".") else " "
        text += glue + token.text
    return text.strip()
