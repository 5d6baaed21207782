"""How SIGTERM and Ctrl-C reach the parts: an event is set, and never from a signal handler."""

import os
import signal
import threading
from collections.abc import Callable, Collection


def set_by_signals(
    stop: threading.Event, numbers: Collection[signal.Signals], also: Callable[[], None] = lambda: None
) -> None:
    """Has any of these signals set an event. To be called in the main thread, once in a process.

    A handler runs in the midst of whatever the main thread does. If that is waiting for the event, it may hold the
    event's lock, and a handler that set the event would wait for it for ever. So the signal is written to a pipe,
    and a thread that reads there sets the event. `also` is called by the handler; it must take no lock.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, lambda *_: also())
    threading.Thread(target=_wait, args=(reading, frozenset(numbers), stop), daemon=True).start()


def _wait(reading: int, numbers: frozenset[signal.Signals], stop: threading.Event) -> None:
    # Other signals that have a handler are written there, too.
    while (told := os.read(reading, 1)) and told[0] not in numbers:
        pass
    stop.set()


def stop_at_signals() -> threading.Event:
    """An event that SIGTERM and SIGINT set; a second one ends the process at once."""
    stop, numbers = threading.Event(), (signal.SIGTERM, signal.SIGINT)

    def leave_the_next_one() -> None:
        for each in numbers:
            signal.signal(each, signal.SIG_DFL)

    set_by_signals(stop, numbers, leave_the_next_one)
    return stop
