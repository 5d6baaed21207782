"""What `pbmserv status` and `pbmserv doctor` have found: one finding a line, with the words that mend it."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import IntEnum
from pathlib import Path
from typing import Final

LITTLE: Final = 1_000_000_000
SHARE: Final = 0.1
"""Bytes free, or free of all, below which somebody should look."""

TOO_LITTLE: Final = 100_000_000
"""Bytes free below which mail will soon not be taken."""


class Verdict(IntEnum):
    """How bad it is; also the exit code of the command that says so."""

    FINE = 0
    ATTENTION = 1
    """Mail goes on; somebody should look at it within days."""
    BROKEN = 2
    """Mail has stopped, or will."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one thing."""

    name: str
    """What was looked at, in one or two words: "relay", "last backup"."""
    verdict: Verdict
    found: str
    """One sentence or less, without a secret: "mail.example.org:587 refuses the login"."""
    mend: str = ""
    """What to do about it: a sentence with a command, or a setting. Empty where all is fine."""
    figures: Mapping[str, object] = field(default_factory=dict)
    """The same for scripts, as plain JSON values; names never change."""


def worst(findings: Iterable[Finding]) -> Verdict:
    """The worst verdict; FINE if nothing was found."""
    return max((each.verdict for each in findings), default=Verdict.FINE)


def see_room(folders: Iterable[Path]) -> list[Finding]:
    """How much room there is where these folders are, once for each file system."""
    seen: dict[int, Path] = {}
    for folder in folders:
        nearest = next(
            (each for each in (folder.absolute(), *folder.absolute().parents) if each.exists()), Path("/")
        )
        seen.setdefault(nearest.stat().st_dev, nearest)
    return [_room(folder) for folder in seen.values()]


def _room(folder: Path) -> Finding:
    usage = shutil.disk_usage(folder)
    share = usage.free / usage.total if usage.total else 0.0
    found = f"{usage.free / 1e9:.1f} GB free at {folder}, {share:.0%} of it all"
    mend = "delete what is not needed, such as old backups and before-*.db, or enlarge the disk"
    figures: dict[str, object] = {"folder": str(folder), "free": usage.free, "total": usage.total}
    if usage.free < TOO_LITTLE:
        return Finding("disk", Verdict.BROKEN, found, mend, figures)
    if usage.free < LITTLE or share < SHARE:
        return Finding("disk", Verdict.ATTENTION, found, mend, figures)
    return Finding("disk", Verdict.FINE, found, figures=figures)


def spell(time: timedelta) -> str:
    """A duration in the largest unit of which there are two.

    >>> [spell(timedelta(seconds=each)) for each in (1, 150, 10_800, 300_000)]
    ['1 second', '150 seconds', '3 hours', '3 days']
    """
    seconds = round(time.total_seconds())
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 3 * length or (seconds >= 2 * length and seconds % length == 0):
            return f"{seconds // length} {unit}s"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
