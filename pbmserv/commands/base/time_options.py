"""The options that set the clocks of a new game."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal

from pbmserv.matches.clock import DAY, TimeControl
from pbmserv.matches.errors import CommandError


@dataclass(kw_only=True)
class BadTimeOption(CommandError):
    """An option that sets a clock has no such `value`; it takes `least` to `most` days, or hours, or is `none`.

    `why`: what it is cannot be read or is out of bounds, it stands there twice, the increment has no total time to
    add to, or the reminder would come after the end. `ready` is a line that works.
    """

    template: ClassVar[str] = "commands/base/time_options.txt:bad_time_option"

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

_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {"nagtime": "nag", "forfeittime": "forfeit", "totaltime": "total", "increment": "increment"}
)
_BOUNDS: Final[Mapping[str, tuple[timedelta, timedelta]]] = MappingProxyType(
    {
        "nagtime": (DAY / 2, 365 * DAY),
        "forfeittime": (DAY, 365 * DAY),
        "totaltime": (DAY, 1000 * DAY),
        "increment": (_HOUR, 720 * _HOUR),
    }
)
_EXAMPLES: Final[Mapping[str, str]] = MappingProxyType(
    {"nagtime": "5", "forfeittime": "14", "totaltime": "60", "increment": "12"}
)

TIME_OPTIONS: Final = tuple(_FIELDS)


def read_time_options(options: Options, line: str) -> tuple[TimeControl, Options]:
    """The clocks that these options ask for, and the options that are about something else.

    `line` is a command that would work, to which a refusal adds an option that would work too.

    >>> clock, rest = read_time_options((("forfeittime", "14"), ("size", "3x3")), "challenge alice bob")
    >>> str(clock.forfeit), rest
    ('14 days, 0:00:00', (('size', '3x3'),))
    """
    given = [(name, value.lower()) for name, value in options if name in _FIELDS]
    rest = tuple((name, value) for name, value in options if name not in _FIELDS)
    clock = TimeControl()
    for position, (name, value) in enumerate(given):
        if name in [earlier for earlier, _ in given[:position]]:
            raise _bad(name, "twice", value, line)
        length = _length(name, value)
        if length is None:
            raise _bad(name, "value", value, line)
        new: dict[str, Any] = {_FIELDS[name]: length or (None if name != "increment" else length)}
        clock = replace(clock, **new)
    named = dict(given)
    if clock.increment and clock.total is None:
        raise _bad("increment", "no total", named["increment"], line)
    if "nagtime" in named and clock.nag:
        for name, limit in (("forfeittime", clock.forfeit), ("totaltime", clock.total)):
            if limit and clock.nag >= limit:
                raise _bad("nagtime", "late", named["nagtime"], f"{line} -{name}={_EXAMPLES[name]}")
    return clock, rest


def as_options(clock: TimeControl) -> Options:
    """The options that ask for these clocks, without those that are as usual.

    >>> as_options(TimeControl(None, timedelta(hours=36), 60 * DAY, timedelta(hours=12)))
    (('nagtime', 'none'), ('forfeittime', '36h'), ('totaltime', '60'), ('increment', '12'))
    """
    usual = TimeControl()
    lengths = {name: getattr(clock, field) for name, field in _FIELDS.items()}
    chosen = {name: length for name, length in lengths.items() if length != getattr(usual, _FIELDS[name])}
    return tuple((name, _typed(length, _unit_of(name))) for name, length in chosen.items())


def _typed(length: timedelta | None, unit: timedelta) -> str:
    if length is None:
        return "none"
    return f"{length / _HOUR:g}h" if length % unit else f"{length // unit}"


def _unit_of(name: str) -> timedelta:
    return _HOUR if name == "increment" else DAY


def _length(name: str, value: str) -> timedelta | None:
    """What a value says; nothing at all for `none`. None when it cannot be read, or is out of bounds."""
    read = _VALUE.fullmatch(value)
    if value in ("none", "off") or (read and not float(read[1].replace(",", "."))):
        return timedelta()
    if read is None:
        return None
    unit = _UNITS[read[2][0]] if read[2] else _unit_of(name)
    length = timedelta(seconds=round(unit.total_seconds() * float(read[1].replace(",", "."))))
    least, most = _BOUNDS[name]
    return length if least <= length <= most else None


def _bad(name: str, why: Any, value: str, line: str) -> BadTimeOption:
    if name == "increment":
        line = f"{line} -totaltime=60"
    least, most = (f"{bound / _unit_of(name):g}" for bound in _BOUNDS[name])
    return BadTimeOption(
        name=name,
        why=why,
        value=value[:20],
        least=least,
        most=most,
        in_hours=name == "increment",
        ready=f"{line} -{name}={_EXAMPLES[name]}",
    )
