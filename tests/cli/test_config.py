"""Settings: where they come from, what is shown of them, and what each wrong one is told."""

from pathlib import Path
from typing import Any, Literal

import pytest

from pbmserv.cli.config import KNOWN, PREFIX, Settings, WrongSetting, load_settings
from tests.cli.terminal import Terminal

SECRET = "Xy7zzy-Q"


def shown(terminal: Terminal) -> dict[str, str]:
    """The settings in force."""
    done = terminal.run("config", "--json")
    assert done.code == 0, done.err
    rows: dict[str, str] = done.rows
    return rows


def test_every_setting_is_shown_with_its_meaning(terminal: Terminal) -> None:
    names = {PREFIX + name.upper() for name in KNOWN}
    assert set(shown(terminal)) == names
    table = terminal.succeed("config")
    for name in names:
        assert name in table
    for field in KNOWN.values():
        assert field.metadata["told"]


def test_defaults_are_safe(terminal: Terminal) -> None:
    found = shown(terminal)
    assert found["PBMSERV_CONFIRM"] == "ask"
    assert found["PBMSERV_LISTEN"] == "smtp://127.0.0.1:8025"
    assert found["PBMSERV_WEB"] == "127.0.0.1:8080"
    assert found["PBMSERV_DATABASE"] == f"sqlite:///{terminal.folder}/data/pbmserv.db"
    assert found["PBMSERV_OUT"] == f"maildir:{terminal.folder}/data/outgoing"
    assert not (terminal.folder / "data").exists(), "looking makes nothing"


def test_the_environment_goes_before_the_file(terminal: Terminal) -> None:
    (terminal.folder / "pbmserv.toml").write_text(
        'address = "a@club.example.org"\ndelimiter = "-"\nmax_size = 20000\n'
    )
    terminal.settings["PBMSERV_ADDRESS"] = "b@club.example.org"
    found = shown(terminal)
    assert (found["PBMSERV_ADDRESS"], found["PBMSERV_DELIMITER"]) == ("b@club.example.org", "-")
    assert found["PBMSERV_MAX_SIZE"] == "20000"
    terminal.settings["PBMSERV_DELIMITER"] = ""
    assert shown(terminal)["PBMSERV_DELIMITER"] == ""


def test_the_server_whose_results_are_believed() -> None:
    assert Settings().server().authserv_id == "", "nobody's, unless one is named"
    assert Settings(authserv_id="mx.club.test").server().authserv_id == "mx.club.test"


@pytest.mark.parametrize("name", ["mx.club.test; dmarc=pass", "mx club", '"mx"', "(mx)", "mx=", "möx"])
def test_a_name_that_no_server_can_have(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_AUTHSERV_ID", name)
    with pytest.raises(WrongSetting, match="AUTHSERV_ID: is not the name of a mail server"):
        load_settings()


@pytest.mark.parametrize(
    ("site", "is_home"),
    [
        ("", True),
        ("http://127.0.0.1:8080", True),
        ("http://localhost/", True),
        ("https://pbm.club.example", False),
        ("http://[", False),
    ],
)
def test_who_tells_people_an_address_is_not_at_home(site: str, is_home: bool) -> None:
    """The mailbox page is told of only where it is."""
    assert Settings(site_url=site).is_web_at_home is is_home


def test_secrets_are_masked(terminal: Terminal) -> None:
    terminal.settings |= {
        "PBMSERV_DATABASE": f"postgresql://pbm:{SECRET}@db.example.org/pbm",
        "PBMSERV_DATABASE_PASSWORD": SECRET,
        "PBMSERV_OUT": "smtp://pbm@mail.example.org",
    }
    (terminal.folder / "pbmserv.toml").write_text(f'out_password = "{SECRET}"\n')
    for words in (["config"], ["config", "--json"]):
        done = terminal.run(*words)
        assert done.code == 0
        assert SECRET not in done.out + done.err
        assert "***" in done.out
    assert shown(terminal)["PBMSERV_DATABASE"] == "postgresql+psycopg://pbm:***@db.example.org/pbm"


def test_secrets_do_not_show_in_a_repr(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_OUT_PASSWORD", SECRET)
    monkeypatch.setenv("PBMSERV_DATABASE_PASSWORD", SECRET)
    assert SECRET not in repr(load_settings()) + str(load_settings())


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("postgresql://u@h/n", "postgresql+psycopg://u:p%40%2F@h/n"),
        ("postgresql+psycopg://u:old@h/n?host=%2Ftmp", "postgresql+psycopg://u:p%40%2F@h/n?host=%2Ftmp"),
    ],
)
def test_the_database_password_is_put_in_its_place(url: str, wanted: str) -> None:
    settings = Settings(database=url, database_password="p@/")
    assert settings.database_url == wanted


