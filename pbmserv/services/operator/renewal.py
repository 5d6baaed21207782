"""A club that an older program kept is brought up to date: its schema, and the ratings that its games give."""

import logging

from sqlalchemy import Engine

from pbmserv.matches.match import BrokenLog
from pbmserv.services.operator.rating_check import rate_anew
from pbmserv.store import ratings
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.schema import migrate

log = logging.getLogger(__name__)


def renew(engine: Engine) -> None:
    """Brings the schema up to date, and rates the games of which nothing was ever rated. Raises OtherSchema.

    Nothing happens where all is so already. A game with a log that does not replay is told, and left to the
    operator.
    """
    migrate(engine)
    with reading(engine) as connection:
        games = ratings.never_rated(connection)

    for game in games:

        def rate(game: str = game) -> None:
            with writing(engine) as connection:
                rate_anew(connection, game)

        try:
            run_again(rate)
        except BrokenLog as error:
            log.error("the games of %s from before are not rated: %s", game, error)
