"""`help`: pages about commands, games and topics."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.library import commands
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.common import NoHelpOn
from pbmserv.commands.replies.common import HelpCommand, HelpCommands, HelpGame, HelpIndex, HelpTopic, Reply
from pbmserv.commands.words import close_to
from pbmserv.games.library import games
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

TOPICS = (
    "tutorial",
    "answering",
    "time",
    "opponents",
    "robots",
    "rating",
    "passwords",
    "addresses",
    "privacy",
    "leaving",
)

ELSEWHERE: Final[Mapping[str, str]] = MappingProxyType(
    {
        "clock": "time",
        "clocks": "time",
        "reminders": "time",
        "vacation": "time",
        "vacations": "time",
        "holiday": "time",
        "holidays": "time",
        "draw": "propose",
        "takeback": "undo",
        "take-back": "undo",
        "digest": "set",
        "settings": "set",
        "offers": "seek",
        "robot": "robots",
        "topics": "help",
    }
)
"""What people ask for, and the page that tells it."""


def page(subject: str) -> Reply | None:
    """The help page of a subject ("" is the index); None when there is none."""
    subject = ELSEWHERE.get(subject, subject)
    if not subject:
        return HelpIndex(tuple(game.info for game in games().values()), tuple(commands().values()))
    if subject == "commands":
        return HelpCommands(tuple(commands().values()))
    if subject in commands():
        return HelpCommand(commands()[subject])
    if subject in games():
        return HelpGame(games()[subject].info)
    if subject in TOPICS:
        return HelpTopic(subject, next(iter(games().values())).info)
    return None


def subjects() -> tuple[str, ...]:
    """Every subject that has a page, but the index."""
    return ("commands", *TOPICS, *games(), *commands())


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Finds the page, or what was perhaps meant."""
    subject = " ".join(request.arguments.words)
    reply = page(subject)
    if reply is not None:
        return Decision(reply)
    return NoHelpOn(suggestions=close_to(subject, subjects()))


command = Command(
    name="help",
    kind="open",
    forms=("help [subject]",),
    summary="read about a command, a game, or how to start",
    example="help tutorial",
    run=run,
)
