"""Ways out for tests: those that take one mail at a time, and one mail brought by itself."""

from pbmserv.mail.sending.destination import Transport
from pbmserv.mail.sending.transport import Batch, Outcome, Outgoing


class OneByOne:
    """A way out that is asked about each mail, has nothing to close, and cannot be hung up on."""

    def outcome_of(self, mail: Outgoing) -> Outcome:
        """What becomes of a mail."""
        raise NotImplementedError

    def deliver(self, batch: Batch) -> None:
        """Takes one after the other."""
        while (mail := batch.begin()) is not None:
            batch.end(self.outcome_of(mail))

    def close(self) -> None:
        """Nothing."""

    def hang_up(self) -> None:
        """Nothing."""


def deliver_one(road: Transport, mail: Outgoing) -> Outcome:
    """Brings one mail, and gives what became of it."""
    batch = Batch([mail])
    road.deliver(batch)
    (outcome,) = batch.outcomes
    return outcome
