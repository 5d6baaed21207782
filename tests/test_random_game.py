"""Whole random games by mail, through a real listener, worker, sender and web part.

Two players know nothing but their mails: each reads the board and the captures that its newest one prints, and
answers it with a move. What is printed is held against the slow second set of rules in `games/brute_force.py`.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Literal

import pytest

from pbmserv.cli.bootstrap import build_app
from pbmserv.cli.config import Settings
from pbmserv.cli.serve import all_parts, run_parts
from pbmserv.cli.try_out import hand_over
from pbmserv.mail.sending.maildir import age
from pbmserv.services.admin.check import check
from pbmserv.services.app import App
from pbmserv.services.views import list_inbox, list_outbox
from pbmserv.store.engine import open_engine
from pbmserv.store.schema import migrate
from tests.conftest import ADDRESS
from tests.games.brute_force import Die, Square, Table

PATIENCE = 60.0
OTHERWISE_EVERY = 10
ACKNOWLEDGED = 5  # moves of a newcomer
SEPARATORS = ("", "x", "=", ":", "-", "/", "+", ",", " x ", ", ", " = ", " - ")
NUMBERED_MOVE = re.compile(r"\b(\d+) (?:\w+ )?([A-E][1-5](?:x[A-E][1-5](?:,[A-E][1-5])*)?)(?=[ ,.]|$)")
STANDING = re.compile(r"(\w+) (?:\(n\)|<n>) (\d+)")
TURN = re.compile(r"It is (\w+)'s turn|(Your) turn\b|(\w+) has challenged you to Cephalopod and moves first")
DID = "(?:played|answered|took)"
WON = re.compile(rf"(\w+) (?:{DID} (?:(?!{DID})[^.])*and )?won\b")
ROW = re.compile(r" {4}(\d)  (.*)  \1")
CELLS = re.compile(r"\.\.\.|\((\d)\)|<(\d)>")


@dataclass(frozen=True)
class BoardMail:
    """What a person reads in a mail with a board. `legal` has the moves that it lets its reader choose from."""

    mail: EmailMessage
    moves: tuple[tuple[int, str], ...]
    dice: dict[Square, Die]
    scores: dict[str, int]
    to_move: str | None
    winner: str | None
    legal: frozenset[str]

    @property
    def ply(self) -> int:
        """The number of the last move that it shows."""
        return self.moves[-1][0] if self.moves else 0


def read_board(mail: EmailMessage) -> BoardMail:
    """Reads a board mail as its text stands: the news, the players, the board, the moves."""
    news, text = re.split(r"Summary of Cephalopod(?: variant)? Board 101\n", body(mail))
    players, letters, drawn, _, below = re.split(r"(?m)^ {8}(A .*)\n", text)
    news, below = " ".join(news.split()), " ".join(below.split())
    dice: dict[Square, Die] = {}
    squares: list[str] = []
    for row, cells in ROW.findall(drawn):
        found = [CELLS.fullmatch(cell) for cell in cells.split()]
        for letter, cell in zip(letters.split(), found, strict=True):
            assert cell is not None
            squares.append(f"{letter}{row}")
            owner = 0 if cell[1] else 1
            if cell[1] or cell[2]:
                dice[letter, int(row)] = (owner, int(cell[1] or cell[2]))
    reader, _, _ = mail["To"].partition("@")
    return BoardMail(
        mail=mail,
        moves=tuple((int(ply), move) for ply, move in NUMBERED_MOVE.findall(below)),
        dice=dice,
        scores={userid: int(count) for userid, count in STANDING.findall(players)},
        to_move=named(TURN.search(news), reader),
        winner=named(WON.search(news), reader),
        legal=frozenset(
            listed_moves(text, [square for square in squares if (square[0], int(square[1])) not in dice])
        ),
    )


def named(told: re.Match[str] | None, reader: str) -> str | None:
    """Who is meant by the news: its reader is called "you"."""
    name = told and next(filter(None, told.groups()))
    return reader if name in ("You", "you", "Your") else name


def listed_moves(text: str, empty: Sequence[str]) -> Iterator[str]:
    """The legal moves, from the captures that a mail lists: elsewhere the square alone is a move."""
    forced = re.search(r"(?s)^Captures: (.*?)\.\n", text, re.MULTILINE)
    captures = dict(each.split(" takes ") for each in " ".join(forced[1].split()).split("; ")) if forced else {}
    choices = re.search(r"choose one of these:\n((?: {4}.*\n)+)", text)
    chosen = choices[1].upper().replace("X", "x").split() if choices else []
    for square in empty:
        several = [move for move in chosen if move.startswith(square)]
        if square in captures:
            yield f"{square}x{','.join(captures[square].replace(' and ', ', ').split(', '))}"
        else:
            yield from several or [square]


def body(mail: EmailMessage) -> str:
    """The text of a mail."""
    plain = mail.get_body(("plain",))
    assert plain is not None
    text: str = plain.get_content()
    return text.replace("\r\n", "\n")


class Post:
    """Hands the mails of a Maildir to those that they are for, in the order of their arrival."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "new"
        self._read: set[Path] = set()
        self.waiting: dict[str, list[EmailMessage]] = {}
        self.message_ids: list[str] = []

    def next_for(self, address: str) -> EmailMessage:
        """The next mail for an address; waits for it."""
        deadline = time.monotonic() + PATIENCE
        while not self.waiting.get(address):
            assert time.monotonic() < deadline, f"no mail for {address}"
            time.sleep(0.002)
            self.look()
        return self.waiting[address].pop(0)

    def look(self) -> None:
        """Takes in what has arrived."""
        for path in sorted(set(self._folder.glob("*")) - self._read, key=age):
            self._read.add(path)
            mail = message_from_bytes(path.read_bytes(), policy=policy.default)
            self.waiting.setdefault(mail["To"], []).append(mail)
            self.message_ids.append(mail["Message-ID"])


