"""The file that holds the tokens of one user: of mode 0600, written whole, by one process at a time."""

import contextlib
import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

LOCK_WITHIN: Final = 60.0
"""Seconds that a process waits for another one that is renewing the same token."""

RESERVED: Final = 64 * 1024
"""Bytes that are on the disk before a token is asked for: if it is full, no new refresh token gets lost."""


@dataclass(frozen=True, slots=True)
class SignIn:
    """What a provider gave to one user and one client. Moments are seconds since 1970."""

    user: str
    authority: str
    """The authorization server, as the settings name it."""

    client_id: str
    token_endpoint: str
    by_header: bool
    refresh_token: str = field(repr=False)
    access_token: str = field(repr=False)
    obtained_at: float
    expires_at: float
    serial: int = 1
    """How many times tokens were given: of two copies, the one with the higher number holds."""


class TokensUnreadable(Exception):
    """The file could not be read, written, or locked. The text says why."""


class TokenFile:
    """The tokens of one user, in the folder `oauth` of the data folder."""

    def __init__(self, data: Path, user: str) -> None:
        """`data` is the data folder."""
        self.user = user
        self._folder = data / "oauth"
        name = quote(user, safe="@+")
        self.path = self._folder / f"{name}.json"
        self._new, self._lock = self._folder / f"{name}.new", self._folder / f"{name}.lock"

    def read(self) -> SignIn | None:
        """What is stored; None if nobody has signed in, or the file is damaged. Raises TokensUnreadable."""
        return self._parsed(self.path)

    @contextlib.contextmanager
    def locked(self) -> Iterator[SignIn | None]:
        """Keeps all others from writing, and gives what is stored. Raises TokensUnreadable.

        What a process had written when it was killed, and could not rename any more, counts.
        """
        with self._telling(), contextlib.ExitStack() as stack:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lock)
            self._take(lock)
            stored = self._parsed(self.path)
            newer = self._parsed(self._new)
            if newer is not None and newer.serial > (stored.serial if stored else 0):
                self._put_in_place()
                stored = newer
            yield stored

    @contextlib.contextmanager
    def reserved(self) -> Iterator[Callable[[SignIn], None]]:
        """Room on the disk, and what stores tokens in it. Within `locked`. Raises TokensUnreadable."""
        with self._telling(), contextlib.ExitStack() as stack:
            file = os.open(self._new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, file)
            os.fchmod(file, 0o600)
            _write(file, b" " * RESERVED)
            os.fsync(file)

            def store(tokens: SignIn) -> None:
                with self._telling():
                    written = json.dumps(asdict(tokens), indent=1).encode() + b"\n"
                    os.lseek(file, 0, os.SEEK_SET)
                    _write(file, written.ljust(RESERVED))
                    os.fsync(file)
                    os.ftruncate(file, len(written))
                    os.fsync(file)
                    self._put_in_place()

            yield store

    def _put_in_place(self) -> None:
        self._new.replace(self.path)
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _take(self, lock: int) -> None:
        until = time.monotonic() + LOCK_WITHIN
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise TokensUnreadable("another process keeps the tokens locked") from None
                time.sleep(0.05)
            else:
                return

    def _parsed(self, path: Path) -> SignIn | None:
        try:
            found: dict[str, Any] = json.loads(path.read_bytes())
            tokens = SignIn(**{each.name: found[each.name] for each in fields(SignIn)})
            if not all(type(getattr(tokens, name)) in kinds for name, kinds in _KINDS.items()):
                raise ValueError
        except FileNotFoundError:
            return None
        except OSError as error:
            raise TokensUnreadable(f"the tokens cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            return None  # damaged, or room that was reserved and never used
        return tokens

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise TokensUnreadable(f"{self._folder} cannot be written: {error.strerror}") from None


_KINDS: Final = {
    **dict.fromkeys(("user", "authority", "client_id", "token_endpoint", "refresh_token", "access_token"), (str,)),
    **dict.fromkeys(("obtained_at", "expires_at"), (int, float)),
    "by_header": (bool,),
    "serial": (int,),
}


def _write(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]
