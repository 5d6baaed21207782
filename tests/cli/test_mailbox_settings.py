"""The settings of a mailbox: what they may be, and that a wrong one is told in one sentence without secrets."""

import pytest

from pbmserv.cli.config import Settings, WrongSetting
from pbmserv.cli.serve import mailbox
from pbmserv.commands.server import Server
from pbmserv.mail.mail_urls import MailboxAddress, mailbox_address
from pbmserv.mail.receiving.imap_fetch import recipients_in
from tests.cli.terminal import Terminal

SECRET = "Xy7zzy-Q"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("imaps://me@mail.test", MailboxAddress("mail.test", 993, "me", "INBOX", "implicit")),
        ("IMAPS://me@Mail.Test:1993/", MailboxAddress("mail.test", 1993, "me", "INBOX", "implicit")),
        (
            "imaps://me%40club.test@mail.test",
            MailboxAddress("mail.test", 993, "me@club.test", "INBOX", "implicit"),
        ),
        ("imaps://me@club.test@mail.test", MailboxAddress("mail.test", 993, "me@club.test", "INBOX", "implicit")),
        (
            "imaps://me@m.test/Games/Sch%C3%B6n",
            MailboxAddress("m.test", 993, "me", "Games/Sch\u00f6n", "implicit"),
        ),
        ("imap://me@mail.test", MailboxAddress("mail.test", 143, "me", "INBOX", "starttls")),
        ("imap://me@mail.test?starttls=yes", MailboxAddress("mail.test", 143, "me", "INBOX", "starttls")),
        ("imap://me@localhost", MailboxAddress("localhost", 143, "me", "INBOX", "none")),
        ("imap://me@[::1]:1143/Club", MailboxAddress("::1", 1143, "me", "Club", "none")),
        ("imap://me@localhost/?starttls=yes", MailboxAddress("localhost", 143, "me", "INBOX", "starttls")),
        ("imap://me@127.0.0.1?starttls=no", MailboxAddress("127.0.0.1", 143, "me", "INBOX", "none")),
        ("imap://me@localhost.evil.test", MailboxAddress("localhost.evil.test", 143, "me", "INBOX", "starttls")),
    ],
)
def test_a_mailbox(url: str, address: MailboxAddress) -> None:
    assert mailbox_address(url) == address


def test_what_operators_are_told_of_it() -> None:
    assert mailbox_address("imaps://me%40a.test@[::1]/Club").place == "imaps://me@a.test@[::1]:993/Club"


WRONG = [
    ("mail.test", "a mailbox is imaps:"),
    ("imaps://mail.test", "a mailbox is imaps:"),
    ("imaps://me@", "a mailbox is imaps:"),
    ("pop3://me@mail.test", "a mailbox is imaps:"),
    (f"imaps://me@mail.test:{SECRET}", "a mailbox is imaps:"),
    (f"imaps://[{SECRET}", "a mailbox is imaps:"),
    (f"imaps://me@mail.test#{SECRET}", "a mailbox is imaps:"),
    ("imaps://me%FF@mail.test", "a mailbox is imaps:"),
    ("imaps://me%0D%0A@mail.test", "plain text"),
    ("imaps://me@mail.test/a%00b", "plain text"),
    (f"imaps://me:{SECRET}@mail.test", "password does not belong in its URL"),
    ("imaps://me@mail.test?starttls=no", "imaps:// takes nothing after"),
    ("imap://me@mail.test?starttls=maybe", "a mailbox's ? there is starttls=yes or starttls=no"),
    ("imap://me@mail.test?starttls=no", "mailbox's password in the clear"),
]


