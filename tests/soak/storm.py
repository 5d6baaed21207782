"""One run: a server in parts, players who write to it by two roads, and processes that are killed meanwhile."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlalchemy import Engine, select, update

from pbmserv.services.app import utc_now
from pbmserv.store.engine import open_engine, reading, writing
from pbmserv.store.schema import migrate
from pbmserv.store.tables import inbox, outbox
from tests.cli.processes import PBMSERV
from tests.free_port import free_port
from tests.servers.dovecot import PASSWORD, Dovecot
from tests.servers.postfix import running_postfix
from tests.soak.audit import audit, check_says
from tests.soak.killer import Killer, Moment
from tests.soak.parts import Part, running_parts
from tests.soak.plan import conversations, sign_ups
from tests.soak.play import Play
from tests.soak.report import Report, report
from tests.soak.roads import OURS, Roads, running_rude_sink
from tests.soak.wire import running_wire

MAILS_PER_KILL = 14
RUDENESS = 0.01
PARTS = ("listen", "poll", "work", "work", "send")
QUIET = 0.5
"""Seconds without any letter after which it is looked whether all is done."""

HANGS_AFTER = 120.0
"""Seconds without any letter, although mail is on its way, that no restart explains."""


@dataclass
class Storm:
    """A run that goes on."""

    play: Play
    parts: Sequence[Part]
    killer: Killer
    engine: Engine

    def blow(self) -> None:
        """Until all conversations are over, all kills are done and nothing is on its way; or nothing moves on."""
        last = looked = time.monotonic()
        while True:
            now = time.monotonic()
            if self.play.go_on():
                last = looked = now
            self._kill()
            for part in self.parts:
                part.demand_alive()
            if now > looked + QUIET:
                looked = now
                if self._is_drained() and not self.play.go_on():
                    return
                self._let_time_pass()
                assert now < last + HANGS_AFTER, f"the server hangs:\n{self._state()}"
            time.sleep(0.002)

    def _kill(self) -> None:
        victim = self.killer.tick(self.play.answered)
        if victim is None:
            return
        if victim.word == "send":
            victim.wait()
            self._end_waiting_for_retries()
        victim.start()

    def _let_time_pass(self) -> None:
        """Spares us the waits of mail that Postfix could not hand on, or that the far end hung up on."""
        self.play.roads.postfix.flush()
        with reading(self.engine) as connection:
            later = select(outbox.c.id).where(outbox.c.status == "waiting", outbox.c.not_before > utc_now())
            if connection.execute(later.limit(1)).first() is None:
                return
        (sender,) = (part for part in self.parts if part.word == "send")
        if self.killer.victim is sender:
            return
        sender.stop()
        self._end_waiting_for_retries()
        sender.start()

    def _end_waiting_for_retries(self) -> None:
        """Makes due what waits to be sent, as time would. Only while no sender lives: its lease is time too."""
        with writing(self.engine) as connection:
            connection.execute(update(outbox).where(outbox.c.status == "waiting").values(not_before=utc_now()))

    def _is_drained(self) -> bool:
        """Whether nothing is on its way: the roads in are looked at before the tables that they lead to."""
        if not self.play.roads.are_empty():
            return False
        with reading(self.engine) as connection:
            for table in (inbox, outbox):
                waiting = select(table.c.id).where(table.c.status == "waiting").limit(1)
                if connection.execute(waiting).first() is not None:
                    return False
        return self.killer.left == 0 or not self.play.is_over

    def _state(self) -> str:
        """Where everything is, for people who look for the fault."""
        roads = self.play.roads
        with reading(self.engine) as connection:
            rows = [
                f"{table.name}: {row}"
                for table in (inbox, outbox)
                for row in connection.execute(
                    select(table.c.id, table.c.not_before, table.c.error).where(table.c.status == "waiting")
                )
            ]
        logs = (f"--- {part.word}:\n{part.log[-1500:]}" for part in self.parts)
        queues = [roads.postfix.log[-3000:], roads.postfix.queued(), f"INBOX: {roads.in_folder('INBOX')}"]
        return "\n".join([*self.play.missing(), *queues, *rows, *logs])


def weather(
    database_url: str, folder: Path, dovecot: Dovecot, kills: Sequence[Moment], seed: int
) -> tuple[Report, list[str]]:
    """Runs a server on an empty database through these kills: the figures, and everything that went wrong."""
    began, random = time.monotonic(), Random(seed)
    games = conversations(random, len(kills) * MAILS_PER_KILL)
    with ExitStack() as stack:
        engine = open_engine(database_url)
        stack.callback(engine.dispose)
        migrate(engine)
        sink = stack.enter_context(running_rude_sink(Random(seed)))
        lmtp = free_port()
        wires = {
            word: stack.enter_context(running_wire(port))
            for word, port in (("listen", lmtp), ("poll", dovecot.imap_port), ("send", sink.port))
        }
        postfix = stack.enter_context(running_postfix(wires["listen"].port, sink.port))
        roads = Roads(postfix, dovecot, f"storm-{folder.name}-{seed}".lower())
        stack.callback(roads.close)
        settings = {
            "PBMSERV_DATA": str(folder),
            "PBMSERV_DATABASE": database_url,
            "PBMSERV_ADDRESS": OURS,
            "PBMSERV_VARIANTS": "true",
            "PBMSERV_CONFIRM": "from",
            "PBMSERV_LISTEN": f"lmtp://127.0.0.1:{lmtp}",
            "PBMSERV_IMAP": f"imap://{roads.mailbox}@127.0.0.1:{wires['poll'].port}/INBOX?starttls=no",
            "PBMSERV_IMAP_PASSWORD": PASSWORD,
            "PBMSERV_OUT": f"smtp://127.0.0.1:{wires['send'].port}",
            "PBMSERV_WEB": "",
        }
        play = Play(random, roads, sink)
        parts = stack.enter_context(running_parts(settings, folder, *PARTS))
        play.begin("hello", sign_ups(games))
        Storm(play, parts, Killer(random, parts, wires, (), 0), engine).blow()
        sink.rudeness = RUDENESS
        play.begin("game", games)
        killer = Killer(random, parts, wires, kills, sum(len(each.steps) for each in games))
        Storm(play, parts, killer, engine).blow()
        wrong = [*check_says(settings, PBMSERV)]
        if killer.left:
            wrong.append(f"kills: {killer.left} did not come about")
        with reading(engine) as connection:
            wrong += audit(play, parts, connection)
            return report(play, parts, killer.at_work, connection, seed, time.monotonic() - began), wrong
