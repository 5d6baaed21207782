"""A sender that lives for one call."""

from collections.abc import Callable
from datetime import datetime

from pbmserv.mail.road import Road
from pbmserv.services.deliver import Sender
from pbmserv.services.house import House


def deliver_due(
    house: House, road: Road, clock: Callable[[], datetime], stopping: Callable[[], bool] = lambda: False
) -> int:
    """Tries a batch of the mails that are due, over this road, and gives how many were tried."""
    sender = Sender(house, lambda: road, clock)
    try:
        return sender.send_due(stopping)
    finally:
        sender.close()
