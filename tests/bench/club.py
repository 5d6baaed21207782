"""A club for the benches: players, boards in the middle of their games, and the mails by which people play on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from functools import lru_cache
from itertools import count

from pbmserv.commands.decision import Decision, NewPlayer
from pbmserv.commands.replies import Moved
from pbmserv.games.cephalopod import info
from pbmserv.mail.read import envelope_sender_of
from pbmserv.matches.entry import Entry
from pbmserv.matches.match import Match, replay
from pbmserv.rendering.board import view_board
from pbmserv.rendering.environment import laid_out, render
from pbmserv.services.house import House
from pbmserv.services.intake import keep
from pbmserv.store import matches, players
from pbmserv.store.engine import writing
from tests.bench.test_playouts import playout
from tests.conftest import ADDRESS, NOON

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


@dataclass
class Club:
    """Pairs of players, each with any number of boards."""

    house: House
    pairs: int = 1
    _opened: "count[int]" = field(default_factory=count)

    def __post_init__(self) -> None:
        hashed = self.house.hasher.hash(PASSWORD)
        with writing(self.house.engine) as connection:
            for userid in (f"{side}{pair}" for pair in range(self.pairs) for side in ("alice", "bob")):
                players.keep(connection, NewPlayer(userid, address(userid), hashed), NOON)

    def open_board(self) -> Board:
        """A new board of the next pair, in the middle of a game."""
        opened = next(self._opened)
        userids = (f"alice{opened % self.pairs}", f"bob{opened % self.pairs}")
        moves = random_games()[opened % _GAMES]
        with writing(self.house.engine) as connection:
            number = matches.next_number(connection)
            empty = Match(number, info.name, info.rules, (), True, userids, userids[0], NOON)
            entries = tuple(
                Entry(number, ply, NOON + timedelta(hours=ply), "played", (ply - 1) % 2, move)
                for ply, move in enumerate(moves[:PLIES], 1)
            )
            after = replay(empty.with_entries(entries))
            matches.keep(
                connection,
                Decision(
                    Moved(number, moves[0]),
                    opened=empty,
                    entries=entries,
                    boards=(after,),
                ),
            )
        return Board(empty.with_entries(entries), moves)

    def take_in(self, raw: bytes) -> int:
        """Keeps a mail in the inbox."""
        return keep(self.house, raw, envelope_sender_of(raw), [ADDRESS], NOON)


@lru_cache(maxsize=1)
def random_games() -> tuple[list[str], ...]:
    """Games of two on 5x5 that are far from over at PLIES."""
    games = (playout(seed) for seed in count())
    long_enough = (game for game in games if len(game) > PLIES + _LATER)
    return tuple(next(long_enough) for _ in range(_GAMES))


def address(userid: str) -> str:
    """Where a player writes from."""
    return f"{userid}@example.org"


def move_mail(house: House, board: Board, ply: int = PLIES + 1, with_password: bool = False) -> bytes:
    """What a mail program makes of a move: plain text and HTML, the board mail quoted below in both."""
    mover, move = board.mover(ply), board.moves[ply - 1].lower()
    view = view_board(replay(board.match), mover)
    quoted = laid_out(render("mail/notice.txt", view=view, alone=True, server=house.server))
    proof = f"as {mover} {PASSWORD}\n" if with_password else ""
    text = f"{proof}{move}\n\nOn Thu, 1 Jan 2026 at 12:00, pbmserv <{ADDRESS}> wrote:\n"
    mail = EmailMessage(policy=SMTP)
    mail["Return-Path"] = f"<{address(mover)}>"
    mail["Received"] = (
        "from out.example.org (out.example.org [192.0.2.7]) by mx.club.test; Thu, 1 Jan 2026 12:00:01 +0000"
    )
    mail["From"] = f"A Player <{address(mover)}>"
    mail["To"] = f"pbmserv <{house.server.tagged('abcdefghijklmnopqrst')}>"
    mail["Subject"] = f"Re: Cephalopod Board {board.match.number}: {' vs '.join(board.match.userids)}"
    mail["Date"] = "Thu, 1 Jan 2026 12:00:00 +0000"
    mail["Message-ID"] = f"<move-{board.match.number}-{ply}@example.org>"
    mail["In-Reply-To"] = f"<b{board.match.number}.{ply - 1}.abcdefghijklmnopqrst@club.test>"
    mail["References"] = f"<b{board.match.number}@club.test> {mail['In-Reply-To']}"
    mail["User-Agent"] = "Some Mail Program 1.0"
    mail.set_content(text + "".join(f"> {line}\n" for line in quoted.splitlines()))
    shown = text.replace("<", "&lt;").replace("\n", "<br>\n")
    mail.add_alternative(f"<div>{shown}</div><blockquote><pre>{quoted}</pre></blockquote>", subtype="html")
    return mail.as_bytes()
