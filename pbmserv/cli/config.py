"""The settings: `PBMSERV_*` in the environment, then `pbmserv.toml` in the working folder."""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from sqlalchemy import make_url

from pbmserv.cli import setting_forms
from pbmserv.cli.logs import LogForm
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import is_address
from pbmserv.games import games
from pbmserv.mail.mail_urls import relay_address
from pbmserv.mail.mail_urls import split as split_listener
from pbmserv.mail.receiving.imap_address import mailbox_address

PREFIX = "PBMSERV_"
FILE = "pbmserv.toml"


_GONE = "oauth"
"""How settings began that 0.13.0 had."""


class WrongSetting(Exception):
    """A wrong setting; the message is one sentence that names it."""


class Settings(BaseSettings):
    """Every setting, with its default. Passwords are not part of URLs and never printed."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, toml_file=FILE, extra="forbid")

    data: Path = Field(Path("data"), description="folder for the database, the outgoing Maildir and marks")
    database: Annotated[str, AfterValidator(setting_forms.database_address)] = Field(
        "", description="SQLAlchemy URL; empty: SQLite in the data folder"
    )
    database_password: SecretStr = Field(SecretStr(""), description="of the database's user")
    address: str = Field("pbmserv@localhost", description="the server's own mail address")
    club_name: Annotated[str, AfterValidator(setting_forms.club_name)] = Field(
        "pbmserv", description="what the club is called, in mails and on the pages"
    )
    club_contact: Annotated[str, AfterValidator(setting_forms.club_contact)] = Field(
        "", description="how people reach the operator: a mail address, or that of a page; empty: not told"
    )
    accent: Annotated[str, AfterValidator(setting_forms.accent)] = Field(
        "", description="colour of links and buttons on the pages, such as #7a1f5c; empty: green"
    )
    listen: str = Field(
        "smtp://127.0.0.1:8025", description="smtp://host:port, lmtp://host:port, blanks between; empty: off"
    )
    out: str = Field("", description="maildir:PATH, smtp://host:port, smtps://host:port; empty: Maildir in data")
    out_password: SecretStr = Field(SecretStr(""), description="of the relay's user")
    out_password_file: Path | None = Field(None, description="a file that holds that password")
    imap: str = Field("", description="mailbox to fetch mail from, imaps://user@host[:port][/folder]; empty: none")
    imap_password: SecretStr = Field(SecretStr(""), description="of the mailbox's user")
    imap_password_file: Path | None = Field(None, description="a file that holds that password")
    imap_done: Literal["move", "delete"] = Field("move", description="what becomes of mail that was fetched")
    imap_kept: Annotated[str, AfterValidator(setting_forms.folder)] = Field(
        "Kept", min_length=1, description="folder of the mailbox that it is moved to"
    )
    token_command: Annotated[str, AfterValidator(setting_forms.command_line)] = Field(
        "", description="program that prints a token to log in with where there is no password; {user} is the user"
    )
    web: Annotated[str, AfterValidator(setting_forms.host_and_port)] = Field(
        "127.0.0.1:8080", description="host:port of the web pages; empty: off"
    )
    site_url: str = Field("", description="how people reach the web pages; empty: not told in mails")
    confirm: Literal["ask", "from"] = Field("ask", description="what a From address proves: nothing, or all")
    authserv_id: Annotated[str, AfterValidator(setting_forms.authserv_id)] = Field(
        "", description="mail server whose Authentication-Results are believed; empty: none"
    )
    delimiter: Literal["+", "-", ""] = Field(
        "+", description="what stands before a tag in the address; empty: answers prove moves alone"
    )
    max_size: int = Field(1_048_576, ge=10_000, le=100_000_000, description="bytes of the largest mail taken")
    default_game: str = Field("cephalopod", description="what `challenge alice bob` means; empty: it is asked")
    games: str = Field("", description="games that can be begun, blanks between; empty: all")
    variants: bool = Field(
        False, description="whether games can be begun with sizes that their inventors did not publish"
    )
    signup: Literal["web", "mail"] = Field(
        "web", description="where accounts are opened: on a page, too (with `site_url`), or by mail alone"
    )
    operator: Annotated[str, AfterValidator(setting_forms.mail_address)] = Field(
        "", description="mail address that is told of lasting trouble; not shown to anybody; empty: nobody is"
    )
    health: Annotated[str, AfterValidator(setting_forms.host_and_port)] = Field(
        "", description="host:port of /healthz, /readyz and /metrics, such as 127.0.0.1:8081; empty: off"
    )
    trusted_proxy: Annotated[str, AfterValidator(setting_forms.host_address)] = Field(
        "", description="address of the proxy whose X-Forwarded-For says who asks for a page; empty: none"
    )
    log: LogForm = Field("text", description="form of the log: text, json, or journal for systemd; times are UTC")
    keep_days: int = Field(
        90, ge=14, le=36_500, description="days that mails taken in and sent are kept; boards stay for good"
    )
    analysis: bool = Field(
        True,
        description="whether robots evaluate games in their spare time; `analyse` works without it, but later",
    )
    processes: Annotated[str, BeforeValidator(str), AfterValidator(setting_forms.processes)] = Field(
        "auto", description="processes of `serve` that handle mail; 1: all of it is one process; auto: one a core"
    )
    robots: Annotated[str, BeforeValidator(str), AfterValidator(setting_forms.robots)] = Field(
        "auto", description="processes of `serve` in which robots think; 0: none here; auto: one for two cores"
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment comes before the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @field_validator("address")
    @classmethod
    def _is_address(cls, value: str) -> str:
        local, _, domain = value.rpartition("@")
        is_here = domain.lower() == "localhost" or domain.lower().endswith(".localhost")
        if not value.isascii() or "=?" in value or not is_address(f"{local}@example.org" if is_here else value):
            raise ValueError("is not a mail address")
        return value

    @field_validator("default_game", "games")
    @classmethod
    def _are_games(cls, value: str) -> str:
        for name in value.split():
            if name not in games():
                raise ValueError(f"{name} is not a game; use {', '.join(games())}")
        return value

    @field_validator("listen")
    @classmethod
    def _are_listeners(cls, value: str) -> str:
        for url in value.split():
            split_listener(url)
        return value

    @field_validator("out")
    @classmethod
    def _is_way_out(cls, value: str) -> str:
        if value == "maildir:":
            raise ValueError("maildir: needs the path of a folder after it")
        if value and not value.startswith("maildir:"):
            relay_address(value)
        return value

    @field_validator("imap")
    @classmethod
    def _is_mailbox(cls, value: str) -> str:
        if value:
            mailbox_address(value)
        return value

    @property
    def database_url(self) -> str:
        """The URL with its password in place."""
        if not self.database:
            return f"sqlite:///{(self.data / 'pbmserv.db').resolve()}"
        url, password = make_url(self.database), self.database_password.get_secret_value()
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
        is_told_here = not self.site_url or _is_loopback(_host(self.site_url))
        return self.web_place is not None and _is_loopback(self.web_place[0]) and is_told_here

    @property
    def health_place(self) -> tuple[str, int] | None:
        """Host and port of the health pages; None when they are off."""
        host, _, port = self.health.rpartition(":")
        return (host.strip("[]"), int(port)) if self.health else None

    @property
    def workers(self) -> int:
        """How many processes of `serve` handle mail; 1 where everything is in one process."""
        return setting_forms.usable_cores() if self.processes == "auto" else int(self.processes)

    @property
    def thinkers(self) -> int:
        """How many processes of `serve` robots think in."""
        return max(1, setting_forms.usable_cores() // 2) if self.robots == "auto" else int(self.robots)

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
        values = {PREFIX + name.upper(): getattr(self, name) for name in Settings.model_fields}
        return {
            name: value.get_secret_value() if isinstance(value, SecretStr) else str(value)
            for name, value in values.items()
            if value is not None
        }

    def is_open_to_strangers(self) -> bool:
        """Whether mail is taken from other machines, or from a mailbox, although a From address is believed."""
        has_strangers = self.imap or any(not _is_loopback(split_listener(url)[1]) for url in self.listeners)
        return self.confirm == "from" and bool(has_strangers)


def load_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """The current settings. Raises WrongSetting."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in environment:
        if name.startswith(PREFIX + _GONE.upper()):
            raise WrongSetting(_instead_of(name))
        if name.startswith(PREFIX) and name not in known:
            raise WrongSetting(f"{name} is not a setting; use one of {', '.join(sorted(known))}")
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden" and name.startswith(_GONE):
            raise WrongSetting(_instead_of(f"{name} in {FILE}")) from None
        if first["type"] == "extra_forbidden":
            known_keys = ", ".join(sorted(Settings.model_fields))
            raise WrongSetting(f"{name} in {FILE} is not a setting; use one of {known_keys}") from None
        raise WrongSetting(f"{PREFIX}{name.upper()}: {first['msg'].removeprefix('Value error, ')}") from None
    except (ValueError, OSError) as error:
        raise WrongSetting(f"{FILE} cannot be read: {error}") from None


def _instead_of(name: str) -> str:
    return f"{name} is no longer a setting; {PREFIX}TOKEN_COMMAND is (docs/operating.md)"


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
