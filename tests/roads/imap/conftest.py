"""A mailbox for each test."""

import pytest

from tests.roads.imap.box import Box, Keeping
from tests.servers.dovecot import Dovecot


@pytest.fixture
def box(dovecot: Dovecot) -> Box:
    """A mailbox that nobody has used."""
    return Box(dovecot)


@pytest.fixture
def keeping() -> Keeping:
    """Nothing kept yet."""
    return Keeping()
