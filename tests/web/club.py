"""A house that mail can be posted to, and that can be asked for its pages."""

import asyncio
import email
import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.policy import default
from pathlib import Path
from types import MappingProxyType

import httpx
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from pbmserv.services.worker import process_next
from pbmserv.store import inbox, outbox
from pbmserv.store.engine import reading
from pbmserv.web.app import make_app
from pbmserv.web.site import Site
from tests.conftest import prepared

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

Get = Callable[..., httpx.Response]
"""`get(path, method="GET", headers={})`: the answer of the house's pages."""


class Club(App):
    """A house that mail can be posted to; each comes ten minutes after the one before."""

    def post(self, sender: str, subject: str, body: str = "") -> str:
        """Hands in a mail, and gives the text of the first mail that it caused."""
        with reading(self.engine) as connection:
            done = max((mail.id for mail in outbox.listing(connection, None, 1)), default=0)
            now = NOON + timedelta(minutes=10 * len(inbox.listing(connection, None, 1000)))
        head = f"From: {sender}\r\nTo: pbmserv@club.test\r\nSubject: {subject}\r\n"
        raw = f"{head}Message-ID: <{now.timestamp()}@mail.test>\r\n\r\n{body}\r\n".encode()
        receive_mail(self, raw, sender, ["pbmserv@club.test"], now)
        while process_next(self, lambda: now):
            pass
        with reading(self.engine) as connection:
            sent = [mail for mail in outbox.listing(connection, None, 100) if mail.id > done]
        body_part = email.message_from_bytes(min(sent, key=lambda mail: mail.id).raw, policy=default).get_body(
            ("plain",)
        )
        assert body_part is not None
        text: str = body_part.get_content()
        return text.replace("\r\n", "\n")


@contextmanager
def opened(folder: Path) -> Iterator[Club]:
    """An empty house in a folder."""
    engine = prepared(f"sqlite:///{folder / 'pbmserv.db'}")
    tokens = itertools.count(1)
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    yield Club(
        engine, Server("pbmserv@club.test", variants=True, confirm="from"), lambda: f"t{next(tokens):05d}", hasher
    )
    engine.dispose()


def asking(house: App | Site, host: str = "127.0.0.1") -> Get:
    """A way to ask for the pages of a house, from a host."""
    app = make_app(Site(house) if isinstance(house, App) else house)

    def get(path: str, method: str = "GET", headers: Mapping[str, str] = MappingProxyType({})) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(host, 123))
            async with httpx.AsyncClient(transport=transport, base_url="http://club.test") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(ask())

    return get
