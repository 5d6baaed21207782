"""Waiting for what another part of the server does, so that a page can show it."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

LOOK_EVERY: Final = 0.05

Seen = TypeVar("Seen")


def wait_for(look: Callable[[], Seen], is_enough: Callable[[Seen], bool], seconds: float) -> Seen:
    """What is seen once it is enough, or at last when that takes too long; one looks at least once."""
    end = time.monotonic() + seconds
    while not is_enough(seen := look()) and time.monotonic() < end:
        time.sleep(LOOK_EVERY)
    return seen
