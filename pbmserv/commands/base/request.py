"""What a command gets: the request, its arguments, and whom it is from."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, Literal, TypeVar

from pbmserv.commands.base.declaration import Confirmation, Declaration
from pbmserv.commands.base.server import Server
from pbmserv.matches.player import Player

A = TypeVar("A", covariant=True)
B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Secret:
    """A password as typed. It is never printed, and only `services.authenticate` looks inside."""

    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Credentials:
    """ "I am this userid, and here is my password.\""""

    userid: str
    password: Secret


Proof = Literal["none", "from", "dmarc", "shown", "link", "personal", "password", "confirmed", "operator"]
"""How it was proven who wrote: not at all; by the From address, where that is believed; by the mail system of its
domain; by an answer to a mail that proves the next move on the boards in it; by a play link, which proves moves on
the boards that its mail named; by an answer to the personal address of a mail that only they were sent; by
password; by a `yes`; by the operator. What each is good for: `permission`."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Whom a request is from, and how that was proven."""

    player: Player | None
    """None: nobody whom the server knows."""

    address: str | None
    """The From address."""

    proof: Proof

    shown: tuple[tuple[int, int], ...] = ()
    """The boards in the mail that this one answers, each with its ply. A proof by answer is good for these."""

    is_believed: bool = False
    """The From address is certainly the sender's, whoever that is."""

    @property
    def proven(self) -> bool:
        """Whether anything at all proves that the player wrote it."""
        return self.player is not None and self.proof != "none"


@dataclass(frozen=True, slots=True)
class RepliedTo:
    """The mail of ours that a request answers. Everything is empty where it answers none."""

    board: int | None = None
    """The board that the mail was about."""

    written_at: datetime | None = None
    """When the mail was written."""

    question: Confirmation | None = None
    """What a `yes` or `no` answers."""

    needs_word: bool = False
    """The mail asks something, but the answer must name it by a word, and does not."""


@dataclass(frozen=True, slots=True)
class Request(Generic[A]):
    """What one line of a mail asks for. It holds no password and no token."""

    line: str
    """The line as written, every secret blotted."""

    command: Declaration
    arguments: A
    actor: Actor

    password_hash: str | None = field(default=None, repr=False)
    """Made from the new password in the line."""

    comment: str = field(default="", repr=False)
    """The text below the commands."""

    replied_to: RepliedTo = field(default_factory=RepliedTo)

    server: Server = field(kw_only=True)
    """The server that gets the request."""

    def with_arguments(self, arguments: B) -> "Request[B]":
        """The same request with other arguments."""
        return Request(
            line=self.line,
            command=self.command,
            arguments=arguments,
            actor=self.actor,
            password_hash=self.password_hash,
            comment=self.comment,
            replied_to=self.replied_to,
            server=self.server,
        )

    def of_player(self, player: Player) -> "PlayerRequest[A]":
        """The same request, known to be from a player."""
        return PlayerRequest(
            line=self.line,
            command=self.command,
            arguments=self.arguments,
            actor=self.actor,
            password_hash=self.password_hash,
            comment=self.comment,
            replied_to=self.replied_to,
            server=self.server,
            player=player,
        )


@dataclass(frozen=True, slots=True)
class PlayerRequest(Request[A]):
    """A request from a player."""

    player: Player = field(kw_only=True)
    """Its `actor.player`."""

    def with_arguments(self, arguments: B) -> "PlayerRequest[B]":
        """The same request with other arguments."""
        return Request.with_arguments(self, arguments).of_player(self.player)


BLOT = "***"
