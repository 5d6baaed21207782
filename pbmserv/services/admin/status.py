"""Whether a club is well: what an operator should know, one finding a line, the worst of them the whole's."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.admin.findings import Finding, Verdict, see_room, spell
from pbmserv.services.admin.pulse import KeptCopy, WriteTrial, kept_copies
from pbmserv.services.app import App
from pbmserv.store import operating
from pbmserv.store.engine import reading
from pbmserv.store.operating import PartTrouble, Queue, Totals, VainMails
from pbmserv.store.schema import NEWEST

SILENT_AFTER: Final = timedelta(minutes=3)
"""A part says each minute that it lives. One that has not for so long has stopped."""

PASSING: Final = timedelta(seconds=30)
"""Trouble of a road that began less than that ago may be over at the next try."""

SLOW_IN: Final = timedelta(minutes=2)
STUCK_IN: Final = timedelta(minutes=10)
"""How long received mail may wait before somebody should look, and before nobody handles it."""

SLOW_OUT: Final = timedelta(minutes=5)
STUCK_OUT: Final = timedelta(hours=1)
"""The same for mail that is due to be sent."""

VAIN_OUT: Final = timedelta(minutes=15)
"""How long a relay may put off all mail to several people before somebody should look."""

BACKUP_WITHIN: Final = timedelta(days=8)
"""A club without a newer backup is warned: a weekly one may be a day late."""

MANY_SUSPENDED: Final = 5
"""From one in this many players on, and three at least, suspended addresses look like a fault of ours."""

_ROADS: Final = ((operating.POLLER, "mailbox", "imap"), (operating.SENDER, "relay", "out"))
"""The parts that others can keep from their work: what that is called, and its setting."""

_VITAL: Final = (
    operating.LISTENER,
    operating.POLLER,
    operating.WORKER,
    operating.SENDER,
    operating.SCHEDULER,
)


@dataclass(frozen=True, slots=True)
class Premises:
    """What the settings say about a server, as far as its state can be told by it."""

    data: Path
    parts: tuple[str, ...]
    """The parts that have to be there somewhere, on this host or another."""


def look_around(app: App, premises: Premises, now: datetime, trial: WriteTrial | None = None) -> list[Finding]:
    """All findings, fine ones too; `trial` knows whether anything can be written, without one that is tried now.

    Raises what a database raises that is away.
    """
    with reading(app.engine) as connection:
        found = [
            *_parts(connection, premises, now),
            *_roads(connection, premises, now),
            *_queues(connection, now),
            *_people(operating.totals(connection)),
            _backup(connection, now),
            *(_copy(each, now) for each in kept_copies(connection)),
            *see_room([premises.data]),
        ]
    well = f"{app.engine.dialect.name}, schema {NEWEST}"
    return [see_writing((trial or WriteTrial()).trouble(app.engine, now), well), *found]


def see_writing(trouble: str, well: str) -> Finding:
    """The finding about the database: `well` where it takes what is written."""
    if not trouble:
        return Finding("database", Verdict.FINE, well)
    mend = "until then mail gets 451: see who else has it open, the room on the disk, and who owns the files"
    return Finding("database", Verdict.BROKEN, f"nothing can be written: {trouble}", mend)


def _parts(connection: Connection, premises: Premises, now: datetime) -> Iterator[Finding]:
    last = operating.last_beats(connection)
    for part in [*premises.parts, *(each for each in last if each not in premises.parts)]:
        at = last.get(part)
        figures = {"last_heartbeat": None if at is None else at.isoformat()}
        if at is None:
            mend = "start it: `pbmserv serve` runs all parts, and `systemctl status 'pbmserv*'` shows them"
            yield Finding(part, _silence(part), "has never run", mend, figures)
        elif now - at > SILENT_AFTER:
            mend = f"start it; if it was taken out of use: `pbmserv admin parts --retire {part}`"
            yield Finding(part, _silence(part), f"has stopped: not heard of for {spell(now - at)}", mend, figures)
        else:
            yield Finding(part, Verdict.FINE, f"runs; heard of {_ago(now - at)}", figures=figures)


def _silence(part: str) -> Verdict:
    """How bad it is that a part has stopped."""
    return Verdict.BROKEN if part in _VITAL else Verdict.ATTENTION


def _roads(connection: Connection, premises: Premises, now: datetime) -> Iterator[Finding]:
    told = operating.troubles(connection)
    for part, name, setting in _ROADS:
        trouble = told.get(part)
        if trouble is not None:
            yield _road(name, setting, trouble, now)
        elif part in premises.parts:
            yield Finding(name, Verdict.FINE, "no trouble")


def _road(name: str, setting: str, trouble: PartTrouble, now: datetime) -> Finding:
    lasts = now - trouble.began_at
    verdict = Verdict.BROKEN if lasts >= PASSING else Verdict.ATTENTION
    figures = {"since": trouble.began_at.isoformat()}
    mend = f"check `{setting}` and its password; `pbmserv doctor` looks closer. It is tried again by itself"
    return Finding(name, verdict, f"{trouble.said} (for {spell(lasts)})", mend, figures)


def _queues(connection: Connection, now: datetime) -> Iterator[Finding]:
    yield _queue(
        "mail in",
        operating.waiting_in(connection, now),
        (SLOW_IN, STUCK_IN),
        now,
        "see whether a worker runs, and `pbmserv admin inbox --all`",
    )
    yield _letters(*operating.unwritten(connection, now), now)
    out = _queue(
        "mail out",
        operating.waiting_out(connection, now),
        (SLOW_OUT, STUCK_OUT),
        now,
        "see whether the sender runs, and `pbmserv admin outbox --status waiting`",
    )
    in_vain = _in_vain(operating.sent_in_vain(connection), out, now)
    yield max(in_vain, _refused(operating.refused_for_us(connection), out), key=lambda each: each.verdict)


def _letters(queue: Queue, set_aside: int, now: datetime) -> Finding:
    """What is decided, and is to be written yet."""
    line = _queue("letters", queue, (SLOW_IN, STUCK_IN), now, "see whether a worker runs, and its log")
    figures = {**line.figures, "set_aside": set_aside}
    if not set_aside:
        return replace(line, figures=figures)
    mend = "look for `a letter is set aside` in the log, and `pbmserv admin trace` its mail or board"
    verdict, found = (
        max(line.verdict, Verdict.ATTENTION),
        f"{line.found}; {set_aside} that our own program failed over",
    )
    return Finding("letters", verdict, found, mend, figures)


def _in_vain(mails: VainMails | None, queue: Finding, now: datetime) -> Finding:
    """Of mail that is tried and put off nothing is due most of the time, so the queue alone looks well."""
    if mails is None:
        return queue
    lasts, to_many = now - mails.oldest, mails.recipients > 1
    if lasts <= (VAIN_OUT if to_many else STUCK_OUT):
        return queue
    verdict = Verdict.BROKEN if to_many and lasts > STUCK_OUT else Verdict.ATTENTION
    found = f"none has gone out for {spell(lasts)}, {mails.count} tried in vain: {mails.said}"
    mend = "see the relay's log, and `pbmserv admin outbox --status waiting`; they are tried again by themselves"
    return Finding("mail out", verdict, found, mend, {**queue.figures, "in_vain": mails.count})


def _refused(mails: VainMails | None, queue: Finding) -> Finding:
    """A relay may refuse some mails for good, for what they look like, and take all others."""
    if mails is None:
        return queue
    found = f"{mails.count} refused, which is about us: {mails.said}"
    mend = "see `pbmserv doctor`, and `pbmserv admin outbox --status waiting`; they are tried again for five days"
    verdict = max(queue.verdict, Verdict.ATTENTION)
    return Finding("mail out", verdict, found, mend, {**queue.figures, "refused": mails.count})


def _queue(name: str, queue: Queue, limits: tuple[timedelta, timedelta], now: datetime, mend: str) -> Finding:
    waits = timedelta() if queue.oldest is None else max(now - queue.oldest, timedelta())
    slow, stuck = limits
    verdict = Verdict.BROKEN if waits > stuck else Verdict.ATTENTION if waits > slow else Verdict.FINE
    later = f", {queue.postponed} later" if queue.postponed else ""
    found = f"{queue.count} waiting{later}" + (f", the oldest for {spell(waits)}" if queue.count else "")
    figures = {"waiting": queue.count, "later": queue.postponed, "oldest_seconds": int(waits.total_seconds())}
    return Finding(name, verdict, found, mend if verdict else "", figures)


def _people(there: Totals) -> Iterator[Finding]:
    quarantined = there.quarantined
    yield Finding(
        "quarantine",
        Verdict.ATTENTION if quarantined else Verdict.FINE,
        f"{quarantined} mails that our own program failed over" if quarantined else "empty",
        "look at `pbmserv admin inbox`, then retry or discard them" if quarantined else "",
        {"mails": quarantined},
    )
    is_many = there.suspended >= 3 and there.suspended * MANY_SUSPENDED >= there.players
    yield Finding(
        "addresses",
        Verdict.ATTENTION if is_many else Verdict.FINE,
        f"{there.suspended} of {there.players} suspended, since mail to them came back",
        "this many look like a fault on our side: `pbmserv admin suspended` has the reasons" if is_many else "",
        {"suspended": there.suspended, "players": there.players},
    )
    figures: dict[str, object] = {
        "boards": there.boards,
        "under_way": there.under_way,
        "received": there.received,
        "queued": there.queued,
    }
    yield Finding("boards", Verdict.FINE, f"{there.under_way} under way, {there.boards} in all", figures=figures)


def _backup(connection: Connection, now: datetime) -> Finding:
    last = operating.milestone(connection, operating.BACKUP)
    how = "`pbmserv admin backup FOLDER --keep 14`, best by a timer (pbmserv-backup.timer)"
    if last is None:
        return Finding("backup", Verdict.ATTENTION, "none was ever made", how, {"last": None})
    found, figures = f"{_ago(now - last.at)}: {last.said}", {"last": last.at.isoformat()}
    if now - last.at > BACKUP_WITHIN:
        return Finding("backup", Verdict.ATTENTION, found, how, figures)
    return Finding("backup", Verdict.FINE, found, figures=figures)


def _copy(copy: KeptCopy, now: datetime) -> Finding:
    found = f"of schema {copy.schema}, made {_ago(now - copy.made_at)}: {copy.place}"
    mend = "it is from before an update; delete it when you are content, and protect it until then"
    figures: dict[str, object] = {"schema": copy.schema, "file": str(copy.place), "made": copy.made_at.isoformat()}
    return Finding("copy", Verdict.FINE, found, mend, figures)


def _ago(time: timedelta) -> str:
    return "just now" if time < timedelta(seconds=2) else f"{spell(time)} ago"
