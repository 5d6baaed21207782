"""Open offers of games: rows in, values out."""

from datetime import datetime

from sqlalchemy import Connection, insert, update

from pbmserv.commands.changes import EndedOffer, JoinedOffer, NewOffer
from pbmserv.store import clocks
from pbmserv.store.tables import offer_players, offers


def keep(connection: Connection, change: NewOffer | JoinedOffer | EndedOffer, now: datetime) -> None:
    """Writes one change."""
    match change:
        case NewOffer():
            row = {
                "number": change.number,
                "player_id": change.player_id,
                "game": change.game,
                "options": dict(change.options),
                "rated": change.rated,
                "clock": clocks.as_json(change.clock),
                "seats": change.seats,
                "made_at": now,
                "status": "open",
            }
            connection.execute(insert(offers).values(row))
        case JoinedOffer(offer_id, player_id):
            connection.execute(insert(offer_players).values(offer_id=offer_id, player_id=player_id, at=now))
        case EndedOffer(offer_id, status, match_number):
            ended = update(offers).where(offers.c.id == offer_id)
            connection.execute(ended.values(status=status, match=match_number))
