"""The operator of the simulated club, and what befalls the server: all of it from the outside."""

from collections.abc import Callable
from datetime import timedelta
from random import Random

from pbmserv.matches.queries import ListingQuery
from pbmserv.matches.replay import GameState
from pbmserv.services.admin import banning, referee
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.views import list_boards
from pbmserv.store.operating import SCHEDULER
from tests.soak.year.world import BEGINS, World

WHY = "So the committee has decided."


def look_after(world: World, days: int) -> None:
    """An outage of two days in the middle; a ruling every so often; one player is banned near the end."""
    world.at(BEGINS + timedelta(days=days * 0.45), lambda: _off(world, 50))
    for share in range(1, 20):
        world.at(BEGINS + timedelta(days=days * share / 20), lambda: _rule(world))
    world.at(BEGINS + timedelta(days=days * 0.7), lambda: _ban(world))


def _rule(world: World) -> None:
    """Does something to a board that runs, whatever it is."""
    lines = list_boards(world.house, ListingQuery(count=500)).lines
    if not lines or world.down_until is not None:
        return
    number = world.chance.choice([line.number for line in lines])
    seen = world.see(number)
    assert seen is not None
    world.chance.choice(_RULINGS)(world, GameState(seen.match, seen.state))
    world.done["rulings"] += 1
    world.serve()


def _pause(world: World, board: GameState) -> None:
    if board.state.is_paused:
        return
    number = board.match.number
    referee.rule(world.house, number, referee.pause(WHY), world.clock.now)

    def go_on() -> None:
        seen = world.see(number)
        if seen is not None and seen.state.status == "active" and seen.state.is_paused:
            referee.rule(world.house, number, referee.resume(WHY), world.clock.now)
            world.serve()

    world.after(9 * 24, go_on)


def _extend(world: World, board: GameState) -> None:
    assert board.on_turn is not None
    referee.rule(
        world.house,
        board.match.number,
        referee.extend(board.on_turn, world.chance.randint(1, 12), WHY),
        world.clock.now,
    )


def _take_back(world: World, board: GameState) -> None:
    # What a bank gets back is the server's own reckoning; the second book has none of it.
    if board.state.plies > 2 and board.match.clock is not None and board.match.clock.total is None:
        referee.rule(
            world.house, board.match.number, referee.take_back(board.state.plies - 2, WHY), world.clock.now
        )


def _annul(world: World, board: GameState) -> None:
    referee.rule(world.house, board.match.number, referee.annul(WHY), world.clock.now)


def _award(world: World, board: GameState) -> None:
    winner = min(board.playing)
    referee.rule(world.house, board.match.number, referee.award(winner, WHY), world.clock.now)


_RULINGS: tuple[Callable[[World, GameState], None], ...] = (
    _pause,
    _pause,
    _extend,
    _extend,
    _take_back,
    _annul,
    _award,
)


def _ban(world: World) -> None:
    person = Random(len(world.people)).choice(sorted(world.people.values(), key=lambda each: each.userid))
    banning.ban(world.house, person.userid, WHY, world.clock.now)
    person.is_gone = True
    world.done["bans"] += 1
    world.serve()


def _off(world: World, hours: float) -> None:
    """The machine is off. What is sent to it meanwhile waits at its sender's server."""
    now = world.clock.now
    until = now + timedelta(hours=hours)
    world.down_until = until
    world.done["outages"] += 1

    def on() -> None:
        world.down_until = None
        record_heartbeat(world.house, SCHEDULER, world.clock.now)
        # Who relays mail may not have tried again at once: README promises as long again, but four hours at most.
        world.ledger.still.append((now, world.clock.now + timedelta(hours=min(hours, 4))))
        world.round()

    world.at(until, on)
