"""One Postfix for all tests of a process: each test uses senders of its own."""

from collections.abc import Iterator

import pytest

from tests.free_port import free_port
from tests.roads.postfix.gate import Gate
from tests.servers.postfix import running_postfix
from tests.servers.sink import running_sink

SETTINGS = {
    # It looks for loops later than we do.
    "hopcount_limit": "100",
    # Its own networks would be left in peace otherwise.
    "smtpd_forbid_bare_newline_exclusions": "",
}


@pytest.fixture(scope="session")
def standing() -> Iterator[Gate]:
    """The Postfix and the sink."""
    port = free_port()
    with running_sink() as sink, running_postfix(port, sink.port, **SETTINGS) as postfix:
        yield Gate(postfix, port, sink)


@pytest.fixture
def gate(standing: Gate) -> Iterator[Gate]:
    """The same, with an empty queue afterwards."""
    yield standing
    standing.forget()
