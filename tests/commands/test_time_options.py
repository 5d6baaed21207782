"""What a challenge may say of time, and what it may not."""

from datetime import timedelta

import pytest

from pbmserv.commands.time_options import BadTimeOption, as_options, read_time_options
from pbmserv.matches.clock import DAY, TimeControl
from tests.commands.memory import Table

HOUR = timedelta(hours=1)


def terms(options: str) -> TimeControl | None:
    """The clock of a board that is begun with these options."""
    table = Table("alice", "bob")
    said = table.give(f"challenge alice bob {options}", "alice")
    assert table.records.board(101), said
    return table.match(101).clock


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", TimeControl(7 * DAY, 21 * DAY, None, timedelta())),
        ("--nagtime=3 --forfeittime=14", TimeControl(3 * DAY, 14 * DAY)),
        ("-forfeittime 14 -size 3 x 3", TimeControl(forfeit=14 * DAY)),
        ("forfeittime=14", TimeControl(forfeit=14 * DAY)),
        ("\u2013forfeittime=2w \u2014nagtime=36h", TimeControl(36 * HOUR, 14 * DAY)),
        ("-NagTime=None -ForfeitTime=0", TimeControl(None, None)),
        ("-totaltime=30.5 -increment=1,5", TimeControl(total=30.5 * DAY, increment=1.5 * HOUR)),
        ("-totaltime=60days -increment=none", TimeControl(total=60 * DAY)),
        ("-forfeittime=3", TimeControl(forfeit=3 * DAY)),
    ],
)
def test_terms(options: str, expected: TimeControl) -> None:
    """Days, and hours for the increment; with dashes and units as people write them."""
    assert terms(options) == expected
    assert read_time_options(as_options(expected), "")[0] == expected


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("-forfeittime=366", "value"),
        ("-forfeittime=0.5", "value"),
        ("-forfeittime=-3", "value"),
        ("-nagtime=0.1", "value"),
        ("-totaltime=1001", "value"),
        ("-totaltime=", "value"),
        ("-totaltime=99999999999", "value"),
        ("-increment=12", "no total"),
        ("-totaltime=9 -increment=721", "value"),
        ("-nagtime=21", "late"),
        ("-nagtime=6 -totaltime=5 -forfeittime=none", "late"),
        ("-nagtime=6 -totaltime=5", "late"),
        ("-nagtime=5 -nagtime=6", "twice"),
    ],
)
def test_what_cannot_be(option: str, why: str) -> None:
    """Refused in one sentence, with a line that works."""
    table = Table("alice", "bob")
    refused = table.give(f"challenge alice bob {option}", "alice")
    assert isinstance(refused, BadTimeOption)
    assert refused.why == why
    assert not isinstance(table.give(refused.ready, "alice"), BadTimeOption)
    assert table.records.board(101)


def test_the_rest_is_left() -> None:
    """For whoever reads the other options."""
    read = read_time_options((("size", "3x3"), ("unrated", "")), "challenge alice bob")
    assert read == (TimeControl(), (("size", "3x3"), ("unrated", "")))
