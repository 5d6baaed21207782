"""A kept mail, read and understood: what every later step of handling starts from."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.language import Reading
from pbmserv.commands.message import IncomingMail, Parsed
from pbmserv.mail.our_words import OurWords, our_words
from pbmserv.mail.read import read
from pbmserv.services.house import House
from pbmserv.services.own_words import own_words
from pbmserv.services.standing import Standing, open_question, sender_beside_token, stand
from pbmserv.store import answered_mails
from pbmserv.store.inbox import Kept

_HEAD: Final = 32_768
"""Bytes of a mail of ours that are looked at: its text, and the same in HTML."""

_MOST_ANSWERED: Final = 5
"""So many of the mails that a mail says it answers are looked at, the likeliest first."""

_FEWEST: Final = 12
"""A shorter text holds no words of ours."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A kept mail that was read. `standing` is who it is from, `understood` its lines.

    `left_out` are words below them that go to nobody, since they may not be the sender's; `named` is the open
    question that a word in the lines names.
    """

    kept: Kept
    mail: IncomingMail
    standing: Standing
    understood: Reading
    left_out: tuple[str, ...] = ()
    named: Confirmation | None = None

    @property
    def asked(self) -> Reading:
        """The lines that may be carried out: none, when no person wrote it."""
        return self.understood if self.mail.automatic is None else Reading()


def read_kept(house: House, kept: Kept) -> IncomingMail:
    """Reads a kept mail's bytes."""
    server = house.server
    return read(
        kept.raw, kept.envelope_sender, server.address, server.delimiter, kept.recipients, server.authserv_id
    )


def open_mail(connection: Connection, house: House, kept: Kept) -> Opened:
    """Reads a mail and understands its lines. Of one that was too large to be kept whole nothing is understood."""
    mail = read_kept(house, kept)
    if mail.sender is None:
        mail = replace(mail, sender=sender_beside_token(connection, mail, kept.kept_at))
    standing = stand(connection, mail, house.server, kept.kept_at)
    if kept.full_size is not None:
        return Opened(kept, mail, standing, Reading())
    player = standing.player
    addresses = frozenset(each for each in (mail.sender, player.address if player else None) if each)
    ours = _ours(connection, mail, standing)
    own = own_words(mail, ours, standing.board, house.server.address, addresses)
    named = _named(connection, mail, standing, own.reading, kept.kept_at)
    return Opened(kept, own.mail, standing, own.reading, own.left_out, named)


def _ours(connection: Connection, mail: IncomingMail, standing: Standing) -> OurWords:
    """What the mails of ours say that a mail answers."""
    if (standing.answered is None and standing.confirmation is None) or len(mail.text) < _FEWEST:
        return OurWords()
    tokens, words = mail.tokens[:_MOST_ANSWERED], mail.thread_words[:_MOST_ANSWERED]
    return our_words(answered_mails.beginnings_of(connection, tokens, words, _HEAD))


def stand_anew(connection: Connection, house: House, opened: Opened) -> Opened:
    """The same mail with its sender as the database knows them now."""
    mail, now = opened.mail, opened.kept.kept_at
    standing = stand(connection, mail, house.server, now)
    return replace(opened, standing=standing, named=_named(connection, mail, standing, opened.understood, now))


def _named(
    connection: Connection, mail: IncomingMail, standing: Standing, reading: Reading, now: datetime
) -> Confirmation | None:
    tokens = [line.token.value for line in reading.lines if isinstance(line, Parsed) and line.token]
    return open_question(connection, tokens, mail.sender, standing.player, now) if tokens else None
