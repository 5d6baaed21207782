"""Servers as no Dovecot is: what they leave out, say too early, break off, or would like to be told."""

import base64
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest

from pbmserv.mail.mail_urls import MailboxAddress
from pbmserv.mail.receiving.imap_fetch import MailFetcher
from pbmserv.mail.receiving.imap_mailbox import (
    Disposition,
    ImapError,
    ImapMailbox,
    ImapRefused,
    LoginRefused,
    Silence,
    open_mailbox,
)
from pbmserv.server.poller import polling
from pbmserv.services.app import App
from tests.cli.processes import PATIENCE, wait_for
from tests.roads.imap.box import MAX_SIZE, Keeping, mail, subjects_in, sweeper_of
from tests.roads.imap.fake_imap import FakeImap, fake_imap

SECRET = "Xy7zzy-Q"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeImap]:
    """One with three mails, for which there is little patience."""
    monkeypatch.setattr("pbmserv.mail.receiving.imap_mailbox.READ_WITHIN", 1.0)
    with fake_imap() as server:
        server.mails = {number: mail(f"m{number}") for number in (1, 2, 3)}
        yield server


def address_of(fake: FakeImap, tls: str = "none") -> MailboxAddress:
    """Where it is."""
    return MailboxAddress("127.0.0.1", fake.port, "club", "INBOX", tls)  # type: ignore[arg-type]


def opened(fake: FakeImap) -> ImapMailbox:
    """A connection."""
    return open_mailbox(address_of(fake), SECRET, Disposition())


def swept(fake: FakeImap, sweeper: MailFetcher) -> None:
    """One connection's first sweep."""
    mailbox = opened(fake)
    try:
        sweeper.start_over()
        sweeper.fetch_new(mailbox, threading.Event())
    finally:
        mailbox.close()


def test_as_it_should_be(fake: FakeImap, keeping: Keeping) -> None:
    swept(fake, sweeper_of(keeping.keep))
    assert (keeping.subjects, fake.mails) == (["m1", "m2", "m3"], {})
    assert "CREATE" in fake.commands()


