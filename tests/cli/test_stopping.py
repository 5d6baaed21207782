"""A signal ends a process whatever its main thread is doing."""

import signal
import subprocess
import sys

import pytest

from tests.cli.processes import PATIENCE

pytestmark = pytest.mark.slow

WAITING = """
from pbmserv.server.supervisor import stop_at_signals
stop = stop_at_signals()
print("ready", flush=True)
while not stop.wait(0):
    pass
"""
"""It holds the lock of the event most of the time: a handler that set the event would wait for that for ever."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_while_it_waits(number: signal.Signals) -> None:
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            process.send_signal(number)
            try:
                assert process.wait(PATIENCE) == 0
            finally:
                process.kill()


def test_a_second_signal_ends_it_at_once() -> None:
    """Whatever keeps it from ending."""
    stubborn = f"{WAITING}import time\nprint('told', flush=True)\ntime.sleep(1000)\n"
    with subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == b"told\n"
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(PATIENCE) == -signal.SIGTERM
        finally:
            process.kill()
