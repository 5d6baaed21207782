"""The kinds of mail that a player can stop with one click, and the commands that stop each and bring it back."""

from typing import Literal

from pbmserv.matches.player import Player

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
    """The command that brings back what a player still gets of a kind now.

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
    """Whether a player gets nothing of a kind as it is; `is_watching` tells whether they watch the board."""
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