WRONG = [
    ("ADDRESS", "nobody"),
    ("ADDRESS", "a@b"),
    ("ADDRESS", "@localhost"),
    ("ADDRESS", "a b@localhost"),
    ("ADDRESS", "a@b@localhost"),
    ("ADDRESS", "sch\u00f6n@club.example.org"),
    ("ADDRESS", "=?utf-8?q?x?=@localhost"),
    ("ADDRESS", ""),
    ("LISTEN", "8025"),
    ("LISTEN", "http://127.0.0.1:80"),
    ("LISTEN", "smtp://127.0.0.1:99999"),
    ("LISTEN", "smtp://127.0.0.1:25 lmtp:/socket"),
    ("LISTEN", "[/] [bold]"),
    ("OUT", "mail.example.org"),
    ("OUT", "maildir:"),
    ("OUT", "http://mail.example.org"),
    ("OUT", f"smtp://pbm:{SECRET}@mail.example.org"),
    ("OUT", "smtp://mail.example.org?starttls=perhaps"),
    ("WEB", "8080"),
    ("WEB", "127.0.0.1:"),
    ("WEB", "127.0.0.1:70000"),
    ("WEB", "127.0.0.1:\u0661"),
    ("DATABASE", "no url"),
    ("DATABASE", "mysql://u@h/n"),
    ("DATABASE", "postgresql+asyncpg://u@h/n"),
    ("DATABASE", "postgresql+psycopg2://u@h/n"),
    ("DATABASE", "sqlite+pysqlcipher:///x"),
    ("DATABASE", f"postgresql://u@h/n?password={SECRET}"),
    ("DATABASE", "sqlite://"),
    ("DATABASE", "sqlite:///:memory:"),
    ("CONFIRM", "always"),
    ("DELIMITER", "="),
    ("SIGNUP", "never"),
    ("TRUSTED_PROXY", "proxy.example.org"),
    ("TRUSTED_PROXY", "10.0.0.0/8"),
    ("MAX_SIZE", "many"),
    ("MAX_SIZE", "0"),
    ("MAX_SIZE", "-1"),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_setting_is_one_sentence(terminal: Terminal, name: str, value: str) -> None:
    terminal.settings[PREFIX + name] = value
    for words in (["config"], ["receive"], ["admin", "players"], ["migrate"]):
        done = terminal.run(*words)
        assert done.code == (75 if words == ["receive"] else 78), words
        assert f"{PREFIX}{name}" in done.sentence
        assert SECRET not in done.sentence
        assert done.out == ""
        assert not (terminal.folder / "data").exists()


def test_a_name_that_is_no_setting(terminal: Terminal) -> None:
    terminal.settings["PBMSERV_LISTENS"] = "smtp://127.0.0.1:25"
    done = terminal.run("config")
    assert done.code == 78
    assert "PBMSERV_LISTENS is not a setting" in done.sentence
    assert "PBMSERV_LISTEN," in done.sentence


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("adress = 'a@b.example.org'", "adress in pbmserv.toml is not a setting"),
        ("[server]\naddress = 'a@b.example.org'", "server in pbmserv.toml is not a setting"),
        ("address", "pbmserv.toml cannot be read"),
        ("address = 'a@b.example.org'\naddress = 'c@d.example.org'", "pbmserv.toml cannot be read"),
        ("max_size = 'many'", "PBMSERV_MAX_SIZE"),
        ("address = 7", "PBMSERV_ADDRESS"),
        (f"out_password = ['{SECRET}']", "PBMSERV_OUT_PASSWORD"),
        ("[/]", "pbmserv.toml cannot be read"),
    ],
)
def test_a_wrong_file_is_one_sentence(terminal: Terminal, text: str, told: str) -> None:
    (terminal.folder / "pbmserv.toml").write_text(text)
    done = terminal.run("config")
    assert done.code == 78
    assert told in done.sentence
    assert SECRET not in done.sentence


