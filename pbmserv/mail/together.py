"""Mails that come in at the same time are kept together: one commit for all that wait, and no reply before it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Final

ROUNDS: Final = 20
"""Turns of the event loop in which mails are gathered: a client needs about ten from a reply to its next mail."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A mail as a client brought it: byte for byte, recipients as it wrote them; the null sender is "<>".

    `is_handed_on`: by a mail server that delivers to us (LMTP), whatever host that is.
    """

    raw: bytes = field(repr=False)
    sender: str
    recipients: tuple[str, ...]
    host: str = "?"
    is_handed_on: bool = False


class NotNow(Exception):
    """The store is away for all mails, which whoever looks after it has been told already."""


Keep = Callable[[Sequence[Arrival]], Sequence[Exception | None]]
"""Comes back once each mail is stored for good, and gives for each, in their order, None or why it is not stored.

Where it raises, none of them counts as stored.
"""


class Together:
    """Mails on their way into the store; all methods are for one event loop.

    `keep` blocks, and so runs in `pool`. It is given a mail at once where nothing is being stored, else together
    with all that came meanwhile. It gives the reply to each mail; what it raises becomes that of all its mails.
    """

    def __init__(self, keep: Callable[[Sequence[Arrival]], Sequence[str]], pool: Executor) -> None:
        self._keep, self._pool = keep, pool
        self._waiting: list[tuple[Arrival, asyncio.Future[str]]] = []
        self._storing: asyncio.Task[None] | None = None

    async def keep(self, mail: Arrival) -> str:
        """The reply to a mail. Whoever gives up the wait takes back a mail that is not being stored yet."""
        reply: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._waiting.append((mail, reply))
        if self._storing is None:
            self._storing = asyncio.create_task(self._store())
        return await reply

    async def _store(self) -> None:
        while mails := [each for each in self._waiting if not each[1].done()]:
            self._waiting = []
            await self._store_all(mails)
            await self._gather(len(mails))
        self._waiting, self._storing = [], None

    async def _gather(self, stored: int) -> None:
        # On a busy server those who were just told are soon there again, and a full commit costs little more than
        # one for the first of them. An idle server and a single client never wait.
        rounds = ROUNDS if stored > 1 else 0
        while rounds and len(self._waiting) < stored:
            rounds -= 1
            await asyncio.sleep(0)

    async def _store_all(self, mails: Sequence[tuple[Arrival, asyncio.Future[str]]]) -> None:
        arrivals = [mail for mail, _ in mails]
        try:
            replies = await asyncio.get_running_loop().run_in_executor(self._pool, self._keep, arrivals)
            for (_, reply), said in zip(mails, replies, strict=True):
                if not reply.done():
                    reply.set_result(said)
        except Exception as error:  # no thread to be had, above all
            for _, reply in mails:
                if not reply.done():
                    reply.set_exception(error)
