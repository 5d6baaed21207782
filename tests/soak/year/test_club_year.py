"""A club's year: sixty people of all habits, late, on holiday, mistaken, silent; in the end everything is right.

Every game is finished, no clock was unfair by its own rules, ratings and boards are what their logs say.
"""

import os
import secrets
import time
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.matches.queries import ListingQuery
from pbmserv.services.views import list_boards
from tests.conftest import ADDRESS, make_house
from tests.soak.year.operator import look_after
from tests.soak.year.people import crowd
from tests.soak.year.plot import draw_ratings
from tests.soak.year.report import lines_of, report, wrongs
from tests.soak.year.ways import act, live
from tests.soak.year.world import BEGINS, World

LONG = os.environ.get("PBMSERV_SOAK") == "1"
PEOPLE, DAYS, PACE, TERMS = (60, 365, 1.0, "") if LONG else (6, 16, 0.15, " --nagtime=1 --forfeittime=3.2")
# So few boards may all be annulled early by chance: then nothing would be shown. A year has enough of them.
SEED = int(os.environ.get("PBMSERV_SEED") or (secrets.randbelow(1_000_000) if LONG else 2026))

PICTURE = Path(__file__).with_name("ratings.svg")
"""Where `make soak` puts the plot, when PBMSERV_PLOT=1 asks for it."""


def test_a_year_in_a_club(tmp_path: Path, quick_hasher: PasswordHasher, capfd: pytest.CaptureFixture[str]) -> None:
    """A hurried month by `make test`; a year by `make soak`, which prints the report. PBMSERV_SEED repeats it."""
    print(f"PBMSERV_SEED={SEED}")
    began, chance = time.monotonic(), Random(SEED)
    house = make_house(f"sqlite:///{tmp_path / 'pbmserv.db'}", quick_hasher, Server(ADDRESS, variants=True))
    people = {person.userid: person for person in crowd(PEOPLE, chance)}
    world = World(house, people, act, chance, PACE, TERMS)
    world.challenges_until = BEGINS + timedelta(days=DAYS * 0.8)
    try:
        for person in people.values():
            world.write(person, f"signup {person.userid} sesame{chance.randrange(1000)}")
        world.live_until(BEGINS + timedelta(hours=3), lambda: False)
        for person in people.values():
            live(world, person)
        look_after(world, DAYS)
        world.live_until(BEGINS + timedelta(days=DAYS), lambda: False)
        world.challenges_until = BEGINS
        world.live_until(world.clock.now + timedelta(days=400), lambda: is_over(world))
        told = report(world, SEED, time.monotonic() - began)
        wrong = wrongs(world)
        print(told)
        if LONG:
            with capfd.disabled():
                print(f"\n\n{told}\n")
        if os.environ.get("PBMSERV_PLOT") == "1":
            skills = {person.userid: person.skill for person in people.values()}
            days = (world.clock.now - BEGINS).days + 1
            PICTURE.write_text(draw_ratings(lines_of(world), skills, BEGINS, days))
    finally:
        world.close()
        house.engine.dispose()
    assert not wrong, "\n".join([f"{len(wrong)} things are wrong", str(told), *wrong[:40]])
    assert told.kinds["played"] > 10 * PEOPLE
    if LONG:
        assert told.kinds["forfeited"] > 0


def is_over(world: World) -> bool:
    """Whether no board runs any more."""
    return list_boards(world.house, ListingQuery(count=1)).total == 0
