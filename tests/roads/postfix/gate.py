"""A Postfix that stands in front of a listener, and what it says became of each mail."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pbmserv.commands.server import Server
from pbmserv.mail.receiving.smtp_handler import IncomingEnvelope, StoreMails
from pbmserv.server.listener import Listener
from tests.cli.processes import wait_for
from tests.conftest import ADDRESS
from tests.servers.postfix import Postfix
from tests.servers.sink import Sink, Taken

TAGGED = ADDRESS.replace("@", "+Tag.7x@")


@dataclass(frozen=True)
class Delivery:
    """One line of Postfix's log: `status` is sent, deferred or bounced; `dsn` the reply's enhanced code."""

    recipient: str
    dsn: str
    status: str


@dataclass(frozen=True)
class Gate:
    """The Postfix, the port at which it looks for our listener, and the sink for all other mail."""

    postfix: Postfix
    port: int
    sink: Sink

    @contextmanager
    def open(
        self, keep: StoreMails, port: int = 0, max_size: int = 2**20, delimiter: str = "+"
    ) -> Iterator[Listener]:
        """A listener behind it, at another port if something stands between."""
        server = Server(ADDRESS, delimiter)
        listener = Listener(f"lmtp://127.0.0.1:{port or self.port}", server, keep, max_size=max_size)
        listener.start()
        try:
            yield listener
        finally:
            listener.stop()

    def deliveries(self, sender: str) -> list[Delivery]:
        """What became of each recipient of this sender's mails so far, at each try."""
        log = self.postfix.log
        ids = set(re.findall(rf"qmgr\[\d+\]: (\w+): from=<{re.escape(sender)}>", log))
        tries = re.findall(r": (\w+): to=<([^>]+)>.* dsn=([\d.]+), status=(\w+)", log)
        return [Delivery(*rest) for queue_id, *rest in tries if queue_id in ids]

    def wait_for(self, sender: str, status: str, count: int) -> list[Delivery]:
        """Until so many recipients of this sender's mails have come to that; all that became of them."""
        wait_for(lambda: [each.status for each in self.deliveries(sender)].count(status) >= count)
        return self.deliveries(sender)

    def mail_to(self, person: str) -> Taken:
        """The one mail that this person gets."""
        wait_for(lambda: any(taken.recipients == (person,) for taken in self.sink.mails))
        (mail,) = [taken for taken in self.sink.mails if taken.recipients == (person,)]
        return mail

    def returned_to(self, sender: str) -> Taken:
        """The report that this sender gets."""
        report = self.mail_to(sender)
        assert report.sender == "<>"
        return report

    def add_service(self, line: str, **settings: str) -> None:
        """Has Postfix run one more service, as master.cf tells it, with more lines of main.cf."""
        with (self.postfix.folder / "etc" / "master.cf").open("a") as master:
            master.write(line + "\n")
        self.postfix.set(**settings)

    def forget(self) -> None:
        """Throws away what a failed test has left in the queue."""
        if "is empty" not in self.postfix.queued():
            command = ["postsuper", "-c", self.postfix.config, "-d", "ALL"]
            subprocess.run(command, check=True, capture_output=True)


@dataclass
class Desk:
    """Keeps mails in memory, after it has met with as many troubles as it is given, one a try."""

    troubles: list[Exception] = field(default_factory=list)
    kept: list[IncomingEnvelope] = field(default_factory=list)

    def __call__(self, mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
        """What a listener keeps by."""
        if self.troubles:
            raise self.troubles.pop(0)
        self.kept += mails
        return [1] * len(mails)
