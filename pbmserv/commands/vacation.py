"""`set vacation`: days on which a player is away."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Final, Literal

from pbmserv.commands.changes import NewVacations
from pbmserv.commands.command import Decision, Reply
from pbmserv.commands.policy import VACATIONS
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import ListingQuery, Queries


class VacationSet(Reply):
    """The player is away on these days. `left` are the days remaining in these years, out of `limit`.

    `told` are the players who were told.
    """

    days: tuple[tuple[date, date], ...]
    left: tuple[tuple[int, int], ...]
    limit: int
    told: tuple[str, ...]


class VacationOf(Reply):
    """To other players on their boards: `userid` is away on these days; none: is not away after all."""

    userid: str
    days: tuple[tuple[date, date], ...]
    boards: tuple[int, ...]


class BadVacation(CommandError):
    """No such holidays can be: a date cannot be read, the last is before the first, the first is in the past or
    more than a year ahead, or the last is further still; `first` and `last` are days that would do.
    """

    why: Literal["date", "order", "past", "far"]
    value: str
    first: date
    last: date


class TooMuchVacation(CommandError):
    """These holidays take `wanted` days of `year`, which has `left` of `limit` days left.

    `first` and `last` are the days possible from the first wanted one on; None if no days are left.
    """

    year: int
    wanted: int
    left: int
    limit: int
    first: date
    last: date | None


DAYS_A_YEAR: Final = 30
"""Days of holiday in each calendar year; past days stay counted."""

FURTHEST: Final = timedelta(days=365)

MOST_BOARDS: Final = 1000

OFF: Final = "off"

Days = tuple[date, date]
"""The first and the last of them."""

_BETWEEN: Final = frozenset({"to", "until", "till", "-", ".."})
_ONE_DAY: Final = timedelta(days=1)
_TWO_WEEKS: Final = timedelta(days=13)


def set_vacation(player: Player, words: Sequence[str], records: Queries, now: datetime) -> Decision:
    """Adds the holidays that the words name, or drops all future ones; tells the other players on their boards."""
    today = now.date()
    had = _days(records.vacations(player, date(today.year, 1, 1)))
    if tuple(words) == (OFF,):
        # Today is kept: its clocks have stood still since midnight.
        return _decide(player, had, {day for day in had if day <= today}, today + _ONE_DAY, records, now)
    wanted = _read(words, today)
    _require_days_left(had, wanted)
    return _decide(player, had, had | _days([wanted]), today, records, now)


def _read(words: Sequence[str], today: date) -> Days:
    try:
        named = [date.fromisoformat(word) for word in words if word not in _BETWEEN]
    except ValueError:
        named = []
    example = today + timedelta(days=7)
    if len(named) not in (1, 2):
        raise BadVacation(why="date", value=" ".join(words)[:40], first=example, last=example + _TWO_WEEKS)
    first, last = named[0], named[-1]
    if last < first:
        raise BadVacation(why="order", value=" ".join(words)[:40], first=last, last=first)
    if first < today:
        raise BadVacation(why="past", value=f"{first}", first=today, last=max(today, last))
    furthest = today + FURTHEST
    if first > furthest or last > furthest + FURTHEST:
        value, begin = (first, furthest) if first > furthest else (last, first)
        raise BadVacation(why="far", value=f"{value}", first=begin, last=begin + _TWO_WEEKS)
    return first, last


def _require_days_left(had: set[date], wanted: Days) -> None:
    new = sorted(_days([wanted]) - had)
    taken = Counter(day.year for day in had)
    fit: date | None = None
    for day in new:
        taken[day.year] += 1
        if taken[day.year] > DAYS_A_YEAR:
            in_year = sum(each.year == day.year for each in new)
            left = max(DAYS_A_YEAR - sum(each.year == day.year for each in had), 0)
            raise TooMuchVacation(
                year=day.year, wanted=in_year, left=left, limit=DAYS_A_YEAR, first=wanted[0], last=fit
            )
        fit = day


def _decide(
    player: Player, had: set[date], days: set[date], since: date, records: Queries, now: datetime
) -> Decision:
    """The decision to replace the days `had` by these; nothing before `since` has changed."""
    periods = _periods(days)
    ahead = tuple(each for each in periods if each[1] >= now.date())
    boards = _boards_with_others(player, records) if days != had and _may_tell(player, records, now) else {}
    counted = (VACATIONS.count(str(player.id)),) if boards else ()
    changed = tuple((max(first, since), last) for first, last in periods if last >= since)
    years = sorted({now.year, *(day.year for day in days if day >= now.date())})
    left = tuple((year, DAYS_A_YEAR - sum(day.year == year for day in days)) for year in years)
    return Decision(
        VacationSet(ahead, left, DAYS_A_YEAR, tuple(boards)),
        changes=(NewVacations(player.id, since, changed), *counted),
        to_players=tuple((userid, VacationOf(player.userid, ahead, on)) for userid, on in boards.items()),
    )


def _may_tell(player: Player, records: Queries, now: datetime) -> bool:
    return VACATIONS.left(records.counted, str(player.id), now) > 0


def _boards_with_others(player: Player, records: Queries) -> dict[str, tuple[int, ...]]:
    """The player's opponents and their boards, without those who have blocked the player."""
    shared: dict[str, tuple[int, ...]] = {}
    listing = records.boards(ListingQuery(userids=(player.userid,), count=MOST_BOARDS))
    for number in sorted(line.number for line in listing.lines):
        board = records.board(number)
        playing = board.playing if board is not None else frozenset()
        if player.userid in playing:
            for userid in sorted(playing - {player.userid}):
                shared[userid] = (*shared.get(userid, ()), number)
    return {userid: on for userid, on in shared.items() if _wants_to_know(userid, player, records)}


def _wants_to_know(userid: str, player: Player, records: Queries) -> bool:
    other = records.player(userid)
    is_person = other is not None and other.robot is None
    return is_person and not records.is_blocked(player.userid, by=userid)


def _days(periods: Iterable[Days]) -> set[date]:
    return {first + timedelta(days=count) for first, last in periods for count in range((last - first).days + 1)}


def _periods(days: Iterable[date]) -> tuple[Days, ...]:
    """The days in order, as periods."""
    periods: list[Days] = []
    for day in sorted(days):
        if periods and day - periods[-1][1] == _ONE_DAY:
            periods[-1] = (periods[-1][0], day)
        else:
            periods.append((day, day))
    return tuple(periods)
