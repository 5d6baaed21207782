"""`doctor` beside a running server with a real Postfix and a real Dovecot, each thing broken in turn."""

import re
import shutil
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbmserv.services.views import list_inbox, list_outbox
from tests.cli.processes import Running, running
from tests.cli.terminal import Terminal
from tests.doctor.findings import examined
from tests.doctor.nameserver import DOMAIN, Nameserver
from tests.doctor.site import running_site
from tests.faults.test_disk import fill, mounted
from tests.free_port import free_port
from tests.servers.certificate import make_certificate
from tests.servers.dovecot import PASSWORD, Dovecot, running_dovecot
from tests.servers.postfix import Postfix, running_postfix

pytestmark = pytest.mark.slow

ADDRESS = f"club@{DOMAIN}"
LONG, SHORT = ("--wait", "30"), ("--wait", "1")


@dataclass
class Club:
    """A club on a mailbox, and its servers."""

    terminal: Terminal
    postfix: Postfix
    dovecot: Dovecot

    @contextmanager
    def serving(self) -> Iterator[Running]:
        """Its server runs."""
        with running(self.terminal.settings, self.terminal.folder, "serve") as server:
            server.wait_for("connected")
            yield server
            server.stop()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that vouches for itself; its key is beside it."""
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def servers(certificate: Path) -> Iterator[tuple[Postfix, Dovecot, int]]:
    """Mail to the club's domain goes by Postfix into Dovecot's mailboxes; both speak TLS."""
    port = free_port()
    more = f"""
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate.with_name("key")}
recipient_delimiter = +
service imap-login {{
  inet_listener imaps {{
    address = 127.0.0.1
    port = {port}
    ssl = yes
  }}
}}
"""
    with (
        running_dovecot(more) as dovecot,
        running_postfix(
            dovecot.lmtp_port,
            free_port(),
            smtpd_tls_cert_file=str(certificate),
            smtpd_tls_key_file=str(certificate.with_name("key")),
            smtpd_tls_security_level="may",
            virtual_mailbox_maps=f"inline:{{{{{ADDRESS}=1}}}}",
        ) as postfix,
    ):
        yield postfix, dovecot, port


@pytest.fixture
def club(terminal: Terminal, servers: tuple[Postfix, Dovecot, int]) -> Club:
    """A new one, whose server does not run yet."""
    postfix, dovecot, _ = servers
    password = terminal.folder / "password"
    password.write_text(f"{PASSWORD}\n")
    password.chmod(0o600)
    terminal.put_database()
    terminal.settings |= {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_IMAP": f"imap://club@127.0.0.1:{dovecot.imap_port}",
        "PBMSERV_IMAP_PASSWORD_FILE": str(password),
        "PBMSERV_OUT": f"smtp://127.0.0.1:{postfix.port}",
        "PBMSERV_LISTEN": "",
        "PBMSERV_WEB": "",
        "PBMSERV_ROBOTS": "0",
        "PBMSERV_PROCESSES": "1",
    }
    return Club(terminal, postfix, dovecot)


def test_all_is_well(club: Club) -> None:
    """Both mails come back within seconds, nobody is mailed, and nothing waits."""
    with club.serving():
        found = examined(club.terminal, *LONG)
    assert found.names("broken") == set(), found.done.out
    assert "came back after" in found.line("mail to itself", "fine")
    assert f"mail to club+tag@{DOMAIN} comes back" in found.line("tagged address", "fine")
    assert "lets us in" in found.line("mailbox", "fine")
    assert f"takes mail from club+b.doctor@{DOMAIN}" in found.line("relay", "fine")
    assert "agree" in found.line("mail clock", "fine")
    assert f"{DOMAIN} is a name for tests" in found.line("DNS", "fine")
    assert PASSWORD not in re.findall(r"\w+", found.done.out + found.done.err)
    house = club.terminal.post().house
    assert [mail.status for mail in list_inbox(house, None, 10)] == ["silent", "silent"]
    assert list_outbox(house, None, 10) == []
    house.engine.dispose()


def test_a_server_that_does_not_run(club: Club) -> None:
    found = examined(club.terminal, *SHORT)
    assert found.verdict == "broken"
    told = found.line("mail to itself", "broken")
    assert "not back after 1 seconds; no poller ever ran, no worker ever ran" in told
    assert "systemctl start pbmserv" in told
    assert "nothing is known" in found.line("tagged address", "attention")


def test_tags_that_are_lost(club: Club) -> None:
    """The provider refuses addresses with a tag: at once, or later."""
    with club.serving():
        club.postfix.set(recipient_delimiter="")
        try:
            found = examined(club.terminal, *LONG)
        finally:
            club.postfix.set(recipient_delimiter="+")
    told = found.line("tagged address", "broken")
    assert f"no mail to club+tag@{DOMAIN}" in told
    assert 'delimiter = ""' in told
    assert "came back after" in found.line("mail to itself", "fine")


def test_a_wrong_password(club: Club) -> None:
    (club.terminal.folder / "password").write_text("sesame")
    found = examined(club.terminal, "--no-mail")
    told = found.line("mailbox", "broken")
    assert "refuses the login" in told
    assert "imap_password_file" in told
    assert "sesame" not in found.done.out + found.done.err


def test_a_folder_that_is_not_there(club: Club) -> None:
    club.terminal.settings["PBMSERV_IMAP"] += "/Nowhere"
    assert "has no folder to read" in examined(club.terminal, "--no-mail").line("mailbox", "broken")


def test_an_untrusted_certificate(club: Club, servers: tuple[Postfix, Dovecot, int], certificate: Path) -> None:
    """Of the mailbox and of the relay, each named with its reason; trusted, all is well."""
    club.terminal.settings["PBMSERV_IMAP"] = f"imaps://club@127.0.0.1:{servers[2]}"
    club.terminal.settings["PBMSERV_OUT"] += "?starttls=yes"
    found = examined(club.terminal, "--no-mail")
    for name in ("mailbox", "relay"):
        told = found.line(name, "broken")
        assert "127.0.0.1:" in told
        assert "certificate is not trusted: self-signed certificate" in told
        assert "SSL_CERT_FILE" in told
    club.terminal.settings["SSL_CERT_FILE"] = str(certificate)
    assert examined(club.terminal, "--no-mail").names("broken") == set()


def test_pages_with_an_untrusted_certificate(club: Club, certificate: Path) -> None:
    with running_site() as site:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_name("key"))
        site.socket = context.wrap_socket(site.socket, server_side=True)
        vars(site)["page"] = ADDRESS.encode()
        club.terminal.settings["PBMSERV_SITE_URL"] = f"https://127.0.0.1:{site.server_port}"
        told = examined(club.terminal, "--no-mail").line("site_url", "broken")
        assert "the certificate of 127.0.0.1 is not trusted: self-signed certificate" in told
        club.terminal.settings["SSL_CERT_FILE"] = str(certificate)
        assert "shows our page" in examined(club.terminal, "--no-mail").line("site_url", "fine")


def test_a_relay_that_is_dead(club: Club) -> None:
    club.terminal.settings["PBMSERV_OUT"] = f"smtp://127.0.0.1:{free_port()}"
    found = examined(club.terminal, *SHORT)
    assert "cannot be reached: Connection refused" in found.line("relay", "broken")
    assert "not tried" in found.line("mail to itself", "broken")


def test_a_relay_that_takes_no_mail_from_us(club: Club) -> None:
    club.postfix.set(smtpd_sender_restrictions="inline:{{club.test=REJECT}}", smtpd_delay_reject="no")
    try:
        found = examined(club.terminal, *SHORT)
    finally:
        club.postfix.set(smtpd_sender_restrictions="", smtpd_delay_reject="yes")
    assert "envelope sender club+b.doctor@club.test" in found.line("relay", "broken")


def test_a_relay_that_says_later(club: Club) -> None:
    """That is no reason to stop: the sender tries again, too."""
    club.postfix.set(smtpd_sender_restrictions="inline:{{club.test=DEFER}}", smtpd_delay_reject="no")
    try:
        found = examined(club.terminal, *SHORT)
    finally:
        club.postfix.set(smtpd_sender_restrictions="", smtpd_delay_reject="yes")
    assert "envelope sender" in found.line("relay", "attention")
    assert "the relay did not take it: 450" in found.line("mail to itself", "broken")


def test_a_full_disk(club: Club, tmp_path: Path) -> None:
    """What is little is told, and that nothing can be written, without an exception."""
    data = club.terminal.folder / "data"
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=4m", "pbmserv-test") as disk:
        for file in data.iterdir():
            shutil.copy(file, disk)
        club.terminal.settings["PBMSERV_DATA"] = str(disk)
        fill(disk)
        found = examined(club.terminal, *SHORT)
        status = club.terminal.run("status")
    assert status.code == 2
    assert f"0.0 GB free at {disk}" in " ".join(status.out.split())
    assert f"0.0 GB free at {disk}" in found.line("disk", "broken")
    assert "is not available" in found.line("database", "broken")
    assert "not tried" in found.line("mail to itself", "broken")


def test_what_its_own_mail_bears(club: Club, nameserver: Nameserver) -> None:
    """Signed, judged, sent from a public address: each is looked up; a key that is not there is told."""
    checks = club.postfix.folder / "checks"
    results = f"mx.{DOMAIN}; spf=pass smtp.mailfrom={DOMAIN}; dkim=permerror; dmarc=pass"
    checks.write_text(
        f"/^Subject:/ PREPEND DKIM-Signature: v=1; d={DOMAIN}; s=gone; h=from:list-unsubscribe; b=x\n"
        f"/^Date:/ PREPEND Authentication-Results: {results}\n"
        f"/^To:/ PREPEND Received: from out.{DOMAIN} ([9.9.9.9]) by mx.{DOMAIN}; Mon, 1 Jan 2024 00:00:00 +0000\n"
    )
    club.terminal.settings["PBMSERV_SITE_URL"] = f"http://127.0.0.1:{free_port()}"
    club.postfix.set(header_checks=f"regexp:{checks}")
    try:
        with club.serving():
            found = examined(club.terminal, *LONG, "--nameserver", nameserver.place)
    finally:
        club.postfix.set(header_checks="")
    assert f"mx.{DOMAIN} says spf=pass dkim=permerror dmarc=pass" in found.line("authentication", "attention")
    assert "does not cover List-Unsubscribe-Post" in found.line("DKIM", "attention")
    assert f"gone._domainkey.{DOMAIN}. TXT" in found.line("DKIM key", "attention")
    assert f"9.9.9.9 is out.{DOMAIN}" in found.line("PTR", "fine")
    assert "does not answer" in found.line("site_url", "broken")


def test_what_the_dns_does_not_say(club: Club, nameserver: Nameserver) -> None:
    """Mail without a signature, and a domain without SPF, are told with the record to add."""
    del nameserver.records[DOMAIN, "TXT"]
    with club.serving():
        found = examined(club.terminal, *LONG, "--nameserver", nameserver.place)
    assert f'{DOMAIN}. TXT "v=spf1 mx ~all"' in found.line("SPF", "attention")
    assert "goes to mx.club.test, and is fetched from 127.0.0.1" in found.line("MX", "fine")
    assert "v=DMARC1" in found.line("DMARC", "fine")
    assert "no public address" in found.line("PTR", "fine")
