"""Who a mail is from as far as its head tells, and which of our mails it answers; found before a line is read.

What a mail proves: an answer to the personal address of a mail that only a player was sent, from an address of
theirs, is theirs; so is one whose domain vouches for it (DMARC), and in closed clubs any. How far each goes is
told in `commands.permission`. Words are looked up by their digest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.message import IncomingMail, Proof
from pbmserv.commands.server import Server
from pbmserv.matches.player import Player
from pbmserv.store import answered_mails, confirmations, players
from pbmserv.store.answered_mails import Answered

WORDS_LAST: Final = timedelta(days=90)
"""So long after a mail was written an answer to it proves anything."""


@dataclass(frozen=True, slots=True)
class Standing:
    """`player` is the one whom the From address belongs to, and `proof` what proves it besides passwords.

    `answered` is the mail to that player that it answers; `confirmation` the open question that it answers, from
    where it was mailed to. `is_believed`: the From address is the sender's, whoever that is. `server` is where it
    came to. `named` is the question of the mail that is answered where addresses have no tags: more than its
    Message-ID must name it.
    """

    player: Player | None = None
    proof: Proof = "none"
    answered: Answered | None = None
    confirmation: Confirmation | None = None
    is_believed: bool = False
    server: Server | None = None
    named: Confirmation | None = None

    @property
    def board(self) -> int | None:
        """The board of the mail that is answered."""
        return self.answered.match if self.answered else None


def stand(connection: Connection, mail: IncomingMail, server: Server, now: datetime) -> Standing:
    """Who the mail is from; `now` decides which questions are still open."""
    if mail.sender is None or mail.automatic is not None:
        return Standing(server=server)
    player = players.find_at(connection, mail.sender)
    answered = (
        answered_mails.find_answered(connection, player.id, mail.tokens, mail.thread_words) if player else None
    )
    # Beside a token an oddly written From says who the token is of; by itself it is not believed anywhere.
    is_believed = mail.authenticated or (server.confirm == "from" and not mail.doubtful_senders)
    proof: Proof = "none"
    if player is not None:
        proof = proof_of_head(mail) if is_believed else _proof_of_answer(answered, server, now)
    confirmation = open_question(connection, mail.tokens, mail.sender, player, now)
    named = None
    if confirmation is None and not server.delimiter:
        asked = confirmations.find_threaded(connection, mail.thread_words, now)
        named = asked if asked is not None and asked.address == mail.sender else None
        # Whoever knows its Message-ID reads at the new address, which is all that a welcome asks.
        confirmation = named if named is not None and named.kind == "sign-up" else None
    return Standing(player, proof, answered, confirmation, is_believed, server, named)


def _proof_of_answer(answered: Answered | None, server: Server, now: datetime) -> Proof:
    """What an answer to one of our mails proves about who wrote it.

    The address that a mail of 0.5.0 came from proves a move and no more: its word went to others in Message-IDs.
    Where our addresses have no tags the Message-ID does so, since there is nothing else to tell an answer by.
    """
    if answered is None or answered.is_revoked or answered.written <= now - WORDS_LAST:
        return "none"
    if answered.by_address and not answered.is_old:
        return "personal"
    return "shown" if answered.shown and (answered.by_address or not server.delimiter) else "none"


def proof_of_head(mail: IncomingMail) -> Proof:
    """What proves a player whose From address is believed."""
    return "dmarc" if mail.authenticated else "from"


def open_question(
    connection: Connection, tokens: Sequence[str], sender: str | None, player: Player | None, now: datetime
) -> Confirmation | None:
    """The question that one of these tokens belongs to, if whoever writes from there may answer it.

    A question about an address is answered from it; any other from whatever address of the player it is about, as
    long as that player's mail still goes where it was asked.
    """
    found = confirmations.find(connection, tokens, now) if tokens and sender else None
    if found is None:
        return None
    if found.kind in ("commands", "password"):
        is_theirs = player is not None and player.userid == found.userid and player.address == found.address
        return found if is_theirs else None
    return found if sender == found.address else None


def sender_beside_token(connection: Connection, mail: IncomingMail, now: datetime) -> str | None:
    """The address that a mail is from whose From is doubtful; None where that cannot be told.

    Programs write From in many ways that are no one clean address: `alice@x <alice@x>`, `Example, Alice <a@x>`.
    By itself such a From is nobody's. It is somebody's where all addresses in it are of the player whom a token in
    the mail belongs to, or are the one that an open question was mailed to. What is proven is no business of this.
    """
    named = mail.doubtful_senders
    if not named or not mail.tokens or mail.automatic is not None:
        return None
    owners = {player.id if (player := players.find_at(connection, address)) else None for address in named}
    (owner,) = owners if len(owners) == 1 else (None,)
    if owner is not None and answered_mails.find_answered(connection, owner, mail.tokens, ()) is not None:
        return named[0]
    asked = confirmations.find(connection, mail.tokens, now)
    return asked.address if asked is not None and named == (asked.address,) else None
