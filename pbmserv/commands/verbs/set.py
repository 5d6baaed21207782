"""`set`: how a player wants to be written to."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal

from pbmserv.commands.account_refusals import NeitherOnNorOff, NoSuchSetting
from pbmserv.commands.account_replies import SettingChanged
from pbmserv.commands.changes import NewSetting
from pbmserv.commands.command import Command
from pbmserv.commands.decision import Decision
from pbmserv.commands.message import Request
from pbmserv.matches.player import Player
from pbmserv.matches.records import Records
from pbmserv.matches.refusals import Refused

_SETTINGS: Final[Mapping[str, Literal["html", "words", "takes_challenges"]]] = MappingProxyType(
    {"challenges": "takes_challenges", "html": "html", "words": "words"}
)
"""What people type, and the field of a player that it sets."""


def settings_of(player: Player) -> tuple[tuple[str, bool], ...]:
    """Every setting as people type it, and whether it is on."""
    return tuple((key, getattr(player, field)) for key, field in _SETTINGS.items())


def run(request: Request, records: Records, now: datetime) -> Decision | Refused:
    """Sets one thing on or off."""
    player = request.actor.player
    if player is None:
        raise ValueError("a setting without a player")
    key, value = request.arguments.words
    if key not in _SETTINGS:
        return NoSuchSetting(name=key[:40], settings=tuple(_SETTINGS))
    if value not in ("on", "off"):
        return NeitherOnNorOff(name=key, value=value[:40])
    is_on = value == "on"
    return Decision(SettingChanged(key, is_on), changes=(NewSetting(player.id, _SETTINGS[key], is_on),))


command = Command(
    name="set",
    kind="binding",
    forms=("set [userid password] key value",),
    summary="turn HTML mail, words for boards, or challenges on or off",
    example="set html off",
    run=run,
)
