"""The parser's corpus: text files of lines and mails, and what is understood of each.

== Title                     a section; what is told of it holds up to the next one
What it shows.

@ answers 101                its lines stand in answers to that board; `@ answers 101 or nothing`: in either
@ subject Re: hello          its cases stand in mails with that Subject, or with each of several
@ text Hello\\n{}             and that text, or each of several; {} is the place of the case, in the Subject too
@ means prose                what is understood of a line that does not tell it itself
@ game go or hex             the board is of that game, and of that one; `@ game every`: of each in turn
@ language queue             its cases are what stands behind `queue`

mvoe 101 c3 => move 101 c3
Thank you

| Subject: move 101 c3       a whole mail
| Good luck!
=> move 101 c3               what is understood of it: commands, then the comment
// Good luck!

`\\n` is a line's end, `\\u200b` a character that cannot be seen. What is understood is written as in `meaning.py`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, takewhile
from pathlib import Path

from pbmserv.commands.queue_notation import read as read_queue
from pbmserv.games import games
from pbmserv.games.info import Credit, Info
from pbmserv.parser.parse import parse_mail
from pbmserv.parser.parsed import IncomingMail
from tests.parser.meaning import meaning, of_mail, of_queue

MADE_UP = Info(
    name="made-up",
    title="A Made-up Game",
    rules="made-up/1",
    sides=(),
    credit=Credit("Nobody", 2026),
    example="e2-e4",
    words=("swap", "queen", "knight", "bishop"),
    dialect=r"[kqrbn]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[qrbn])?[+#]?|[o0]-[o0](?:-[o0])?[+#]?|[1-9][a-i][1-9][a-i][+]?",
)
"""A game with other notations, as of chess and shogi, that moves may be typed in beside cells."""


@dataclass(frozen=True, slots=True)
class Case:
    """A line or a mail, and what is understood of it."""

    place: str
    """The file and the number of the line, for whoever has to find it."""

    text: str
    subject: str | None
    """The mail's; None where the text is a line on its own."""

    board: int | None
    """The one whose mail is answered, where that is known."""

    means: str
    is_queue: bool
    game: Info | None = None
    """The game of the board that is answered; None where it is not known."""

    def understood(self) -> str:
        """What the parser makes of it."""
        if self.is_queue:
            return of_queue(read_queue(self.text))
        if self.subject is None:
            return meaning(self.text, self.board, self.game)
        mail = IncomingMail("anna@example.org", self.subject, self.text, "<1@example.org>", (), None, "key")
        return of_mail(parse_mail(mail, self.board, game=self.game))


@dataclass(frozen=True, slots=True)
class Frame:
    """What a section tells of all its cases."""

    boards: tuple[int | None, ...]
    subjects: tuple[str | None, ...]
    texts: tuple[str, ...]
    means: str
    is_queue: bool
    games: tuple[Info | None, ...]


def cases(file: Path) -> Iterator[Case]:
    """All cases of a file."""
    lines = file.read_text().split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("== ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        body = lines[start:end]
        yield from _of_section(body, _frame(body), f"{file.name}:", start + 1)


def _frame(lines: list[str]) -> Frame:
    told: dict[str, list[str]] = {key: [] for key in ("answers", "subject", "text", "means", "language", "game")}
    for line in lines:
        if line.startswith("@ "):
            key, _, value = line[2:].partition(" ")
            told[key].append(value)
    boards = "".join(told["answers"]) or "nothing"
    return Frame(
        tuple(None if word == "nothing" else int(word) for word in boards.split(" or ")),
        tuple(map(_plain, told["subject"])) or (None,),
        tuple(map(_plain, told["text"])) or ("{}",),
        "".join(told["means"]),
        told["language"] == ["queue"],
        _games("".join(told["game"])),
    )


def _games(named: str) -> tuple[Info | None, ...]:
    """The games of a frame: without a name one that is not known."""
    known = {MADE_UP.name: MADE_UP, **{name: game.info for name, game in games().items()}}
    every = {"": [""], "every": [*known]}
    found = every.get(named, named.split(" or "))
    assert set(found) <= {"", *known}, f"no such game: {named}"
    return tuple(known.get(name) for name in found)


def _of_section(lines: list[str], frame: Frame, file: str, first: int) -> Iterator[Case]:
    for number, line in list(enumerate(lines))[lines.index("") + 1 :]:
        place = f"{file}{first + number}"
        if line.startswith("|") and not lines[number - 1].startswith("|"):
            yield from _mails(lines[number:], frame, place)
        elif line and not line.startswith(("@", "|", "=>", "//")):
            yield from _lines(line, frame, place)


def _lines(line: str, frame: Frame, place: str) -> Iterator[Case]:
    """The cases that one line makes, in each mail that the frame tells."""
    written, _, own = line.partition(" => ")
    said, told = _plain(written.rstrip()), own or frame.means
    assert told, f"{place} does not tell what it means"
    means, _, comment = told.partition(" // ")
    below = _plain(comment).replace("{}", said).split("\n") if comment else []
    expected = "\n".join([_plain(means), *(f"// {each}".rstrip() for each in below)])
    for board, subject, text, game in product(frame.boards, frame.subjects, frame.texts, frame.games):
        about = None if subject is None else subject.replace("{}", said)
        yield Case(place, text.replace("{}", said), about, board, expected, frame.is_queue, game)


def _mails(lines: list[str], frame: Frame, place: str) -> Iterator[Case]:
    """The cases that a mail makes which stands first in the lines, with what is understood of it below."""
    written = [_plain(line[2:]) for line in takewhile(lambda line: line.startswith("|"), lines)]
    told = takewhile(lambda line: line.startswith(("=>", "//")), lines[len(written) :])
    expected = "\n".join(line.removeprefix("=> ") for line in told)
    assert expected, f"{place} does not tell what it means"
    subject = written.pop(0).removeprefix("Subject: ") if written[0].startswith("Subject: ") else ""
    for board, game in product(frame.boards, frame.games):
        yield Case(place, "\n".join(written), subject, board, expected, frame.is_queue, game)


def _plain(text: str) -> str:
    """The text that is meant by one with escapes."""
    return re.sub(r"\\n|\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)) if found[1] else "\n", text)
