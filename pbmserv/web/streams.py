"""Streams that tell an open page that its boards have changed (`/changes?boards=101.12`).

A stream tells one change and ends; the page then fetches itself and opens the next one. One look at the database a
second serves all streams of a process, whichever process wrote the change, and only while there are streams. They
hold no connection of the database and no thread.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pbmserv.commands.vocabulary import is_number
from pbmserv.mail.log_words import pairs
from pbmserv.server.connections import places_for_visitors
from pbmserv.services.views import count_entries
from pbmserv.store.engine import cause_of
from pbmserv.web.layout import NotFoundPage
from pbmserv.web.site import HEADERS, Site

PATH: Final = "/changes"

MOST_STREAMS: Final = 200
MOST_BOARDS: Final = 30
LONGEST: Final = 600.0
LOOK_EVERY: Final = 1.0

SIGN_OF_LIFE: Final = 15.0
"""Seconds after which something is written where nothing has happened: proxies cut silent connections."""

Count = Callable[[Sequence[int]], Mapping[int, int]]
"""How many entries the logs of some boards have."""

log = logging.getLogger(__name__)


class _Stream:
    """One open stream: the boards that it waits for, with the entries that its page shows."""

    def __init__(self, known: Mapping[int, int]) -> None:
        self.known = known
        # The board that changed; None where the stream only has to end.
        self.news: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    def end(self, news: int | None = None) -> None:
        """Tells what there is to tell, and ends."""
        if not self.news.done():
            self.news.set_result(news)


class Streams:
    """All streams of a process, for one event loop. When there are too many, the oldest ends."""

    def __init__(self, count: Count, most: int) -> None:
        self._count, self._most = count, most
        self._open: dict[_Stream, None] = {}
        self._watching: asyncio.Task[None] | None = None
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._open)

    def close(self) -> None:
        """Ends all streams, and those to come at once."""
        self._is_closed = True
        for stream in self._open:
            stream.end()

    async def follow(self, known: Mapping[int, int]) -> AsyncIterator[str]:
        """What a page is sent, which shows these boards with that many entries each."""
        stream = _Stream(known)
        loop = asyncio.get_running_loop()
        end = loop.time() + LONGEST
        self._admit(stream)
        try:
            # A browser takes a stream for open once its head has come.
            yield ": \n\n"
            while (left := end - loop.time()) > 0:
                with suppress(TimeoutError):
                    news = await asyncio.wait_for(asyncio.shield(stream.news), min(left, SIGN_OF_LIFE))
                    if news is not None:
                        yield f"data: {news}\n\n"
                    return
                yield ": \n\n"
        finally:
            self._open.pop(stream, None)

    def _admit(self, stream: _Stream) -> None:
        if self._is_closed:
            stream.end()
            return
        while len(self._open) >= self._most:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.end()
        self._open[stream] = None
        if self._watching is None or self._watching.done():
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while self._open:
            try:
                await self._look()
            except SQLAlchemyError as error:
                # Pages fall back to asking by themselves, and say that the database is away.
                log.warning("open pages get no changes %s", pairs(part="web", error=cause_of(error)))
                for stream in self._open:
                    stream.end()
            await asyncio.sleep(LOOK_EVERY)

    async def _look(self) -> None:
        boards = sorted({number for stream in self._open for number in stream.known})
        counted = await run_in_threadpool(self._count, boards)
        for stream in self._open:
            changed = (number for number, count in stream.known.items() if counted.get(number, count) != count)
            news = next(changed, None)
            if news is not None:
                stream.end(news)


def streams_of(site: Site) -> Streams:
    """The streams of a site's pages. They leave at least half of the places to visitors who ask for pages."""
    return Streams(lambda boards: count_entries(site.app, boards), min(MOST_STREAMS, places_for_visitors() // 2))


def stream_route(site: Site, streams: Streams) -> Callable[[Request], Awaitable[Response]]:
    """The handler of the one route: what it streams is no secret, and its address holds no key."""

    async def follow(request: Request) -> Response:
        known = read_boards(request.query_params.get("boards", ""))
        if not known:
            return await run_in_threadpool(site.show, request, NotFoundPage("page"), 404)
        headers = {**HEADERS, "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        if request.method == "HEAD":
            return Response(headers=headers, media_type="text/event-stream")
        return StreamingResponse(streams.follow(known), headers=headers, media_type="text/event-stream")

    return follow


def stream_address(known: Mapping[int, int]) -> str:
    """Where a page learns of changes on boards that it shows with that many entries each.

    >>> stream_address({101: 12, 103: 0})
    '/changes?boards=101.12,103.0'
    """
    return f"{PATH}?boards={','.join(f'{number}.{count}' for number, count in [*known.items()][:MOST_BOARDS])}"


def read_boards(text: str) -> Mapping[int, int]:
    """The boards that an address names, each with its entries; none if there is anything else in it.

    >>> read_boards("101.12,103.0"), read_boards("101"), read_boards("101.12,x")
    ({101: 12, 103: 0}, {}, {})
    """
    pairs = [each.split(".") for each in text.split(",")]
    if len(pairs) > MOST_BOARDS or not all(len(pair) == 2 and all(map(is_number, pair)) for pair in pairs):
        return {}
    return {int(number): int(count) for number, count in pairs}
