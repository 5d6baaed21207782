"""What docs/architecture.md tells of the road of a mail and of the floors is so."""

import re

from tests.docs import DOCS, ROOT
from tests.house.figures import floors_of
from tests.house.recorder import Step
from tests.house.road import measured_road

PAGE = (DOCS / "architecture.md").read_text()


def test_road_is_as_told() -> None:
    """Each function that the list names is passed, in the order of the list."""
    part = PAGE.partition("\n## The road in functions\n")[2].partition("\n## ")[0]
    told = [Step(file, function) for file, function in re.findall(r"(?m)^[0-9]+\. `([^`]+)`: `([^`]+)`: ", part)]
    assert len(told) >= 20
    passed = {step: place for place, step in enumerate(measured_road().steps)}
    assert [step for step in told if step not in passed] == []
    assert told == sorted(told, key=passed.__getitem__)


def test_floors_are_as_told() -> None:
    """The table of folders has each folder with its floor, from the top."""
    rows = re.findall(r"(?m)^\| `pbmserv/([a-z]+)/` \| ([0-9]) \|", PAGE)
    assert {folder: int(floor) for folder, floor in rows} == floors_of(ROOT)
    assert [floor for _, floor in rows] == sorted((floor for _, floor in rows), reverse=True)
