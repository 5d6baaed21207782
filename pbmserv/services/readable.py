"""Boards of which many are looked at: one whose log does not replay must not keep the others from it."""

import logging

from pbmserv.matches.match import BrokenLog
from pbmserv.matches.replay import Replayed
from pbmserv.store.records import TransactionRecords

log = logging.getLogger(__name__)


def readable(records: TransactionRecords, number: int, harm: str) -> Replayed | None:
    """A board; None where its log does not replay, which `admin check` tells too.

    The operator is told what that means: `harm`, such as "is left out of a digest".
    """
    try:
        return records.board(number)
    except BrokenLog as error:
        log.error("board %d %s: %s", number, harm, error)
        return None
