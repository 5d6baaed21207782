"""kill -9: whatever part dies at whatever moment, nothing is lost, nothing done twice, every answer goes out."""

import os
import secrets
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.servers.dovecot import Dovecot
from tests.soak.killer import moments
from tests.soak.storm import weather

LONG = os.environ.get("PBMSERV_SOAK") == "1"
KILLS = 250 if LONG else 7
SEED = int(os.environ.get("PBMSERV_SEED") or secrets.randbelow(1_000_000))


def test_kill(database_url: str, dovecot: Dovecot, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """14 kills over both databases; 500 by `make soak`, which prints the report. PBMSERV_SEED repeats choices."""
    print(f"PBMSERV_SEED={SEED}")
    first = 0 if database_url.startswith("sqlite") else KILLS
    kills = [*islice(moments(Random(SEED)), first, first + KILLS)]
    report, wrong = weather(database_url, tmp_path, dovecot, kills, SEED)
    if LONG:
        with capfd.disabled():
            print(f"\n\n{report}\n")
    assert not wrong, "\n".join([f"{len(wrong)} differences", str(report), *wrong[:40]])
