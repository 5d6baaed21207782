"""What the settings say there should be, so that somebody can look whether it is well."""

from pbmserv.cli.config import Settings
from pbmserv.services.admin.status import Premises
from pbmserv.store.heartbeats import LISTENER, POLLER, ROBOTS, SCHEDULER, SENDER, WORKER


def premises(settings: Settings) -> Premises:
    """What there should be: the data folder, and the parts that run on this host or another."""
    parts = [
        *([LISTENER] if settings.listen else []),
        *([POLLER] if settings.imap else []),
        *(WORKER, SENDER, SCHEDULER),
        *([ROBOTS] if settings.thinkers else []),
    ]
    return Premises(settings.data, tuple(parts))
