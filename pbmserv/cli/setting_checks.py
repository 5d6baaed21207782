"""Checks of settings: each takes a value and gives it back, or raises ValueError with the rest of a sentence."""

from ipaddress import ip_address
from typing import Final

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

DRIVERS: Final = ("sqlite", "sqlite+pysqlite", "postgresql", "postgresql+psycopg")


def host_and_port(value: str) -> str:
    """Where pages are served; empty for nowhere."""
    host, _, port = value.rpartition(":")
    if value and not (host and port.isascii() and port.isdigit() and int(port) < 65536):
        raise ValueError("is not host:port")
    return value


def host_address(value: str) -> str:
    """The address of a machine, as it is written best; empty for none."""
    try:
        return str(ip_address(value)) if value else ""
    except ValueError:
        raise ValueError("is not the address of a machine, such as 127.0.0.1") from None


def database_address(value: str) -> str:
    """The URL of a database, without its password; empty for the one in the data folder."""
    try:
        url = make_url(value) if value else None
    except ArgumentError:
        raise ValueError("is not a SQLAlchemy URL, such as sqlite:///file.db") from None
    if url is not None and {"password", "sslpassword"} & url.query.keys():
        raise ValueError("must not hold a password: it has a setting of its own")
    if url is not None and url.drivername not in DRIVERS:
        raise ValueError("must be sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME")
    if url is not None and url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ValueError("must name a file, as in sqlite:///FILE: a database in memory is lost")
    return value
