"""Lines and whole mails as people write them, and what is understood of each: see `corpus.py`."""

from pathlib import Path

from tests.every import every, for_each
from tests.parser.corpus import Case, cases

FILES = sorted(Path(__file__).parent.glob("*.txt"))


@for_each("file", FILES, ids=lambda file: file.stem)
def test_what_is_understood(file: Path) -> None:
    def check(case: Case) -> None:
        assert case.understood() == case.means, case

    every(cases(file), check, name=lambda case: case.place)
