"""`set`: what mail a player gets, and from whom."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final, get_args

from pbmserv.commands.base.changes import MailStopped, NewDigest, NewSetting, SettingKey, WeeklyPuzzle
from pbmserv.commands.base.decision import Decision, Notifications, Reply, ShownBoards
from pbmserv.commands.base.lookup import waiting_boards
from pbmserv.commands.base.registry import PlayerCommand
from pbmserv.commands.base.request import PlayerRequest
from pbmserv.commands.base.schedule import read_schedule
from pbmserv.commands.vacation import set_vacation
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import BoardMail, MessagesFrom, Player, Receipts
from pbmserv.matches.queries import ListingQuery, Queries


@dataclass(frozen=True, slots=True)
class SetArguments:
    """A setting and its value."""

    words: tuple[str, ...]


class SettingChanged(Reply):
    """The setting `key` is now on, or off."""

    key: str
    is_on: bool


class MessagesChanged(Reply):
    """Messages come to the sender from all, from those whom they know, or from nobody."""

    wanted: MessagesFrom


class ReceiptsChanged(Reply):
    """The sender's moves by mail are acknowledged each, once a day, or never."""

    wanted: Receipts


class MailChanged(Reply):
    """The sender gets mail about each change of a board, when it is their turn, or (`boards` is None) not at all.

    `told` are the opponents who were told that there will be no more mail.
    """

    boards: BoardMail | None
    told: tuple[str, ...] = ()


class MailResumed(Reply):
    """The sender had turned mail off, and gets it again; of the boards that wait `more` are not named."""

    boards: tuple[int, ...]
    more: int


class MailStoppedBy(Reply):
    """To others on their boards: `userid` reads no mail at present."""

    userid: str
    boards: tuple[int, ...]


class DigestChanged(Reply):
    """The sender's boards come in one mail by this schedule ("daily 07:30"), next at `due`; None: each by itself.

    Of the boards that wait for the sender `shown` follow, and `more` do not.
    """

    schedule: str | None
    due: datetime | None
    shown: int = 0
    more: int = 0


class PuzzlesChanged(Reply):
    """The sender gets a puzzle a week, the first one now; or no more of them."""

    is_weekly: bool


class NoSuchSetting(CommandError):
    """There is no such setting; `settings` can be on or off, `lines` set what is more than that."""

    settings: tuple[str, ...]
    lines: tuple[str, ...]


class NeitherOnNorOff(CommandError):
    """The setting `name` can be one of `choices`, and not what was said."""

    name: str
    choices: tuple[str, ...] = ("on", "off")


class BadSchedule(CommandError):
    """No time for a digest can be read from what was said."""


_SETTINGS: Final[Mapping[str, SettingKey]] = MappingProxyType(
    {"broadcast": "broadcast", "challenges": "takes_challenges", "html": "html", "words": "words"}
)
"""What people type that is on or off, and the field of a player that it sets."""

MOST_TOLD_OF: Final = 100
"""Boards in play whose other players are told that somebody reads no mail."""

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
    """Every setting as people type it, and its value."""
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


def run(request: PlayerRequest[SetArguments], records: Queries, now: datetime) -> Decision:
    """Sets one thing."""
    player = request.player
    key, *values = request.arguments.words
    match key:
        case "digest":
            return _digest(player, values, records, now)
        case "mail":
            return _mail(player, " ".join(values), records)
        case "messages":
            return _messages(player, " ".join(values))
        case "puzzle":
            return _puzzle(player, " ".join(values), now)
        case "receipts":
            return _receipts(player, " ".join(values))
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


def _messages(player: Player, value: str) -> Decision:
    for wanted in get_args(MessagesFrom):
        if value == wanted:
            return Decision(MessagesChanged(wanted), changes=(NewSetting(player.id, "messages", wanted),))
    raise NeitherOnNorOff(name="messages", choices=get_args(MessagesFrom))


def _receipts(player: Player, value: str) -> Decision:
    for wanted in get_args(Receipts):
        if value == wanted:
            return Decision(ReceiptsChanged(wanted), changes=(NewSetting(player.id, "receipts", wanted),))
    raise NeitherOnNorOff(name="receipts", choices=get_args(Receipts))


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
    """All mail comes again, since the player has written."""
    waiting = waiting_boards(player, records)
    reply = MailResumed(waiting.numbers, waiting.more)
    return Decision(reply, changes=(MailStopped(player.id, is_lifted=True),))


def stop_mail(player: Player, records: Queries) -> Decision:
    """Nothing but the ends of games is mailed from now on. Whoever waits for the player is told."""
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
        notifications=Notifications(to_players=notices),
    )


def _digest(player: Player, values: Sequence[str], records: Queries, now: datetime) -> Decision:
    """With a schedule one mail with all boards; without one each board by itself, and those that wait at once."""
    if values == ["off"]:
        waiting = waiting_boards(player, records)
        reply = DigestChanged(None, None, len(waiting.numbers), waiting.more)
        return Decision(reply, shown=ShownBoards(boards=waiting.refs), changes=(NewDigest(player.id, None, None),))
    schedule = read_schedule(values)
    if schedule is None:
        raise BadSchedule()
    due = schedule.next_after(now)
    return Decision(DigestChanged(str(schedule), due), changes=(NewDigest(player.id, str(schedule), due),))


command = PlayerCommand(
    name="set",
    kind="binding",
    forms=("set [userid password] key value+",),
    summary="choose what mail you get, and from whom",
    example="set html off",
    arguments=SetArguments,
    run=run,
    help="commands/set.txt:help_set",
    scope="setting",
)
