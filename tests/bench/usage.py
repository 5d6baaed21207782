"""What the processes of a server take: seconds of the processor and memory, as /proc tells."""

import os
from collections.abc import Iterator
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
    """A process and all its descendants."""
    return [_usage(each) for each in _family(pid, _children())]


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
    memory = dict(
        line.split()[:2] for line in (folder / "smaps_rollup").read_text().splitlines() if line.endswith(" kB")
    )
    name = (folder / "comm").read_text().strip()
    if "--bound" in (folder / "cmdline").read_text():
        name = "robots"
    seconds = (int(after_name[11]) + int(after_name[12])) / TICK
    return Usage(pid, name, seconds, int(memory["Rss:"]), int(memory["Pss:"]))
