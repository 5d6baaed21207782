"""The values on a mail's way in: what was read, what was asked, and who asks."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.declaration import Declaration
from pbmserv.commands.server import Server
from pbmserv.matches.player import Player
from pbmserv.matches.refusals import Refused


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """A mail after reading; nothing in it can make later code fail.

    `sender` is the one address of the one From header, lower-cased; None when the headers do not name exactly
    one without doubt. `subject` is decoded and on one line. `text` is what the person wrote: decoded, without
    quoted text and signature, lines separated by newlines. Ids keep their angle brackets. `automatic` is a word
    for why the mail must be neither answered nor obeyed; None when a person wrote it. `content_key` is the same
    for two copies of one mail that came by different roads.

    `tokens` stand in the addresses of ours that it went to, `thread_words` in the Message-IDs of ours that it
    names: by them it says which of our mails it answers, lower-case, the likeliest first; anybody can make some
    up. `text` and `subject` hold none of them in an address or Message-ID of ours. `authenticated` tells that the
    sender's domain stands for the mail.

    Where there is no sender, `doubtful_senders` are all addresses that the From headers hold; none if they hold
    anything else with an `@`. They grant nothing by themselves.
    """

    sender: str | None
    subject: str
    text: str
    message_id: str | None
    references: tuple[str, ...] = field(repr=False)
    automatic: str | None
    content_key: str
    tokens: tuple[str, ...] = field(default=(), repr=False)
    thread_words: tuple[str, ...] = field(default=(), repr=False)
    authenticated: bool = False
    doubtful_senders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Secret:
    """A password as typed. It is never printed, and only `services.identify` looks inside."""

    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Claim:
    """ "I am this userid, and here is my password.\""""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class BoardRef:
    """A board, now or as it stood after a ply: `101`, `101#7`."""

    number: int
    ply: int | None = None


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the words of a line mean, in the vocabulary that all commands share; empty where nothing was said.

    `offer` is the number of an open offer; `ply` is the guard of a move (`c3#7`); `words` are a filter or the
    subject of a help page; `moves` a line of moves to be tried; `ahead` what is to be queued, and `text` what
    somebody says to others, as written.
    """

    game: str | None = None
    boards: tuple[BoardRef, ...] = ()
    offer: int | None = None
    userids: tuple[str, ...] = ()
    move: str = ""
    ply: int | None = None
    words: tuple[str, ...] = ()
    address: str = ""
    options: tuple[tuple[str, str], ...] = ()
    moves: tuple[str, ...] = ()
    ahead: str = field(default="", repr=False)
    text: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line that was understood. `line` is it as written, with every secret blotted.

    `token` is as typed, in whatever case. A word that may be a token or a new password is given as both.
    """

    line: str
    command: Declaration
    arguments: Arguments
    claim: Claim | None = None
    new_password: Secret | None = None
    token: Secret | None = None


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A line that was meant as a command and could not be read. `line` holds only words that are no secret."""

    line: str
    refused: Refused


Proof = Literal["none", "from", "dmarc", "shown", "personal", "password", "confirmed", "operator"]
"""How it was proven who wrote: not at all; by the From address, where that is believed; by the mail system of its
domain; by an answer to a mail that proves the next move on the boards in it; by an answer to the personal address
of a mail that only they were sent; by password; by a `yes`; by the operator. What each is good for:
`permission`."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Whom a request is from: a player (None: nobody we know), the From address, and how it was proven.

    `shown` are the boards in the mail that it answers, each with its ply: those that such a proof is good for.
    """

    player: Player | None
    address: str | None
    proof: Proof
    shown: tuple[tuple[int, int], ...] = ()

    @property
    def proven(self) -> bool:
        """Whether anything at all proves that the player wrote it."""
        return self.player is not None and self.proof != "none"


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed line with the one it comes from in place of secrets.

    `password_hash` is made from a new password. `is_believed` tells that the From address is its sender's beyond
    doubt, whoever that is. `comment` is what stands below the commands; `confirmation` the question that a `yes`
    or `no` answers, with what was asked. `seen_at` is when the mail was written that this one answers, if any, and
    `answered_board` its board. `lacks_word`: that mail asks something, and a word must name it. `server` is who is
    asked.
    """

    line: str
    command: Declaration
    arguments: Arguments
    actor: Actor
    password_hash: str | None = field(default=None, repr=False)
    is_believed: bool = False
    comment: str = field(default="", repr=False)
    confirmation: Confirmation | None = None
    seen_at: datetime | None = None
    answered_board: int | None = None
    lacks_word: bool = False
    server: Server | None = None
