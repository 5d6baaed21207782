"""What `record` says."""

from dataclasses import dataclass

from pbmserv.commands.replies.common import Reply


@dataclass(frozen=True, slots=True)
class Recorded(Reply):
    """The record of the board follows, so far where it `goes_on`."""

    board: int
    goes_on: bool
