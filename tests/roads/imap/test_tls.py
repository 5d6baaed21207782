"""A real Dovecot with TLS: a certificate that nobody vouches for ends it before the login."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.mail.mail_urls import mailbox_address
from pbmserv.mail.receiving.imap_mailbox import Disposition, ImapError, open_mailbox
from tests.free_port import free_port
from tests.servers.certificate import make_certificate
from tests.servers.dovecot import PASSWORD, Dovecot, running_dovecot


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that vouches for itself; its key is beside it."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def secure_dovecot(certificate: Path) -> Iterator[tuple[Dovecot, int]]:
    """The server, and its port for TLS from the beginning."""
    port = free_port()
    more = f"""
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate.with_name("key")}
service imap-login {{
  inet_listener imaps {{
    address = 127.0.0.1
    port = {port}
    ssl = yes
  }}
}}
"""
    with running_dovecot(more) as server:
        yield server, port


@pytest.fixture(params=["imaps", "imap"])
def url(request: pytest.FixtureRequest, secure_dovecot: tuple[Dovecot, int]) -> str:
    """TLS from the beginning, and by STARTTLS."""
    server, port = secure_dovecot
    if request.param == "imaps":
        return f"imaps://secure@127.0.0.1:{port}"
    return f"imap://secure@127.0.0.1:{server.imap_port}?starttls=yes"


def test_a_certificate_that_is_trusted(url: str, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    mailbox = open_mailbox(mailbox_address(url), PASSWORD, Disposition())
    assert mailbox.select().exists == 0
    mailbox.close()


def test_a_certificate_that_is_not_trusted(url: str, secure_dovecot: tuple[Dovecot, int]) -> None:
    logins = secure_dovecot[0].log.count("Login: user=<secure>")
    with pytest.raises(ImapError, match="certificate is not trusted: self-signed"):
        open_mailbox(mailbox_address(url), PASSWORD, Disposition())
    assert secure_dovecot[0].log.count("Login: user=<secure>") == logins


def test_a_certificate_of_another_host(url: str, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    other = url.replace("127.0.0.1", "localhost")
    with pytest.raises(ImapError, match=re.compile("certificate is not trusted: .*localhost", re.IGNORECASE)):
        open_mailbox(mailbox_address(other), PASSWORD, Disposition())
