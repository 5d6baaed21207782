"""One visitor's connection: uvicorn's, with an end to its patience.

uvicorn itself waits for ever for a request that never becomes whole, and for a reader who does not read.
"""

import asyncio
from enum import Enum, auto
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_WITHIN: Final = 15.0
"""Seconds in which a whole request has to come, head and body, from the connection or its first octet."""

IDLE: Final = 5
"""Seconds between two requests of one connection."""

ANSWER_WITHIN: Final = 120.0
"""Seconds in which a page has to be made and read."""


class _Stage(Enum):
    NOTHING = auto()
    REQUEST = auto()
    ANSWER = auto()


class Visitor(H11Protocol):
    """Serves requests, one after the other; `ended` is set when the connection is gone."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.ended = asyncio.Event()
        self._stage = _Stage.REQUEST
        self._since = self.loop.time()
        self._answered: object = None
        self._end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A visitor has come (asyncio)."""
        assert isinstance(transport, asyncio.Transport)
        super().connection_made(transport)
        self._enter(_Stage.REQUEST)

    def data_received(self, data: bytes) -> None:
        """Something has come (asyncio)."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """An answer was written (uvicorn)."""
        super().on_response_complete()
        self._look()

    def resume_writing(self) -> None:
        """Most of what was written has been read (asyncio)."""
        super().resume_writing()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone (asyncio)."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        if self._end is not None:
            self._end.cancel()
        self.ended.set()

    @property
    def waiting_since(self) -> float | None:
        """Since when it is up to the visitor to ask or to read, by the loop's clock; None while we are at work."""
        if self.transport is None or (self._stage is _Stage.ANSWER and not self.flow.write_paused):
            return None
        return self._since

    def make_room(self) -> None:
        """Cut the visitor off, since others want the place."""
        self.transport.abort()

    def _look(self) -> None:
        stage = self._stage_now()
        if stage is not self._stage or (stage is _Stage.ANSWER and self.cycle is not self._answered):
            self._enter(stage)

    def _stage_now(self) -> _Stage:
        if self.cycle is None or self.conn.their_state is h11.SEND_BODY:
            return _Stage.REQUEST
        if self.flow.write_paused or not self.cycle.response_complete:
            return _Stage.ANSWER
        has_begun = self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]
        return _Stage.REQUEST if has_begun else _Stage.NOTHING

    def _enter(self, stage: _Stage) -> None:
        self._stage, self._answered, self._since = stage, self.cycle, self.loop.time()
        if self._end is not None:
            self._end.cancel()
        # Not a mere close, which would wait for what the visitor does not read.
        within = ANSWER_WITHIN if stage is _Stage.ANSWER else REQUEST_WITHIN
        self._end = self.loop.call_later(within, self.transport.abort)
