"""Who a mail is from as far as its head tells, and which of our mails it answers; found before a line is read.

What a mail proves: an answer to a mail that only a player was sent, from an address of theirs, is theirs; so is
one whose domain vouches for it (DMARC), and in closed clubs any. Tokens are looked up by their digest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from pbmserv.commands.confirmation import Confirmation
from pbmserv.commands.message import IncomingMail, Proof
from pbmserv.commands.server import Server
from pbmserv.matches.player import Player
from pbmserv.store import confirmations, outbox, players
from pbmserv.store.outbox import Answered


@dataclass(frozen=True, slots=True)
class Standing:
    """`player` is the one whom the From address belongs to, and `proof` what proves it besides passwords.

    `answered` is the mail to that player that it answers; `confirmation` the open question that it answers, from
    where it was mailed to. `is_believed`: the From address is the sender's, whoever that is. `server` is where it
    came to.
    """

    player: Player | None = None
    proof: Proof = "none"
    answered: Answered | None = None
    confirmation: Confirmation | None = None
    is_believed: bool = False
    server: Server | None = None

    @property
    def board(self) -> int | None:
        """The board of the mail that is answered."""
        return self.answered.match if self.answered else None


def stand(connection: Connection, mail: IncomingMail, server: Server, now: datetime) -> Standing:
    """Who the mail is from; `now` decides which questions are still open."""
    if mail.sender is None or mail.automatic is not None:
        return Standing(server=server)
    player = players.find_at(connection, mail.sender)
    answered = outbox.find_answered(connection, player.id, mail.tokens) if player and mail.tokens else None
    is_believed = server.confirm == "from" or mail.authenticated
    proof: Proof = "none"
    if player is not None:
        if answered is not None:
            proof = "personal"
        elif is_believed:
            proof = proof_of_head(mail)
    confirmation = open_question(connection, mail.tokens, mail.sender, player, now)
    return Standing(player, proof, answered, confirmation, is_believed, server)


def proof_of_head(mail: IncomingMail) -> Proof:
    """What proves a player whose From address is believed."""
    return "dmarc" if mail.authenticated else "from"


def open_question(
    connection: Connection, tokens: Sequence[str], sender: str | None, player: Player | None, now: datetime
) -> Confirmation | None:
    """The question that one of these tokens belongs to, if whoever writes from there may answer it.

    A question about an address is answered from it; any other from whatever address of the player it is about.
    """
    found = confirmations.find(connection, tokens, now) if tokens and sender else None
    if found is None:
        return None
    if found.kind in ("commands", "password"):
        return found if player is not None and player.userid == found.userid else None
    return found if sender == found.address else None
