"""Where a listener listens, as the settings name it."""

from types import MappingProxyType
from typing import Literal, cast
from urllib.parse import urlsplit

PORTS = MappingProxyType({"smtp": 25, "lmtp": 24})


def split(url: str) -> tuple[Literal["smtp", "lmtp"], str, int]:
    """Kind, host and port of a listener's URL. Raises ValueError with one sentence.

    >>> split("lmtp://127.0.0.1:8024")
    ('lmtp', '127.0.0.1', 8024)
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in PORTS or not parts.hostname or parts.username or parts.path.strip("/") or parts.query:
        raise ValueError(f"a listener is smtp://HOST:PORT or lmtp://HOST:PORT, not {url!r}")
    kind = cast(Literal["smtp", "lmtp"], parts.scheme)
    return kind, parts.hostname, PORTS[kind] if port is None else port
