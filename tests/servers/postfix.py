"""A real Postfix on loopback: mail to the club's domain goes to a listener by LMTP, all other to a relay."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from smtplib import SMTP

from tests.cli.processes import PATIENCE, wait_for
from tests.conftest import needed
from tests.free_port import free_port

DOMAIN = "club.test"
PROGRAM = "/usr/sbin/postfix"
COMMAND_PATIENCE = 20.0
MASTER = Path("/usr/share/postfix/master.cf.dist")


@dataclass(frozen=True)
class Postfix:
    """The server, its folder, and the port at which it takes mail by SMTP."""

    folder: Path
    port: int

    @property
    def config(self) -> str:
        """The folder of its main.cf."""
        return str(self.folder / "etc")

    @property
    def log(self) -> str:
        """What it has logged."""
        file = self.folder / "maillog"
        return file.read_text() if file.exists() else ""

    def send(self, raw: bytes, sender: str, *recipients: str) -> None:
        """Brings it a mail by SMTP."""
        with SMTP("127.0.0.1", self.port, "client.test", timeout=PATIENCE) as link:
            utf8 = not "".join((sender, *recipients)).isascii()
            link.sendmail(sender, recipients, raw, mail_options=["SMTPUTF8"] if utf8 else [])

    def queued(self) -> str:
        """Its queue, as an operator sees it."""
        return self._run("postqueue", "-c", self.config, "-p")

    def wait_until_empty(self) -> None:
        """Until nothing is left in its queue."""
        wait_for(lambda: "is empty" in self.queued())

    def flush(self) -> None:
        """Has it try everything in its queue now."""
        self._run("postqueue", "-c", self.config, "-f")

    def set(self, **settings: str) -> None:
        """Changes lines of main.cf, and has it read them."""
        self._run("postconf", "-c", self.config, "-e", *(f"{name}={value}" for name, value in settings.items()))
        self._run("postfix", "-c", self.config, "reload")

    def start(self) -> None:
        """Starts it, and comes back when it takes mail."""
        self._run("postfix", "-c", self.config, "start")

    def stop(self) -> None:
        """Stops it; its queue stays."""
        self._run("postfix", "-c", self.config, "stop")

    def _run(self, *command: str, tries: int = 3) -> str:
        # It leaves daemons behind that would hold a pipe open: what it says goes to a file.
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(
                command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True
            )
            try:
                code = process.wait(COMMAND_PATIENCE)
            except subprocess.TimeoutExpired:
                # Once in some thousand times a command of Postfix waits for its own log, which has just stopped.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                assert tries > 1, f"{' '.join(command)} hangs\n{self.log}"
                return self._run(*command, tries=tries - 1)
            out.seek(0)
            said = out.read().decode()
        was_done = tries < 3 and ("already running" in said or "not running" in said)
        assert code == 0 or was_done, f"{' '.join(command)}: {said}\n{self.log}"
        return said


@contextmanager
def running_postfix(lmtp_port: int, sink_port: int, **settings: str) -> Iterator[Postfix]:
    """A Postfix of its own; `settings` are more lines of main.cf. Gone at the end with all its mail."""
    if not Path(PROGRAM).exists() or os.geteuid() != 0:
        needed("Postfix (and being root, to start it)")
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-postfix-", dir="/tmp"))
    folder.chmod(0o755)
    server = Postfix(folder, free_port())
    for name in ("etc", "queue", "data"):
        (folder / name).mkdir()
    shutil.chown(folder / "data", "postfix")
    main = CONFIG.replace("$D", str(folder)).replace("$LMTP", str(lmtp_port)).replace("$SINK", str(sink_port))
    main += "".join(f"{name} = {value}\n" for name, value in settings.items())
    (folder / "etc" / "main.cf").write_text(main)
    ours = f"127.0.0.1:{server.port} inet n - n - - smtpd"
    (folder / "etc" / "master.cf").write_text(re.sub(r"(?m)^smtp      inet  n .*", ours, MASTER.read_text()))
    try:
        server.start()
        yield server
    finally:
        subprocess.run(
            ["postfix", "-c", server.config, "abort"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=PATIENCE,
        )
        shutil.rmtree(folder, ignore_errors=True)


CONFIG = """\
compatibility_level = 3.6
queue_directory = $D/queue
data_directory  = $D/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = $D/maillog
maillog_file_prefixes = /tmp
myhostname = mx.club.test
mydomain = club.test
myorigin = club.test
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtputf8_enable = yes
disable_dns_lookups = yes
smtp_dns_support_level = disabled
smtp_host_lookup = native
virtual_mailbox_domains = club.test
virtual_transport = lmtp:inet:127.0.0.1:$LMTP
recipient_delimiter = +
default_transport = smtp:[127.0.0.1]:$SINK
relay_transport   = smtp:[127.0.0.1]:$SINK
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_recipient_restrictions =
message_size_limit = 1048576
smtpd_forbid_bare_newline = normalize
queue_run_delay = 2s
minimal_backoff_time = 2s
maximal_backoff_time = 4s
alias_maps =
alias_database =
local_recipient_maps =
"""
