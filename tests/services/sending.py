"""A sender that lives for one call."""

from collections.abc import Callable
from datetime import datetime

from pbmserv.mail.sending.destination import Transport
from pbmserv.services.app import App
from pbmserv.services.deliver import Sender


def deliver_due(
    house: App, road: Transport, clock: Callable[[], datetime], stopping: Callable[[], bool] = lambda: False
) -> int:
    """Tries a batch of the mails that are due, over this road, and gives how many were tried."""
    sender = Sender(house, lambda: road, clock)
    try:
        return sender.send_due(stopping)
    finally:
        sender.close()
