"""What a command module declares, and all commands by name."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

import pbmserv.commands
from pbmserv.commands.base.arguments import Arguments, arguments_of
from pbmserv.commands.base.decision import Decision
from pbmserv.commands.base.declaration import Declaration
from pbmserv.commands.base.lookup import NotOurPlayer
from pbmserv.commands.base.request import PlayerRequest, Request
from pbmserv.matches.queries import Queries

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Command(Declaration):
    """A declaration that can be run: an OpenCommand or a PlayerCommand."""

    def decide(self, request: Request[Arguments], records: Queries, now: datetime) -> Decision:
        """What comes of a request. Changes nothing. Raises CommandError. `now` is when the mail was received."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class OpenCommand(Command, Generic[A]):
    """A command that people give who may be no players."""

    kind: Literal["open", "signup", "token"]
    arguments: type[A]
    run: Callable[[Request[A], Queries, datetime], Decision]

    def decide(self, request: Request[Arguments], records: Queries, now: datetime) -> Decision:
        """What comes of a request, whoever it is from."""
        return self.run(request.with_arguments(arguments_of(self.arguments, request.arguments)), records, now)


@dataclass(frozen=True, slots=True)
class PlayerCommand(Command, Generic[A]):
    """A command that only players give. Its `run` gets a request that has a player."""

    kind: Literal["opening", "binding"]
    arguments: type[A]
    run: Callable[[PlayerRequest[A], Queries, datetime], Decision]

    def decide(self, request: Request[Arguments], records: Queries, now: datetime) -> Decision:
        """What comes of a player's request. Raises NotOurPlayer for anybody else's."""
        player = request.actor.player
        if player is None:
            raise NotOurPlayer(board=request.arguments.board, command=self.name)
        arguments = arguments_of(self.arguments, request.arguments)
        return self.run(request.with_arguments(arguments).of_player(player), records, now)


@lru_cache(maxsize=1)
def commands() -> Mapping[str, Command]:
    """All commands by name, in alphabetical order."""
    modules = (
        importlib.import_module(f"pbmserv.commands.{found.name}")
        for found in pkgutil.iter_modules(pbmserv.commands.__path__)
        if not found.ispkg
    )
    declared = {value for module in modules for value in vars(module).values() if isinstance(value, Command)}
    return MappingProxyType({command.name: command for command in sorted(declared, key=lambda each: each.name)})
