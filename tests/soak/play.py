"""Players who write their next mail when all that the last one brings has come: many conversations at a time."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from tests.servers.sink import Taken
from tests.soak.letters import Letter, read_letter
from tests.soak.plan import AT_A_TIME, Conversation, Step, password
from tests.soak.roads import Roads, RudeSink, letter_to_us

TWICE = 0.15
WITH_PASSWORD = 0.2
AS_A_REPLY = 0.5


@dataclass
class Talk:
    """A conversation as it goes: how many of its mails were written, and the numbers of its boards."""

    name: str
    plan: Conversation
    written: int = 0
    numbers: tuple[int, ...] = ()

    def message_id(self, step: int) -> str:
        """Of its mail number `step`, from 1."""
        return f"<{self.name}-{step}@example.org>"

    @property
    def step(self) -> Step:
        """The mail that was written last."""
        return self.plan.steps[self.written - 1]

    def notices_by_now(self) -> int:
        """How many notices all the mails so far bring together."""
        changed = sum(len(step.changed) for step in self.plan.steps[: self.written])
        return changed * (len(self.plan.players) - 1)


@dataclass
class Play:
    """All conversations, the letters that have come (each once), and how many mails had all that they bring."""

    random: Random
    roads: Roads
    sink: RudeSink
    talks: list[Talk] = field(default_factory=list)
    letters: dict[str, Letter] = field(default_factory=dict)
    answered: int = 0
    longest_delay: float = 0.0
    _going: list[Talk] = field(default_factory=list)
    _to_come: list[Talk] = field(default_factory=list)
    _read: int = 0
    _answers: dict[str, Letter] = field(default_factory=dict)
    _notices: dict[int, list[Letter]] = field(default_factory=lambda: defaultdict(list))
    _fed_at: dict[str, float] = field(default_factory=dict)

    def begin(self, name: str, plans: Sequence[Conversation]) -> None:
        """Adds conversations; no more than AT_A_TIME go on together."""
        added = [Talk(f"{name}{number}", plan) for number, plan in enumerate(plans, 1)]
        self.talks += added
        self._to_come += added

    @property
    def is_over(self) -> bool:
        """Whether every conversation has come to its end."""
        return not self._going and not self._to_come

    def go_on(self) -> bool:
        """Reads what has come, and writes what is to be written now; False when there was nothing to do."""
        found = self._take_in()
        for talk in self._complete():
            found = True
            self.answered += 1
            if talk.written < len(talk.plan.steps):
                self._write_next(talk)
            else:
                self._going.remove(talk)
        while self._to_come and len(self._going) < AT_A_TIME:
            found = True
            self._going.append(self._to_come.pop(0))
            self._write_next(self._going[-1])
        return found

    def missing(self) -> list[str]:
        """The conversations that wait, for people who look for the fault."""
        return [
            f"{talk.message_id(talk.written)} of {talk.step.author}: {talk.step.lines}" for talk in self._going
        ]

    def _take_in(self) -> bool:
        taken: list[Taken] = self.sink.mails[self._read :]
        self._read += len(taken)
        for each in taken:
            letter = read_letter(each)
            if letter.message_id in self.letters:
                continue
            self.letters[letter.message_id] = letter
            if letter.answers is not None:
                self._answers[letter.answers] = letter
                since = self._fed_at.get(letter.answers)
                if since is not None:
                    self.longest_delay = max(self.longest_delay, time.monotonic() - since)
            elif letter.place is not None:
                self._notices[letter.place[0]].append(letter)
        return bool(taken)

    def _complete(self) -> Iterator[Talk]:
        for talk in list(self._going):
            answer = self._answers.get(talk.message_id(talk.written))
            if answer is None:
                continue
            talk.numbers = talk.numbers or answer.begun
            if sum(len(self._notices[number]) for number in talk.numbers) >= talk.notices_by_now():
                yield talk

    def _write_next(self, talk: Talk) -> None:
        talk.written += 1
        step, message_id = talk.step, talk.message_id(talk.written)
        lines = tuple(line.format(*talk.numbers) for line in step.lines)
        if talk.numbers and self.random.random() < WITH_PASSWORD:
            lines = (f"as {step.author} {password(step.author)}", *lines)
        raw = letter_to_us(step.author, message_id, lines, self._to_answer(talk, step.author))
        self._fed_at[message_id] = time.monotonic()
        first = self.random.choice(("smtp", "imap"))
        for road in (first, self.random.choice(("smtp", "imap"))) if self.random.random() < TWICE else (first,):
            self.roads.feed(raw, f"{step.author}@example.org", message_id, road)

    def _to_answer(self, talk: Talk, author: str) -> Letter | None:
        """The last notice of one of the boards that the author had, or nothing."""
        if self.random.random() > AS_A_REPLY:
            return None
        address = f"{author}@example.org"
        had = [each for number in talk.numbers for each in self._notices[number] if each.recipient == address]
        return had[-1] if had else None
