"""The options that set the clocks of a new game."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final, Literal

from pbmserv.matches.clock import DAY, TimeControl
from pbmserv.matches.errors import CommandError


class BadTimeOption(CommandError):
    """A clock option cannot have this `value`; it takes `least` to `most` days, or hours, or is `none`.

    `why`: what it is cannot be read or is out of bounds, it stands there twice, the increment has no total time to
    add to, or the reminder would come after the end. `ready` is a line that works.
    """

    name: str
    why: Literal["value", "twice", "no total", "late"]
    value: str
    least: str
    most: str
    in_hours: bool
    ready: str


Options = tuple[tuple[str, str], ...]

_HOUR: Final = timedelta(hours=1)
_VALUE: Final = re.compile(r"([0-9]{1,5}(?:[.,][0-9]{1,3})?)(d|days?|h|hours?|w|weeks?)?")
_UNITS: Final[Mapping[str, timedelta]] = MappingProxyType({"d": DAY, "h": _HOUR, "w": 7 * DAY})


@dataclass(frozen=True, slots=True)
class _TimeOption:
    """What a clock option sets, its bounds, an example value, and the unit of a bare number."""

    field: str
    least: timedelta
    most: timedelta
    example: str
    unit: timedelta = DAY


_OPTIONS: Final[Mapping[str, _TimeOption]] = MappingProxyType(
    {
        "nagtime": _TimeOption("nag", DAY / 2, 365 * DAY, "5"),
        "forfeittime": _TimeOption("forfeit", DAY, 365 * DAY, "14"),
        "totaltime": _TimeOption("total", DAY, 1000 * DAY, "60"),
        "increment": _TimeOption("increment", _HOUR, 720 * _HOUR, "12", _HOUR),
    }
)

TIME_OPTIONS: Final = tuple(_OPTIONS)


def read_time_options(options: Options, line: str) -> tuple[TimeControl, Options]:
    """The clocks set by these options, and the other options.

    `line` is a command that works, to which an error message adds a valid option.

    >>> clock, rest = read_time_options((("forfeittime", "14"), ("size", "3x3")), "challenge alice bob")
    >>> str(clock.forfeit), rest
    ('14 days, 0:00:00', (('size', '3x3'),))
    """
    given = [(name, value.lower()) for name, value in options if name in _OPTIONS]
    rest = tuple((name, value) for name, value in options if name not in _OPTIONS)
    clock = TimeControl()
    for position, (name, value) in enumerate(given):
        if name in [earlier for earlier, _ in given[:position]]:
            raise _bad(name, "twice", value, line)
        length = _length(name, value)
        if length is None:
            raise _bad(name, "value", value, line)
        new: dict[str, Any] = {_OPTIONS[name].field: length or (None if name != "increment" else length)}
        clock = replace(clock, **new)
    named = dict(given)
    if clock.increment and clock.total is None:
        raise _bad("increment", "no total", named["increment"], line)
    if "nagtime" in named and clock.nag:
        for name, limit in (("forfeittime", clock.forfeit), ("totaltime", clock.total)):
            if limit and clock.nag >= limit:
                raise _bad("nagtime", "late", named["nagtime"], f"{line} -{name}={_OPTIONS[name].example}")
    return clock, rest


def as_options(clock: TimeControl) -> Options:
    """The options that set these clocks, without defaults.

    >>> as_options(TimeControl(None, timedelta(hours=36), 60 * DAY, timedelta(hours=12)))
    (('nagtime', 'none'), ('forfeittime', '36h'), ('totaltime', '60'), ('increment', '12'))
    """
    usual = TimeControl()
    lengths = {name: getattr(clock, option.field) for name, option in _OPTIONS.items()}
    chosen = {name: length for name, length in lengths.items() if length != getattr(usual, _OPTIONS[name].field)}
    return tuple((name, _typed(length, _OPTIONS[name].unit)) for name, length in chosen.items())


def _typed(length: timedelta | None, unit: timedelta) -> str:
    if length is None:
        return "none"
    return f"{length / _HOUR:g}h" if length % unit else f"{length // unit}"


def _length(name: str, value: str) -> timedelta | None:
    """The length that a value sets; empty for `none`. None if it cannot be read, or is out of bounds."""
    read = _VALUE.fullmatch(value)
    if value in ("none", "off") or (read and not float(read[1].replace(",", "."))):
        return timedelta()
    if read is None:
        return None
    unit = _UNITS[read[2][0]] if read[2] else _OPTIONS[name].unit
    length = timedelta(seconds=round(unit.total_seconds() * float(read[1].replace(",", "."))))
    option = _OPTIONS[name]
    return length if option.least <= length <= option.most else None


def _bad(name: str, why: Any, value: str, line: str) -> BadTimeOption:
    if name == "increment":
        line = f"{line} -totaltime=60"
    option = _OPTIONS[name]
    return BadTimeOption(
        name=name,
        why=why,
        value=value[:20],
        least=f"{option.least / option.unit:g}",
        most=f"{option.most / option.unit:g}",
        in_hours=name == "increment",
        ready=f"{line} -{name}={option.example}",
    )