@pytest.mark.parametrize("content", [b"\xff\xfe", b"address = '\xff'", b"\0"])
def test_a_file_that_is_no_text(terminal: Terminal, content: bytes) -> None:
    (terminal.folder / "pbmserv.toml").write_bytes(content)
    done = terminal.run("config")
    assert done.code == 78
    assert "pbmserv.toml cannot be read" in done.sentence


def test_a_file_that_may_not_be_read(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    (terminal.folder / "pbmserv.toml").touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(WrongSetting, match=r"cannot be read: .*Permission denied"):
        load_settings({})


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_a_password_file_that_cannot_be_read(terminal: Terminal, content: bytes | None) -> None:
    file = terminal.folder / "secret"
    if content is not None:
        file.write_bytes(content)
    terminal.settings |= {"PBMSERV_OUT": "smtp://u@127.0.0.1", "PBMSERV_OUT_PASSWORD_FILE": str(file)}
    terminal.settings |= {"PBMSERV_LISTEN": "smtp://127.0.0.1:0", "PBMSERV_WEB": ""}
    terminal.succeed("migrate")
    done = terminal.run("send")
    assert done.code == 78
    assert "PBMSERV_OUT_PASSWORD_FILE" in done.sentence


def test_a_relay_without_its_password(terminal: Terminal) -> None:
    terminal.settings |= {"PBMSERV_OUT": "smtp://pbm@mail.example.org", "PBMSERV_WEB": "", "PBMSERV_LISTEN": ""}
    done = terminal.run("serve")
    assert done.code == 78
    assert "PBMSERV_OUT" in done.err.splitlines()[-1]


@pytest.mark.parametrize("folder", ["with blank", "100%", "d\u00e4ta", "[bold]x[/]", "a#b"])
def test_a_data_folder_with_an_odd_name(terminal: Terminal, folder: str) -> None:
    terminal.settings["PBMSERV_DATA"] = folder
    terminal.succeed("migrate")
    assert (terminal.folder / folder / "pbmserv.db").is_file()
    assert terminal.run("admin", "players").out == "No players.\n"


@pytest.mark.parametrize(
    ("listen", "confirm", "is_open"),
    [
        ("smtp://127.0.0.1:25 lmtp://[::1]:24 smtp://localhost", "from", False),
        ("smtp://0.0.0.0:25", "from", True),
        ("smtp://127.0.0.1:25 smtp://mail.example.org", "from", True),
        ("smtp://[::]:25", "from", True),
        ("smtp://0.0.0.0:25", "ask", False),
        ("", "from", False),
    ],
)
def test_a_server_that_believes_strangers_says_so(
    listen: str, confirm: Literal["ask", "from"], is_open: bool
) -> None:
    settings = Settings(listen=listen, confirm=confirm)
    assert settings.is_open_to_strangers() is is_open


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "must not be empty"),
        (" ", "must not be empty"),
        ("Chess\nFriends", "must be one line"),
        ("Chess  Friends", "must be one line"),
        ("Chess\x1bFriends", "must be one line"),
        ("ann@club.example", "must be one line without @"),
        ('The "Club"', "must be one line without @"),
        ("Chess: Friends", "must be one line without @"),
        ("# Club", "must begin with a letter or a digit"),
        ("[Club] Chess", "must begin with a letter or a digit"),
        ("c" * 41, "is too long"),
        ("国" * 16, "is too long"),
        ("Re", "is what mail programs put before the Subject"),
        ("Fwd", "is what mail programs put before the Subject"),
        ("Chess Board 12", "ends like the Subject of a mail about a board"),
    ],
)
def test_a_name_that_no_club_can_have(name: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_CLUB_NAME", name)
    with pytest.raises(WrongSetting, match=f"CLUB_NAME: {reason}"):
        load_settings()


@pytest.mark.parametrize("name", ["Smith, Jones & Co.", "Ann’s Café", "国际象棋俱乐部", "challenge", "c" * 40])
def test_a_name_that_a_club_can_have(name: str) -> None:
    assert Settings(club_name=name).server().club_name == name


@pytest.mark.parametrize(
    "contact", ["ann", "javascript:alert(1)", "https://", "https://a b", "ann@club\n", "x" * 300]
)
def test_a_contact_that_reaches_nobody(contact: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_CLUB_CONTACT", contact)
    with pytest.raises(WrongSetting, match="CLUB_CONTACT: is neither a mail address nor the address of a page"):
        load_settings()


@pytest.mark.parametrize(
    ("contact", "link"),
    [("", ""), ("ann@club.example", "mailto:ann@club.example"), ("https://club.example/@ann", "")],
)
def test_a_contact_as_a_link(contact: str, link: str) -> None:
    assert Settings(club_contact=contact).server().contact_link == (link or contact)


@pytest.mark.parametrize(
    ("colour", "reason"),
    [
        ("green", "is not a colour such as #0b5f4e"),
        ("#0b5", "is not a colour such as #0b5f4e"),
        ("#0b5f4e;}", "is not a colour such as #0b5f4e"),
        ("#ffcc00", r"has a contrast of 1\.3 to #f1eee6, which links on the pages stand on, and needs 4\.5"),
    ],
)
def test_a_colour_that_cannot_be_read(colour: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PBMSERV_ACCENT", colour)
    with pytest.raises(WrongSetting, match=f"ACCENT: {reason}"):
        load_settings()


def test_a_colour_that_can() -> None:
    assert Settings(accent="#7A1F5C").server().accent == "#7a1f5c"


def test_every_default_has_its_form() -> None:
    """Said aloud it is what it was; a process that another one starts is given it so."""
    for name, setting in KNOWN.items():
        if setting.default is not None:
            written: dict[str, Any] = {name: str(setting.default)}
            assert getattr(Settings(**written), name) == setting.default, name
    assert load_settings(Settings().environment()) == Settings()


@pytest.mark.parametrize(
    ("name", "written", "value"),
    [
        ("analysis", "no", False),
        ("analysis", "FALSE", False),
        ("variants", "1", True),
        ("variants", True, True),
        ("max_size", " 20000 ", 20_000),
        ("keep_days", 14, 14),
        ("processes", 2, "2"),
        ("robots", "0", "0"),
        ("imap_password_file", "/run/password", Path("/run/password")),
    ],
)
def test_what_is_written_becomes_what_is_meant(name: str, written: Any, value: object) -> None:
    found = getattr(Settings(**{name: written}), name)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "written", "reason"),
    [
        ("analysis", "perhaps", "must be true or false"),
        ("variants", 2, "must be true or false"),
        ("max_size", True, "must be a whole number"),
        ("max_size", 20_000.5, "must be a whole number"),
        ("keep_days", "13", "must be from 14 to 36500"),
        ("confirm", ["ask"], "must be 'ask' or 'from'"),
        ("delimiter", "=", r"must be '\+', '-' or ''"),
        ("imap_kept", "", "is not the name of a folder"),
        ("processes", {}, "must be a text"),
        ("data", 7, "must be a text"),
    ],
)
def test_what_cannot_be_meant(name: str, written: Any, reason: str) -> None:
    with pytest.raises(WrongSetting, match=f"^PBMSERV_{name.upper()}: {reason}$"):
        Settings(**{name: written})


@pytest.mark.parametrize("where", ["environment", "file"])
def test_settings_that_are_gone(terminal: Terminal, where: str) -> None:
    """The one in their place is named."""
    if where == "file":
        (terminal.folder / "pbmserv.toml").write_text('oauth_client_id = "club"\n')
    else:
        terminal.settings["PBMSERV_OAUTH_CLIENT_ID"] = "club"
    done = terminal.run("config")
    assert done.code == 78
    assert "is no longer a setting; PBMSERV_TOKEN_COMMAND is" in done.err
