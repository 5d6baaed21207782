"""The operator of the simulated club, and what befalls the server: all of it from the outside."""

from datetime import timedelta

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
        world.ledger.still.append((now, world.clock.now))
        world.round()

    world.at(until, on)
