"""A club for the benches: players, boards in the middle of their games, and the mails by which people play on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import lru_cache
from itertools import count
from typing import Literal

from pbmserv.commands.changes import NewPlayer
from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.games.cephalopod import info
from pbmserv.mail.reading.headers import envelope_sender_of
from pbmserv.matches.log import Entry, Match
from pbmserv.matches.player import Player
from pbmserv.matches.replay import replay
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from pbmserv.store import accounts, matches, outbox, players
from pbmserv.store.engine import reading, writing
from pbmserv.store.outbox import OutboxMessage
from pbmserv.store.queries import TransactionQueries
from tests.bench.test_playouts import playout
from tests.conftest import ADDRESS, NOON
from tests.services.board_mail import board_mail

PLIES = 70
PASSWORD = "sesame"
_GAMES = 20
_LATER = 20  # moves that every game goes on for


@dataclass(frozen=True)
class Board:
    """A match after PLIES plies, and how its game goes on."""

    match: Match
    moves: Sequence[str]

    def mover(self, ply: int) -> str:
        """Who plays a ply."""
        return self.match.userids[(ply - 1) % 2]

    def before(self, ply: int) -> Match:
        """The match when that ply, one after PLIES, is to be played."""
        return self.match.with_entries(_entries(self.match, self.moves[PLIES : ply - 1], PLIES + 1))


@dataclass
class Club:
    """Pairs of players, each with any number of boards."""

    house: App
    pairs: int = 1
    now: datetime = NOON
    """When everybody joined and every game began; a ply was played each hour since."""
    _opened: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        hashed = self.house.hasher.hash(PASSWORD)
        with writing(self.house.engine) as connection:
            for userid in (f"{side}{pair}" for pair in range(self.pairs) for side in ("alice", "bob")):
                accounts.write_account_change(connection, NewPlayer(userid, address(userid), hashed), self.now)

    def open_board(self) -> Board:
        """A new board of the next pair, in the middle of a game."""
        opened = next(self._opened)
        userids = (f"alice{opened % self.pairs}", f"bob{opened % self.pairs}")
        moves = random_games()[opened % _GAMES]
        with writing(self.house.engine) as connection:
            number = TransactionQueries(connection).next_number()
            empty = Match(number, info.name, info.rules, (), True, userids, userids[0], self.now)
            entries = _entries(empty, moves[:PLIES], 1)
            after = replay(empty.with_entries(entries))
            matches.write(
                connection,
                Decision(
                    MovePlayed(number, moves[0]),
                    opened=empty,
                    entries=entries,
                    boards=(after,),
                ),
            )
        return Board(empty.with_entries(entries), moves)

    def board_mail(self, board: Board, ply: int = PLIES + 1) -> OutboxMessage:
        """What asked for a ply, as the outbox knows it: who answers it is known by its personal address."""
        userid = board.mover(ply)
        with reading(self.house.engine) as connection:
            player = players.find(connection, userid)
        assert player is not None
        letter = board_mail(self.house, replay(board.before(ply)), player, self.now)
        with writing(self.house.engine) as connection:
            outbox.queue(connection, [letter], self.now)
        return letter

    def take_in(self, raw: bytes) -> int:
        """Keeps a mail in the inbox."""
        return receive_mail(self.house, raw, envelope_sender_of(raw), [ADDRESS], NOON)


@lru_cache(maxsize=1)
def random_games() -> tuple[list[str], ...]:
    """Games of two on 5x5 that are far from over at PLIES."""
    games = (playout(seed) for seed in count())
    long_enough = (game for game in games if len(game) > PLIES + _LATER)
    return tuple(next(long_enough) for _ in range(_GAMES))


def _entries(match: Match, moves: Sequence[str], first: int) -> tuple[Entry, ...]:
    """Moves as the log has them, from ply `first`."""
    return tuple(
        Entry(match.number, ply, match.started + timedelta(hours=ply), "played", (ply - 1) % 2, move)
        for ply, move in enumerate(moves, first)
    )


def address(userid: str) -> str:
    """Where a player writes from."""
    return f"{userid}@example.org"


def move_mail(house: App, board: Board, ply: int = PLIES + 1, with_password: bool = False) -> bytes:
    """The answer to a board mail that no outbox knows: a move, if a From address is believed or by password."""
    mover = board.mover(ply)
    letter = board_mail(house, replay(board.before(ply)), Player(0, mover, address(mover)), NOON)
    return answer_to(letter, board, ply, with_password)


def answer_to(
    letter: OutboxMessage,
    board: Board,
    ply: int = PLIES + 1,
    with_password: bool = False,
    html_alone: bool = False,
) -> bytes:
    """A move as Gmail answers a board mail: text and HTML, or HTML alone, all of the mail quoted below in each."""
    asked = message_from_bytes(letter.raw, policy=policy.default)
    text, html = (_part(asked, kind) for kind in ("plain", "html"))
    mover, move = board.mover(ply), board.moves[ply - 1].lower()
    lines = [f"as {mover} {PASSWORD}", move] if with_password else [move]
    writer = asked["From"].addresses[0].addr_spec
    mail = EmailMessage(policy=policy.SMTP)
    mail["Return-Path"] = f"<{address(mover)}>"
    mail["Received"] = (
        "from out.example.org (out.example.org [192.0.2.7]) by mx.club.test; Thu, 1 Jan 2026 12:00:01 +0000"
    )
    mail["From"] = f"A Player <{address(mover)}>"
    mail["To"] = f"pbmserv <{writer}>"
    mail["Subject"] = f"Re: {asked['Subject']}"
    mail["Date"] = "Thu, 1 Jan 2026 12:00:00 +0000"
    mail["Message-ID"] = f"<move-{board.match.number}-{ply}@example.org>"
    mail["In-Reply-To"] = asked["Message-ID"]
    mail["References"] = f"{asked['References']} {asked['Message-ID']}"
    mail["User-Agent"] = "Some Mail Program 1.0"
    written = "".join(f"<div>{line}</div>" for line in lines)
    cite = f"On Thu, 1 Jan 2026 at 12:00, pbmserv &lt;{writer}&gt; wrote:<br>"
    quote = f'<blockquote class="gmail_quote" style="margin:0 0 0 .8ex">{html}</blockquote>'
    whole = (
        f'<div dir="ltr">{written}</div><br><div class="gmail_quote">'
        f'<div dir="ltr" class="gmail_attr">{cite}</div>{quote}</div>'
    )
    if html_alone:
        mail.set_content(whole, subtype="html")
        return mail.as_bytes()
    head = "".join(f"{line}\n" for line in lines)
    attribution = f"On Thu, 1 Jan 2026 at 12:00, pbmserv <{writer}> wrote:\n"
    mail.set_content(f"{head}\n{attribution}\n" + "".join(f"> {line}\n" for line in text.splitlines()))
    mail.add_alternative(whole, subtype="html")
    return mail.as_bytes()


def _part(mail: EmailMessage, kind: Literal["plain", "html"]) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    content: str = part.get_content()
    return content
