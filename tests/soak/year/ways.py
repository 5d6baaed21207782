"""What people do: answer, blunder, offer, wait, challenge, travel, leave. Every deed is a mail."""

from collections.abc import Callable
from datetime import timedelta

from pbmserv.games.game import Seat
from pbmserv.matches.log import rules_of
from pbmserv.rendering.board import BoardView
from tests.soak.year.letter_box import Arrived
from tests.soak.year.people import Person
from tests.soak.year.world import World

BETWEEN_GAMES = 40
"""Days of an unhurried club."""

SIZES = ("3x3", "3x3", "3x3", "3x3", "3x5", "5x3")


def act(world: World, person: Person, board: BoardView, seat: Seat, mail: Arrived) -> None:
    """Somebody is on turn, and does something about it."""
    number, chance = board.match.number, person.chance
    offer = board.state.offer
    if offer is not None and seat in offer.waits_for and chance.random() < 0.8:
        answer = "accept" if offer.kind == "undo" or chance.random() < 0.3 else "reject"
        world.write(person, "", _on(mail, number, answer), to=mail)
        world.done[f"{answer}ed"] += 1
        world.after(1, lambda: world.think(person, number, mail))
        return
    if person.habit == "mistaken" and chance.random() < 0.25:
        world.write(person, "", chance.choice(_BLUNDERS).format(number=number), to=mail)
        world.done["blunders"] += 1
        world.after(chance.uniform(0.5, 8), lambda: world.think(person, number, mail))
        return
    roll = chance.random()
    if roll < 0.004 and board.state.plies > 4:
        world.done["resigned"] += 1
        world.write(person, "", _on(mail, number, "resign"), to=mail)
        return
    if roll < 0.012 and board.state.plies > 4 and offer is None:
        world.done["draws proposed"] += 1
        world.write(person, "", _on(mail, number, "propose"), to=mail)
    move = world.move_of(person, board, seat)
    words = "\n\nGood luck!" if board.state.plies < 2 else ""
    world.write(person, "", f"{_on(mail, number, move)}{words}", to=mail)
    if roll > 0.985:
        world.done["take-backs asked"] += 1
        world.after(0.3, lambda: world.write(person, f"undo {number}", "", to=None))
    if person.habit == "planner":
        _plan(world, person, number)


_BLUNDERS = (
    "z9",
    "{number} a1xb2,b3,b4",
    "I think I play in the middle.",
    "move 99999 a1",
    "mvoe {number}",
    "Thank you for your mail. I am thinking about it.",
    "accept",
)


def _on(mail: Arrived, number: int, words: str) -> str:
    return words if mail.boards == (number,) else f"{number} {words}"


def _plan(world: World, person: Person, number: int) -> None:
    """Answers to what the opponent might do, ahead of time."""
    board = world.see(number)
    if board is None or board.state.to_move is None or len(board.match.userids) != 2:
        return
    game, position = rules_of(board.match), board.state.position
    lines = []
    for move in list(game.moves(position))[:3]:
        after, _ = game.play(position, move)
        replies = list(game.moves(after))
        if replies:
            lines.append(
                f"if {game.write(position, move)} then {game.write(after, person.chance.choice(replies))}"
            )
    if lines and board.match.userids[board.state.to_move] != person.userid:
        world.done["queues"] += 1
        world.write(person, f"queue {number} {'; '.join(lines)}")


def live(world: World, person: Person) -> None:
    """Has somebody begin games, and do now and then what people do."""
    _sometimes(world, person, BETWEEN_GAMES * 24, lambda: _begin(world, person))
    _sometimes(world, person, 60 * 24, lambda: _talk(world, person))
    if person.habit == "holiday":
        for month in (2, 6, 9):
            world.after((month * 30 + person.chance.uniform(0, 20)) * 24, lambda: _travel(world, person))
    if person.habit == "silent":
        world.after(person.chance.uniform(20, 200) * 24, lambda: setattr(person, "is_silent", True))
    if person.habit == "leaving":
        world.after(person.chance.uniform(90, 220) * 24, lambda: _leave(world, person))
    if person.habit == "bouncing":
        world.after(person.chance.uniform(60, 200) * 24, lambda: _vanish(world, person))
    if person.habit == "digest":
        when = person.chance.choice(("daily 07:30", "daily 18:00", "weekly mon 06:00"))
        world.after(24, lambda: world.write(person, f"set digest {when}"))


def _sometimes(world: World, person: Person, every: float, do: Callable[[], None]) -> None:
    def again() -> None:
        if person.is_silent or person.is_gone:
            return
        if person.address not in world.box.closed:
            do()
        world.after(person.chance.expovariate(1 / every), again)

    world.after(person.chance.uniform(0, every), again)


def _begin(world: World, person: Person) -> None:
    """A challenge, an open offer, or somebody else's."""
    if world.clock.now > world.challenges_until:
        return
    chance = person.chance
    options = f"-size={chance.choice(SIZES)}{world.terms}" + chance.choice(("", "", "", " --unrated"))
    if not world.terms:
        options += chance.choice(("", "", "", " --forfeittime=10"))
    if chance.random() < 0.15:
        options += " --totaltime=60 --increment=24"
    others = [each.userid for each in world.people.values() if each is not person]
    roll = chance.random()
    if roll < 0.2:
        world.done["offers"] += 1
        world.write(person, f"seek {options}")
    elif roll < 0.35:
        world.write(person, f"accept {chance.randint(1, 20)}")
    elif roll < 0.45:
        world.write(person, f"challenge {person.userid} robot {options}")
    elif roll < 0.57:
        several = chance.sample(others, chance.choice((2, 2, 3)))
        world.write(person, f"challenge {person.userid} {' '.join(several)} -size=3x3{world.terms}")
    else:
        pair = [person.userid, chance.choice(others)]
        chance.shuffle(pair)
        world.write(person, f"challenge {' '.join(pair)} {options}")


def _talk(world: World, person: Person) -> None:
    roll = person.chance.random()
    if roll < 0.5:
        other = person.chance.choice(list(world.people))
        world.write(person, f"message {other}", "How are you?")
    elif roll < 0.7:
        world.write(person, "set broadcast on")
    elif roll < 0.8:
        world.write(person, "broadcast", "Who plays a tournament?")
    else:
        world.write(person, f"subscribe {person.chance.randint(101, 160)}")
    world.done["talk"] += 1


def _travel(world: World, person: Person) -> None:
    """Says so the day before, and is away for ten days of an unhurried club."""
    days = max(round(10 * world.pace), 1)
    first = world.clock.now + timedelta(days=1)
    last = first + timedelta(days=days - 1)
    world.write(person, f"set vacation {first:%Y-%m-%d} {last:%Y-%m-%d}")
    world.ledger.holiday(person.userid, first, days)
    person.back_at = last + timedelta(hours=12)
    world.done["holidays"] += 1


def _leave(world: World, person: Person) -> None:
    world.done["left"] += 1
    world.write(person, "signoff")
    person.is_gone = True


def _vanish(world: World, person: Person) -> None:
    """Their mailbox is gone for five weeks; then they write again."""
    world.box.closed.add(person.address)
    world.done["mailboxes closed"] += 1

    def back() -> None:
        world.box.closed.discard(person.address)
        world.write(person, f"show {person.userid}")

    world.after(35 * 24, back)
