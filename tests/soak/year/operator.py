"""The operator of the simulated club, and what befalls the server: all of it from the outside."""

from datetime import timedelta

from pbmserv.services.steward.beats import beat
from pbmserv.store.outages import STEWARD
from tests.soak.year.world import BEGINS, World


def look_after(world: World, days: int) -> None:
    """An outage of two days in the middle."""
    world.at(BEGINS + timedelta(days=days * 0.45), lambda: _off(world, 50))


def _off(world: World, hours: float) -> None:
    """The machine is off. What is sent to it meanwhile waits at its sender's server."""
    now = world.clock.now
    until = now + timedelta(hours=hours)
    world.down_until = until
    world.done["outages"] += 1

    def on() -> None:
        world.down_until = None
        beat(world.house, STEWARD, world.clock.now)
        # Who relays mail may not have tried again at once: README promises as long again, but four hours at most.
        world.ledger.still.append((now, world.clock.now + timedelta(hours=min(hours, 4))))
        world.round()

    world.at(until, on)