@pytest.mark.parametrize("told", ["FLAGS (\\Seen)", "BODY[] NIL", 'BODY[] ""'])
def test_an_answer_without_a_body_is_passed_over(
    fake: FakeImap, keeping: Keeping, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = fake.fetched

    def without(uid: int, rest: str) -> bytes:
        return whole(uid, rest) if uid != 2 or "SIZE" in rest else f"* 2 FETCH (UID 2 {told})\r\n".encode()

    fake.fetched = without  # type: ignore[method-assign]
    sweeper = sweeper_of(keeping.keep)
    swept(fake, sweeper)
    assert keeping.subjects == ["m1", "m3"]
    assert list(fake.mails) == [2]
    assert caplog.text.count("not to be had, tried again later uid=2 ") == 1
    fake.fetched = whole  # type: ignore[method-assign]
    sweeper.start_over(retry_failed=True)
    swept(fake, sweeper)
    assert (keeping.subjects, fake.mails) == (["m1", "m3", "m2"], {})


def test_a_mail_that_the_server_refuses_to_show_does_not_hide_the_others(fake: FakeImap, keeping: Keeping) -> None:
    def refuse(tag: str, rest: str) -> bytes:
        del fake.answers["FETCH"]
        told = fake.reply(tag, rest) if "2" not in rest.split(" ")[2] else f"{tag} NO sick\r\n".encode()
        fake.answers["FETCH"] = refuse
        assert told is not None
        return told

    fake.answers["FETCH"] = refuse
    swept(fake, sweeper_of(keeping.keep))
    assert (keeping.subjects, list(fake.mails)) == (["m1", "m3"], [2])


def test_a_mail_over_which_the_server_hangs_up_comes_last(fake: FakeImap, keeping: Keeping) -> None:
    whole = fake.fetched

    def break_off(tag: str, rest: str) -> bytes | None:
        if "BODY" in rest and "2" in rest.split(" ")[2].split(","):
            return None
        return (
            b"".join(whole(int(uid), rest) for uid in rest.split(" ")[2].split(","))
            + f"{tag} OK done\r\n".encode()
        )

    fake.answers["FETCH"] = break_off
    sweeper = sweeper_of(keeping.keep)
    for kept in ([], ["m1"], ["m1", "m3"]):
        with pytest.raises(ImapError):
            swept(fake, sweeper)
        assert keeping.subjects == kept
    swept(fake, sweeper)
    assert list(fake.mails) == [2], "it is given up for a while"


def test_a_mail_that_is_told_of_at_the_end_of_a_command(fake: FakeImap, keeping: Keeping) -> None:
    """RFC 3501 lets a server tell of it there, and never again."""
    fake.mails = {}

    def too_late(tag: str, rest: str) -> bytes:
        fake.mails = {7: mail("m7")}
        del fake.answers["SEARCH"]
        return f"* SEARCH\r\n* 1 EXISTS\r\n{tag} OK done\r\n".encode()

    fake.answers["SEARCH"] = too_late
    swept(fake, sweeper_of(keeping.keep))
    assert keeping.subjects == ["m7"]


def test_a_size_that_is_a_lie(fake: FakeImap, keeping: Keeping) -> None:
    """Some servers guess it."""
    fake.mails = {1: mail("large", "x" * MAX_SIZE)}
    whole = fake.fetched
    fake.fetched = lambda uid, rest: (  # type: ignore[method-assign]
        b"* 1 FETCH (UID 1 RFC822.SIZE 5)\r\n" if "SIZE" in rest else whole(uid, rest)
    )
    swept(fake, sweeper_of(keeping.keep))
    assert keeping.subjects == ["large"]
    assert keeping.full_sizes == [len(mail("large", "x" * MAX_SIZE))]
    assert b"xx" not in keeping.raws[0]


@pytest.mark.parametrize("line", ["* 3 EXISTS", "* OK Still here", "* BYE shutting down"])
def test_news_before_idle_has_begun(fake: FakeImap, line: str) -> None:
    """imapclient takes them for an error; a new connection finds what there is."""
    fake.answers["IDLE"] = lambda tag, _: f"{line}\r\n+ idling\r\n".encode()
    mailbox = opened(fake)
    mailbox.select()
    with pytest.raises(ImapError):
        mailbox.wait(threading.Event(), PATIENCE)
    mailbox.close()


@pytest.mark.parametrize(
    ("line", "is_news"), [("* 4 EXISTS", True), ("* 2 EXPUNGE", True), ("* OK Still here", False), ("", False)]
)
def test_what_is_news(fake: FakeImap, monkeypatch: pytest.MonkeyPatch, line: str, is_news: bool) -> None:
    """Told together with the beginning of IDLE, where no poll of the socket shows it."""
    monkeypatch.setattr("pbmserv.mail.receiving.imap_mailbox.CHECK_EVERY", 0.2)
    usual = fake.reply

    def with_news(tag: str, rest: str) -> bytes | None:
        told = usual(tag, rest)
        return told and told + (f"{line}\r\n".encode() if rest == "IDLE" and line else b"")

    fake.reply = with_news  # type: ignore[method-assign]
    mailbox = opened(fake)
    mailbox.select()
    assert mailbox.wait(threading.Event(), PATIENCE) is is_news
    mailbox.close()


def test_silence(fake: FakeImap, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbmserv.mail.receiving.imap_mailbox.CHECK_EVERY", 0.2)
    fake.answers["DONE"] = lambda tag, rest: b""
    mailbox = opened(fake)
    mailbox.select()
    with pytest.raises(Silence):
        mailbox.wait(threading.Event(), 0.3)
    mailbox.close()


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("SELECT", b"* X\xff\r\n"),
        ("SELECT", b"* many EXISTS\r\n%s OK done\r\n"),
        ("SELECT", b"%s OK done\r\n"),
        ("SELECT", b"* 1 EXISTS\r\n* OK [READ-ONLY]\r\n%s OK [READ-ONLY] done\r\n"),
        ("SEARCH", b"* SEARCH one two\r\n%s OK done\r\n"),
        ("SEARCH", b"* SEARCH 1" + b" 1" * 600_000 + b"\r\n%s OK done\r\n"),
        ("FETCH", b"* 1 FETCH (UID 1 RFC822.SIZE (\r\n%s OK done\r\n"),
        ("FETCH", b"* 1 FETCH RFC822.SIZE\r\n%s OK done\r\n"),
        ("FETCH", b"* 1 FETCH (UID 1 BODY[] {99999999}\r\nshort"),
        ("SEARCH", b"* BYE enough\r\n"),
        ("CREATE", b"\r\n\r\n"),
    ],
)
def test_any_bytes_are_trouble_or_no_mail(fake: FakeImap, keeping: Keeping, command: str, answer: bytes) -> None:
    """No other error, and no end of it all."""
    fake.answers[command] = lambda tag, rest: answer.replace(b"%s", tag.encode())
    with suppress(ImapError, ImapRefused):
        swept(fake, sweeper_of(keeping.keep))
    assert set(keeping.subjects) <= {"m1", "m2", "m3"}


