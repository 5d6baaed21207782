"""Who a mail is from: what its From address, its tokens and its thread show, and the errors of credentials."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.command import Confirmation, Proof
from pbmserv.commands.server import Server
from pbmserv.mail.sending.from_web import is_of_link, is_web_sign_up, link_id_of
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.parser.parsed import IncomingMail
from pbmserv.store import confirmations, mail_tokens, players
from pbmserv.store.mail_tokens import AnsweredMail


class WrongPassword(CommandError, about_identity=True):
    """The password is wrong, or there is no such userid: the answer is the same for both."""

    userid: str


class NoPasswordsNow(CommandError, about_identity=True):
    """After too many wrong passwords for `userid`, or from the sender, even a right one is refused for a while."""

    userid: str


class TooManyPasswords(CommandError, about_identity=True):
    """The mail gives more than `limit` passwords, or sets more than `limit` new ones."""

    limit: int


class BadPassword(CommandError):
    """The new password is too short, too long, or the placeholder in our examples."""

    least: int
    most: int


WORDS_LAST: Final = timedelta(days=90)
"""How long an answer to a mail of ours proves who wrote it."""


@dataclass(frozen=True, slots=True)
class SenderIdentity:
    """Who a mail is from."""

    # The server that it was sent to.
    server: Server
    # The player whom the From address belongs to.
    player: Player | None = None
    # What proves that, besides passwords.
    proof: Proof = "none"
    answered: AnsweredMail | None = None
    confirmation: Confirmation | None = None
    # Whether the From address is certainly the sender's.
    is_believed: bool = False
    # Without tagged addresses: the question of the mail that it answers. The answer must name its word too.
    named: Confirmation | None = None
    # The From address, where it is nobody's and only a word in ours says who the player may be.
    elsewhere: str | None = None

    @property
    def board(self) -> int | None:
        """The board of the mail that is answered."""
        return self.answered.match if self.answered else None


def identify_sender(connection: Connection, mail: IncomingMail, server: Server, now: datetime) -> SenderIdentity:
    """Who the mail is from; `now` decides which questions are still open."""
    if mail.sender is None or mail.automatic is not None:
        return SenderIdentity(server)
    player = players.find_at(connection, mail.sender)
    answered = (
        mail_tokens.find_answered_mail(connection, player.id, mail.tokens, mail.thread_words) if player else None
    )
    # Beside a token an oddly written From says who the token is of; by itself it is not believed anywhere.
    is_believed = mail.authenticated or (server.confirm == "from" and not mail.doubtful_senders)
    # On a page anybody can type any address.
    is_believed = is_believed and not is_web_sign_up(mail.message_id)
    proof: Proof = "none"
    if player is not None:
        proof = proof_of_head(mail) if is_believed else _proof_of_answer(mail, answered, server, now)
    confirmation = open_question(connection, mail.tokens, mail.sender, player, now)
    named = None
    if confirmation is None and not server.delimiter:
        asked = confirmations.find_threaded(connection, mail.thread_words, now)
        named = asked if asked is not None and asked.address == mail.sender else None
        # A welcome only asks whether mail to the new address is read, and its Message-ID shows that.
        confirmation = named if named is not None and named.kind == "sign-up" else None
    if player is None and confirmation is None and mail.tokens:
        owner = players.addressed_by(connection, mail.tokens)
        if owner is not None and owner.is_confirmed:
            answered = mail_tokens.find_answered_mail(connection, owner.id, mail.tokens, ())
        if _is_personal(answered, now):
            return SenderIdentity(server, owner, answered=answered, elsewhere=mail.sender)
    return SenderIdentity(server, player, proof, answered, confirmation, is_believed, named)


def _proof_of_answer(mail: IncomingMail, answered: AnsweredMail | None, server: Server, now: datetime) -> Proof:
    """What an answer to one of our mails proves about who wrote it.

    The address of a mail of 0.5.0 proves only a move: its token went to others too, in Message-IDs. Without tagged
    addresses the Message-ID proves as much, since nothing else marks an answer.
    """
    if answered is None or not _is_in_force(answered, now):
        return "none"
    if came_from_page(mail, answered):
        return "link"
    if _is_personal(answered, now):
        return "personal"
    return "shown" if answered.shown and (answered.by_address or not server.delimiter) else "none"


def _is_in_force(answered: AnsweredMail, now: datetime) -> bool:
    return not answered.is_revoked and answered.written > now - WORDS_LAST


def _is_personal(answered: AnsweredMail | None, now: datetime) -> bool:
    """Whether only the reader of a mail of ours knows the address that the answer went to."""
    return answered is not None and answered.by_address and not answered.is_old and _is_in_force(answered, now)


def came_from_page(mail: IncomingMail, answered: AnsweredMail | None) -> bool:
    """Whether a page wrote a mail, for somebody who had a play link of the mail that it answers."""
    if answered is None or answered.key_digest is None or mail.message_id is None:
        return False
    return is_of_link(mail.message_id, link_id_of(answered.key_digest, answered.message_id))


def proof_of_head(mail: IncomingMail) -> Proof:
    """The proof that a believed From address is."""
    return "dmarc" if mail.authenticated else "from"


def open_question(
    connection: Connection, tokens: Sequence[str], sender: str | None, player: Player | None, now: datetime
) -> Confirmation | None:
    """The question that one of these tokens belongs to, if the sender may answer it.

    A question about an address is answered from that address. Any other may be answered from every address of its
    player, as long as the player's mail still goes where the question went.
    """
    found = confirmations.find(connection, tokens, now) if tokens and sender else None
    if found is None:
        return None
    if found.kind in ("commands", "password", "own address"):
        is_theirs = player is not None and player.userid == found.userid and player.address == found.address
        return found if is_theirs else None
    return found if sender == found.address else None


def asked_address(connection: Connection, mail: IncomingMail, now: datetime) -> str | None:
    """The address that an open question went to which may be answered from this other address, too; None without.

    A first mail may be answered from anywhere: mail to that address is read there. And the question whether an
    address is a player's may be answered from that address.
    """
    asked = confirmations.find(connection, mail.tokens, now) if mail.sender and mail.automatic is None else None
    if asked is None or asked.address == mail.sender:
        return None
    is_about_sender = asked.kind == "own address" and asked.lines[0] == mail.sender
    return asked.address if asked.kind == "sign-up" or is_about_sender else None


def sender_beside_token(connection: Connection, mail: IncomingMail, now: datetime) -> str | None:
    """The address that a mail with a doubtful From is from; None if that cannot be decided.

    Some programs write a From that is not one clean address: `alice@x <alice@x>`, `Example, Alice <a@x>`. By
    itself that says nothing. It counts if all its addresses belong to the player who owns a token in the mail, or
    if it is the one address that an open question was mailed to. This does not decide what is proven.
    """
    named = mail.doubtful_senders
    if not named or not mail.tokens or mail.automatic is not None:
        return None
    owners = {player.id if (player := players.find_at(connection, address)) else None for address in named}
    (owner,) = owners if len(owners) == 1 else (None,)
    if owner is not None and mail_tokens.find_answered_mail(connection, owner, mail.tokens, ()) is not None:
        return named[0]
    asked = confirmations.find(connection, mail.tokens, now)
    return asked.address if asked is not None and named == (asked.address,) else None
