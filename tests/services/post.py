"""A house and its post: mails in, what became of each, letters out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pbmserv.commands.command import Decision
from pbmserv.commands.move import MovePlayed
from pbmserv.games.game import Game
from pbmserv.mail.reading.headers import one_address
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState, replay
from pbmserv.services.app import App
from pbmserv.services.play import MoveForm, PlayLink, times_played
from pbmserv.services.receive import receive_mail
from pbmserv.services.views import list_inbox, list_outbox, list_players, load_board
from pbmserv.services.worker import process_some
from pbmserv.store import matches
from pbmserv.store.engine import writing
from pbmserv.store.inbox import InboxMessage
from pbmserv.store.outbox import QueuedMessage
from tests.conftest import ADDRESS, NOON, Clock
from tests.conversation import parsed
from tests.services.copies import copy_for, is_untouched, keep_copy, put_back

MOST = 10_000
FEW = 20
"""So many letters are looked at first, which is mostly all that a mail brings."""


@dataclass
class Post:
    """The post of one house, on a clock that stands until it is moved."""

    house: App
    clock: Clock = field(default_factory=Clock)
    written: int = 0

    def write(self, sender: str, subject: str = "", text: str = "", **headers: str) -> bytes:
        """A plain mail; in the names of further headers `_` stands for `-`."""
        self.written += 1
        given = {
            "From": sender,
            "To": ADDRESS,
            "Message-ID": f"<in-{self.written}@example.org>",
            "Subject": subject,
        }
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        body = text.replace("\n", "\r\n")
        return f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{body}\r\n".encode()

    def put(
        self, raw: bytes, envelope_sender: str = "somebody@example.org", recipients: Sequence[str] = (ADDRESS,)
    ) -> int:
        """Keeps a mail and gives its number."""
        return receive_mail(self.house, raw, envelope_sender, recipients, self.clock())

    def work(self) -> None:
        """Handles all that may be handled by now."""
        while process_some(self.house, self.clock):
            pass

    def send(
        self, raw: bytes, envelope_sender: str = "somebody@example.org", recipients: Sequence[str] = (ADDRESS,)
    ) -> list[QueuedMessage]:
        """Keeps a mail, handles what waits, and gives the letters that this brought, in their order."""
        newest = list_outbox(self.house, None, 1)
        last = newest[0].id if newest else 0
        self.put(raw, envelope_sender, recipients)
        self.work()
        found = list_outbox(self.house, None, FEW)
        if found and found[-1].id > last:
            found = list_outbox(self.house, None, MOST)
        return [letter for letter in reversed(found) if letter.id > last]

    def mail(self, sender: str, subject: str = "", text: str = "", **headers: str) -> list[QueuedMessage]:
        """Writes and sends a mail."""
        return self.send(self.write(sender, subject, text, **headers), sender)

    def answer(
        self, letter: QueuedMessage, text: str = "", sender: str = "", **headers: str
    ) -> list[QueuedMessage]:
        """Answers a letter as mail programs do; from the address that it went to, or from another one."""
        sender = sender or letter.recipient
        given = {"To": header_of(letter, "From"), "In_Reply_To": header_of(letter, "Message-ID")} | headers
        raw = self.write(sender, f"Re: {header_of(letter, 'Subject')}", text, **given)
        return self.send(raw, sender, [address_of(letter)])

    def letters(self) -> list[QueuedMessage]:
        """All that was ever queued, in order."""
        return [*reversed(list_outbox(self.house, None, MOST))]

    def inbox(self) -> list[InboxMessage]:
        """All that was ever kept, in order."""
        return [*reversed(list_inbox(self.house, None, MOST))]

    def row(self, mail_id: int) -> InboxMessage:
        """One mail of the inbox."""
        return next(kept for kept in self.inbox() if kept.id == mail_id)

    def fates(self) -> list[str]:
        """What became of each mail, in order."""
        return [kept.status for kept in self.inbox()]

    def people(self, **passwords: str) -> None:
        """Signs up players by userid and password, each at userid@example.org, who answer what they are asked."""
        is_first = self.written == 0 and self.clock() == NOON and is_untouched(self.house)
        if is_first and (copy := copy_for(self.house, passwords)):
            put_back(self.house, copy)
            self.written = copy.mails
            return
        self._sign_up(passwords)
        if is_first:
            keep_copy(self.house, passwords, self.written)

    def _sign_up(self, passwords: dict[str, str]) -> None:
        for userid, password in passwords.items():
            (letter,) = self.mail(f"{userid}@example.org", f"signup {userid} {password}")
            if self.house.server.confirm == "ask":
                self.answer(letter, "yes")
            assert self.is_confirmed(userid), text_of(letter)

    def with_server(self, **changes: str) -> "Post":
        """The same post with other settings."""
        return Post(replace(self.house, server=replace(self.house.server, **changes)), self.clock, self.written)  # type: ignore[arg-type]

    def is_confirmed(self, userid: str) -> bool:
        """Whether there is such a player, whose address was answered from."""
        return any(player.userid == userid and player.is_confirmed for player in list_players(self.house))

    def moves(self, board: int = 101) -> list[str]:
        """What was played on a board."""
        seen = load_board(self.house, board)
        assert seen is not None, f"there is no board {board}"
        return [entry.text for entry in seen.match.entries if entry.kind == "played"]

    def sent_to(self, address: str) -> list[QueuedMessage]:
        """Every letter to an address, in order."""
        return [letter for letter in self.letters() if letter.recipient == address]


def text_of(letter: QueuedMessage) -> str:
    """What a letter says in plain text."""
    plain = parsed(letter.raw).get_body(("plain",))
    assert plain is not None
    content: str = plain.get_content()
    return content.replace("\r\n", "\n")


def header_of(letter: QueuedMessage, name: str) -> str:
    """A header of a letter."""
    head = letter.raw.partition(b"\r\n\r\n")[0].decode()
    return next(
        line.partition(": ")[2] for line in head.split("\r\n") if line.lower().startswith(f"{name.lower()}:")
    )


def address_of(letter: QueuedMessage) -> str:
    """The address that a letter comes from, to which answers go."""
    found = one_address([header_of(letter, "From").encode()])
    assert found is not None
    return found


def token_of(letter: QueuedMessage) -> str:
    """The token that a letter bears in the address that it comes from."""
    return address_of(letter).partition("@")[0].rpartition("+")[2]


def word_of(letter: QueuedMessage) -> str:
    """The word that names a question where our address has no room for it."""
    found: list[str] = re.findall(r"(?m)^    yes ([a-z0-9]+)$", text_of(letter))
    return found[-1]


def thread_word_of(letter: QueuedMessage) -> str:
    """The word that a letter bears in its Message-ID."""
    return header_of(letter, "Message-ID").partition("@")[0].rpartition(".")[2].removeprefix("<")


def form_of(link: PlayLink, move: str, words: str = "") -> MoveForm:
    """What a page that shows the board as it was found sends."""
    return MoveForm(move, words, link.board.state.plies, times_played(link.board))


def board_of(post: Post, number: int = 101) -> GameState:
    """A board as it stands."""
    seen = load_board(post.house, number)
    assert seen is not None, f"there is no board {number}"
    return replay(seen.match)


def begin_played(post: Post, game: Game, texts: str) -> None:
    """Board 101 of alice and bob, with moves on it; only the last of them comes by mail."""
    people = ("alice@example.org", "bob@example.org")
    post.people(alice="sesame", bob="poppy")
    post.mail(people[0], f"{game.info.name} challenge alice bob")
    *earlier, last = texts.split()
    board = board_of(post)
    with writing(post.house.engine) as connection:
        for text in earlier:
            entry = play(board, board.state.to_move or 0, text, None, post.clock())
            board = board.apply(entry)
            matches.write(connection, Decision(MovePlayed(101, entry.text), entries=(entry,), boards=(board,)))
    post.mail(people[board.state.to_move or 0], f"101 {last}")
