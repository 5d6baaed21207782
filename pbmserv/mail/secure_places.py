"""Where a secret may be sent: to this machine, or through TLS."""

import ipaddress
from typing import Literal
from urllib.parse import SplitResult, parse_qsl, urlsplit

TlsMode = Literal["none", "starttls", "implicit"]


def is_loopback(host: str) -> bool:
    """Whether a host is this machine itself.

    >>> is_loopback("localhost"), is_loopback("::1"), is_loopback("localhost.evil.test")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checked_address(url: str) -> str:
    """The address of a page, if secrets may go there: https, or this machine itself. Raises ValueError.

    >>> checked_address("https://id.example.org/token")
    'https://id.example.org/token'
    >>> checked_address("http://id.example.org/token")
    Traceback (most recent call last):
    ValueError: is not an https:// address
    """
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise ValueError("is not an https:// address")
    if not parts.hostname or parts.username is not None or parts.fragment or parts.port == 0:
        raise ValueError("is not the plain address of a server")
    return url


def tls_mode(parts: SplitResult, whose: str, has_login: bool, may_be_plain: bool) -> TlsMode:
    """How TLS begins at the server with this URL; `whose` is "relay" or "mailbox". Raises ValueError.

    `may_be_plain`: STARTTLS is only used if the URL asks for it.
    """
    query = parse_qsl(parts.query, keep_blank_values=True)
    if parts.scheme.endswith("s"):
        if query:
            raise ValueError(f"{parts.scheme}:// takes nothing after a ?, it is TLS from its beginning")
        return "implicit"
    if query not in ([], [("starttls", "yes")], [("starttls", "no")]):
        raise ValueError(f"after a {whose}'s ? there is starttls=yes or starttls=no")
    if query == [("starttls", "no")]:
        if has_login and not is_loopback(parts.hostname or ""):
            raise ValueError(f"starttls=no would send the {whose}'s password in the clear")
        return "none"
    return "none" if not query and may_be_plain else "starttls"
