"""Mails that come in at the same time are stored together, each reply after that."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from pbmserv.mail.reading.headers import MOST_HOPS
from pbmserv.mail.receiving.smtp_handler import (
    LOOPS,
    NOT_NOW,
    STORED,
    GroupCommit,
    IncomingEnvelope,
    store_and_reply,
)


@dataclass
class Store:
    """Notes what it is given together; it waits while `open` is not set."""

    open: threading.Event = field(default_factory=threading.Event)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    given: list[list[bytes]] = field(default_factory=list)

    def __call__(self, mails: Sequence[IncomingEnvelope]) -> list[str]:
        self.given.append([mail.raw for mail in mails])
        self.begun.release()
        assert self.open.wait(60)
        return [f"250 {mail.raw.decode()}" for mail in mails]


def mail(text: str) -> IncomingEnvelope:
    return IncomingEnvelope(text.encode(), "ann@a.test", ("pbm@club.test",))


def played(store: Store, play: Callable[[GroupCommit], Awaitable[None]]) -> None:
    """Runs a play with one that stores into `store`, from a thread as the listener does."""

    async def run(pool: ThreadPoolExecutor) -> None:
        async with asyncio.timeout(60):
            await play(GroupCommit(store, pool))

    with ThreadPoolExecutor(1) as pool:
        asyncio.run(run(pool))


async def begun(store: Store) -> None:
    """Until something is being stored."""
    while not store.begun.acquire(blocking=False):
        await asyncio.sleep(0.001)


def test_what_arrives_meanwhile_is_stored_together() -> None:
    store = Store()

    async def play(together: GroupCommit) -> None:
        first = asyncio.create_task(together.store(mail("1")))
        await begun(store)
        others = [asyncio.create_task(together.store(mail(text))) for text in "2345"]
        await asyncio.sleep(0)
        assert not any(task.done() for task in (first, *others))
        store.open.set()
        assert await asyncio.gather(first, *others) == ["250 1", "250 2", "250 3", "250 4", "250 5"]
        assert await together.store(mail("6")) == "250 6"

    played(store, play)
    assert store.given == [[b"1"], [b"2", b"3", b"4", b"5"], [b"6"]]


def test_who_gives_up_takes_a_waiting_mail_back_and_harms_no_other() -> None:
    """A store that hangs would gather mails without end otherwise, of clients that try again and again."""
    store = Store()

    async def play(together: GroupCommit) -> None:
        being_stored = asyncio.create_task(together.store(mail("1")))
        await begun(store)
        waiting, patient = (asyncio.create_task(together.store(mail(text))) for text in "23")
        await asyncio.sleep(0)
        for task in (being_stored, waiting):
            task.cancel()
        store.open.set()
        assert await patient == "250 3"
        assert being_stored.cancelled()
        assert waiting.cancelled()

    played(store, play)
    assert store.given == [[b"1"], [b"3"]]


def test_no_thread_to_be_had() -> None:
    """Each waiting client learns of it, and the next mail is tried anew."""

    async def run() -> None:
        pool = ThreadPoolExecutor(1)
        pool.shutdown()
        together = GroupCommit(Store(), pool)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="shutdown"):
                await asyncio.wait_for(together.store(mail("1")), 60)

    asyncio.run(run())


def test_each_has_its_own_reply() -> None:
    """One that loops is not stored, one that cannot be stored is to come again; the others are kept."""

    def keep(mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
        return [ValueError("bug") if each.raw == b"bad" else int(each.raw) for each in mails]

    loop = mail("Received: x\n" * (MOST_HOPS + 1))
    replies = store_and_reply(keep, [mail("1"), loop, mail("bad"), mail("2")])
    assert replies == [f"{STORED} mail=1", LOOPS, NOT_NOW, f"{STORED} mail=2"]
    assert store_and_reply(keep, [loop]) == [LOOPS]


def test_a_store_that_fails_keeps_none_of_them() -> None:
    def keep(mails: Sequence[IncomingEnvelope]) -> list[int | Exception]:
        raise SystemExit

    assert store_and_reply(keep, [mail("1"), mail("2")]) == [NOT_NOW, NOT_NOW]
