"""What the processes of a server take: seconds of the processor and memory, as /proc tells."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")
PROC = Path("/proc")


@dataclass(frozen=True)
class Usage:
    """One process."""

    pid: int
    name: str
    seconds: float
    rss: int
    pss: int
    """In kB; memory that processes share counts in parts, so that those of all of them add up."""


def usage_of(pid: int) -> list[Usage]:
    """A process and all its descendants, without those that end meanwhile."""
    found = []
    for each in _family(pid, _children()):
        with suppress(OSError):
            found.append(_usage(each))
    return found


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                after_name = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found.setdefault(int(after_name[1]), []).append(int(folder.name))
    return found


def _family(pid: int, children: dict[int, list[int]]) -> Iterator[int]:
    yield pid
    for child in children.get(pid, []):
        yield from _family(child, children)


def _usage(pid: int) -> Usage:
    folder = PROC / str(pid)
    after_name = (folder / "stat").read_text().rpartition(")")[2].split()
    lines = (folder / "smaps_rollup").read_text().splitlines()
    memory = {name: number for name, number, *_ in (line.split() for line in lines[1:])}
    name = (folder / "comm").read_text().strip()
    if "--bound" in (folder / "cmdline").read_text():
        name = "robots"
    seconds = (int(after_name[11]) + int(after_name[12])) / TICK
    return Usage(pid, name, seconds, int(memory["Rss:"]), int(memory["Pss:"]))
