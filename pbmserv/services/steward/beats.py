"""That a part of the server is alive is noted, and so when it was not: such time is on nobody's clock."""

import logging
from datetime import datetime

from pbmserv.services.house import House
from pbmserv.store import outages
from pbmserv.store.engine import run_again, writing

log = logging.getLogger(__name__)


def beat(house: House, part: str, now: datetime) -> None:
    """A part is alive."""

    def once() -> None:
        with writing(house.engine) as connection:
            away = outages.beat(connection, part, now)
        if away is not None:
            log.warning("the %s was away for %s; no clock has run meanwhile", part, str(away).partition(".")[0])

    run_again(once)
