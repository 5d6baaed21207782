"""The setting that says where mail goes out to: what it may be, and that a wrong one is told without secrets."""

from pathlib import Path

import pytest

from pbmserv.mail.mail_urls import RelayAddress, relay_address
from pbmserv.mail.sending.destination import open_transport
from pbmserv.mail.sending.maildir import Maildir
from pbmserv.mail.sending.smtp import Relay
from tests.every import for_each


@for_each(
    ("url", "address"),
    [
        ("smtp://mail.test", RelayAddress("mail.test", 25, "", "starttls")),
        ("SMTP://Mail.Test:2525/", RelayAddress("mail.test", 2525, "", "starttls")),
        ("smtp://me@mail.test", RelayAddress("mail.test", 587, "me", "starttls")),
        ("smtp://me%40club.test@mail.test:25", RelayAddress("mail.test", 25, "me@club.test", "starttls")),
        ("smtps://me@mail.test", RelayAddress("mail.test", 465, "me", "implicit")),
        ("smtps://localhost", RelayAddress("localhost", 465, "", "implicit")),
        ("smtp://localhost", RelayAddress("localhost", 25, "", "none")),
        ("smtp://127.0.0.2:1025", RelayAddress("127.0.0.2", 1025, "", "none")),
        ("smtp://[::1]", RelayAddress("::1", 25, "", "none")),
        ("smtp://localhost?starttls=yes", RelayAddress("localhost", 25, "", "starttls")),
        ("smtp://me@localhost", RelayAddress("localhost", 587, "me", "starttls")),
        ("smtp://me@localhost?starttls=no", RelayAddress("localhost", 587, "me", "none")),
        ("smtp://10.0.0.1?starttls=no", RelayAddress("10.0.0.1", 25, "", "none")),
        ("smtp://localhost.evil.test", RelayAddress("localhost.evil.test", 25, "", "starttls")),
    ],
)
def test_a_relay(url: str, address: RelayAddress) -> None:
    assert relay_address(url) == address


def test_each_kind_of_road(tmp_path: Path) -> None:
    assert isinstance(open_transport(f"maildir:{tmp_path}"), Maildir)
    assert isinstance(open_transport(f"maildir:{tmp_path}/new"), Maildir)
    assert isinstance(open_transport("smtp://mail.test"), Relay)
    assert isinstance(open_transport("smtps://me@mail.test", password="pw"), Relay)


FORMS = "mail goes out by maildir:PATH, smtp:"


@for_each(
    ("setting", "sentence"),
    [
        ("", FORMS),
        ("maildir:", "wants the path"),
        ("maildir", FORMS),
        ("http://mail.test", FORMS),
        ("smtp:mail.test", FORMS),
        ("smtp://", FORMS),
        ("smtp://hunter2@mail.test:port", FORMS),
        ("smtp://hunter2@mail.test:99999", FORMS),
        ("smtp://[hunter2", FORMS),
        ("smtp://mail.test/path", FORMS),
        ("smtp://mail.test#hunter2", FORMS),
        ("smtp://me:hunter2@mail.test", "password does not belong in its URL"),
        ("smtps://me:@mail.test", "password does not belong in its URL"),
        ("smtp://mail.test?starttls=maybe", "starttls=yes or starttls=no"),
        ("smtp://mail.test?tls=no", "starttls=yes or starttls=no"),
        ("smtp://mail.test?starttls=no&starttls=yes", "starttls=yes or starttls=no"),
        ("smtps://mail.test?starttls=no", "smtps:// takes nothing after"),
        ("smtp://me@mail.test?starttls=no", "in the clear"),
    ],
)
def test_a_wrong_setting(setting: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]{10,150}$") as error:
        open_transport(setting, password="pw" if "@" in setting else "")
    assert sentence in str(error.value)
    assert "hunter2" not in str(error.value)
    assert error.value.__cause__ is None


def test_a_file_is_no_maildir(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ValueError, match="wants the path of a folder"):
        open_transport(f"maildir:{tmp_path}/file")


@for_each(
    ("setting", "password"),
    [("smtp://me@mail.test", ""), ("smtp://mail.test", "hunter2"), ("smtps://me@m.test", "hunter2ä")],
)
def test_user_and_password_go_together_and_are_ascii(setting: str, password: str) -> None:
    with pytest.raises(ValueError, match="password") as error:
        open_transport(setting, password=password)
    assert "hunter2" not in str(error.value)
