"""Random people in random states send random mails: each is answered once, nothing is set aside, the logs hold."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from argon2 import PasswordHasher

from pbmserv.commands.server import Server
from pbmserv.services.admin.check import check
from pbmserv.store import bounces
from pbmserv.store.engine import writing
from tests.conftest import ADDRESS, Clock, make_house
from tests.services.post import Post

USERIDS = ("alice", "bob", "carol", "dave", "erin", "frank")
NOT_CONFIRMED = "frank"
MAILS = 45
ANSWERING = {"address", "answer", "goodbye", "fruitless", "puzzled", "stranger", "sign-up", "short", "limit"}
"""The kinds of letters that answer a mail; others are unasked, or go to somebody else."""

DRESS = ("* ", "- ", "Please ", "1) ", '"', "**", "I ", "OK, ")
LINES = """
SQUARE
SQUARE
move BOARD SQUARE
BOARD SQUARE#PLY
move BOARD WHO PASSWORD SQUARE
I play SQUARE
BOARD resign
resign
Resign.
resign BOARD
move BOARD undo
BOARD - undo
as WHO PASSWORD
challenge WHO OTHER -size=3x3
challenge WHO OTHER THIRD -size=3x3
challenge alice bob carol dave erin frank -size=3x3
block WHO
unblock WHO
set html off
set words on
set challenges off
set challenges q
set WHO PASSWORD words on
signoff
signoff WHO PASSWORD
delete
delete WHO PASSWORD
export
export WHO PASSWORD
show BOARD#PLY
show WHO all
next
next WHO
games WHO all
list
help
help tutorial
preview BOARD SQUARE a1 b2
chat BOARD hello there
chat
add WHO2@example.org
change address WHO3@example.org
change password WHO PASSWORD pw-WHO
forgot
forgot WHO
yes
yes
no
yes pw-WHO
yes AbCdEfGhIj0123456789
signup WHO pw-WHO
signup WHO pw-WHO OTHER2@example.org
Hello there,
Nice move!
cephalopod
""".strip().split("\n")


def a_line(chance: random.Random) -> str:
    """One line: mostly a command, of any kind, about anybody and any board."""
    who = chance.choice((*USERIDS, "nobody"))
    line = chance.choice([*LINES, ""])
    for word, value in (
        ("WHO", who),
        ("OTHER", chance.choice(USERIDS)),
        ("THIRD", chance.choice(USERIDS)),
        ("PASSWORD", chance.choice((f"pw-{who}", f"pw-{who}", "pw-x"))),
        ("BOARD", str(chance.choice((101, 102, 103, 104, 999)))),
        ("SQUARE", chance.choice("abc") + chance.choice("123")),
        ("PLY", str(chance.randint(0, 6))),
    ):
        line = line.replace(word, value)
    return f"{chance.choice(DRESS)}{line}" if chance.random() < 0.15 else line


def a_mail(post: Post, chance: random.Random) -> tuple[str, list[str]]:
    """Sends one, mostly an answer to a late letter by whoever it was sent to; its text, and what it brought."""
    text = "\n".join(a_line(chance) for _ in range(chance.choice((1, 1, 2, 3, 5))))
    stranger = f"{chance.choice(USERIDS)}{chance.choice(('', '', '2'))}@example.org"
    if chance.random() < 0.65:
        letter = chance.choice([letter for letter in post.letters() if letter.raw][-12:])
        sender = letter.recipient if chance.random() < 0.85 else stranger
        brought = post.answer(letter, text, sender)
    else:
        subject = a_line(chance) if chance.random() < 0.4 else ""
        brought = post.mail(stranger, subject, text)
        text = f"{subject}: {text}"
    return text, [letter.kind for letter in brought]


@pytest.fixture(params=["ask", "from"])
def post(tmp_path: Path, quick_hasher: PasswordHasher, request: pytest.FixtureRequest) -> Iterator[Post]:
    """Six players, of whom one has never answered where answers are asked for."""
    confirm: Literal["ask", "from"] = request.param
    house = make_house(
        f"sqlite:///{tmp_path / 'p.db'}", quick_hasher, Server(ADDRESS, variants=True, confirm=confirm)
    )
    post = Post(house, Clock())
    for userid in USERIDS:
        (letter,) = post.mail(f"{userid}@example.org", f"signup {userid} pw-{userid}")
        if confirm == "ask" and userid != NOT_CONFIRMED:
            post.answer(letter, "yes")
    yield post
    house.engine.dispose()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_whatever_people_write(post: Post, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(MAILS):
        post.clock.move(minutes=chance.choice((1, 5, 30, 300)))
        text, kinds = a_mail(post, chance)
        fate = post.fates()[-1]
        assert fate in ("handled", "silent"), text
        if fate == "handled":
            assert len([kind for kind in kinds if kind in ANSWERING]) == 1, (text, kinds)
        if chance.random() < 0.03:
            with writing(post.house.engine) as connection:
                bounces.suspend(connection, f"{chance.choice(USERIDS)}@example.org", post.clock())
    assert check(post.house) == []
