"""The image and the composition: nothing runs as root or keeps anything outside its volume, and Compose reads it.

Whether the image builds and runs is tried by hand: it needs a base image from a registry, or a stand-in for it.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pbmserv.cli.config import load_settings
from tests.conftest import needed
from tests.deploy.samples import DEPLOY, ROOT, sample

CONTAINERFILE = sample("container/Containerfile")
STEPS = re.sub(r"\\\n\s*", "", re.sub(r"(?m)^#.*\n", "", CONTAINERFILE))
COMPOSE = DEPLOY / "container" / "compose.yaml"


def steps(name: str) -> list[str]:
    """What follows each such instruction."""
    return re.findall(rf"(?m)^\s*{name} (.*)$", STEPS)


def test_it_runs_as_a_user_of_its_own() -> None:
    """The last word on it comes after all that is copied, and its number is the same on every machine."""
    assert steps("USER") == ["pbmserv"]
    assert STEPS.index("\nUSER ") > STEPS.rindex("COPY ")
    (made,) = [step for step in steps("RUN") if "useradd" in step]
    assert "--uid 10001" in made
    assert "--shell /usr/sbin/nologin" in made


def test_it_keeps_everything_in_one_volume() -> None:
    assert steps("VOLUME") == ["/var/lib/pbmserv"]
    (environment,) = steps("ENV")
    assert "PBMSERV_DATA=/var/lib/pbmserv" in environment
    (folders,) = [step for step in steps("RUN") if "install -d" in step]
    assert "install -d -m 700 -o pbmserv -g pbmserv /var/lib/pbmserv" in folders


def test_what_it_copies_is_there_and_not_ignored() -> None:
    """Each name of a COPY is in the checkout, and the context leaves out everything else."""
    copied = {name for step in steps("COPY") if "--from" not in step for name in step.split()[:-1]}
    for name in copied:
        assert (ROOT / name).exists(), name
    kept = re.findall(r"(?m)^!(.*)$", sample("container/Containerfile.dockerignore"))
    assert set(kept) == copied


def test_libraries_are_those_of_the_lock_file_with_their_hashes() -> None:
    assert any("--require-hashes -r deploy/requirements.lock" in step for step in steps("RUN"))
    assert re.search(r"(?m)^psycopg==", sample("requirements.lock")), "with PostgreSQL"


def test_the_health_check_asks_where_the_program_answers() -> None:
    (environment,), (check,) = steps("ENV"), steps("HEALTHCHECK")
    place = re.findall(r"PBMSERV_HEALTH=(\S+)", environment)[0]
    assert f"http://{place}/healthz" in check


def test_its_settings_are_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As they stand, and with what is commented out."""
    monkeypatch.chdir(tmp_path)
    text = sample("container/pbmserv.toml")
    (tmp_path / "pbmserv.toml").write_text(text)
    assert load_settings().web_place == ("0.0.0.0", 8080)
    options = re.findall(r"(?m)^#(\w+ = .*)$", text)
    taken = [
        line for line in text.splitlines() if line.partition(" ")[0] not in {each.split()[0] for each in options}
    ]
    (tmp_path / "pbmserv.toml").write_text("\n".join((*taken, *options)))
    assert load_settings().listeners == ("lmtp://0.0.0.0:8024",)
    assert f"subnet: {load_settings().trusted_proxy.removesuffix('1')}0/24" in COMPOSE.read_text()


def compose(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What Compose says of the composition; it needs no engine for that."""
    command = next((each for each in (["docker-compose"], ["docker", "compose"]) if _is_there(each)), None)
    if command is None:
        needed("Compose")
    inherited = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME")}
    return subprocess.run(
        [*(command or ()), "-f", str(COMPOSE), *words],
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _is_there(command: list[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run([*command, "version"], capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_compose_reads_it() -> None:
    done = compose("config", DATABASE_PASSWORD="secret")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("read_only: true") == 2, "the club, and what migrates before it"
    assert done.stdout.count("PBMSERV_DATABASE_PASSWORD: secret") == 2
    assert done.stdout.count("no-new-privileges") == 2


@pytest.mark.slow
def test_compose_wants_a_password() -> None:
    done = compose("config")
    assert done.returncode != 0
    assert "see the top of compose.yaml" in done.stderr
