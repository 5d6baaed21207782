"""The processes of a server: forked from one that does nothing else, started again when they die, ended together.

The supervisor has one thread and no connection to a database, so that it can be forked at any time. What it has
loaded, and the sockets that it holds, its processes share.
"""

import gc
import logging
import os
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Final, NoReturn

from pbmserv.mail.log_words import pairs
from pbmserv.server.in_flight import end_with_parent

_MICRO: Final = 1_000_000


class ServiceManager:
    """The program that has started this process, if it wants to know."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        name = environment.get("NOTIFY_SOCKET", "")
        # Names that begin with @ are not in the file system (abstract sockets, unix(7)).
        self._place = f"\0{name[1:]}" if name.startswith("@") else name
        has_asked = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        microseconds = environment.get("WATCHDOG_USEC", "") if self._place and has_asked else ""
        self.every: float | None = int(microseconds) / _MICRO / 3 if microseconds.isdigit() else None
        """Seconds between two signs of life; None: none are wanted."""

    def ready(self) -> None:
        """Everything has been started."""
        self._tell("READY=1")

    def alive(self) -> None:
        """All is still at work."""
        self._tell("WATCHDOG=1")

    def stopping(self) -> None:
        """The end has begun."""
        self._tell("STOPPING=1")

    def _tell(self, said: str) -> None:
        if not self._place:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as road:
            road.connect(self._place)
            road.send(said.encode())


PAUSES: Final = (0.0, 1.0, 2.0, 5.0)
"""Seconds until a process that died is started again: after its first death, its second, and so on."""

MOST_DEATHS: Final = 5
WITHIN: Final = 600.0
"""A process that dies more often than that within these seconds is not started again."""

_STOPPING: Final = (signal.SIGTERM, signal.SIGINT)
_WATCHED: Final = (*_STOPPING, signal.SIGCHLD)
_LONG: Final = 3600.0

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Task:
    """What a process does."""

    name: str
    run: Callable[[Event], bool]
    """Runs in the process until the event is set; returns whether it ended well."""
    is_vital: bool = True
    """Whether the server ends when it dies too often; otherwise it is started again without end."""


@dataclass
class _Process:
    """One process, through all its lives."""

    task: Task
    pid: int | None = None
    due: float = 0.0
    """When it is to be started, while there is none."""
    deaths: deque[float] = field(default_factory=deque)

    def pause_after_death(self, now: float) -> float | None:
        """Seconds until it is started again; None if it has died too often."""
        self.deaths.append(now)
        while self.deaths[0] < now - WITHIN:
            self.deaths.popleft()
        if len(self.deaths) > MOST_DEATHS and self.task.is_vital:
            return None
        return PAUSES[min(len(self.deaths), len(PAUSES)) - 1]


class Supervisor:
    """Runs tasks in a process each. From when it is made, a request to stop (SIGTERM, SIGINT) waits for `run`."""

    def __init__(self) -> None:
        self._unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
        # All processes hold the end to read from; the other end closes when this process ends, however it does.
        self._lifeline, self._held = os.pipe()

    def run(self, tasks: Sequence[Task]) -> bool:
        """Runs until told to stop, or until a process has died too often; then it returns False."""
        processes = [_Process(task) for task in tasks]
        # What is there now stays. Looking through it for garbage would write to the memory that is shared.
        gc.collect()
        gc.freeze()
        for each in processes:
            self._start(each)
        log.info("started %s", pairs(parts=tuple(task.name for task in tasks)))
        manager = ServiceManager()
        manager.ready()
        is_well = self._watch(processes, manager)
        manager.stopping()
        self._stop(processes)
        log.info("stopped")
        return is_well

    def _watch(self, processes: Sequence[_Process], manager: ServiceManager) -> bool:
        while True:
            to_start = [each.due for each in processes if each.pid is None]
            pause = max(min(to_start) - time.monotonic(), 0.0) if to_start else _LONG
            caught = signal.sigtimedwait(_WATCHED, min(pause, manager.every or _LONG))
            manager.alive()
            if caught is not None and caught.si_signo in _STOPPING:
                return True
            for each in processes:
                if each.pid is not None and not _goes_on(each):
                    return False
                if each.pid is None and each.due <= time.monotonic():
                    self._start(each)

    def _start(self, process: _Process) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            log.error("a process cannot be started %s", pairs(part=process.task.name, error=str(error.strerror)))
            process.due = time.monotonic() + PAUSES[-1]
            return
        if pid == 0:
            self._become(process.task)
        process.pid = pid

    def _become(self, task: Task) -> NoReturn:
        code = 1
        try:
            os.close(self._held)
            os.environ.pop("NOTIFY_SOCKET", None)
            stop = Event()
            # Ctrl-C in a terminal reaches all processes; it is the supervisor that tells them.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            set_by_signals(stop, (signal.SIGTERM,))
            signal.pthread_sigmask(signal.SIG_SETMASK, self._unblocked)
            end_with_parent(self._lifeline, stop.set)
            with suppress(OSError):
                Path("/proc/self/comm").write_text(task.name)
            code = 0 if task.run(stop) else 1
        except BaseException:
            log.exception("a process has failed %s", pairs(part=task.name))
        finally:
            logging.shutdown()
            # Nothing that the supervisor would do at its end is to be done by its processes.
            os._exit(code)

    def _stop(self, processes: Sequence[_Process]) -> None:
        # A second request to stop ends this process at once, and the others soon after.
        for number in _STOPPING:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, self._unblocked)
        alive = [each.pid for each in processes if each.pid is not None]
        for pid in alive:
            os.kill(pid, signal.SIGTERM)
        for pid in alive:
            os.waitpid(pid, 0)


def _goes_on(process: _Process) -> bool:
    """Sees to a process that may have died; False if it has done so too often."""
    assert process.pid is not None
    pid, status = os.waitpid(process.pid, os.WNOHANG)
    if pid == 0:
        return True
    process.pid = None
    name, how = process.task.name, _said(os.waitstatus_to_exitcode(status))
    pause = process.pause_after_death(time.monotonic())
    if pause is None:
        log.error(
            "a process has ended too often, so the server ends %s", pairs(part=name, ended=how, most=MOST_DEATHS)
        )
        return False
    process.due = time.monotonic() + pause
    log.error("a process has ended and is started again %s", pairs(part=name, ended=how))
    return True


def _said(code: int) -> str:
    return f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"


def set_by_signals(
    stop: Event, numbers: Collection[signal.Signals], also: Callable[[], None] = lambda: None
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
    Thread(target=_wait, args=(reading, frozenset(numbers), stop), daemon=True).start()


def _wait(reading: int, numbers: frozenset[signal.Signals], stop: Event) -> None:
    # Other signals that have a handler are written there, too.
    while (told := os.read(reading, 1)) and told[0] not in numbers:
        pass
    stop.set()


def stop_at_signals() -> Event:
    """An event that SIGTERM and SIGINT set; a second one ends the process at once."""
    stop = Event()

    def leave_the_next_one() -> None:
        for each in _STOPPING:
            signal.signal(each, signal.SIG_DFL)

    set_by_signals(stop, _STOPPING, leave_the_next_one)
    return stop
