"""How many move mails a second one worker handles when hundreds wait: from many players, over many boards."""

from collections import Counter

import pytest
from argon2 import PasswordHasher
from pytest_benchmark.fixture import BenchmarkFixture

from pbmserv.commands.changes import NewSetting
from pbmserv.commands.server import Server
from pbmserv.services.views import list_inbox, list_outbox
from pbmserv.services.worker import process_some
from pbmserv.store import accounts, players
from pbmserv.store.engine import writing
from tests.bench.club import PLIES, Club, answer_to
from tests.bench.conftest import measure, rounds_of
from tests.conftest import ADDRESS, NOON, Clock, make_house

PAIRS = 20
NEXT_PLIES = range(PLIES + 1, PLIES + 6)


@pytest.mark.benchmark(group="hundreds of move mails")
def test_sustained(
    benchmark: BenchmarkFixture, database_url: str, quick_hasher: PasswordHasher, clock: Clock
) -> None:
    """Five hundred mails: the next five plies of a hundred boards of forty players.

    Each answers the personal address of a board mail in the outbox, and is answered in text and HTML, by players
    who have every move acknowledged.
    """
    house = make_house(database_url, quick_hasher, Server(ADDRESS, variants=True, confirm="ask"))
    club = Club(house, PAIRS)
    with writing(house.engine) as connection:
        for player in players.everybody(connection):
            accounts.write_account_change(connection, NewSetting(player.id, "receipts", "on"), NOON)
    mails = rounds_of(benchmark, 100) * len(NEXT_PLIES)
    benchmark.extra_info["mails"] = mails

    def set_up() -> None:
        boards = [club.open_board() for _ in range(mails // len(NEXT_PLIES))]
        for ply in NEXT_PLIES:
            for board in boards:
                club.take_in(answer_to(club.board_mail(board, ply), board, ply))

    def handle_all() -> None:
        while process_some(house, clock):
            pass

    measure(benchmark, handle_all, set_up, rounds=3)
    kept, sent = list_inbox(house, None, 10_000), list_outbox(house, None, 10_000)
    assert {mail.status for mail in kept} == {"handled"}
    kinds = Counter(mail.kind for mail in sent)
    # Where several moves on a board are decided together, one letter tells them.
    assert kinds["answer"] == len(kept)
    assert len(kept) < kinds["board"] <= 2 * len(kept)
    answers = [mail.message_id for mail in sent if mail.kind == "answer"]
    assert max(int(message_id.split(".")[1]) for message_id in answers) == NEXT_PLIES[-1]
    house.engine.dispose()
