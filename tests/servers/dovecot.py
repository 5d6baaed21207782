"""A real Dovecot on loopback: IMAP and LMTP, any user name, one password, a mailbox at the first delivery."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from smtplib import LMTP

from tests.cli.processes import PATIENCE, wait_for
from tests.conftest import needed
from tests.free_port import free_port

PASSWORD = "pw"
PROGRAM = "/usr/sbin/dovecot"


@dataclass
class Dovecot:
    """The server: its folder, its ports, and what can be done to it."""

    folder: Path
    imap_port: int
    lmtp_port: int
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Starts it, and comes back when it takes connections."""
        config = str(self.folder / "dovecot.conf")
        with (self.folder / "out").open("ab") as out:
            self.process = subprocess.Popen([PROGRAM, "-F", "-c", config], stdout=out, stderr=out)
        wait_for(lambda: _answers(self.imap_port) and _answers(self.lmtp_port))

    def stop(self) -> None:
        """Stops it, sessions and all."""
        if self.process is not None:
            sessions = self.sessions()
            self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None
            for each in sessions:  # the master leaves them to themselves
                with contextlib.suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
            wait_for(lambda: not _answers(self.imap_port))

    @property
    def log(self) -> str:
        """What it has logged."""
        return (self.folder / "log").read_text()

    def sessions(self) -> list[int]:
        """The process ids of the IMAP sessions that run."""
        assert self.process is not None
        found = subprocess.run(
            ["pgrep", "-P", str(self.process.pid), "-x", "imap"], capture_output=True, text=True, check=False
        )
        return [int(line) for line in found.stdout.split()]

    def kill_sessions(self, number: signal.Signals) -> int:
        """Sends a signal to every IMAP session, and gives how many there were."""
        found = self.sessions()
        for each in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, number)
        return len(found)

    def deliver(self, user: str, raw: bytes, sender: str = "alice@example.org") -> None:
        """Puts a mail into a user's inbox."""
        with LMTP("127.0.0.1", self.lmtp_port, timeout=PATIENCE) as link:
            link.sendmail(sender, [f"{user}@localhost"], raw)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running_dovecot(more: str = "") -> Iterator[Dovecot]:
    """A Dovecot of its own, gone at the end with all its mail; `more` is added to its configuration."""
    if not Path(PROGRAM).exists() or os.geteuid() != 0:
        needed("Dovecot (and being root, to start it)")
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-dovecot-", dir="/tmp"))
    folder.chmod(0o755)
    server = Dovecot(folder, free_port(), free_port())
    for name in ("run", "state", "mail"):
        (folder / name).mkdir()
    shutil.chown(folder / "mail", "dovecot", "dovecot")
    text = (CONFIG + more).replace("$D", str(folder)).replace("$IMAP", str(server.imap_port))
    (folder / "dovecot.conf").write_text(text.replace("$LMTP", str(server.lmtp_port)))
    try:
        server.start()
        yield server
    finally:
        if server.process is not None:
            server.kill_sessions(signal.SIGCONT)
            server.process.terminate()
            try:
                server.process.wait(10)
            except subprocess.TimeoutExpired:
                server.process.kill()
                server.process.wait()
        shutil.rmtree(folder, ignore_errors=True)


CONFIG = """\
base_dir = $D/run
state_dir = $D/state
log_path = $D/log
info_log_path = $D/log
protocols = imap lmtp
verbose_proctitle = yes
auth_failure_delay = 0
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
first_valid_uid = 1
mail_location = maildir:$D/mail/%u
default_login_user = dovenull
default_internal_user = dovecot
default_internal_group = dovecot
passdb {
  driver = static
  args = password=pw
}
userdb {
  driver = static
  args = uid=dovecot gid=dovecot home=$D/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
}
service imap-login {
  inet_listener imap {
    address = 127.0.0.1
    port = $IMAP
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    address = 127.0.0.1
    port = $LMTP
  }
}
protocol lmtp {
  postmaster_address = postmaster@localhost
  auth_username_format = %Ln
}
"""
