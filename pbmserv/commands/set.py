"""`set`: what mail a player gets, when, and from whom; and what the unsubscribe links stop."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from pbmserv.commands.changes import MailStopped, NewDigest, NewSetting, SettingKey, WeeklyPuzzle
from pbmserv.commands.command import Command, Decision, Reply, Request
from pbmserv.commands.lookup import waiting_boards
from pbmserv.commands.vacation import set_vacation
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import BoardMail, MessagesFrom, Player, Receipts
from pbmserv.matches.queries import ListingQuery, Queries

LeaveKind = Literal["mail", "digest", "broadcast", "messages", "watching", "puzzle"]
"""All mail but the ends of games; all boards in one mail; what players write to everybody, or to this one; what
is played on a board of others; a puzzle a week."""


def leaving_command(kind: LeaveKind, board: int | None = None) -> str:
    """The command that stops a kind of mail; `board` is the one that is watched.

    >>> leaving_command("mail"), leaving_command("watching", 101)
    ('set mail off', 'unsubscribe 101')
    """
    return f"unsubscribe {board}" if kind == "watching" else f"set {kind} off"


def returning_command(kind: LeaveKind, player: Player, board: int | None = None) -> str:
    """The command that restores what a player gets now of a kind of mail.

    >>> returning_command("watching", Player(1, "ann", "ann@home.test"), 101)
    'subscribe 101'
    """
    match kind:
        case "watching":
            return f"subscribe {board}"
        case "digest":
            return f"set digest {player.mail.digest or 'daily 07:30'}"
        case "messages":
            return f"set messages {player.mail.messages}"
        case "puzzle":
            return "set puzzle weekly"
        case "mail" | "broadcast":
            return f"set {kind} on"


def has_left(kind: LeaveKind, player: Player, is_watching: bool) -> bool:
    """Whether a player gets none of a kind of mail already; `is_watching`: they subscribe to the board."""
    mail = player.mail
    wanted = {
        "mail": True,
        "digest": mail.digest is not None,
        "broadcast": mail.broadcast,
        "messages": mail.messages != "off",
        "watching": is_watching,
        "puzzle": mail.puzzle,
    }
    return mail.is_off or not wanted[kind]


WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_MORNING: Final = time(7)
_LEAST_LETTERS: Final = 3
_TIME: Final = re.compile(r"([01]?[0-9]|2[0-3])[:.h]?([0-5][0-9])?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Schedule:
    """A time of day, daily or on one `weekday` (0: Monday)."""

    at: time
    weekday: int | None = None

    def __str__(self) -> str:
        """The schedule as stored and typed.

        >>> str(Schedule(time(7, 30), 4)), str(Schedule(time(19)))
        ('weekly fri 07:30', 'daily 19:00')
        """
        day = "daily" if self.weekday is None else f"weekly {WEEKDAYS[self.weekday][:_LEAST_LETTERS]}"
        return f"{day} {self.at:%H:%M}"

    def next_after(self, moment: datetime) -> datetime:
        """The first time after a moment, in UTC.

        >>> from datetime import UTC
        >>> thursday = datetime(2026, 1, 1, 12, tzinfo=UTC)
        >>> [f"{Schedule(time(12), day).next_after(thursday):%a %d}" for day in (None, 2, 3)]
        ['Fri 02', 'Wed 07', 'Thu 08']
        """
        first = moment.replace(hour=self.at.hour, minute=self.at.minute, second=0, microsecond=0)
        if self.weekday is not None:
            first += timedelta(days=(self.weekday - first.weekday()) % 7)
        if first > moment:
            return first
        return first + timedelta(days=1 if self.weekday is None else 7)


def read_schedule(words: Sequence[str]) -> Schedule | None:
    """The schedule named by words in lower case; None if they name none.

    >>> lines = ("daily", "daily 7.30", "weekly", "weekly friday", "weekly fri 19", "daily 24:00", "fri")
    >>> [str(read_schedule(line.split())) for line in lines]
    ['daily 07:00', 'daily 07:30', 'weekly mon 07:00', 'weekly fri 07:00', 'weekly fri 19:00', 'None', 'None']
    """
    how, *rest = [*words] or [""]
    if how not in ("daily", "weekly"):
        return None
    weekday = _weekday(rest[0]) if rest and how == "weekly" else None
    if weekday is not None:
        rest = rest[1:]
    elif how == "weekly":
        weekday = 0
    at = _time(rest[0]) if rest else _MORNING
    return Schedule(at, weekday) if at is not None and len(rest) < 2 else None


def _weekday(word: str) -> int | None:
    found = [number for number, name in enumerate(WEEKDAYS) if name.startswith(word)]
    return found[0] if len(word) >= _LEAST_LETTERS and len(found) == 1 else None


def _time(word: str) -> time | None:
    said = _TIME.fullmatch(word)
    return time(int(said[1]), int(said[2] or 0)) if said else None


class SettingChanged(Reply):
    """The setting `key` is now on, or off."""

    key: str
    is_on: bool


class MessagesChanged(Reply):
    """The sender gets messages from everybody, from players they know, or from nobody."""

    wanted: MessagesFrom


class ReceiptsChanged(Reply):
    """The sender's moves by mail are acknowledged one by one, once a day, or never."""

    wanted: Receipts


