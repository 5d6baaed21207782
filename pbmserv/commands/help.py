"""`help`: a page about a command, a game or a subject; the tutorial has one for each game."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from pbmserv.commands.command import Command, Decision, Reply, Request, commands
from pbmserv.commands.new_game import games_offered
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import close_to
from pbmserv.games import games
from pbmserv.games.info import Info
from pbmserv.matches.errors import CommandError
from pbmserv.matches.queries import Queries


class HelpIndex(Reply):
    """`help` alone: what the server is, and where to read more."""

    games: tuple[Info, ...]
    commands: tuple[Command, ...]


class HelpCommands(Reply):
    """Every command in one line each."""

    commands: tuple[Command, ...]


class HelpCommand(Reply):
    """One command; its own text is the block `help_NAME` in the template of its file."""

    command: Command


class HelpGame(Reply):
    """One game; its rules text is `rules/NAME.txt`."""

    game: Info


class HelpTopic(Reply):
    """A page of its own: `help/NAME.txt`. Its examples are of one game; the tutorial belongs to it."""

    topic: str
    game: Info


class NoHelpOn(CommandError):
    """There is no such help page."""

    suggestions: tuple[str, ...]


TUTORIAL: Final = "tutorial"

_TOPICS: Final = "answering time opponents robots rating passwords addresses privacy leaving"
TOPICS: Final = (TUTORIAL, *_TOPICS.split())

ELSEWHERE: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(["clock", "clocks", "reminders", "vacation", "vacations", "holiday", "holidays"], "time")
    | {"draw": "propose", "takeback": "undo", "take-back": "undo", "digest": "set", "settings": "set"}
    | {"offers": "seek", "robot": "robots", "topics": "help"}
)
"""Other words people ask for, and the page that answers."""


def page(subject: str, server: Server) -> Reply | None:
    """The help page of a subject ("" is the index); None when there is none."""
    subject = ELSEWHERE.get(subject, subject)
    offered = games_offered(server)
    if not subject:
        return HelpIndex(tuple(game.info for game in offered.values()), tuple(commands().values()))
    if subject == "commands":
        return HelpCommands(tuple(commands().values()))
    if subject in commands():
        return HelpCommand(commands()[subject])
    if subject in games():
        return HelpGame(games()[subject].info)
    if subject in TOPICS:
        return HelpTopic(subject, _example_game(server))
    topic, _, name = subject.partition(" ")
    if topic == TUTORIAL and name in games():
        return HelpTopic(TUTORIAL, games()[name].info)
    return None


def _example_game(server: Server) -> Info:
    """The game used in examples: the default game, or else the first on offer."""
    offered = games_offered(server)
    return (offered.get(server.default_game) or next(iter(offered.values()))).info


def subjects() -> tuple[str, ...]:
    """Every subject that has a page, but the index."""
    return ("commands", *TOPICS, *games(), *(f"{TUTORIAL} {name}" for name in games()), *commands())


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Finds the page, or suggests what was meant."""
    subject = " ".join(request.arguments.words)
    reply = page(subject, request.server)
    if reply is not None:
        return Decision(reply)
    raise NoHelpOn(suggestions=close_to(subject, subjects()))


command = Command(
    name="help",
    kind="open",
    forms=("help [subject]",),
    summary="read about a command, a game, or how to start",
    example="help tutorial",
    run=run,
)