class Client:
    """A player with a mail program."""

    def __init__(self, userid: str, password: str, hand_in: Callable[[str, str, bytes], None], post: Post) -> None:
        self.userid = userid
        self._address = f"{userid}@example.org"
        self._password, self._hand_in, self._post = password, hand_in, post

    def sign_up(self, is_asked: bool) -> EmailMessage:
        """Opens an account, answers the question whether it was they, if there is one, and gives the welcome."""
        self.send(ADDRESS, f"signup {self.userid} {self._password}", "")
        if is_asked:
            self.reply(self.next_mail(), "yes")
        welcome = self.next_mail()
        assert body(welcome).startswith(f"Welcome, {self.userid}!")
        return welcome

    def next_mail(self) -> EmailMessage:
        """The next mail that comes."""
        return self._post.next_for(self._address)

    def reply(self, to: EmailMessage, text: str) -> None:
        """Answers a mail as mail programs do: below the text the old mail is quoted."""
        quoted = "".join(f"> {line}\n" for line in body(to).splitlines())
        address = re.sub(r".*<|>", "", to["From"])
        self.send(address, f"Re: {to['Subject']}", f"{text}\n\npbmserv wrote:\n{quoted}", to["Message-ID"])

    def send(self, to: str, subject: str, text: str, answers: str = "") -> None:
        """Sends a mail."""
        mail = EmailMessage(policy=policy.SMTP)
        mail["From"], mail["To"], mail["Subject"] = self._address, to, subject
        if answers:
            mail["In-Reply-To"] = mail["References"] = answers
        mail.set_content(text)
        self._hand_in(to, self._address, mail.as_bytes())


def choose(random: Random, legal: frozenset[str], ply: int) -> tuple[str, str]:
    """A random move and how it is written; now and then one with captures, written otherwise than usual."""
    moves = sorted(legal)
    if ply % OTHERWISE_EVERY:
        move = random.choice(moves)
        return move, move.lower()
    move = random.choice([each for each in moves if "x" in each] or moves)
    square, *taken = re.findall(r"[A-E][1-5]", move)
    random.shuffle(taken)
    text = "".join([square, *(random.choice(SEPARATORS) + each for each in taken)])
    return move, "".join(random.choice((letter.upper(), letter.lower())) for letter in text)