class MailChanged(Reply):
    """The sender gets mail about each change of a board, when it is their turn, or (`boards` is None) not at all.

    `told` are the opponents who were told that the sender has turned mail off.
    """

    boards: BoardMail | None
    told: tuple[str, ...] = ()


class MailResumed(Reply):
    """The sender had turned mail off, and gets it again; `more` waiting boards are not named."""

    boards: tuple[int, ...]
    more: int


class MailStoppedBy(Reply):
    """To other players on their boards: `userid` has turned mail off."""

    userid: str
    boards: tuple[int, ...]


class DigestChanged(Reply):
    """The sender gets all boards in one mail by this schedule ("daily 07:30"), next at `due`; None: one by one.

    Of the sender's waiting boards, `shown` follow and `more` do not.
    """

    schedule: str | None
    due: datetime | None
    shown: int = 0
    more: int = 0


class PuzzlesChanged(Reply):
    """The sender gets a puzzle a week, the first one now; or none from now on."""

    is_weekly: bool


class NoSuchSetting(CommandError):
    """There is no such setting; `settings` can be on or off, and `lines` are examples of the others."""

    settings: tuple[str, ...]
    lines: tuple[str, ...]


class NeitherOnNorOff(CommandError):
    """The setting `name` can only be one of `choices`."""

    name: str
    choices: tuple[str, ...] = ("on", "off")


class BadSchedule(CommandError):
    """The words name no time for a digest."""


_SETTINGS: Final[Mapping[str, SettingKey]] = MappingProxyType(
    {"broadcast": "broadcast", "challenges": "takes_challenges", "html": "html", "words": "words"}
)
"""The settings that are on or off, as typed, and the player's field that each sets."""

_CHOICES: Final[Mapping[SettingKey, tuple[tuple[str, ...], Callable[[Any], Reply]]]] = MappingProxyType(
    {
        "messages": (get_args(MessagesFrom), MessagesChanged),
        "receipts": (get_args(Receipts), ReceiptsChanged),
    }
)

MOST_TOLD_OF: Final = 100
"""The most running boards whose other players are told that a player has turned mail off."""

LINES: Final = (
    "set messages known",
    "set receipts daily",
    "set mail off",
    "set digest daily 07:30",
    "set digest off",
    "set puzzle weekly",
    "set vacation 2026-12-20 2027-01-03",
    "set vacation off",
)
"""Of what is more than on or off."""


def settings_of(player: Player) -> tuple[tuple[str, str], ...]:
    """Every setting as typed, and its value."""
    mail = player.mail
    switches = {
        "broadcast": mail.broadcast,
        "challenges": player.takes_challenges,
        "html": mail.html,
        "words": mail.words,
    }
    values = {key: "on" if is_on else "off" for key, is_on in switches.items()}
    values |= {"digest": mail.digest or "off", "mail": "off" if mail.is_off else mail.boards}
    values |= {"puzzle": "weekly" if mail.puzzle else "off"}
    return tuple(sorted((values | {"messages": mail.messages, "receipts": mail.receipts}).items()))


