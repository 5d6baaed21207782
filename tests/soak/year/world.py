"""A club for a year, by its letters alone: one house, people who write, a clock that jumps from event to event.

Everything goes the way it goes in service - raw mail kept, handled, sent over a road, the steward's rounds - only
that an hour passes in no time.
"""

import heapq
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from sqlalchemy import update

from pbmserv.games.game import Seat
from pbmserv.matches.log import rules_of
from pbmserv.rendering.board import BoardView
from pbmserv.server.scheduler import JOBS
from pbmserv.services.admin.pulse import record_heartbeat
from pbmserv.services.app import App
from pbmserv.services.bounces import see_suspended
from pbmserv.services.deliver import Sender
from pbmserv.services.receive import receive_mail
from pbmserv.services.robots import play_robots
from pbmserv.services.views import load_board
from pbmserv.services.worker import process_some
from pbmserv.services.writer import write_due
from pbmserv.store.engine import writing
from pbmserv.store.operating import SCHEDULER
from pbmserv.store.tables import heartbeats
from tests.conftest import ADDRESS, Clock
from tests.soak.year.ledger import Ledger
from tests.soak.year.letter_box import Arrived, LetterBox
from tests.soak.year.people import Person

Act = Callable[["World", Person, BoardView, Seat, Arrived], None]

HOUR = timedelta(hours=1)
BEGINS = datetime(2026, 1, 5, 6, 0, tzinfo=UTC)


@dataclass
class World:
    """`act` is what somebody does who is on turn; `down_until` is set while the server is off.

    In a hurried club all that people do takes a share of the time, their `pace`, and they agree on other `terms`.
    """

    house: App
    people: dict[str, Person]
    act: Act
    chance: Random
    pace: float = 1.0
    terms: str = ""
    clock: Clock = field(default_factory=Clock)
    box: LetterBox = field(default_factory=LetterBox)
    ledger: Ledger = field(default_factory=Ledger)
    done: Counter[str] = field(default_factory=Counter)
    down_until: datetime | None = None
    challenges_until: datetime = BEGINS
    _events: list[tuple[datetime, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _answering: set[tuple[int, str]] = field(default_factory=set)
    _suspended: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self.clock.now = BEGINS
        self._sender = Sender(self.house, lambda: self.box, self.clock)
        record_heartbeat(self.house, SCHEDULER, self.clock.now)

    # time

    def at(self, when: datetime, do: Callable[[], None]) -> None:
        """Has something done then."""
        heapq.heappush(self._events, (max(when, self.clock.now), next(self._numbers), do))

    def after(self, hours: float, do: Callable[[], None]) -> None:
        """Has something done after so many hours of an unhurried club."""
        self.at(self.clock.now + timedelta(hours=hours) * self.pace, do)

    def live_until(self, end: datetime, is_over: Callable[[], bool]) -> None:
        """Lets time pass, with the steward's rounds every hour, until the end, or until it is over before that."""
        next_round = self.clock.now
        while self.clock.now < end and not is_over():
            if self._events and self._events[0][0] < next_round:
                when, _, do = heapq.heappop(self._events)
                self.clock.now = when
                self._live_on()
                do()
                continue
            self.clock.now = next_round
            next_round += HOUR
            self._live_on()
            if self.down_until is None:
                self.round()

    def round(self) -> None:
        """What the server does by itself in an hour."""
        for do in (*(duty.do for duty in JOBS), play_robots, write_due):
            while do(self.house, self.clock.now):
                pass
        self.serve()

    def serve(self) -> None:
        """Handles and sends all that waits, and puts it into people's hands."""
        if self.down_until is not None:
            return
        while process_some(self.house, self.clock):
            pass
        while self._sender.send_due():
            pass
        self._sender.send_due()
        self._note_suspended()
        for mail in self.box.take():
            self.hand(mail)

    def close(self) -> None:
        """Ends what runs."""
        self._sender.close()

    def _live_on(self) -> None:
        """The steward was there all the time that has passed, unless the server is off."""
        if self.down_until is None:
            with writing(self.house.engine) as connection:
                connection.execute(update(heartbeats).values(at=self.clock.now))

    # mails in

    def write(self, person: Person, subject: str, text: str = "", to: Arrived | None = None) -> None:
        """Somebody mails the server, in answer to a mail or anew. While it is off, their own server tries on."""
        number = next(self._numbers)
        # Everybody knows that a mail to an address of theirs needs no password.
        recipient = to.sender if to else person.last.sender if person.last else ADDRESS
        head = [
            f"From: {person.userid} <{person.address}>",
            f"To: {recipient}",
            f"Message-ID: <{number}@players.example>",
            f"Subject: {subject if to is None else 'Re: ' + to.subject}",
            *([] if to is None else [f"In-Reply-To: {to.message_id}"]),
            "Content-Type: text/plain; charset=utf-8",
        ]
        raw = "\r\n".join([*head, "", *text.split("\n"), ""]).encode()
        self.done["mails in"] += 1
        self._hand_in(raw, person.address, recipient)

    def _hand_in(self, raw: bytes, sender: str, recipient: str) -> None:
        if self.down_until is not None:
            self.at(self.down_until + timedelta(minutes=5), lambda: self._hand_in(raw, sender, recipient))
            return
        receive_mail(self.house, raw, sender, [recipient], self.clock.now)
        self.serve()

    # mails out

    def hand(self, mail: Arrived) -> None:
        """Somebody has a mail in hand: what is theirs to move gets an answer in their own time."""
        person = self.people.get(mail.recipient.partition("@")[0])
        if person is None:
            return
        self.done["mails out"] += 1
        person.last = mail
        if not person.is_confirmed:
            person.is_confirmed = True
            self.after(0.1, lambda: self.write(person, "", "yes", to=mail))
        for number in mail.boards:
            board = self.see(number)
            if board is None or board.state.to_move is None:
                continue
            if board.match.userids[board.state.to_move] == person.userid:
                self.ledger.note(number, board.state.turn, self.clock.now)
                if (number, person.userid) not in self._answering and not person.is_silent:
                    self._answering.add((number, person.userid))
                    self.after(person.hours_to_answer(), lambda n=number: self.think(person, n, mail))  # type: ignore[misc]

    def see(self, number: int) -> BoardView | None:
        """A board as it stands."""
        return load_board(self.house, number)

    def think(self, person: Person, number: int, mail: Arrived) -> None:
        """Somebody sits down before a board."""
        self._answering.discard((number, person.userid))
        board = self.see(number)
        if board is None or board.state.to_move is None or person.is_silent or person.is_gone:
            return
        seat = board.state.to_move
        if board.match.userids[seat] != person.userid:
            return
        if mail.recipient in self.box.closed or self.clock.now < person.back_at:
            self._answering.add((number, person.userid))
            self.after(24, lambda: self.think(person, number, mail))
            return
        self.act(self, person, board, seat, mail)

    def move_of(self, person: Person, board: BoardView, seat: Seat) -> str:
        """What somebody plays."""
        return person.choose(rules_of(board.match), board.state.position, seat)

    def _note_suspended(self) -> None:
        now = frozenset(each.userid for each in see_suspended(self.house))
        for userid in now - self._suspended:
            self.ledger.lost([turn for turn in self.ledger.reached if self._waits_for(turn, userid)])
        self._suspended = now

    def _waits_for(self, turn: tuple[int, int], userid: str) -> bool:
        board = self.see(turn[0])
        if board is None or board.state.to_move is None or board.state.turn != turn[1]:
            return False
        return board.match.userids[board.state.to_move] == userid
