"""`set`: how a player wants to be written to."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal, get_args

from pbmserv.commands.boards import waiting_boards
from pbmserv.commands.changes import NewDigest, NewMessages, NewSetting
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.commands.refusals.account import NeitherOnNorOff, NoSuchSetting
from pbmserv.commands.refusals.talk import BadSchedule
from pbmserv.commands.replies.account import SettingChanged
from pbmserv.commands.replies.talk import DigestChanged, MessagesChanged
from pbmserv.commands.schedule import read_schedule
from pbmserv.commands.vacation import set_vacation
from pbmserv.matches.player import MessagesFrom, Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

_SETTINGS: Final[Mapping[str, Literal["html", "words", "takes_challenges", "broadcast"]]] = MappingProxyType(
    {"broadcast": "broadcast", "challenges": "takes_challenges", "html": "html", "words": "words"}
)
"""What people type that is on or off, and the field of a player that it sets."""

LINES: Final = (
    "set messages known",
    "set digest daily 07:30",
    "set digest off",
    "set vacation 2026-12-20 2027-01-03",
    "set vacation off",
)
"""Of what is more than on or off."""


def settings_of(player: Player) -> tuple[tuple[str, str], ...]:
    """Every setting as people type it, and its value."""
    switches = ((key, "on" if getattr(player, field) else "off") for key, field in _SETTINGS.items())
    return tuple(sorted([*switches, ("digest", player.digest or "off"), ("messages", player.messages)]))


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Sets one thing."""
    player = request.actor.player
    if player is None:
        raise ValueError("a setting without a player")
    key, *values = request.arguments.words
    match key:
        case "digest":
            return _digest(player, values, records, now)
        case "messages":
            return _messages(player, " ".join(values))
        case "vacation":
            return set_vacation(player, values, records, now)
        case _ if key in _SETTINGS:
            return _switch(player, key, " ".join(values))
    return NoSuchSetting(settings=tuple(_SETTINGS), lines=LINES)


def _switch(player: Player, key: str, value: str) -> Decision | Refused:
    if value not in ("on", "off"):
        return NeitherOnNorOff(name=key)
    is_on = value == "on"
    return Decision(SettingChanged(key, is_on), changes=(NewSetting(player.id, _SETTINGS[key], is_on),))


def _messages(player: Player, value: str) -> Decision | Refused:
    for wanted in get_args(MessagesFrom):
        if value == wanted:
            return Decision(MessagesChanged(wanted), changes=(NewMessages(player.id, wanted),))
    return NeitherOnNorOff(name="messages", choices=get_args(MessagesFrom))


def _digest(player: Player, values: Sequence[str], records: Records, now: datetime) -> Decision | Refused:
    """With a schedule one mail with all boards; without one each board by itself, and those that wait at once."""
    if values == ["off"]:
        waiting = waiting_boards(player, records)
        reply = DigestChanged(None, None, len(waiting.numbers), waiting.more)
        return Decision(reply, shows=waiting.refs, changes=(NewDigest(player.id, None, None),))
    schedule = read_schedule(values)
    if schedule is None:
        return BadSchedule()
    due = schedule.next_after(now)
    return Decision(DigestChanged(str(schedule), due), changes=(NewDigest(player.id, str(schedule), due),))


command = Command(
    name="set",
    kind="binding",
    forms=("set [userid password] key value+",),
    summary="choose how you are written to, and by whom",
    example="set html off",
    run=run,
    scope="setting",
)