def run(request: Request, records: Queries, now: datetime) -> Decision:
    """Changes one setting."""
    player = request.player
    key, *values = request.arguments.words
    match key:
        case "digest":
            return _digest(player, values, records, now)
        case "mail":
            return _mail(player, " ".join(values), records)
        case "messages" | "receipts":
            return _one_of(player, key, " ".join(values))
        case "puzzle":
            return _puzzle(player, " ".join(values), now)
        case "vacation":
            return set_vacation(player, values, records, now)
        case _ if key in _SETTINGS:
            return _switch(player, key, " ".join(values))
    raise NoSuchSetting(settings=tuple(_SETTINGS), lines=LINES)


def _switch(player: Player, key: str, value: str) -> Decision:
    if value not in ("on", "off"):
        raise NeitherOnNorOff(name=key)
    is_on = value == "on"
    return Decision(SettingChanged(key, is_on), changes=(NewSetting(player.id, _SETTINGS[key], is_on),))


def _one_of(player: Player, key: SettingKey, value: str) -> Decision:
    """The choice of a setting with more values than on and off."""
    choices, changed = _CHOICES[key]
    if value not in choices:
        raise NeitherOnNorOff(name=key, choices=choices)
    return Decision(changed(value), changes=(NewSetting(player.id, key, value),))


def _puzzle(player: Player, value: str, now: datetime) -> Decision:
    if value not in ("weekly", "off"):
        raise NeitherOnNorOff(name="puzzle", choices=("weekly", "off"))
    is_weekly = value == "weekly"
    change = WeeklyPuzzle(player.id, now if is_weekly else None)
    return Decision(PuzzlesChanged(is_weekly), changes=() if is_weekly and player.mail.puzzle else (change,))


def _mail(player: Player, value: str, records: Queries) -> Decision:
    if value == "off":
        return stop_mail(player, records)
    boards: BoardMail | None = {"on": player.mail.boards, "turns": "turns", "all": "all"}.get(value)
    if boards is None:
        raise NeitherOnNorOff(name="mail", choices=("on", "off", "turns", "all"))
    changes = (NewSetting(player.id, "boards", boards), MailStopped(player.id, is_lifted=True))
    return Decision(MailChanged(boards), changes=changes)


def resume_mail(player: Player, records: Queries) -> Decision:
    """Turns all mail on again, because the player has written."""
    waiting = waiting_boards(player, records)
    reply = MailResumed(waiting.numbers, waiting.more)
    return Decision(reply, changes=(MailStopped(player.id, is_lifted=True),))


def stop_mail(player: Player, records: Queries) -> Decision:
    """Stops all mail except the ends of games, and tells the player's opponents."""
    told: dict[str, list[int]] = {}
    if not player.mail.is_off:
        running = records.boards(ListingQuery(userids=(player.userid,), filter="active", count=MOST_TOLD_OF))
        for line in running.lines:
            for userid in line.userids:
                if userid != player.userid:
                    told.setdefault(userid, []).append(line.number)
    notices = tuple((userid, MailStoppedBy(player.userid, tuple(boards))) for userid, boards in told.items())
    return Decision(
        MailChanged(None, tuple(told)),
        changes=(MailStopped(player.id),),
        to_players=notices,
    )


def _digest(player: Player, values: Sequence[str], records: Queries, now: datetime) -> Decision:
    """Sets the digest's schedule; without one, boards come one by one, and waiting ones at once."""
    if values == ["off"]:
        waiting = waiting_boards(player, records)
        reply = DigestChanged(None, None, len(waiting.numbers), waiting.more)
        return Decision(reply, shown=waiting.refs, changes=(NewDigest(player.id, None, None),))
    schedule = read_schedule(values)
    if schedule is None:
        raise BadSchedule()
    due = schedule.next_after(now)
    return Decision(DigestChanged(str(schedule), due), changes=(NewDigest(player.id, str(schedule), due),))


command = Command(
    name="set",
    forms=("set [userid password] key value+",),
    summary="choose what mail you get, and from whom",
    example="set html off",
    run=run,
    scope="setting",
)
