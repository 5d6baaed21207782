"""A PostgreSQL of a test's own, to be stopped, killed and started again."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psycopg

from tests.conftest import needed
from tests.free_port import free_port

SETTINGS = "-c fsync=off -c shared_buffers=16MB -c max_connections=200"


@dataclass(frozen=True)
class Cluster:
    """The server, where it listens, and the command that its programs run behind (a network namespace's)."""

    folder: Path
    programs: Path
    host: str
    port: int
    behind: Sequence[str]

    @property
    def url(self) -> str:
        """Its database by TCP, as from another host."""
        return f"postgresql+psycopg://postgres@{self.host}:{self.port}/postgres"

    @property
    def local_url(self) -> str:
        """Its database by a socket in its folder."""
        return f"postgresql+psycopg://postgres@/postgres?host={self.folder}&port={self.port}"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        place = f"-p {self.port} -c listen_addresses={self.host} -c unix_socket_directories={self.folder}"
        self.control("-w", "-l", str(self.folder / "log"), "-o", f"{place} {SETTINGS}", "start")

    def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Stops it: in order, or as a crash does."""
        self.control("-w", "-m", mode, "stop")

    def control(self, *words: str) -> None:
        """Runs pg_ctl."""
        self.run("pg_ctl", "-D", str(self.folder / "data"), *words)

    def run(self, program: str, *words: str) -> None:
        """Runs one of PostgreSQL's programs, none of which wants to be root."""
        as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        command = [*self.behind, *as_user, str(self.programs / program), *words]
        subprocess.run(command, check=True, capture_output=True, cwd="/tmp", timeout=120)

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of an SQL query; none of what is no query."""
        where = f"host={self.folder} port={self.port} user=postgres dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            cursor = connection.execute(query.encode())
            return [] if cursor.description is None else cursor.fetchall()


@contextmanager
def running_cluster(
    host: str = "127.0.0.1", clients: str = "127.0.0.0/8", behind: Sequence[str] = ()
) -> Iterator[Cluster]:
    """An empty server at an address, for clients of a network."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not found:
        needed("PostgreSQL")
    folder = Path(tempfile.mkdtemp(prefix="pbmserv-pg-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    cluster = Cluster(folder, found[-1], host, free_port(), behind)
    try:
        manner = ("-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
        cluster.run("initdb", "-D", str(folder / "data"), *manner)
        with (folder / "data" / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {clients} trust\n")
        cluster.start()
        yield cluster
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            cluster.stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)
