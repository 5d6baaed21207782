"""The units: systemd finds no fault, they are locked up well, and what they start is there."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbmserv.cli.main import cli
from pbmserv.server import connections
from tests.cli.processes import PBMSERV
from tests.cli.terminal import Terminal
from tests.conftest import needed
from tests.deploy.samples import DEPLOY, PROGRAM

UNITS = sorted(path.name for path in (DEPLOY / "systemd").iterdir() if path.is_file())
SERVICES = [name for name in UNITS if name.endswith(".service")]
LONG_RUNNING = {"serve", "listen", "poll", "work", "send", "robots", "web"}

BACKUP = "admin backup /var/lib/pbmserv/backups --keep 14"

MOST_EXPOSED = 20
"""In tenths, as systemd counts: ours are at 12, for the network and one folder; without any care it is 96."""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The units as they lie in /etc/systemd/system, on a machine that has the program somewhere else."""
    if shutil.which("systemd-analyze") is None:
        needed("systemd")
    folder = tmp_path / "system"
    shutil.copytree(DEPLOY / "systemd", folder, symlinks=True)
    for file in folder.glob("*.service"):
        file.write_text(file.read_text().replace(PROGRAM, PBMSERV))
    return folder


def analyze(*words: str) -> str:
    """What systemd-analyze says; it must be content."""
    done = subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_no_fault(installed: Path, name: str) -> None:
    assert analyze("verify", "--recursive-errors=no", str(installed / name)) == ""


def test_a_fault_is_found(installed: Path) -> None:
    """The test above would tell."""
    unit = installed / "pbmserv.service"
    unit.write_text(unit.read_text().replace("ExecStart", "ExecStrat"))
    assert subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, check=False).returncode
    common = installed / "pbmserv-.service.d" / "house.conf"
    common.write_text(common.read_text().replace("NoNewPrivileges", "NoOldPrivileges"))
    assert "NoOldPrivileges" in analyze("verify", str(installed / "pbmserv-send.service")), (
        "it reads what is common"
    )


@pytest.mark.parametrize("name", SERVICES)
def test_locked_up(installed: Path, name: str) -> None:
    """The restrictions that stand in one file reach every unit."""
    analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", "--no-pager", str(installed / name))


def test_neither_memory_nor_connections_without_end() -> None:
    """A crowd at the doors costs nobody else on the machine anything, and the doors have what they need."""
    common = (DEPLOY / "systemd" / "pbmserv-.service.d" / "house.conf").read_text()
    (limit,) = re.findall(r"(?m)^LimitNOFILE=(\d+)$", common)
    assert int(limit) > 2 * (connections.MOST_VISITORS + connections.NOT_FOR_PAGES)
    assert re.findall(r"(?m)^MemoryMax=\d+[MG]$", common)


def test_the_supervisor_is_told_and_tells_the_others() -> None:
    """Else systemd would end its processes beside it, and it would take that for deaths."""
    unit = (DEPLOY / "systemd" / "pbmserv.service").read_text()
    assert "ExecStart=/opt/pbmserv/bin/pbmserv serve\n" in unit
    assert "KillMode=mixed\n" in unit


def test_every_part_has_its_unit() -> None:
    """One for `serve`, one for each part, and the timer's."""
    started = {}
    for name in SERVICES:
        (line,) = re.findall(r"(?m)^ExecStart=(.*)$", (DEPLOY / "systemd" / name).read_text())
        program, _, command = line.partition(" ")
        assert program == PROGRAM
        started[command] = name
    assert set(started) == LONG_RUNNING | {"tidy", BACKUP}
    assert {command.split()[0] for command in started} <= {each.name for each in cli.listed}
    assert started["serve"] == "pbmserv.service"
    assert started["work"] == "pbmserv-work@.service"
    for timed in ("tidy", BACKUP):
        assert started[timed].replace(".service", ".timer") in UNITS


def test_the_backup_of_the_timer(club: Terminal, tmp_path: Path) -> None:
    """What the unit runs, for a folder that systemd makes for it in the one that it may write to."""
    unit = (DEPLOY / "systemd" / "pbmserv-backup.service").read_text()
    folder = BACKUP.split()[2]
    assert f"StateDirectory={folder.removeprefix('/var/lib/')}\n" in unit
    assert "Backed up into " in club.succeed(*BACKUP.replace(folder, str(tmp_path)).split())


def test_the_operators_program(tmp_path: Path) -> None:
    """It runs in the service's folder, as the service's user."""
    script = (DEPLOY / "pbmserv-as-service").read_text()
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    common = (DEPLOY / "systemd" / "pbmserv-.service.d" / "house.conf").read_text()
    assert "User=pbmserv\n" in common
    assert "runuser -u pbmserv " in script
    assert "WorkingDirectory=/etc/pbmserv\n" in common
    assert "cd /etc/pbmserv " in script
    assert "EnvironmentFile=-/etc/pbmserv/environment\n" in common
    local = script.replace("/etc/pbmserv", str(tmp_path)).replace("runuser -u pbmserv --", "")
    (tmp_path / "environment").write_text(
        "# for a private authority\nSSL_CERT_FILE=/etc/pbmserv/authorities.pem\n"
    )
    assert ran(local.replace(PROGRAM, "pwd")) == str(tmp_path)
    assert ran(local.replace(PROGRAM, "printenv SSL_CERT_FILE;:")) == "/etc/pbmserv/authorities.pem"
    completing = local.replace(str(tmp_path), "/nowhere").replace(PROGRAM, "echo completed")
    assert ran(completing, _PBMSERV_COMPLETE="complete_bash") == "completed"


def ran(script: str, **environment: str) -> str:
    """What a script says."""
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return done.stdout.strip()
