"""`change password`, `forgot` and `revoke`: a new password; the end of what older mails prove."""

from datetime import datetime

from pbmserv.commands.changes import NewPassword, RevokedWords
from pbmserv.commands.command import (
    Command,
    Confirmation,
    Decision,
    Notifications,
    Question,
    Reply,
    Request,
    ShownBoards,
)
from pbmserv.commands.lookup import NoSuchPlayer, waiting_boards
from pbmserv.commands.vocabulary import is_userid
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries


class PasswordAsked(Reply):
    """To whoever says that a password is forgotten: if there is such a player, a mail has gone to their address.

    Not when it `is_own`: then the sender's own was meant.
    """

    is_own: bool


class NewPasswordWanted(Reply):
    """The question to the player: answer with the new password."""

    userid: str


class Revoked(Reply):
    """Older mails prove nothing any more; `numbers` are boards that wait, and there are so many `more`."""

    numbers: tuple[int, ...]
    more: int


class PasswordChanged(Reply):
    """The new password is in force, and older mails prove nothing any more; `numbers` are boards that wait, and
    there are so many `more`."""

    userid: str
    numbers: tuple[int, ...] = ()
    more: int = 0


class WhosePassword(CommandError):
    """`forgot` without a userid from an address that belongs to nobody."""


def run_change_password(request: Request, records: Queries, now: datetime) -> Decision:
    """Puts the new password in force; the old one was the proof."""
    if request.password_hash is None:
        raise ValueError("no new password")
    return new_password(request.player, request.password_hash, records)


def new_password(player: Player, password_hash: str, records: Queries) -> Decision:
    """The password is another one; whatever older mails prove ends with the old one, and boards that wait go
    out."""
    waiting = waiting_boards(player, records)
    return Decision(
        PasswordChanged(player.userid, waiting.numbers, waiting.more),
        shown=ShownBoards(boards=waiting.refs),
        changes=(NewPassword(player.id, password_hash), RevokedWords(player.id)),
    )


change_password_command = Command(
    name="change password",
    forms=("change password userid old new",),
    summary="choose another password",
    example="change password alice sesame tahini",
    run=run_change_password,
)


def run_forgot(request: Request, records: Queries, now: datetime) -> Decision:
    """Mails the player named, or the sender, a question; whoever else asked is not told whether there is one."""
    named = request.arguments.first_userid
    if named is None and request.actor.player is None:
        raise WhosePassword()
    if named is not None and not is_userid(named):
        raise NoSuchPlayer(suggestions=())
    player = records.player(named) if named is not None else request.actor.player
    reply = PasswordAsked(is_own=named is None)
    if player is None or not player.is_confirmed or player.robot is not None:
        return Decision(reply)
    confirmation = Confirmation(
        kind="password", userid=player.userid, address=player.address, about=f"password {player.userid}"
    )
    return Decision(
        reply,
        notifications=Notifications(
            question=Question(confirmation, NewPasswordWanted(player.userid), rests_days=1)
        ),
    )


forgot_command = Command(
    name="forgot",
    kind="signup",
    forms=("forgot [userid]",),
    summary="choose a new password when you have forgotten yours",
    example="forgot alice",
    run=run_forgot,
)


def run_revoke(request: Request, records: Queries, now: datetime) -> Decision:
    """Ends them all, and shows the boards that wait, since mails about them can be answered no more."""
    player = request.player
    waiting = waiting_boards(player, records)
    return Decision(
        Revoked(waiting.numbers, waiting.more),
        shown=ShownBoards(boards=waiting.refs),
        changes=(RevokedWords(player.id),),
    )


revoke_command = Command(
    name="revoke",
    forms=("revoke [userid password]",),
    summary="stop older mails from here working in your name",
    example="revoke",
    run=run_revoke,
    scope="mail",
)
