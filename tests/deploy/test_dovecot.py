"""The sample for Dovecot: a mailbox of the server's own, by LMTP into it, by IMAP with TLS out of it."""

import shutil
import socket
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from smtplib import LMTP

import pytest
from imapclient import IMAPClient

from tests.cli.processes import PATIENCE, wait_for
from tests.conftest import needed
from tests.deploy.samples import sample
from tests.free_port import free_port

pytestmark = pytest.mark.slow

SECRET = "app password"
OWN_PLACES = """
base_dir = $D/run
state_dir = $D/state
log_path = $D/log
default_login_user = dovenull
default_internal_user = dovecot
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with what the sample names: a certificate, a password file, a place for mail."""
    if shutil.which("dovecot", path="/usr/sbin") is None or shutil.which("openssl") is None:
        needed("Dovecot and openssl")
    with tempfile.TemporaryDirectory(prefix="pbmserv-dovecot-", dir="/tmp") as name:
        found = Path(name)
        found.chmod(0o755)
        for each in ("run", "state", "mail"):
            (found / each).mkdir()
        shutil.chown(found / "mail", "dovecot", "dovecot")
        made = ("openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=localhost", "-days", "2")
        names = ("-addext", "subjectAltName=DNS:localhost", "-keyout", f"{name}/privkey.pem")
        subprocess.run([*made, *names, "-out", f"{name}/fullchain.pem"], check=True, capture_output=True)
        hashed = subprocess.check_output(["doveadm", "pw", "-s", "ARGON2ID", "-p", SECRET], text=True)
        users = found / "users"
        users.write_text(f"pbmserv:{hashed.strip()}\n")
        users.chmod(0o640)
        shutil.chown(users, "root", "dovecot")
        yield found


def placed(folder: Path, imaps: int = 993) -> Path:
    """The sample, for the places in a folder and another port."""
    text = sample("dovecot/dovecot.conf")
    for old, new in (
        ("/etc/letsencrypt/live/mail.example.org", str(folder)),
        ("/etc/dovecot/users", str(folder / "users")),
        ("/var/mail/pbm", str(folder / "mail")),
        ("/var/spool/postfix/private/dovecot-lmtp", str(folder / "lmtp")),
        ("uid=vmail gid=vmail", "uid=dovecot gid=dovecot"),
        ("listen = *, ::", "listen = 127.0.0.1"),
        ("user = postfix\n    group = postfix", "user = root\n    group = root"),
        ("port = 993", f"port = {imaps}"),
    ):
        assert text.count(old) >= 1, old
        text = text.replace(old, new)
    file = folder / "dovecot.conf"
    file.write_text(text + OWN_PLACES.replace("$D", str(folder)))
    return file


def test_dovecot_finds_no_fault(folder: Path) -> None:
    done = subprocess.run(
        ["doveconf", "-n", "-c", str(placed(folder))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    for line in ("autoexpunge = 90 days", "ssl = required"):
        assert line in done.stdout


def takes_connections(file: Path) -> bool:
    """Whether somebody listens at a socket of that name: it is there before that."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(file)) == 0


def test_mail_goes_in_and_comes_out(folder: Path) -> None:
    """A tagged address ends in the INBOX, told whole; Kept is there; without TLS nobody gets in."""
    port = free_port()
    config = placed(folder, port)
    with (folder / "out").open("wb") as out:
        server = subprocess.Popen(["/usr/sbin/dovecot", "-F", "-c", str(config)], stdout=out, stderr=out)
    try:
        wait_for(lambda: takes_connections(folder / "lmtp"))
        with LMTP(str(folder / "lmtp"), timeout=PATIENCE) as link:
            link.sendmail(
                "alice@example.org", ["pbmserv+tag@club.example.org"], b"Subject: hello\r\n\r\nhello\r\n"
            )
        trusted = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
        with IMAPClient("localhost", port, ssl_context=trusted, timeout=PATIENCE) as client:
            client.login("pbmserv", SECRET)
            assert {name for _, _, name in client.list_folders()} == {"INBOX", "Kept"}
            assert client.has_capability("MOVE")
            assert client.has_capability("IDLE")
            client.select_folder("INBOX")
            ((_, got),) = client.fetch(client.search(), ["BODY.PEEK[]"]).items()
        assert b"Delivered-To: pbmserv+tag@club.example.org" in got[b"BODY[]"]
    finally:
        server.terminate()
        server.wait(PATIENCE)
