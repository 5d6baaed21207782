"""Kills processes at moments in which they have work in hand.

Those moments can be told from the outside: of a part that speaks with a server by what passes on the wire between
them, of a worker by its mark on the disk. Each dangerous moment has its turn, in random order.
"""

import contextlib
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.soak.parts import Part
from tests.soak.wire import Trap, Wire

HANDING_OVER = {
    "listen": (rb"\r\n\.\r\n\Z", rb"\A250 2\.0\.0 "),
    "poll": (rb" MOVE ", rb"(?i) OK .*move completed"),
    "send": (rb"\r\n\.\r\n\Z", rb"\A250 OK"),
}
"""What is said at the end of a mail, or when it is to be moved, and the answer to that."""

ANYTHING = rb"."
MOST_CHUNKS = 12
AT_WORK = 6
AT_ANYTHING = 2

LONGEST_HANDLING = 0.008
"""Seconds within which a mail in hand is mostly handled; a worker is killed anywhere among them."""

PATIENCE = 3.0
"""Seconds after which a part is killed all the same, with work or without."""

LOOK_EVERY = 0.0002


@dataclass(frozen=True)
class Moment:
    """When to kill a part: as Trap has it, or (no pattern) while it has a mail in hand."""

    word: str
    pattern: bytes = b""
    countdown: int = 1
    is_instead: bool = False


def moments(random: Random) -> Iterator[Moment]:
    """Without end; each round has every moment of handing over once, others between them, all in random order."""
    while True:
        dangerous = [
            Moment(word, pattern, is_instead=is_instead)
            for word, patterns in HANDING_OVER.items()
            for pattern in patterns
            for is_instead in (True, False)
        ]
        any_other = [
            Moment(random.choice([*HANDING_OVER]), ANYTHING, random.randint(1, MOST_CHUNKS), random.random() < 0.5)
            for _ in range(AT_ANYTHING)
        ]
        deck = [*dangerous, *any_other, *[Moment("work")] * AT_WORK]
        random.shuffle(deck)
        yield from deck


class Killer:
    """Spreads kills over the whole of `mails`, one after the other; who is killed is to be started again."""

    def __init__(
        self,
        random: Random,
        parts: Sequence[Part],
        wires: Mapping[str, Wire],
        kills: Sequence[Moment],
        mails: int,
    ) -> None:
        self._random, self._parts, self._wires = random, parts, wires
        self._to_come = [*kills]
        self._due_at = sorted(random.random() * 0.9 * mails for _ in kills)
        self.victim: Part | None = None
        """Who is to be killed next, or is dead already."""
        self._armed_at = 0.0
        self.at_work = 0

    @property
    def left(self) -> int:
        """How many kills are still to come."""
        return len(self._due_at)

    def tick(self, answered: int) -> Part | None:
        """Goes after the next victim, if it is time to; gives it once it is dead. `answered` are mails so far."""
        if self.victim is None:
            if self._due_at and answered >= self._due_at[0]:
                moment = self._to_come.pop(0)
                alike = [part for part in self._parts if part.word == moment.word]
                self.victim, self._armed_at = self._random.choice(alike), time.monotonic()
                self._go_after(self.victim, moment)
            return None
        victim = self.victim
        if not victim.is_killed and time.monotonic() > self._armed_at + PATIENCE and self._give_up(victim):
            victim.kill()
        elif victim.is_killed:
            self.at_work += 1
        else:
            return None
        del self._due_at[0]
        self.victim = None
        return victim

    def _go_after(self, victim: Part, moment: Moment) -> None:
        if moment.pattern:
            pattern = re.compile(moment.pattern, re.DOTALL)
            self._wires[victim.word].lay(Trap(victim.kill, pattern, moment.countdown, moment.is_instead))
        else:
            lag = self._random.uniform(0, LONGEST_HANDLING)
            threading.Thread(target=_kill_at_work, args=(victim, lag), daemon=True).start()

    def _give_up(self, victim: Part) -> bool:
        """Whether the kill that was planned will not come any more."""
        wire = self._wires.get(victim.word)
        return wire.take_up() if wire is not None else True


def _kill_at_work(victim: Part, lag: float) -> None:
    """Kills a worker so long (seconds) after it has taken a mail in hand."""
    life, mark = victim.process, _mark_of(victim)
    if mark is None:
        return
    until = time.monotonic() + PATIENCE
    while not mark.read_bytes().strip():
        if victim.is_killed or time.monotonic() > until:
            return
        time.sleep(LOOK_EVERY)
    time.sleep(lag)
    victim.kill(life)


def _mark_of(worker: Part) -> Path | None:
    """The file in which a worker notes what it has in hand; None while it has none, being about to start."""
    assert worker.process is not None
    with contextlib.suppress(OSError):
        open_files = [each.readlink() for each in Path(f"/proc/{worker.process.pid}/fd").iterdir()]
        return next((each for each in open_files if each.suffix == ".mark"), None)
    return None
