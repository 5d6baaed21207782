"""`pbmserv admin inbox`, `outbox` and `trace`: what came in, what became of it, what went out, what came back."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from sqlalchemy import Connection

from pbmserv.commands.server import Server
from pbmserv.rendering.document import Prose
from pbmserv.rendering.markup import document_of
from pbmserv.rendering.templates import render, say
from pbmserv.services.app import App
from pbmserv.store import mail_history, matches, players
from pbmserv.store.codec import UnknownValue, decode
from pbmserv.store.engine import reading
from pbmserv.store.mail_history import MailFilter, MailTrace, ReceivedMail, TraceKind
from pbmserv.store.outbox import QueuedMessage

Step = Literal["in", "entry", "effect", "out", "sent", "bounced"]
"""What happened, in the order in which it does at one moment: a mail was taken in, a board's log got an entry, the
mail was handled, a mail was queued, handed over, and came back."""

_ORDER: Final[tuple[Step, ...]] = ("in", "entry", "effect", "out", "sent", "bounced")

_LONGEST: Final = 300
_WHOLE_SENTENCES: Final = re.compile(r".*[.!?](?=\s|$)", re.DOTALL)


class CannotTrace(Exception):
    """There is no such thing, or it may be several; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One step on the road of a mail."""

    at: datetime
    step: Step
    mail: int | None = None
    out: int | None = None
    board: int | None = None
    address: str = ""
    """Whom it is from or goes to."""
    status: str = ""
    tries: int = 0
    queue: str = ""
    """What the relay called it."""
    told: str = ""
    """What became of it, what was done, or what a server said."""


def list_received(app: App, wanted: MailFilter, count: int) -> Sequence[ReceivedMail]:
    """The newest received mails that pass a filter."""
    with reading(app.engine) as connection:
        found = mail_history.inbox_listing(connection, wanted, count)
    return [replace(each, outcome=outcome_text(app.server, each.outcome)) for each in found]


def list_outgoing(app: App, wanted: MailFilter, count: int) -> Sequence[QueuedMessage]:
    """The newest outgoing mails that pass a filter."""
    with reading(app.engine) as connection:
        return mail_history.outbox_listing(connection, wanted, count)


def trace(app: App, what: str, since: datetime | None = None) -> Sequence[TraceEvent]:
    """All that is known of a mail, board or player, in order of time. Raises CannotTrace.

    `what` is a pair as the log writes it (`mail=17`, `out=40`, `board=101`, `player=alice`, `queue=4F1A`), or a
    bare number, username, address or Message-ID.
    """
    with reading(app.engine) as connection:
        kind, key = _subject(connection, what.strip())
        found = mail_history.trace(connection, kind, key, since)
    return sorted(_events(app, found), key=lambda event: (event.at, _ORDER.index(event.step)))


def since_when(text: str, now: datetime) -> datetime:
    """A moment as operators write it: a date, a date and a time, or how long ago. UTC. Raises ValueError.

    >>> now = datetime(2026, 11, 23, 12, tzinfo=UTC)
    >>> [since_when(each, now).isoformat() for each in ("2h", "3d", "2026-11-20", "2026-11-20T08:30")]
    ... # doctest: +NORMALIZE_WHITESPACE
    ['2026-11-23T10:00:00+00:00', '2026-11-20T12:00:00+00:00', '2026-11-20T00:00:00+00:00',
     '2026-11-20T08:30:00+00:00']
    """
    ago = re.fullmatch(r"([0-9]{1,5})([mhdw])", text.strip())
    if ago is not None:
        unit = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}[ago[2]]
        try:
            return now - timedelta(**{unit: int(ago[1])})
        except OverflowError:
            raise ValueError(text) from None
    moment = datetime.fromisoformat(text.strip())
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _subject(connection: Connection, what: str) -> tuple[TraceKind, int | str]:
    name, is_pair, value = what.partition("=")
    if what.startswith("<"):
        return "message_id", what
    if not is_pair:
        return _guess(connection, what)
    match name:
        case "mail" | "out" | "board" if value.isascii() and value.isdigit():
            return name, int(value)
        case "mail" | "out" | "board":
            raise CannotTrace(f"{name}= wants a number, as in {name}=101")
        case "queue":
            return "queue", value
        case "player" if value.isascii() and value.isdigit():
            return "player", int(value)
        case "player":
            return _player(connection, value)
        case "from" | "to":
            return "address", value.lower()
    raise CannotTrace(f"{name}= cannot be traced; use mail=, out=, board=, player=, from=, to= or queue=")


def _guess(connection: Connection, what: str) -> tuple[TraceKind, int | str]:
    if "@" in what:
        owner = players.owner_of(connection, what.lower())
        return ("address", what.lower()) if owner is None else ("player", owner.id)
    if not (what.isascii() and what.isdigit()):
        return _player(connection, what)
    number = int(what)
    is_board = matches.game_of(connection, number) is not None
    if mail_history.is_mail(connection, number):
        if is_board:
            raise CannotTrace(f"{number} is a mail and a board: write mail={number} or board={number}")
        return "mail", number
    if not is_board:
        raise CannotTrace(f"there is no mail and no board {number}; an outgoing mail is out={number}")
    return "board", number


def _player(connection: Connection, userid: str) -> tuple[TraceKind, int]:
    player = players.find(connection, userid)
    if player is None:
        raise CannotTrace(f"nobody is called {userid}; `pbmserv admin players` lists everybody")
    return "player", player.id


def _events(app: App, found: MailTrace) -> Iterator[TraceEvent]:
    for mail in found.received:
        yield from _of_received(app, mail)
    for entry in found.entries:
        seat = "" if entry.seat is None else f" (seat {entry.seat + 1})"
        told = f"{entry.kind} {entry.text}".strip() + seat
        yield TraceEvent(entry.at, "entry", mail=entry.mail, board=entry.board, told=told)
    for letter in found.unwritten:
        yield TraceEvent(
            letter.at,
            "out",
            mail=letter.mail,
            board=letter.board,
            address=letter.recipient,
            status="set aside" if letter.is_set_aside else "unwritten",
            tries=letter.tries,
            told=": ".join(filter(None, (letter.kind, letter.error))),
        )
    for sent in found.sent:
        yield from _of_sent(sent)
    for bounce in found.bounces:
        yield TraceEvent(
            bounce.at,
            "bounced",
            mail=bounce.inbox_id,
            out=bounce.outbox_id,
            address=bounce.address,
            status="hard" if bounce.is_hard else "soft",
            told=bounce.reason,
        )


def _of_received(app: App, mail: ReceivedMail) -> Iterator[TraceEvent]:
    message = mail.message
    host = f" from {message.host}" if message.host else ""
    told = f"{message.full_size or message.size} bytes{host}"
    yield TraceEvent(message.received_at, "in", mail=message.id, address=message.sender, told=told)
    yield TraceEvent(
        mail.handled_at or message.received_at,
        "effect",
        mail=message.id,
        status=message.status,
        tries=message.tries + message.kills + message.setbacks,
        told=outcome_text(app.server, mail.outcome or "") or (message.error or "").rpartition("\n")[2],
    )


def _of_sent(mail: QueuedMessage) -> Iterator[TraceEvent]:
    queued = TraceEvent(
        mail.created_at,
        "out",
        mail=mail.inbox_id,
        out=mail.id,
        board=mail.match,
        address=mail.recipient,
        told=mail.kind,
    )
    if mail.sent_at is None:
        told = ": ".join(filter(None, (mail.kind, mail.error)))
        yield replace(queued, status=mail.status, tries=mail.tries, told=told)
        return
    yield replace(queued, status="queued")
    sent = replace(queued, at=mail.sent_at, step="sent", status=mail.status, tries=mail.tries, told="")
    yield replace(sent, queue=mail.queue_id or "")


def outcome_text(server: Server, kept: str) -> str:
    """The sentences about what became of a mail, as its row keeps it."""
    if not kept.startswith("{"):
        return kept  # by 0.14.0 and earlier it was kept in sentences
    try:
        outcome = decode(kept)
    except UnknownValue:
        return ""
    lines = [
        {"fate": each.fate, "text": "" if each.said is None else _first_paragraph(say(each.said, server))}
        for each in outcome.lines
    ]
    text = render("mail/outcome.txt", fate=outcome.fate, why=outcome.why_automatic, lines=lines, more=outcome.more)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def _first_paragraph(text: str) -> str:
    """Without lines to be sent below it, and without what leads over to them."""
    said = next((block.text for block in document_of(text).blocks if isinstance(block, Prose)), "")
    whole = _WHOLE_SENTENCES.match(said)
    return (whole[0] if whole else said)[:_LONGEST]
