"""Resending: the operator has the present board queued again."""

from collections.abc import Callable, Sequence
from datetime import datetime
from email import message_from_bytes, policy
from typing import Final

from pbmserv.commands.letter import BoardNews, Letter
from pbmserv.matches.player import Player
from pbmserv.services.admin.referee import OperatorSays, board_of, reasoned
from pbmserv.services.app import App
from pbmserv.services.letters import write_letter
from pbmserv.services.notices import BoardChange, board_letter, board_notices, notice_to
from pbmserv.services.unit_of_work import unit_of_work
from pbmserv.services.writer import deciding
from pbmserv.store import inbox, matches, players
from pbmserv.store.engine import reading, run_again, writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries


class CannotResend(Exception):
    """There is no such board, or no such player on it; the message is for the operator."""


def resend(app: App, number: int, userid: str | None, now: datetime) -> list[str]:
    """Queues the board for all its players, or for one, and gives the userids it goes to."""
    with deciding(app, now) as work:
        connection = work.connection
        match = matches.load(connection, number)
        if match is None:
            raise CannotResend(f"there is no board {number}")
        seat = match.seat_of(userid) if userid else None
        if userid and seat is None:
            raise CannotResend(f"{userid} does not play on board {number}: {', '.join(match.userids)} do")
        wanted = match.userids if seat is None else (match.userids[seat],)
        found = [player for player in (players.find(connection, each) for each in wanted) if player]
        work.say(board_letter(number, player, BoardNews(begins_turn=True)) for player in found)
    return [player.userid for player in found]


def retry(app: App, mail_id: int, now: datetime) -> bool:
    """Lets it wait again, its failures forgotten; False when no such mail is set aside."""
    with writing(app.engine) as connection:
        return inbox.retry(connection, mail_id, now)


BATCH: Final = 50
"""Mails that one transaction queues, so that nobody waits long meanwhile."""


def audience(app: App) -> Sequence[Player]:
    """All who would be written to: players who have answered from their address and are not banned."""
    with reading(app.engine) as connection:
        everybody = players.everybody(connection)
    return [each for each in everybody if each.address and each.is_confirmed and not each.is_banned]


def announce(app: App, text: str, now: datetime, progress: Callable[[int], None] = lambda done: None) -> None:
    """Queues a mail with these words to each of the `audience`; `progress` gets how many are queued."""
    to, words = audience(app), OperatorSays(text.strip())
    for first in range(0, len(to), BATCH):
        with deciding(app, now) as work:
            work.say(notice_to(player, words) for player in to[first : first + BATCH])
        progress(min(first + BATCH, len(to)))


def announce_on(app: App, number: int, text: str, now: datetime) -> int:
    """Queues a board to its players with these words above it, and gives how many mails. Raises CannotRule."""
    return run_again(lambda: _announce_on(app, number, text, now))


def drafted(app: App, number: int | None, text: str, now: datetime) -> tuple[str, int]:
    """The mail that one player would get, Subject and text, and to how many it would go; nothing is queued.

    It is the board's where `number` is one. Raises CannotRule.
    """
    if number is None:
        to = audience(app)
        letters, count = [notice_to(each, OperatorSays(text.strip())) for each in to[:1]], len(to)
    with reading(app.engine) as connection:
        work = unit_of_work(connection, app, now)
        if number is not None:
            letters = _notices_on(work.records, number, text)
            count = len(letters)
        return (_shown(write_letter(work, letters[0])) if letters else ""), count


def _shown(message: OutboxMessage) -> str:
    mail = message_from_bytes(message.raw, policy=policy.default)
    plain = mail.get_body(("plain",))
    assert plain is not None
    return f"Subject: {mail['subject']}\n\n{plain.get_content().rstrip()}\n"


def _announce_on(app: App, number: int, text: str, now: datetime) -> int:
    with deciding(app, now) as work:
        letters = _notices_on(work.records, number, text)
        work.say(letters)
    return len(letters)


def _notices_on(records: TransactionQueries, number: int, text: str) -> list[Letter]:
    happened = BoardChange(board_of(records, number), is_talk=True, remarks=reasoned(number, text))
    return board_notices(records, happened)