@pytest.mark.parametrize(("url", "sentence"), WRONG)
def test_a_wrong_mailbox(terminal: Terminal, url: str, sentence: str) -> None:
    terminal.settings["PBMSERV_IMAP"] = url
    done = terminal.run("poll")
    assert done.code == 78
    assert "PBMSERV_IMAP: " in done.sentence
    assert sentence in done.sentence
    assert SECRET not in done.sentence


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("IMAP", "", "PBMSERV_IMAP is empty"),
        ("IMAP_PASSWORD", "", "PBMSERV_IMAP_PASSWORD and PBMSERV_TOKEN_COMMAND are empty"),
        ("IMAP_PASSWORD_FILE", "nowhere", "PBMSERV_IMAP_PASSWORD_FILE cannot be read: No such file"),
        ("IMAP_KEPT", "inbox", "PBMSERV_IMAP_KEPT must be another folder"),
        ("IMAP_KEPT", "", "PBMSERV_IMAP_KEPT"),
        ("IMAP_KEPT", "a\nb", "PBMSERV_IMAP_KEPT: is not the name of a folder"),
        ("IMAP_DONE", "leave", "PBMSERV_IMAP_DONE"),
    ],
)
@pytest.mark.parametrize("command", ["poll", "serve"])
def test_what_else_may_be_wrong(terminal: Terminal, command: str, name: str, value: str, told: str) -> None:
    terminal.settings |= {"PBMSERV_WEB": "", "PBMSERV_LISTEN": ""}
    terminal.settings |= {"PBMSERV_IMAP": "imaps://me@mail.test", "PBMSERV_IMAP_PASSWORD": SECRET}
    terminal.succeed("migrate")
    terminal.settings["PBMSERV_" + name] = value
    if (command, name) == ("serve", "IMAP"):
        return  # nothing wrong with a server without a mailbox
    done = terminal.run(command)
    assert done.code == 78
    assert told in done.err.splitlines()[-1]
    assert SECRET not in done.err


def test_the_password_is_masked(terminal: Terminal) -> None:
    terminal.settings |= {"PBMSERV_IMAP": "imaps://me@mail.test", "PBMSERV_IMAP_PASSWORD": SECRET}
    for words in (["config"], ["config", "--json"]):
        assert SECRET not in terminal.succeed(*words)


def test_a_folder_may_be_deleted_from_whatever_kept_is_called() -> None:
    mailbox(Settings(imap="imaps://me@mail.test", imap_password="x", imap_kept="INBOX", imap_done="delete"))
    with pytest.raises(WrongSetting):
        mailbox(Settings(imap="imaps://me@mail.test", imap_password="x", imap_kept="INBOX"))


def test_a_mailbox_takes_mail_from_strangers() -> None:
    assert Settings(imap="imaps://me@mail.test", listen="", confirm="from").is_open_to_strangers()
    assert not Settings(imap="imaps://me@mail.test", listen="", confirm="ask").is_open_to_strangers()


@pytest.mark.parametrize(
    ("head", "recipients"),
    [
        (b"To: pbm@club.test\r\n", ("pbm@club.test",)),
        (b'Cc: bob@club.test,\r\n "Club, the" <PBM+t1@Club.test>\r\n', ("PBM+t1@Club.test",)),
        (b"To: pbm+b@club.test\r\nDelivered-To: pbm+a@club.test\r\n", ("pbm+a@club.test", "pbm+b@club.test")),
        (b"Delivered-To: me@provider.test\r\nTo: pbm+t@club.test\r\n", ("pbm+t@club.test",)),
        (b"To: pbm@club.test, pbm@club.test\r\n", ("pbm@club.test",)),
        (b"To: xpbm@club.test, pbm@club.test.evil.test\r\n", ("pbm@club.test",)),
        (b"To: undisclosed-recipients:;\r\n", ("pbm@club.test",)),
        (b"Subject: pbm+t@club.test\r\n", ("pbm@club.test",)),
        (b"", ("pbm@club.test",)),
        (b"To: \xff\x00pbm+t@club.test\r\n", ("pbm+t@club.test",)),
        (b"To: " + b", ".join(b"pbm+%d@club.test" % n for n in range(500)), None),
    ],
)
def test_for_whom_a_mail_is(head: bytes, recipients: tuple[str, ...] | None) -> None:
    found = recipients_in(head + b"\r\nTo: pbm+body@club.test\r\n", Server("pbm@club.test", variants=True))
    assert (found == recipients) if recipients else (len(found) == 100)
