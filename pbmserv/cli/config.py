"""The settings: `PBMSERV_*` in the environment, then `pbmserv.toml` in the working folder.

`pbmserv receive` reads them once a mail: what checks a single setting is imported only where that one is set.
"""

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from sqlalchemy import make_url

from pbmserv.cli import setting_forms as forms
from pbmserv.cli.logs import LogForm
from pbmserv.commands.server import Server
from pbmserv.mail.mail_urls import is_loopback
from pbmserv.mail.mail_urls import split as split_listener

PREFIX = "PBMSERV_"
FILE = "pbmserv.toml"

T = TypeVar("T")


_GONE: Final = "oauth"
"""How settings began that 0.13.0 had."""


class WrongSetting(Exception):
    """A wrong setting; the message is one sentence that names it."""


def setting(default: T, told: str, form: Callable[[Any], object] | None = None, *, is_secret: bool = False) -> T:
    """A field of `Settings`: its default, what it is, and what gives its value from what was written, or raises
    ValueError."""
    return field(
        default=default, repr=not is_secret, metadata={"told": told, "form": form, "is_secret": is_secret}
    )


@dataclass(frozen=True)
class Settings:
    """Every setting, with its default. Passwords are not part of URLs and never printed.

    Texts become what a field holds, and everything but a default is checked. Raises WrongSetting.
    """

    data: Path = setting(Path("data"), "folder for the database, the outgoing Maildir and marks")
    database: str = setting("", "SQLAlchemy URL; empty: SQLite in the data folder", forms.database_address)
    database_password: str = setting("", "password of the database's user", is_secret=True)
    address: str = setting("pbmserv@localhost", "the server's own mail address", forms.own_address)
    club_name: str = setting("pbmserv", "what the club is called, in mails and on the pages", forms.club_name)
    club_contact: str = setting(
        "", "how people reach the operator: a mail address, or that of a page; empty: not told", forms.club_contact
    )
    accent: str = setting(
        "", "colour of links and buttons on the pages, such as #7a1f5c; empty: green", forms.accent
    )
    listen: str = setting(
        "smtp://127.0.0.1:8025", "smtp:// or lmtp://host:port, separated by blanks; empty: off", forms.listeners
    )
    out: str = setting(
        "", "maildir:PATH, smtp://host:port, smtps://host:port; empty: Maildir in data", forms.way_out
    )
    out_password: str = setting("", "password of the relay's user", is_secret=True)
    out_password_file: Path | None = setting(None, "a file that holds that password")
    imap: str = setting(
        "", "mailbox to fetch mail from, imaps://user@host[:port][/folder]; empty: none", forms.mailbox
    )
    imap_password: str = setting("", "password of the mailbox's user", is_secret=True)
    imap_password_file: Path | None = setting(None, "a file that holds that password")
    imap_done: Literal["move", "delete"] = setting("move", "what happens to fetched mail")
    imap_kept: str = setting("Kept", "folder of the mailbox to move it to", forms.folder)
    token_command: str = setting(
        "",
        "program that prints a token to log in with where there is no password; {user} is the user",
        forms.command_line,
    )
    web: str = setting("127.0.0.1:8080", "host:port of the web pages; empty: off", forms.host_and_port)
    site_url: str = setting("", "how people reach the web pages; empty: not told in mails")
    confirm: Literal["ask", "from"] = setting("ask", "what a From address proves: nothing, or everything")
    authserv_id: str = setting(
        "", "mail server whose Authentication-Results are believed; empty: none", forms.authserv_id
    )
    delimiter: Literal["+", "-", ""] = setting(
        "+", "what stands before a tag in the address; empty: answers prove moves only"
    )
    max_size: int = setting(1_048_576, "bytes of the largest mail taken", forms.between(10_000, 100_000_000))
    default_game: str = setting(
        "cephalopod", "game that `challenge alice bob` means; empty: the server asks", forms.known_games
    )
    games: str = setting("", "games that can be started, separated by blanks; empty: all", forms.known_games)
    variants: bool = setting(False, "whether games can be started in sizes that their inventors did not publish")
    signup: Literal["web", "mail"] = setting(
        "web", "where accounts are opened: on a page as well (with `site_url`), or by mail only"
    )
    operator: str = setting(
        "",
        "mail address for alerts about lasting trouble; never shown; empty: no alerts",
        forms.mail_address,
    )
    health: str = setting(
        "", "host:port of /healthz, /readyz and /metrics, such as 127.0.0.1:8081; empty: off", forms.host_and_port
    )
    trusted_proxy: str = setting(
        "", "address of the proxy whose X-Forwarded-For says who asks for a page; empty: none", forms.host_address
    )
    log: LogForm = setting("text", "form of the log: text, json, or journal for systemd; times are UTC")
    keep_days: int = setting(
        90, "days that mails taken in and sent are kept; boards stay for good", forms.between(14, 36_500)
    )
    analysis: bool = setting(
        True,
        "whether robots evaluate games in their spare time; `analyse` works without it, but later",
    )
    processes: str | int = setting(
        "auto",
        "processes of `serve` that handle mail; 1: one for all but robots; auto: one per core",
        forms.processes,
    )
    robots: str | int = setting(
        "auto", "processes of `serve` in which robots think; 0: none here; auto: one per two cores", forms.robots
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            written = getattr(self, each.name)
            if written is each.default:
                continue
            form: Callable[[Any], object] | None = each.metadata["form"]
            try:
                value = forms.read(each.type, written)
                object.__setattr__(self, each.name, value if form is None else form(value))
            except ValueError as error:
                raise WrongSetting(f"{PREFIX}{each.name.upper()}: {error}") from None

    @property
    def database_url(self) -> str:
        """The URL with its password in place."""
        if not self.database:
            return f"sqlite:///{(self.data / 'pbmserv.db').resolve()}"
        url, password = make_url(self.database), self.database_password
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        return (url.set(password=password) if password else url).render_as_string(hide_password=False)

    @property
    def way_out(self) -> str:
        """Where mail goes out to."""
        return self.out or f"maildir:{(self.data / 'outgoing').resolve()}"

    @property
    def outgoing(self) -> Path | None:
        """The Maildir that mail goes out to; None where it goes to people."""
        return Path(self.way_out.removeprefix("maildir:")) if self.way_out.startswith("maildir:") else None

    @property
    def listeners(self) -> tuple[str, ...]:
        """The URLs at which mail is taken."""
        return tuple(self.listen.split())

    @property
    def web_place(self) -> tuple[str, int] | None:
        """Host and port of the web pages; None when they are off."""
        host, _, port = self.web.rpartition(":")
        return (host.strip("[]"), int(port)) if self.web else None

    @property
    def is_web_at_home(self) -> bool:
        """Whether there are web pages that only this machine can reach."""
        is_told_here = not self.site_url or is_loopback(_host(self.site_url))
        return self.web_place is not None and is_loopback(self.web_place[0]) and is_told_here

    @property
    def health_place(self) -> tuple[str, int] | None:
        """Host and port of the health pages; None when they are off."""
        host, _, port = self.health.rpartition(":")
        return (host.strip("[]"), int(port)) if self.health else None

    @property
    def workers(self) -> int:
        """How many processes of `serve` handle mail; 1 where everything is in one process."""
        return forms.usable_cores() if self.processes == "auto" else int(self.processes)

    @property
    def thinkers(self) -> int:
        """How many processes of `serve` robots think in."""
        return max(1, forms.usable_cores() // 2) if self.robots == "auto" else int(self.robots)

    def server(self) -> Server:
        """What the server knows about itself."""
        # With mail to a Maildir somebody is trying the server out, and links lead to this machine.
        site = self.site_url or (f"http://{self.web}" if self.web and self.way_out.startswith("maildir:") else "")
        return Server(
            address=self.address,
            delimiter=self.delimiter,
            confirm=self.confirm,
            site_url=site.rstrip("/"),
            authserv_id=self.authserv_id,
            max_size=self.max_size,
            default_game=self.default_game,
            games=tuple(self.games.split()),
            variants=self.variants,
            club_name=self.club_name,
            club_contact=self.club_contact,
            accent=self.accent,
            signup=self.signup,
        )

    def environment(self) -> dict[str, str]:
        """The settings as another process of ours reads them, with their secrets."""
        values = {PREFIX + name.upper(): getattr(self, name) for name in KNOWN}
        return {name: str(value) for name, value in values.items() if value is not None}

    def is_open_to_strangers(self) -> bool:
        """Whether mail is taken from other machines, or from a mailbox, although a From address is believed."""
        has_strangers = self.imap or any(not is_loopback(split_listener(url)[1]) for url in self.listeners)
        return self.confirm == "from" and bool(has_strangers)


KNOWN: Final[Mapping[str, Field[Any]]] = MappingProxyType({each.name: each for each in fields(Settings)})
"""The fields of the settings by name."""


def load_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The current settings. Raises WrongSetting."""
    given = {name: value for name, value in environment.items() if name.startswith(PREFIX)}
    known = {PREFIX + name.upper(): name for name in KNOWN}
    for name in given.keys() - known:
        if name.startswith(PREFIX + _GONE.upper()):
            raise WrongSetting(_instead_of(name))
        raise WrongSetting(f"{name} is not a setting; use one of {', '.join(sorted(known))}")
    written = _written_in_file()
    for name in written.keys() - KNOWN:
        if name.startswith(_GONE):
            raise WrongSetting(_instead_of(f"{name} in {FILE}"))
        raise WrongSetting(f"{name} in {FILE} is not a setting; use one of {', '.join(sorted(KNOWN))}")
    return Settings(**written | {known[name]: value for name, value in given.items()})


def _instead_of(name: str) -> str:
    return f"{name} is no longer a setting; {PREFIX}TOKEN_COMMAND is (docs/operating.md)"


def _written_in_file() -> dict[str, Any]:
    try:
        return tomllib.loads(Path(FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError) as error:
        raise WrongSetting(f"{FILE} cannot be read: {error}") from None


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