@contextmanager
def whole_server(folder: Path, database_url: str, confirm: Literal["ask", "from"]) -> Iterator[tuple[str, App]]:
    """Every part of a server in threads: the listener's URL, and the house."""
    settings = Settings(
        variants=True,
        data=folder,
        database=database_url,
        address=ADDRESS,
        listen="smtp://127.0.0.1:0",
        web="127.0.0.1:0",
        confirm=confirm,
    )
    engine = open_engine(database_url)
    migrate(engine)
    engine.dispose()
    house = build_app(settings)
    parts = all_parts(settings, house)
    stop = threading.Event()
    ended_well: list[bool] = []
    running = threading.Thread(target=lambda: ended_well.append(run_parts(parts, stop)))
    running.start()
    try:
        yield next(name for name in parts if "://" in name), house
    finally:
        stop.set()
        running.join()
        house.engine.dispose()
    assert ended_well == [True]


def hold_against(seen: BoardMail, table: Table, played: Sequence[str], players: Sequence[Client]) -> None:
    """Everything that a board mail shows is as it should be."""
    result = table.result()
    userids = [player.userid for player in players]
    assert seen.ply == len(played)
    assert seen.mail["Message-ID"].startswith(f"<b101.{len(played)}.")
    assert seen.dice == table.dice
    assert seen.scores == {userid: table.count(seat) for seat, userid in enumerate(userids)}
    assert seen.to_move == (userids[table.turn] if result is None else None)
    assert seen.winner == (userids[result[0].index(1)] if result else None)
    first_shown = 0 if result else seen.moves[0][0] - 1 if seen.moves else 0
    assert seen.moves == tuple(enumerate(played, 1))[first_shown:]


@pytest.mark.parametrize(
    ("database_url", "confirm", "receipts", "seed"),
    [("sqlite", "from", "on", 1), ("postgresql", "ask", "daily", 3)],
    indirect=["database_url"],
)
def test_random_game(
    database_url: str,
    confirm: Literal["ask", "from"],
    receipts: Literal["on", "daily"],
    seed: int,
    tmp_path: Path,
) -> None:
    """Every mail of the game shows the board, the captures and the end that the rules make.

    After their first moves players get a mail for their own ones only if they have asked for that.
    """
    random, table, post = Random(seed), Table(5, 5, 2), Post(tmp_path / "outgoing")
    played: list[str] = []
    mails = 0
    with whole_server(tmp_path, database_url, confirm) as (url, house):
        players = [
            Client(userid, password, lambda to, sender, raw: hand_over(url, to, sender, raw), post)
            for userid, password in (("alice", "sesame"), ("bob", "poppy"))
        ]
        for player in players:
            welcome = player.sign_up(is_asked=confirm == "ask")
            mails += 2 if confirm == "ask" else 1
            if receipts == "on":
                player.reply(welcome, "set receipts on")
                assert body(player.next_mail()).startswith("Each of your moves by mail is now acknowledged.")
                mails += 1
        # Words that nothing proves would wait for a yes, and the game with them.
        players[0].send(ADDRESS, "cephalopod challenge alice bob", "Good luck!" if confirm == "from" else "")
        seen: dict[Client, BoardMail] = {}
        last = players[0]
        while True:
            is_acknowledged = receipts == "on" or len(played) <= 2 * ACKNOWLEDGED or table.result() is not None
            for player in [each for each in players if each is not last or is_acknowledged]:
                seen[player] = read_board(player.next_mail())
                hold_against(seen[player], table, played, players)
                mails += 1
            if table.result() is not None:
                break
            last = players[table.turn]
            assert seen[last].legal == frozenset(table.legal())
            move, text = choose(random, seen[last].legal, len(played) + 1)
            table.play(move)
            played.append(move)
            last.reply(seen[last].mail, text)
        assert check(house) == []
        assert {mail.status for mail in list_inbox(house, None, 1000)} == {"handled"}
        queued = [mail.message_id for mail in list_outbox(house, None, 1000)]
    post.look()
    assert not any(post.waiting.values())
    assert sorted(queued) == sorted(post.message_ids)
    assert len(set(post.message_ids)) == len(post.message_ids) == mails
    assert 100 < len(played) < 180
