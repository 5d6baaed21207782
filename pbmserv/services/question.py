"""Asking at an address for a `yes`: seldom enough that nobody can be bombed with our questions."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from pbmserv.commands.decision import Question
from pbmserv.services.house import House
from pbmserv.services.letters import question_letter
from pbmserv.services.limits import UNPROVEN_QUESTIONS_A_DAY, may_be_asked
from pbmserv.store import confirmations, outbox

log = logging.getLogger(__name__)


def ask(
    connection: Connection,
    house: House,
    question: Question,
    inbox_id: int | None,
    now: datetime,
    is_proven: bool = False,
) -> None:
    """Mails a question and opens it, unless the same was asked of late, or the address has had too much.

    Whoever wants an account can bring such mails about: they must not hide the one that tells its owner.
    """
    asked = question.confirmation
    since = now - timedelta(days=question.rests_days)
    if question.rests_days and confirmations.was_asked_since(connection, asked.about, since):
        return
    if not question.is_due and not may_be_asked(connection, asked.address, now, is_proven):
        return
    letter = question_letter(house, question, inbox_id, now)
    player_id = confirmations.ask(connection, letter.token, asked, now)
    if player_id is not None:
        # Only the first mail to somebody is theirs already: who has another sent must not choose its answers.
        owner = player_id if asked.kind == "sign-up" else None
        outbox.queue(connection, [replace(letter, player_id=owner)], now)
        if outbox.count_since(connection, ("question",), now - timedelta(days=1)) == UNPROVEN_QUESTIONS_A_DAY:
            log.warning("the day's questions to addresses are used up by mails that prove nothing")
