"""Watches SQLite's write lock: whether a thread holds it, for whom, and how much processor time that takes."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import _lru_cache_wrapper, wraps
from types import FrameType, FunctionType
from typing import Any, Final

import pytest
from argon2 import PasswordHasher
from sqlalchemy import Connection, Engine, event

from pbmserv.mail.reading.delivery_report import read_report
from pbmserv.mail.reading.read import read
from pbmserv.mail.sending.message import write, write_masked
from pbmserv.parser.parse import parse_mail
from pbmserv.rendering.board import view_board
from pbmserv.rendering.templates import render
from pbmserv.services.reply_text import reply_text
from pbmserv.store import engine

SLOW: Final = (read, parse_mail, reply_text, read_report, render, view_board, write, write_masked)
"""What reads a mail or makes commands of it, and what makes texts and mails."""


FUNCTIONS: Final = (FunctionType, _lru_cache_wrapper)


@dataclass(frozen=True, order=True)
class Held:
    """A transaction that has held the lock: seconds of its thread's processor time, rendering apart."""

    seconds: float
    holder: str
    """The function of the package that began it."""


class WriteLocks:
    """What has held the lock since it was made; see `watched`."""

    def __init__(self) -> None:
        self.all: list[Held] = []
        self._here = threading.local()

    def is_held(self) -> bool:
        """Whether this thread holds the lock, and does not render."""
        return getattr(self._here, "since", None) is not None

    def apart(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose time does not count."""

        @wraps(work)
        def uncounted(*args: Any, **kwargs: Any) -> Any:
            if not self.is_held():
                return work(*args, **kwargs)
            since, begun = self._here.since, time.thread_time()
            self._here.since = None
            try:
                return work(*args, **kwargs)
            finally:
                self._here.since = since + time.thread_time() - begun

        return uncounted

    def never(self, work: Callable[..., Any]) -> Callable[..., Any]:
        """A function that is not called by who holds the lock."""

        @wraps(work)
        def checked(*args: Any, **kwargs: Any) -> Any:
            assert not self.is_held(), f"{work.__qualname__} is called inside a transaction of {self._here.holder}"
            return work(*args, **kwargs)

        return checked

    def begin(self, connection: Connection) -> None:
        """A transaction begins."""
        if connection.dialect.name == "sqlite" and not connection.get_execution_options().get(engine._READING):
            self._here.since, self._here.holder = time.thread_time(), _holder()

    def end(self, connection: Connection) -> None:
        """It ends, well or not."""
        if self.is_held() and not connection.get_execution_options().get(engine._READING):
            self.all.append(Held(time.thread_time() - self._here.since, self._here.holder))
            self._here.since = None


def _holder() -> str:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("pbmserv.") and name != engine.__name__:
            return f"{name}.{frame.f_code.co_qualname}"
        frame = frame.f_back
    return "a test"


@contextmanager
def watched(is_apart: Callable[[Any], bool] = lambda _: False) -> Iterator[WriteLocks]:
    """Watches all transactions until the block ends. The time of functions of which `is_apart` is true does not
    count.
    """
    locks = WriteLocks()
    told = (("begin", locks.begin), ("commit", locks.end), ("rollback", locks.end))
    for name, noted in told:
        event.listen(Engine, name, noted)
    try:
        with pytest.MonkeyPatch.context() as patch:
            _replace(patch, is_apart, locks.apart)
            yield locks
    finally:
        for name, noted in told:
            event.remove(Engine, name, noted)


@contextmanager
def nothing_slow_while_held() -> Iterator[None]:
    """Fails where a mail is read, parsed or written, or a password hashed, inside a transaction that writes."""
    with watched() as locks, pytest.MonkeyPatch.context() as patch:
        _replace(patch, lambda found: found in SLOW, locks.never)
        for name in ("hash", "verify"):
            patch.setattr(PasswordHasher, name, locks.never(getattr(PasswordHasher, name)))
        yield


def _replace(
    patch: pytest.MonkeyPatch,
    is_meant: Callable[[Any], bool],
    made: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> None:
    """Puts something made of a function in its place wherever it is imported."""
    for module in [each for name, each in sys.modules.items() if name.startswith("pbmserv.")]:
        for name, found in list(vars(module).items()):
            if isinstance(found, FUNCTIONS) and is_meant(found):
                patch.setattr(module, name, made(found))


def is_rendering(function: Any) -> bool:
    """Whether a function makes texts for people, or mails of them."""
    module = getattr(function, "__module__", None) or ""
    return module.startswith(("pbmserv.rendering.", "pbmserv.mail.sending.message"))
