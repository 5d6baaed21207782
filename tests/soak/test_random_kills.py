"""kill -9 of a worker at random moments, again and again: no mail that was accepted pays for it."""

import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import update

from pbmserv.services.app import utc_now
from pbmserv.store.engine import writing
from pbmserv.store.tables import inbox
from tests.cli.processes import PBMSERV, wait_for
from tests.cli.terminal import RealClock
from tests.faults.feeding import house_at
from tests.games.brute_force import Table
from tests.services.post import Post
from tests.soak.audit import check_says
from tests.soak.parts import running_parts
from tests.soak.plan import SIDE

LONG = os.environ.get("PBMSERV_SOAK") == "1"
KILLS = 40 if LONG else 10
LONGEST_LIFE = 1.2
SEED = int(os.environ.get("PBMSERV_SEED") or secrets.randbelow(1_000_000))
PAIRS = 8
LOOK_EVERY = 0.01


@dataclass
class Game:
    """Two people at a board, each of whom sends a move as soon as the one before it is played."""

    number: int
    people: tuple[str, str]
    plan: list[str]
    mails: list[int] = field(default_factory=list)

    def go_on(self, post: Post) -> None:
        """The next move, if it is time for it."""
        played = len(post.moves(self.number))
        if played == len(self.mails) < len(self.plan):
            author, move = self.people[played % 2], self.plan[played]
            raw = post.write(f"{author}@example.org", f"move {self.number} {move}")
            self.mails.append(post.put(raw))


def random_game(random: Random) -> list[str]:
    """The moves of a whole game, by the second implementation of the rules."""
    table, moves = Table(SIDE, SIDE, 2), []
    while legal := sorted(table.legal()):
        moves.append(random.choice(legal))
        table.play(moves[-1])
    return moves


def begin(post: Post, random: Random) -> list[Game]:
    """Players, and boards that never end while workers are killed: a new one follows each."""
    games = []
    for pair in range(PAIRS):
        one, other = f"alice{pair}", f"bob{pair}"
        post.people(**{one: "sesame", other: "poppy"})
        post.mail(f"{one}@example.org", f"challenge {one} {other} -size={SIDE}x{SIDE}")
        games.append(Game(101 + pair, (one, other), random_game(random)))
    return games


@pytest.mark.parametrize("count", [1, 2], ids=["one worker", "two workers"])
def test_kills_at_random_moments(database_url: str, tmp_path: Path, count: int) -> None:
    """10 kills each time, 40 by `make soak`: every accepted move is played, or waits."""
    print(f"PBMSERV_SEED={SEED}")
    random = Random(SEED)
    settings = {
        "PBMSERV_DATA": str(tmp_path),
        "PBMSERV_DATABASE": database_url,
        "PBMSERV_VARIANTS": "true",
        "PBMSERV_CONFIRM": "from",
    }
    house = house_at(database_url)
    post = Post(house, RealClock())
    games = begin(post, random)
    with running_parts(settings, tmp_path, *["work"] * count) as workers:
        for _ in range(KILLS):
            until = time.monotonic() + random.uniform(0, LONGEST_LIFE)
            while time.monotonic() < until:
                for game in games:
                    game.go_on(post)
                time.sleep(LOOK_EVERY)
            victim = random.choice(workers)
            victim.kill()
            victim.start()
        wait_for(lambda: all(kept.status != "waiting" or kept.is_held_up for kept in post.inbox()))
        assert_all_is_well(post, games)
        end_all_waiting(post)
        wait_for(lambda: {kept.status for kept in post.inbox()} == {"handled"})
        assert_all_is_well(post, games)
        for worker in workers:
            worker.demand_alive()
            worker.stop()
    assert [*check_says(settings, PBMSERV)] == []
    if LONG:
        setbacks = sorted(kept.setbacks for kept in post.inbox() if kept.setbacks)
        moves = sum(len(game.mails) for game in games)
        print(f"\n{KILLS} kills, {moves} moves; setbacks of mails: {setbacks}")
    house.engine.dispose()


def assert_all_is_well(post: Post, games: list[Game]) -> None:
    """Every accepted move is played or waits, nothing is blamed, nothing was done twice."""
    mails = post.inbox()
    assert {kept.status for kept in mails} <= {"handled", "waiting"}
    assert {(kept.tries, kept.kills) for kept in mails} == {(0, 0)}
    waiting = {kept.id for kept in mails if kept.status == "waiting"}
    for game in games:
        played = post.moves(game.number)
        assert played == game.plan[: len(played)]
        assert len(game.mails) - len(played) == len(waiting & {*game.mails})


def end_all_waiting(post: Post) -> None:
    """As the hours would."""
    with writing(post.house.engine) as connection:
        connection.execute(update(inbox).where(inbox.c.status == "waiting").values(not_before=utc_now()))
