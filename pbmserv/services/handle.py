"""Handling: one waiting mail becomes log entries and answers, in one transaction, exactly once."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection

from pbmserv.services.carry_out import CarriedOut, carry_out, is_carried_out
from pbmserv.services.guesses import unheard
from pbmserv.services.house import House
from pbmserv.services.identify import ChangedMeanwhile, ToProve, claimed_userids, has_secrets, prove, to_prove
from pbmserv.services.incoming import Opened, open_mail, stand_anew
from pbmserv.services.mishaps import Apart, failed, handle_apart, is_database_away, is_suspect, set_back, trace
from pbmserv.store import inbox, players
from pbmserv.store.engine import is_database_trouble, locks_rows, run_again, writing
from pbmserv.store.inbox import Kept
from pbmserv.store.lanes import ANSWERS, LANES, PLAYERS, STRANGERS

MOST_TOGETHER: Final = 10
"""Mails handled in one transaction: the first answer waits for the last, and so does whoever wants to write."""

MOST_LINES_TOGETHER: Final = 20
"""After so many commands it ends: a mail may hold as many as that."""

MOST_TURNS: Final = 10
TURNS: Final[Mapping[int, Sequence[int]]] = MappingProxyType(
    {4: (PLAYERS, STRANGERS, ANSWERS), 9: (STRANGERS, PLAYERS, ANSWERS)}
)
"""Which of so many turns is whose before those of quicker lanes have theirs."""

InHand = Callable[[int], None]

log = logging.getLogger(__name__)


def handle_some(
    house: House, clock: Callable[[], datetime], in_hand: InHand = lambda _: None, apart: Apart | None = None
) -> bool:
    """Handles the next mails that wait, a few in one transaction; False when there was none.

    Only where a transaction keeps everybody else from writing anyhow: where rows are locked, those of several
    mails would be, in no order. Errors as for `handle_next`.
    """
    lanes = _whose_turn(house)
    if locks_rows(house.engine):
        return handle_next(house, clock, in_hand, apart, lanes)
    try:
        return _handle_together(house, clock, in_hand, lanes) or handle_next(house, clock, in_hand, apart, lanes)
    except Exception as error:
        if is_database_away(error):
            raise
        # Nothing was done. Alone, it will be found out which of them it was.
        return handle_next(house, clock, in_hand, apart, lanes)


def _whose_turn(house: House) -> Sequence[int]:
    """The lanes as they come first now: nobody is kept waiting for ever by those of a quicker lane."""
    return TURNS.get(next(house.turns) % MOST_TURNS, LANES)


def _handle_together(house: House, clock: Callable[[], datetime], in_hand: InHand, lanes: Sequence[int]) -> bool:
    done: list[tuple[Opened, CarriedOut]] = []
    lines = 0
    with writing(house.engine) as connection:
        while len(done) < MOST_TOGETHER and lines < MOST_LINES_TOGETHER:
            held = inbox.take(connection, clock(), lanes)
            if held is None or is_suspect(held):
                break
            if done and held.lane > done[0][0].kept.lane:
                # Nobody in a quicker lane waits for the answer until those of a slower one have theirs.
                break
            in_hand(held.id)
            opened = open_mail(connection, house, held)
            asked = _to_prove(connection, house, opened, clock())
            if asked.is_slow:
                break
            done.append((opened, carry_out(connection, house, opened, prove(asked, house.hasher), clock())))
            lanes, lines = LANES, lines + len(opened.asked.lines)
    for each in done:
        _committed(house, *each)
    return bool(done)


def handle_next(
    house: House,
    clock: Callable[[], datetime],
    in_hand: InHand = lambda _: None,
    apart: Apart | None = None,
    lanes: Sequence[int] = LANES,
) -> bool:
    """Handles the next mail that waits, of the first of these lanes that has one; False when there was none.

    `in_hand` is told which mail it is once no other worker can have it, before anything is done with it. One that
    processes ended over is handled by `apart`, where that is given. Trouble with the whole database is raised, and
    the mail waits on; any other fault is counted and kept here.
    """
    return _handle(house, clock, lambda connection, now: inbox.take(connection, now, lanes), in_hand, apart)


def handle_one(house: House, mail_id: int, clock: Callable[[], datetime]) -> bool:
    """The same for one mail, in this process; False when it cannot be handled now."""
    return _handle(house, clock, lambda connection, now: inbox.claim(connection, mail_id, now))


def _handle(
    house: House,
    clock: Callable[[], datetime],
    take: Callable[[Connection, datetime], Kept | None],
    in_hand: InHand = lambda _: None,
    apart: Apart | None = None,
) -> bool:
    held: Kept | None = None

    def once() -> bool:
        nonlocal held
        with writing(house.engine) as connection:
            held = take(connection, clock())
            if held is None:
                return False
            in_hand(held.id)
            if apart is not None and is_suspect(held):
                return True
            opened = open_mail(connection, house, held)
            # Proving is slow. A lock on a row keeps nobody else waiting meanwhile, one on all of a file does.
            asked = _to_prove(connection, house, opened, clock())
            at_once = locks_rows(house.engine) or not asked.is_slow
            if at_once:
                done = carry_out(connection, house, opened, prove(asked, house.hasher), clock())
        if not at_once:
            proofs = prove(asked, house.hasher)
            with writing(house.engine) as connection:
                if inbox.claim(connection, held.id, clock()) is None:
                    return True
                opened = stand_anew(connection, house, opened)
                done = carry_out(connection, house, opened, proofs, clock())
        _committed(house, opened, done)
        return True

    try:
        found = run_again(once, also=ChangedMeanwhile)
    except Exception as error:
        if held is None or is_database_away(error):
            raise
        if is_database_trouble(error):
            set_back(house, held.id, trace(error), clock())
        else:
            failed(house, held, error, clock())
        return True
    if apart is not None and held is not None and is_suspect(held):
        handle_apart(house, held, apart, clock)
    return found


def _to_prove(connection: Connection, house: House, opened: Opened, now: datetime) -> ToProve:
    """What is to be verified and hashed: nothing for a mail that is to be answered in short or not at all."""
    if not has_secrets(opened.asked) or inbox.is_known(connection, opened.mail.content_key):
        return ToProve()
    is_proven = opened.standing.proof != "none"
    return to_prove(
        opened.asked,
        lambda userid: players.password_hash(connection, userid),
        unheard(connection, claimed_userids(opened.asked), opened, now),
        is_proven,
        not is_proven and not is_carried_out(connection, house, opened, now),
    )


def _committed(house: House, opened: Opened, done: CarriedOut) -> None:
    house.recent.remember(done.boards)
    count = len(opened.asked.lines)
    for places in done.used_up:
        log.warning("mail %d: the day's places for sign-ups are used up: %s", opened.kept.id, places)
    log.info("mail %d: %s, %d %s", opened.kept.id, done.fate, count, "command" if count == 1 else "commands")
