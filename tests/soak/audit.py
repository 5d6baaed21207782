"""What should be, against what is: each difference is one line. None of it asks the server what it thinks."""

import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from email import message_from_bytes, policy

from sqlalchemy import Connection, select

from pbmserv.store.tables import addresses, entries, inbox, outbox, seats
from tests.servers.sink import Taken
from tests.soak.letters import Letter, read_letter
from tests.soak.parts import Part, environment
from tests.soak.plan import Logged, Shown
from tests.soak.play import Play, Talk
from tests.soak.roads import KEPT_FOLDER, Roads

FIRST_BOARD = 101


@dataclass(frozen=True)
class Notice:
    """A board that a player is sent unasked."""

    recipient: str
    ply: int
    shown: Shown


def audit(play: Play, parts: Sequence[Part], connection: Connection) -> list[str]:
    """Every difference between what was to happen and what the database, the sink and the mailbox hold."""
    return [
        *_conversations(play),
        *_handled(connection, play.roads.taken),
        *_boards(connection, play.talks),
        *_answers(play),
        *_notices(play),
        *_repeats(play.sink.mails),
        *_sent(connection, play.letters),
        *_mailbox(play.roads),
        *_faults(parts),
    ]


def _conversations(play: Play) -> Iterator[str]:
    for waiting in play.missing():
        yield f"conversation: stopped for want of what this mail brings: {waiting}"


def _handled(connection: Connection, taken: Counter[str]) -> Iterator[str]:
    """Each mail that a road took was handled once, and every further copy of it is a duplicate."""
    fates: dict[str, Counter[str]] = defaultdict(Counter)
    for row in connection.execute(select(inbox)):
        message_id = str(message_from_bytes(row.raw, policy=policy.default)["Message-ID"]).strip()
        fates[message_id][row.status] += 1
        if row.tries:
            yield f"inbox: mail {row.id} {message_id} made the code raise {row.tries} times: {row.error}"
    for message_id, count in taken.items():
        fate = fates.pop(message_id, Counter())
        if fate["handled"] != 1:
            yield f"inbox: {message_id}, taken {count} times, was handled {fate['handled']} times"
        if set(fate) - {"handled", "duplicate"}:
            yield f"inbox: {message_id} is left as {dict(fate)}"
        if fate.total() < count:
            yield f"inbox: {message_id}, taken {count} times, was kept {fate.total()} times"
    for message_id in fates:
        yield f"inbox: {message_id} was never sent"


def _boards(connection: Connection, talks: Sequence[Talk]) -> Iterator[str]:
    """The boards are those that were begun, numbered without a gap; so are their logs, and say what was played."""
    numbers = sorted(number for talk in talks for number in talk.numbers)
    there = sorted(connection.execute(select(seats.c.match).distinct()).scalars())
    if not numbers == there == list(range(FIRST_BOARD, FIRST_BOARD + len(numbers))):
        yield f"boards: {there} are there, {numbers} were begun"
    players = {row.player_id: row.address for row in connection.execute(select(addresses))}
    for talk in talks:
        for number, log in zip(talk.numbers, talk.plan.logs, strict=False):
            sitting = select(seats.c.player_id).where(seats.c.match == number).order_by(seats.c.seat)
            names = [players[player] for player in connection.execute(sitting).scalars()]
            if names != [_address(who) for who in talk.plan.players]:
                yield f"boards: at board {number} sit {names}, not {talk.plan.players}"
            rows = connection.execute(select(entries).where(entries.c.match == number).order_by(entries.c.seq))
            logged = [(row.seq, Logged(row.kind, row.seat, row.text)) for row in rows]
            if logged != list(enumerate(log, 1)):
                yield f"log: board {number} has {logged}, not {log}"


