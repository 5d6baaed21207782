"""Filters of templates: commands that can be sent as they stand or filled in, and the terms of a match.

Lines that a template writes itself bear a sign in its source (`markup`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from pbmserv.commands.command import BLOT
from pbmserv.commands.vocabulary import ROBOTS
from pbmserv.games import games, title_with
from pbmserv.games.info import Measure
from pbmserv.matches.clock import TimeControl
from pbmserv.matches.log import Match
from pbmserv.matches.open_offer import OpenOffer
from pbmserv.matches.queries import BoardRow
from pbmserv.parser.fitting import secrets_of
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import Parsed
from pbmserv.parser.words import FIRST_BOARD
from pbmserv.rendering.document import CommandUse
from pbmserv.rendering.markup import Marked, marked_command, without_marks

_PLACEHOLDER: Final = re.compile(r"(?<!\S)[A-Z]{2,}(?!\S)")

_USES: Final[dict[str, CommandUse]] = {"open": "send", "token": "answer"}


def offered(line: str) -> str:
    """A line that is proposed, marked when it can be sent as it stands."""
    parsed = sendable(line)
    if parsed is None:
        return line
    return marked_command(line, "answer" if parsed.command.kind == "token" else "send")


def example(line: str) -> str:
    """A line that shows what a command looks like, marked: one that anybody may give can be sent. Words may stand
    below it."""
    line, *words = line.split("\n")
    said = (f"| {without_marks(each)}" for each in words)
    return Marked("\n".join((_example(line), *said, "\n"))) if words else _example(line)


def _example(line: str) -> str:
    parsed = sendable(line)
    if parsed is None or parsed.command.name == "signup":
        filled_in = to_fill_in(line)
        return marked_command(line, "example", filled_in) if filled_in else line
    return marked_command(line, _USES.get(parsed.command.kind, "example"))


def sendable(line: str) -> Parsed | None:
    """The command that a line with single blanks is, when it can be sent as it stands.

    None for what is no command or lacks its board, and where it holds a secret or a word to be replaced.

    >>> sendable("show 101").command.name, sendable("show"), sendable("signup alice sesame")
    ('show', None, None)
    """
    parsed = _read(line)
    if parsed is None or secrets_of(parsed.claim, parsed.new_password) or _PLACEHOLDER.search(line):
        return None
    return parsed


def to_fill_in(line: str) -> str:
    """An example with words to be replaced for a secret and for whose it is; "" where there is nothing to replace.

    That is also so for the name that somebody signs up with: each has their own.

    >>> to_fill_in("move 101 alice sesame c3"), to_fill_in("signup alice"), to_fill_in("show 101")
    ('move 101 USERID PASSWORD c3', 'signup USERID', '')
    """
    parsed = _read(line)
    if parsed is None or _PLACEHOLDER.search(line):
        return ""
    if parsed.command.name != "signup" and not secrets_of(parsed.claim, parsed.new_password):
        return ""
    whose = (parsed.claim.userid,) if parsed.claim else parsed.arguments.userids
    secrets = iter(("PASSWORD", "NEWPASSWORD"))
    words = (next(secrets, BLOT) if word == BLOT else word for word in parsed.line.split())
    return " ".join("USERID" if word in whose else word for word in words)


def _read(line: str) -> Parsed | None:
    """A numbered row of a table is taken by the language for a move on a board that there cannot be."""
    parsed = parse_line(line, None).parsed
    if parsed is None or any(ref.number < FIRST_BOARD for ref in parsed.arguments.boards):
        return None
    return parsed


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of one option of a game, and what it counts."""

    name: str
    value: str
    measure: Measure = ""
    is_usual: bool = False
    is_variant: bool = False
    """Whether the inventor has not published it."""


@dataclass(frozen=True, slots=True)
class AgreedTerms:
    """What was agreed before a game: how it is played, whether it is rated, and how much time there is."""

    # What the game is called that is played so.
    title: str
    # Without usual ones that need no words.
    settings: tuple[Setting, ...]
    rated: bool
    # None: no limit.
    clock: TimeControl | None
    # When the first reminder comes; None where that is as usual.
    reminder: timedelta | None
    # Whether rating and time are as they are where nobody says otherwise.
    is_usual_beside: bool

    @property
    def chosen(self) -> tuple[Setting, ...]:
        """The settings that are not the usual ones."""
        return tuple(each for each in self.settings if not each.is_usual)

    @property
    def is_variant(self) -> bool:
        """Whether it is never plainly called by the name of the game."""
        return any(each.is_variant for each in self.settings)

    @property
    def is_usual(self) -> bool:
        """Whether everything is as it is where nobody says otherwise."""
        return self.is_usual_beside and not self.chosen

    @property
    def is_seen(self) -> bool:
        """Whether the board itself shows whatever is not as usual."""
        return self.is_usual_beside and not any(each.measure in _UNSEEN for each in self.chosen)


_USUAL: Final = TimeControl()
_UNSEEN: Final[tuple[Measure, ...]] = ("", "checks", "setup")
"""No board shows what was chosen of these. Their usual values need no words."""


def terms_of(agreed: Match | OpenOffer | BoardRow) -> AgreedTerms:
    """The terms: those that were chosen, and for the rest the usual ones."""
    has_robot = not isinstance(agreed, OpenOffer) and any(userid.startswith(ROBOTS) for userid in agreed.userids)
    # Practice alone has no clock at all.
    clock = agreed.clock or _USUAL
    return AgreedTerms(
        title=title_with(agreed.game, agreed.options),
        settings=tuple(each for each in _settings(agreed) if not each.is_usual or each.measure not in _UNSEEN),
        rated=agreed.rated,
        clock=agreed.clock,
        reminder=clock.nag if clock.nag != _USUAL.nag else None,
        is_usual_beside=agreed.rated is not has_robot and replace(clock, nag=clock.nag or _USUAL.nag) == _USUAL,
    )


def _settings(agreed: Match | OpenOffer | BoardRow) -> Iterator[Setting]:
    given = dict(agreed.options)
    for option in games()[agreed.game].info.options if agreed.game in games() else ():
        value = given.pop(option.name, option.default)
        yield Setting(option.name, value, option.measure, value == option.default, value in option.variants)
    # A game that is no longer installed says nothing about its options.
    yield from (Setting(name, value) for name, value in given.items())
