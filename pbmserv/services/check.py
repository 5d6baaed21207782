"""Checking: every log is replayed, and every stored summary held against what its log adds up to."""

from collections.abc import Callable
from dataclasses import dataclass

from pbmserv.matches.match import BrokenLog, Summary, fold, summarise
from pbmserv.services.house import House
from pbmserv.store import matches
from pbmserv.store.engine import reading, writing


@dataclass(frozen=True, slots=True)
class Difference:
    """A match that is not as its log says; `expected` is None when the log itself does not replay."""

    number: int
    what: str
    expected: Summary | None


def check(house: House, progress: Callable[[int, int], None] = lambda done, of: None) -> list[Difference]:
    """Replays all matches; `progress` is told how many of how many are done."""
    differences: list[Difference] = []
    with reading(house.engine, snapshot=True) as connection:
        every = matches.numbers(connection)
        for done, number in enumerate(every, 1):
            match, stored = matches.load(connection, number), matches.summary(connection, number)
            assert match is not None
            try:
                expected = summarise(fold(match))
            except BrokenLog as error:
                differences.append(Difference(number, str(error), None))
            else:
                if stored != expected:
                    differences.append(Difference(number, f"stored {stored}, replayed {expected}", expected))
            progress(done, len(every))
    return differences


def rebuild(house: House, differences: list[Difference]) -> int:
    """Writes the summaries anew where the log says otherwise, and gives how many."""
    repairable = [difference for difference in differences if difference.expected is not None]
    with writing(house.engine) as connection:
        for difference in repairable:
            assert difference.expected is not None
            matches.lock(connection, [difference.number])
            match = matches.load(connection, difference.number)
            assert match is not None
            matches.write_summary(connection, difference.number, summarise(fold(match)))
    return len(repairable)
