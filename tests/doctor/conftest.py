"""A terminal in an empty folder, and a nameserver."""

from collections.abc import Iterator

import pytest

from tests.cli.conftest import terminal
from tests.doctor.nameserver import Nameserver, running_nameserver
from tests.services.conftest import post

__all__ = ["post", "terminal"]


@pytest.fixture
def nameserver() -> Iterator[Nameserver]:
    """At which all is well, until it is told otherwise."""
    with running_nameserver() as server:
        yield server
