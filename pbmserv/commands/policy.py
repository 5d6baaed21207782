"""Rate limits: how often a person can have the server do something, and what happens at the limit.

A limit counts under a name, for each sender, address or other subject, within a time window that ends now. Limits
with the same name and measure share their counts, such as 20 an hour and 100 a day. Counts are added when a mail
is decided (`services.limits`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.commands.changes import Change

HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
AT_A_TIME: Final = timedelta()
"""For limits on existing things, which are looked up and not counted over time."""

Cause = Literal["anybody", "without proof", "strangers", "newcomers", "invited", "players"]
"""Whose mails are limited. Mails without proof may be forged."""

CountTotal = Callable[[str, str, datetime], int]
"""Returns the total counted under a name for a subject since a time."""


class Counted(Change):
    """A count under a name. `of` is its subject: an address, a userid, or a player's id; empty for a global count.
    Counts with an `owner` can be released for that owner."""

    name: str
    of: str = ""
    amount: int = 1
    owner: str = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `most` things within `per`, for each subject."""

    cause: Cause
    what: str
    by: str
    most: int
    per: timedelta
    then: str
    """What happens at the limit."""

    @property
    def name(self) -> str:
        """The name its counts are stored under."""
        return f"{self.what} by {self.by}"

    def count(self, of: str = "", amount: int = 1, owner: str = "") -> Counted:
        """The count for one of these."""
        return Counted(self.name, of, amount, owner)

    def left(self, total: CountTotal, of: str, now: datetime) -> int:
        """How many more are allowed now."""
        return self.most - total(self.name, of, now - self.per)


_NOTICE: Final = "one notice, then silence; what gets no answer has no effect"
_SILENCE: Final = "silence"

ANSWERS_AN_HOUR: Final = Limit("without proof", "answers", "address", 20, HOUR, _NOTICE)
ANSWERS_A_DAY: Final = Limit("without proof", "answers", "address", 100, DAY, _NOTICE)
BYTES: Final = Limit("without proof", "bytes sent", "address", 60_000, HOUR, "text with one board")
FREE_BYTES: Final = Limit(
    "without proof", "bytes sent", "address", 30_000, HOUR, "20 for each byte that came in, then as for answers"
)
TIMES_RECEIVED: Final = 20
"""A small forged mail must not cause a large one of ours."""

NOT_THEIRS: Final = Limit("without proof", "warnings of a doubtful sender", "address", 3, HOUR, _SILENCE)
QUESTIONS_AN_HOUR: Final = Limit("anybody", "questions", "address", 3, HOUR, "the question is not mailed")
QUESTIONS_A_DAY: Final = Limit("anybody", "questions", "address", 6, DAY, "the question is not mailed")
UNPROVEN_QUESTIONS: Final = Limit("without proof", "questions", "all", 150, DAY, "the question is not mailed")
ALL_QUESTIONS: Final = Limit("anybody", "questions", "all", 200, DAY, "the question is not mailed")
"""Anybody with an account can make us write to any address, but not to all of them."""

OWN_ADDRESS: Final = Limit(
    "without proof", "questions whether an address is theirs", "address", 1, 7 * DAY, _SILENCE
)
"""Somebody who has one mail of a player's must not be able to make us ask them endlessly."""

# What is counted but not limited by itself.
NOTICE: Final = "notices of a limit by address"
BYTES_RECEIVED: Final = "bytes received by address"
INVITATION: Final = "invitations by address"
INVITATION_LASTS: Final = 14 * DAY

_LOCKED: Final = "no password works there, right or wrong"
WRONG_FOR_USERID: Final = Limit("anybody", "wrong passwords", "username", 10, HOUR, _LOCKED)
WRONG_FROM_HOME: Final = Limit(
    "anybody", "wrong passwords", "username and its own address", 10, HOUR, f"{_LOCKED}, unless `dmarc=pass`"
)
WRONG_FROM_SENDER: Final = Limit(
    "anybody", "wrong passwords", "sender", 20, HOUR, "no password but the sender's own works there"
)
WRONG_IN_ALL: Final = Limit(
    "anybody", "wrong passwords", "all", 200, HOUR, "passwords work from own addresses only"
)
"""From addresses are easily forged, so guesses may come from many; each costs as much as ten mails."""