def _answers(play: Play) -> Iterator[str]:
    """Each mail has one answer, to its author, that shows the boards as they are by then."""
    answers = defaultdict(list)
    for letter in play.letters.values():
        if letter.answers is not None:
            answers[letter.answers].append(letter)
    for talk in play.talks:
        for number, step in enumerate(talk.plan.steps[: talk.written], 1):
            message_id = talk.message_id(number)
            found = answers.pop(message_id, [])
            if len(found) != 1:
                yield f"answers: {message_id} {step.lines} has {len(found)} answers"
                continue
            (letter,) = found
            said = (letter.recipient, letter.refusals, letter.shown)
            expected = (_address(step.author), step.refused, tuple(_on_boards(step.answer, talk)))
            if said != expected:
                yield f"answers: {message_id} {step.lines} is answered with {said}, not {expected}"
    for message_id, found in answers.items():
        yield f"answers: {len(found)} to {message_id}, which nobody wrote"


def _notices(play: Play) -> Iterator[str]:
    """Every other player is sent each board that changed, once, as it is by then."""
    expected: Counter[Notice] = Counter()
    for talk in play.talks:
        for step in talk.plan.steps[: talk.written]:
            others = [who for who in talk.plan.players if who != step.author]
            boards = _on_boards([shown for shown, _ in step.changed], talk)
            for shown, (_, ply) in zip(boards, step.changed, strict=False):
                expected.update(Notice(_address(who), ply, shown) for who in others)
    seen: Counter[Notice] = Counter()
    for letter in play.letters.values():
        if letter.answers is None:
            if letter.place is None or len(letter.shown) != 1:
                yield f"notices: {letter.message_id} to {letter.recipient} is none: {letter.text[:200]!r}"
            else:
                seen[Notice(letter.recipient, letter.place[1], letter.shown[0])] += 1
    for notice in expected - seen:
        yield f"notices: missing {notice}"
    for notice in seen - expected:
        yield f"notices: not expected, or not so often: {notice}"


def _repeats(mails: Sequence[Taken]) -> Iterator[str]:
    """What was sent more than once is the same to the last byte, and so is its envelope."""
    first: dict[str, Taken] = {}
    for each in mails:
        message_id = read_letter(each).message_id
        if first.setdefault(message_id, each) != each:
            yield f"repeats: {message_id} was sent twice, and not the same"


def _sent(connection: Connection, letters: dict[str, Letter]) -> Iterator[str]:
    """The outbox holds what was sent, and all of it as sent."""
    queued = [(row.message_id, row.status) for row in connection.execute(select(outbox))]
    for message_id, status in queued:
        if status != "sent":
            yield f"outbox: {message_id} is {status}"
    for message_id, count in Counter(message_id for message_id, _ in queued).items():
        if count != 1:
            yield f"outbox: {message_id} stands there {count} times"
    for message_id in {message_id for message_id, _ in queued} - set(letters):
        yield f"outbox: {message_id} was never sent"
    for message_id in set(letters) - {message_id for message_id, _ in queued}:
        yield f"outbox: {message_id} was sent, but is not there"


def _mailbox(roads: Roads) -> Iterator[str]:
    """The mailbox is empty, and what came by it lies in the other folder."""
    if left := roads.in_folder("INBOX"):
        yield f"mailbox: {left} are left"
    moved = roads.in_folder(KEPT_FOLDER)
    if moved != roads.by_mailbox:
        lacking, too_many = roads.by_mailbox - moved, moved - roads.by_mailbox
        yield f"mailbox: {KEPT_FOLDER} lacks {lacking}, has too many of {too_many}"


def _faults(parts: Sequence[Part]) -> Iterator[str]:
    """No process has logged a fault of its own."""
    for part in parts:
        if "Traceback" in part.log:
            yield f"log of {part.word}: {part.log[part.log.index('Traceback') :][:1500]}"


def check_says(settings: dict[str, str], program: str) -> Iterator[str]:
    """What `pbmserv admin check` has to say, if it is not that all is well."""
    done = subprocess.run(
        [program, "admin", "check"], env=environment(settings), capture_output=True, text=True, check=False
    )
    if done.returncode or "No differences." not in done.stdout:
        yield f"admin check: {done.returncode} {done.stdout} {done.stderr}"


def _on_boards(shown: Sequence[Shown], talk: Talk) -> Iterator[Shown]:
    """Boards of a plan, with the numbers that they were given."""
    for each in shown:
        number = talk.numbers[each.board] if each.board < len(talk.numbers) else 0
        yield replace(each, board=number)


def _address(who: str) -> str:
    return f"{who}@example.org"
