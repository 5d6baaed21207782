"""A wheel is all that is needed: built, installed where there is no checkout, and served from an empty folder."""

import os
import signal
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import httpx
import pytest

from pbmserv.cli.try_out import send_and_wait
from tests.free_port import free_port

ROOT = Path(__file__).parent.parent
PATIENCE = 60.0
MOST_LEARNED = 400_000
"""Bytes of tables in the package."""

WHERE = """
import pbmserv
from pbmserv.rendering.templates import templates_folder
from pbmserv.store.schema import migrations_folder
print(pbmserv.__file__, templates_folder(), migrations_folder(), sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT), cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs are of an environment that has pbmserv from the wheel, and the rest from this one."""
    home = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", str(home), cwd=home)
    python = str(home / "bin" / "python")
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel), cwd=home)
    # What a path file adds comes after what is installed, and path files found there, such as that of an editable
    # install, are not read.
    site = subprocess.check_output(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
    )
    theirs = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (Path(site.strip()) / "dependencies.pth").write_text("\n".join(theirs))
    return home / "bin"


def run(*command: str, cwd: Path) -> str:
    """Runs a program to its end, and gives what it prints."""
    done = subprocess.run(command, cwd=cwd, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def environment(**settings: str) -> dict[str, str]:
    """This environment, without what would lead to this checkout or to other settings."""
    names = [
        name for name in os.environ if not name.startswith(("PBMSERV_", "PYTHON", "PIP_", "VIRTUAL_ENV", "COV_"))
    ]
    return {name: os.environ[name] for name in names} | settings


@contextmanager
def serving(programs: Path, folder: Path, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """`pbmserv serve` in a folder, up and running."""
    log = folder.parent / "log"
    with log.open("wb") as written:
        command = [str(programs / "pbmserv"), "serve"]
        server = subprocess.Popen(command, cwd=folder, env=environment(**settings), stderr=written)
    try:
        deadline = time.monotonic() + PATIENCE
        while b"Ctrl-C" not in log.read_bytes():
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.02)
        yield server
    finally:
        server.kill()
        server.wait()


def sign_up_mail() -> EmailMessage:
    """The first mail of somebody new."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "alice@example.org", "pbmserv@localhost", "signup alice sesame"
    mail["Message-ID"] = "<first@example.org>"
    mail.set_content("")
    return mail


def test_holds_what_is_read_at_run_time(wheel: Path) -> None:
    """Every template, migration and word list is inside, the mark of a typed package too, and no test."""
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in ("templates", "migrations"):
        files = [file for file in (ROOT / name).rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        assert files
        assert {f"pbmserv/{file.relative_to(ROOT).as_posix()}" for file in files} <= names
    assert {file.relative_to(ROOT).as_posix() for file in (ROOT / "pbmserv").rglob("*.toml")} <= names
    assert "pbmserv/py.typed" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"pbmserv"}


def test_it_suits_every_machine_and_is_small(wheel: Path) -> None:
    """No compiler is needed, and what the robots have learned weighs less than 400 kB."""
    assert wheel.name.endswith("-py3-none-any.whl")
    files = zipfile.ZipFile(wheel).infolist()
    learned = [file for file in files if "/robots/" in file.filename and not file.filename.endswith(".py")]
    assert {Path(file.filename).suffix for file in learned} == {".xz"}
    assert sum(file.file_size for file in learned) < MOST_LEARNED


def test_serves_from_an_empty_folder(programs: Path, tmp_path: Path) -> None:
    """A sign-up is answered, a page is shown, and SIGTERM ends it well."""
    folder = tmp_path / "empty"
    folder.mkdir()
    places = run(str(programs / "python"), "-c", WHERE, cwd=folder).split()
    assert len(places) == 3
    assert all(Path(place).is_relative_to(programs.parent) for place in places), places

    listen, web = f"smtp://127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    with serving(programs, folder, PBMSERV_LISTEN=listen, PBMSERV_WEB=web) as server:
        mails = folder / "data" / "outgoing"
        answer = send_and_wait(listen, mails, sign_up_mail()).letter
        assert answer is not None
        assert answer.header("To") == "alice@example.org"
        assert b"That opens your account" in answer.raw
        assert httpx.get(f"http://{web}/games").status_code == 200
        assert httpx.get(f"http://{web}/style.css").status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE) == 0