STRANGER_A_DAY: Final = Limit("strangers", "answers", "address", 20, DAY, _NOTICE)
STRANGERS_A_DAY: Final = Limit(
    "strangers", "answers to strangers", "all", 200, DAY, "silence; a sign-up is answered"
)
PROVIDERS: Final = frozenset(
    {"gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com"}
    | {"icloud.com", "me.com", "proton.me", "protonmail.com", "fastmail.com", "gmx.de", "gmx.net", "web.de"}
    | {"t-online.de", "orange.fr", "free.fr", "laposte.net", "libero.it", "yahoo.co.uk", "btinternet.com"}
    | {"wp.pl", "seznam.cz", "yandex.ru", "mail.ru", "qq.com", "163.com", "yahoo.co.jp", "naver.com", "uol.com.br"}
)
"""Mail providers whose users do not know each other."""

LETTERS: Final = Limit("strangers", "letters to strangers", "mailbox, whatever its tag", 3, DAY, _SILENCE)
LETTERS_A_DOMAIN: Final = Limit("strangers", "letters to strangers", "mail domain", 5, DAY, _SILENCE)
LETTERS_A_PROVIDER: Final = Limit("strangers", "letters to strangers", "large mail provider", 25, DAY, _SILENCE)

_NO_ROOM: Final = "a sentence that there is no room"
SIGN_UPS: Final = Limit("newcomers", "sign-ups", "all", 200, DAY, _NO_ROOM)
SIGN_UPS_A_DOMAIN: Final = Limit("newcomers", "sign-ups", "mail domain", 10, DAY, _NO_ROOM)
SIGN_UPS_A_PROVIDER: Final = Limit("newcomers", "sign-ups", "large mail provider", 60, DAY, _NO_ROOM)
SIGN_UPS_A_HOST: Final = Limit("newcomers", "sign-ups", "host", 40, DAY, _NO_ROOM)
INVITED: Final = Limit("invited", "sign-ups", "address", 5, DAY, "as if not invited")
NO_ROOM: Final = Limit("newcomers", "sentences that there is no room", "address", 1, DAY, _SILENCE)
NO_ROOM_IN_ALL: Final = Limit("newcomers", "sentences that there is no room", "all", 100, DAY, _SILENCE)

_PAGE_FULL: Final = "the page says that too many are joining"
PAGE_A_DAY: Final = Limit("newcomers", "sign-ups on the page", "all", 26, DAY, "one an hour")
PAGE_AN_HOUR: Final = Limit("newcomers", "sign-ups on the page", "all", 1, HOUR, f"after 26 a day: {_PAGE_FULL}")
"""So that a crowd in one hour cannot use up the whole day's 50."""
PAGE_A_HOST: Final = Limit("newcomers", "sign-ups on the page", "host", 5, HOUR, _PAGE_FULL)
PAGE_AN_ADDRESS: Final = Limit("newcomers", "sign-ups on the page", "address", 1, DAY, "no further mail")

SHOWN: Final = Limit("players", "answers to commands that change nothing", "address", 60, HOUR, _NOTICE)
"""A program may answer a personal address with words that parse as commands."""

WORDS: Final = Limit("players", "answers to words without a command", "address", 30, HOUR, _NOTICE)
UNCONFIRMED_WORDS: Final = Limit(
    "newcomers", "answers to words without a command", "address", 3, DAY, "silence until the address confirms"
)
TOPIC: Final = Limit("players", "answers on a topic", "address and board", 2, HOUR, "silence; the second is short")
SAME_WORDS: Final = Limit("players", "the same words but for digits", "address", 1, DAY, "silence until a command")
QUICK: Final = Limit(
    "players", "words in a row within 10 seconds of our mail", "address", 3, 2 * DAY, "silence until a command"
)
"""No person sends three mails in a row this quickly; an unmarked ticket system does."""

