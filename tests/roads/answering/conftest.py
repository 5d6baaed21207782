"""A Postfix as `deploy/postfix` sets it up, in front of a server and behind it."""

from collections.abc import Iterator

import pytest

from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.roads.postfix.gate import Gate
from tests.servers.postfix import DOMAIN, running_postfix
from tests.servers.sink import running_sink

KNOWN = f"inline:{{ {ADDRESS}=pbmserv, postmaster@{DOMAIN}=pbmserv }}"
"""The addresses there are: those with a tag come with them (recipient_delimiter)."""


@pytest.fixture(scope="module")
def post_office() -> Iterator[Gate]:
    """The Postfix, the port at which it looks for our listener, and a sink for the mail of everybody else."""
    port = free_port()
    with running_sink() as sink, running_postfix(port, sink.port, virtual_mailbox_maps=KNOWN) as postfix:
        yield Gate(postfix, port, sink)
