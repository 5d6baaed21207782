"""What the parser takes and gives: a mail, its lines, what each line asks for, or what is wrong with it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from pbmserv.commands.command import BLOT, Arguments, Command, Credentials, Secret
from pbmserv.commands.echo import echo_word
from pbmserv.commands.lookup import UnknownGame
from pbmserv.commands.vocabulary import is_address, is_userid
from pbmserv.matches.errors import CommandError


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

    `unwelcome` is a sign that the From address may be somebody else's ("marked", "forged", "not its domain",
    "not its envelope", "not to us"): an unknown sender gets no letter then. None where there is no such sign.
    `unread` is `cut` where the mail has more text than is read, or the form that a mail without text came in, if
    that is one which cannot be read: `pgp`, `encrypted`, `pkcs7-mime`, `ms-tnef`, `rtf`.
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
    unwelcome: str | None = None
    unread: str = ""

    @property
    def possible_senders(self) -> tuple[str, ...]:
        """Every address that it may be from: where its From is in doubt, all that it names."""
        return self.doubtful_senders if self.sender is None else (self.sender, *self.doubtful_senders)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A line that was understood. `line` is it as written, with every secret blotted.

    `token` is as typed, in whatever case. A word that may be a token or a new password is given as both.
    """

    line: str
    command: Command
    arguments: Arguments
    claim: Credentials | None = None
    new_password: Secret | None = None
    token: Secret | None = None


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A line that was meant as a command and could not be read. `line` holds only words that are no secret."""

    line: str
    error: CommandError


MOST_COMMENT_CHARACTERS = 4000


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """What a mail asks for, in order; `comment` is for the other players, with every secret of the mail blotted.

    `claim` is the one of a line `as userid password`; it holds for the whole mail. `secrets` are the passwords
    themselves, to be blotted from whatever is kept of the mail. `board` is the one whose mail is answered; where
    that answer holds no command, `near` is the only move that it names in passing, or empty. `writer` is whose
    words such an answer answers, as its Subject says. `forwarded` mails hold nothing that is meant for us.
    `wants_account`: a sentence says so, and the sign-up in `lines`, if any, has its name from there.
    """

    lines: tuple[Parsed | Unparsed, ...] = ()
    comment: str = ""
    claim: Credentials | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)
    board: int | None = None
    near: str = ""
    writer: str = ""
    forwarded: bool = False
    wants_account: bool = False


_MOST_NAMED: Final = 200


def named_userids(lines: Iterable[Parsed | Unparsed]) -> frozenset[str]:
    """Words in lower case that stand in a userid's place, and may be one."""
    parsed = [line for line in lines if isinstance(line, Parsed)]
    claimed = [line.claim.userid for line in parsed if line.claim]
    named = (*(userid for line in parsed for userid in line.arguments.userids), *claimed)
    return frozenset([userid.lower() for userid in named if is_userid(userid)][:_MOST_NAMED])


def echo(line: Parsed | Unparsed, known: frozenset[str]) -> str:
    """The line as it may be told again; `known` are userids, in lower case, that somebody has."""
    if isinstance(line, Unparsed):
        return BLOT if isinstance(line.error, UnknownGame) and line.line.endswith("...") else line.line
    said = line.arguments
    # A name that is only wanted stands where names do; the name before a password may be a password itself.
    own = said.userids[:1] if line.new_password else ()
    address = (said.address,) if is_address(said.address) else ()
    allowed = known | {each.lower() for each in (*own, *address)}
    return " ".join(echo_word(word, allowed) for word in line.line.split(" "))


class TooMuchAtOnce(CommandError):
    """The mail holds more words on command lines, or above its first command, than are read. Nothing was run."""


class UnknownCommand(CommandError):
    """`word` is no command; `suggestions` are whole lines, or command names, that were perhaps meant."""

    word: str
    suggestions: tuple[str, ...]


class NotPlainlySaid(CommandError):
    """A line may mean to give something up, but is not that command and nothing else; `ready` would be."""

    ready: str


class WhichOne(CommandError):
    """The mail says different things where one can be meant only: `choices`, secrets blotted. Nothing was run.

    `left_out` counts the moves that are no choices, since they are not possible now.
    """

    choices: tuple[str, ...]
    left_out: int = 0
