"""How many move mails a second one worker handles when hundreds wait: from many players, over many boards."""

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.server import Server
from pbmserv.services.handle import handle_some
from pbmserv.services.views import see_inbox, see_outbox
from tests.bench.club import PLIES, Club, move_mail
from tests.bench.conftest import measure, rounds_of
from tests.conftest import ADDRESS, Clock, make_house

PAIRS = 20
NEXT_PLIES = range(PLIES + 1, PLIES + 6)


@pytest.mark.benchmark(group="hundreds of move mails")
def test_sustained(
    benchmark: BenchmarkFixture, database_url: str, quick_hasher: PasswordHasher, clock: Clock
) -> None:
    """Five hundred mails: the next five plies of a hundred boards of forty players."""
    house = make_house(database_url, quick_hasher, Server(ADDRESS, confirm="from"))
    club = Club(house, PAIRS)
    mails = rounds_of(benchmark, 100) * len(NEXT_PLIES)
    benchmark.extra_info["mails"] = mails

    def set_up() -> None:
        boards = [club.open_board() for _ in range(mails // len(NEXT_PLIES))]
        for ply in NEXT_PLIES:
            for board in boards:
                club.take_in(move_mail(house, board, ply))

    def handle_all() -> None:
        while handle_some(house, clock):
            pass

    measure(benchmark, handle_all, set_up, rounds=3)
    kept, sent = see_inbox(house, None, 10_000), see_outbox(house, None, 10_000)
    assert {mail.status for mail in kept} == {"handled"}
    assert len(sent) == 2 * len(kept)
    assert {int(mail.message_id.split(".")[1]) for mail in sent} == set(NEXT_PLIES)
    house.engine.dispose()