@pytest.mark.parametrize("capabilities", ["IMAP4rev1", "IMAP4rev1 LOGINDISABLED", "IMAP4rev1 AUTH=PLAIN"])
def test_each_way_to_log_in(fake: FakeImap, capabilities: str) -> None:
    user, password = 'Al "the" Pal', 'b\\c"d'
    fake.capabilities = capabilities
    address = MailboxAddress("127.0.0.1", fake.port, user, "INBOX", "none")
    if "DISABLED" in capabilities:
        with pytest.raises(LoginRefused):
            open_mailbox(address, password, Disposition())
        assert not any(word in line for line in fake.said for word in ("LOGIN", "b\\"))
        return
    open_mailbox(address, password, Disposition()).close()
    if "AUTH" in capabilities:
        assert base64.b64encode(f"\0{user}\0{password}".encode()).decode() in fake.said
    else:
        assert any(line.endswith(r'LOGIN "Al \"the\" Pal" "b\\c\"d"') for line in fake.said)


def test_a_password_that_is_not_ascii(fake: FakeImap) -> None:
    open_mailbox(address_of(fake), "sch\u00f6n", Disposition()).close()
    assert base64.b64encode("\0club\0sch\u00f6n".encode()).decode() in fake.said
    fake.capabilities = "IMAP4rev1"
    with pytest.raises(LoginRefused) as error:
        open_mailbox(address_of(fake), "sch\u00f6n", Disposition())
    assert "\u00f6" not in str(error.value)


def test_a_refusal_that_repeats_the_password(fake: FakeImap) -> None:
    fake.capabilities = "IMAP4rev1"
    fake.answers["LOGIN"] = lambda tag, rest: f"{tag} NO [AUTHENTICATIONFAILED] {rest}\r\n".encode()
    with pytest.raises(LoginRefused) as error:
        opened(fake)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("answer", ["NO [UNAVAILABLE] later", None])
def test_a_login_that_fails_for_other_reasons_is_no_refusal(fake: FakeImap, answer: str | None) -> None:
    fake.capabilities = "IMAP4rev1"
    fake.answers["LOGIN"] = lambda tag, rest: f"{tag} {answer}\r\n".encode() if answer else None
    with pytest.raises(ImapError) as error:
        opened(fake)
    assert not isinstance(error.value, LoginRefused)


@pytest.mark.parametrize(
    "greeting", [b"* PREAUTH hello\r\n", b"* OK hello\r\n", b"* BYE too many\r\n", b"SSH-2.0\r\n"]
)
def test_no_password_without_the_tls_that_was_demanded(fake: FakeImap, greeting: bytes) -> None:
    """A server, or somebody in between, that does not offer STARTTLS or pretends that there is no need."""
    fake.greeting = greeting
    with pytest.raises(ImapError):
        open_mailbox(address_of(fake, "starttls"), SECRET, Disposition())
    assert {"LOGIN", "AUTHENTICATE"}.isdisjoint(fake.commands())


def test_plain_text_behind_starttls_counts_for_nothing(fake: FakeImap) -> None:
    fake.capabilities = "IMAP4rev1 STARTTLS AUTH=PLAIN"
    fake.answers["STARTTLS"] = lambda tag, rest: f"{tag} OK go\r\n* CAPABILITY IMAP4rev1\r\n".encode()
    with pytest.raises(ImapError):
        open_mailbox(address_of(fake, "starttls"), SECRET, Disposition())
    assert {"LOGIN", "AUTHENTICATE"}.isdisjoint(fake.commands())


def test_a_server_that_always_hangs_up_is_not_called_in_a_tight_loop(
    fake: FakeImap, sqlite_house: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mails are taken nevertheless, and waiting costs no time of the processor."""
    fake.answers["IDLE"] = lambda tag, rest: None
    stop = threading.Event()
    part = polling(
        partial(open_mailbox, address_of(fake), SECRET, Disposition()),
        "there",
        sqlite_house,
        MAX_SIZE,
        threading.Event(),
    )
    thread = threading.Thread(target=part, args=(stop,))
    thread.start()
    wait_for(lambda: len(subjects_in(sqlite_house)) == 3)
    used, began = time.process_time(), time.monotonic()
    threading.Event().wait(3)
    share = (time.process_time() - used) / (time.monotonic() - began)
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert fake.connections < 10
    assert share < 0.3
