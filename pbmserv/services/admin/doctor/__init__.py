"""What `pbmserv doctor` looks at: a file for each thing that may be ill; here is how all of them tell times."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.admin.findings import Finding, Verdict, spell
from pbmserv.store.operating import last_beats

CLOCKS_APART: Final = timedelta(minutes=2)
"""How far clocks may be apart; docs/operating.md says so too."""

SILENT: Final = timedelta(minutes=3)
"""A part sends a heartbeat each minute; one that has sent none for this long does not run, or hangs."""


def compare_clocks(name: str, whose: str, theirs: datetime, earliest: datetime, latest: datetime) -> Finding:
    """A finding of that name about a time that another clock told between two moments of ours."""
    apart = max(earliest - theirs, theirs - latest, timedelta())
    figures: dict[str, object] = {"seconds": round(apart.total_seconds())}
    if apart > CLOCKS_APART:
        return Finding(
            name,
            Verdict.ATTENTION,
            f"{whose} and ours are {spell(apart)} apart",
            "let both machines set their clocks by NTP: timedatectl set-ntp true",
            figures,
        )
    return Finding(name, Verdict.FINE, f"{whose} and ours agree", figures=figures)


def silent_parts(connection: Connection, wanted: Iterable[str], now: datetime) -> list[str]:
    """Which of these parts seem not to run, each with how long it has been silent."""
    beats = last_beats(connection)
    return [
        f"the {part} has been silent for {spell(now - beats[part])}" if part in beats else f"no {part} ever ran"
        for part in wanted
        if part not in beats or now - beats[part] > SILENT
    ]