_REFUSED: Final = "refused, with the reason"
MESSAGES_AN_HOUR: Final = Limit("players", "messages", "player", 20, HOUR, _REFUSED)
MESSAGES_A_DAY: Final = Limit("players", "messages", "player", 60, DAY, _REFUSED)
"""Each counts once for every recipient."""
FROM_STRANGERS: Final = Limit(
    "players", "messages from players they never played with", "recipient", 5, DAY, _REFUSED
)
BROADCASTS: Final = Limit("players", "broadcasts", "player", 1, DAY, _REFUSED)
VACATIONS: Final = Limit("players", "vacations told to others", "player", 3, DAY, "told with their boards alone")
CHATS: Final = Limit(
    "players", "mails that send a board around", "board", 40, HOUR, "chat is refused; moves go on"
)
"""Moves alternate, but talk has no natural end."""

GAMES: Final = Limit("players", "games in play", "who started them", 100, AT_A_TIME, _REFUSED)
UNPROVEN_GAMES: Final = Limit(
    "without proof", "games started", "who started them", 10, DAY, "refused, with a line that gives proof"
)
UNBEGUN: Final = Limit("players", "games that wait for a first move", "two players", 10, AT_A_TIME, _REFUSED)
UNPROVEN_UNBEGUN: Final = Limit(
    "without proof",
    "games that wait for a first move",
    "two players",
    3,
    AT_A_TIME,
    "refused, with a line that gives proof",
)
BOUNCES: Final = Limit("anybody", "mails of ours that come back", "address", 3, 7 * DAY, "mail there is held back")

POLICY: Final = (
    *(ANSWERS_AN_HOUR, ANSWERS_A_DAY, BYTES, FREE_BYTES, NOT_THEIRS, OWN_ADDRESS),
    *(UNPROVEN_QUESTIONS, UNPROVEN_GAMES, UNPROVEN_UNBEGUN),
    *(STRANGER_A_DAY, STRANGERS_A_DAY, LETTERS, LETTERS_A_DOMAIN, LETTERS_A_PROVIDER),
    *(SIGN_UPS, SIGN_UPS_A_DOMAIN, SIGN_UPS_A_PROVIDER, SIGN_UPS_A_HOST, INVITED, NO_ROOM, NO_ROOM_IN_ALL),
    *(PAGE_A_DAY, PAGE_AN_HOUR, PAGE_A_HOST, PAGE_AN_ADDRESS, UNCONFIRMED_WORDS),
    *(SHOWN, WORDS, TOPIC, SAME_WORDS, QUICK),
    *(MESSAGES_AN_HOUR, MESSAGES_A_DAY, FROM_STRANGERS, BROADCASTS, VACATIONS, CHATS, GAMES, UNBEGUN),
    *(QUESTIONS_AN_HOUR, QUESTIONS_A_DAY, ALL_QUESTIONS),
    *(WRONG_FOR_USERID, WRONG_FROM_HOME, WRONG_FROM_SENDER, WRONG_IN_ALL, BOUNCES),
)
"""Every limit, in the order in which docs/playing.md shows them."""


def kept_for() -> Mapping[str, timedelta]:
    """How long the counts of each name are stored, with a margin for mails that wait to be handled."""
    spans = {NOTICE: DAY, BYTES_RECEIVED: HOUR, INVITATION: INVITATION_LASTS}
    for limit in POLICY:
        spans[limit.name] = max(spans.get(limit.name, HOUR), limit.per)
    return {name: max(2 * span, DAY) for name, span in spans.items()}


def mailbox_of(address: str) -> str:
    """The address without its tag, since all tags reach the same person.

    >>> mailbox_of("ann+games@club.example"), mailbox_of("ann@club.example")
    ('ann@club.example', 'ann@club.example')
    """
    local, _, domain = address.lower().rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def domain_of(address: str) -> str:
    """The registered domain of an address, since its owner can have any number of subdomains.

    >>> domain_of("eve@mail.evil.example"), domain_of("eve@a.b.club.co.uk"), domain_of("eve@GMAIL.com")
    ('evil.example', 'club.co.uk', 'gmail.com')
    """
    labels = address.lower().rpartition("@")[2].split(".")
    has_short_second = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3 if has_short_second else -2 :])
