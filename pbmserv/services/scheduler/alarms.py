"""What is not well is said again as long as it lasts: each hour in the log, each day by mail to the operator."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from pbmserv.commands.command import Reply
from pbmserv.commands.letter import Letter, Notice
from pbmserv.mail.log_words import pairs
from pbmserv.services.admin.findings import Finding, Verdict
from pbmserv.services.admin.status import Premises, look_around
from pbmserv.services.app import App
from pbmserv.services.writer import deciding
from pbmserv.store import operating
from pbmserv.store.engine import run_again
from pbmserv.store.operating import Alarm

SAID_EVERY: Final = timedelta(hours=1)

MAILED_AFTER: Final = timedelta(minutes=15)
"""What lasts longer than that is worth a mail."""

MAILED_EVERY: Final = timedelta(days=1)

log = logging.getLogger(__name__)


class NeedsYou(Reply):
    """To the operator: these findings are not fine, and have not been for a while."""

    findings: tuple[Finding, ...]


class IsOver(Reply):
    """To the operator: what they were mailed about, by `names`, is fine again."""

    names: tuple[str, ...]


def watch(app: App, now: datetime, premises: Premises, operator: str) -> bool:
    """Looks whether all is well, and says what is not; to nobody by mail where `operator` is empty."""
    findings = look_around(app, premises, now)
    run_again(partial(_note, app, findings, operator, now))
    return False


def _note(app: App, findings: Sequence[Finding], operator: str, now: datetime) -> None:
    bad = {each.name: each for each in findings if each.verdict}
    with deciding(app, now) as work:
        connection = work.connection
        standing = operating.standing_alarms(connection)
        over = [name for name in standing if name not in bad]
        due = [each for each in bad.values() if _is_due(standing.get(each.name), each, now)]
        for name in over:
            operating.set_alarm(connection, name, None)
            lasted = (now - standing[name].began_at).total_seconds()
            log.info("fine again %s", pairs(finding=name, seconds=int(lasted)))
        for finding in bad.values():
            alarm = _said(standing.get(finding.name), finding, now)
            mailed_at = now if finding in due and operator else alarm.mailed_at
            operating.set_alarm(connection, finding.name, replace(alarm, mailed_at=mailed_at))
        told_of = tuple(name for name in over if standing[name].mailed_at is not None)
        if operator and due:
            work.say([_letter(operator, NeedsYou(tuple(due)), "needs you")])
        if operator and told_of:
            work.say([_letter(operator, IsOver(told_of), "all is well again")])


def _is_due(alarm: Alarm | None, finding: Finding, now: datetime) -> bool:
    """Whether a finding is to be mailed. What merely wants attention is mailed only once."""
    if alarm is None or now - alarm.began_at < MAILED_AFTER:
        return False
    if alarm.mailed_at is None:
        return True
    return finding.verdict is Verdict.BROKEN and now - alarm.mailed_at >= MAILED_EVERY


def _said(alarm: Alarm | None, finding: Finding, now: datetime) -> Alarm:
    """The alarm, after the log has said so if it is time for that."""
    if alarm is not None and now - alarm.said_at < SAID_EVERY:
        return alarm
    level = logging.ERROR if finding.verdict is Verdict.BROKEN else logging.WARNING
    if alarm is None:
        log.log(level, "not fine %s", pairs(finding=finding.name, error=finding.found))
        return Alarm(now, now, None)
    lasts = int((now - alarm.began_at).total_seconds())
    log.log(level, "still not fine %s", pairs(finding=finding.name, error=finding.found, seconds=lasts))
    return replace(alarm, said_at=now)


def _letter(operator: str, words: Reply, about: str) -> Letter:
    return Letter(Notice(words, about, has_html=False), "notice", operator)
