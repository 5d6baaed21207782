"""Playing by the personal links of a mail: what is sent from a page becomes a mail like any other.

A link's key allows moves on the boards that its mail named, by the player whom the mail went to, and nothing else.
It plays on until a newer mail with a link to the board has been out for a week. The mail is written as the player
would answer, from the address that ours went to, and kept in the same inbox: whatever holds for an answer by mail
holds for it. It counts for the ply that the page showed.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal

from pbmserv.commands.letter import AT_ONCE
from pbmserv.games.game import MoveError, Seat
from pbmserv.mail.reading.answered import without_keys, without_tokens
from pbmserv.mail.reading.headers import head_of, sender_of
from pbmserv.mail.reading.inspect import open_mail
from pbmserv.mail.reading.read import read
from pbmserv.mail.sending.from_web import LinkedMove, came_by_link, link_id_of, write_by_link
from pbmserv.matches.log import rules_of
from pbmserv.matches.player import Player
from pbmserv.matches.queries import BoardRow, ListingQuery
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from pbmserv.services.sender import WORDS_LAST
from pbmserv.store import letters, mail_history, mail_tokens, matches, players
from pbmserv.store.engine import reading, writing
from pbmserv.store.mail_history import MailOutcome
from pbmserv.store.mail_tokens import PlayLinkMail
from pbmserv.store.queries import TransactionQueries

Outcome = Literal["waits", "played", "refused", "twice", "unanswered"]
"""What became of a mail from the page: it is kept and waits; its move was played, or not, and it was answered; it
was a second copy; it brought no answer."""

_OUTCOMES: Final[dict[str, Outcome]] = {"waiting": "waits", "duplicate": "twice"}

REPLACED_AFTER: Final = timedelta(days=7)
"""How long a newer mail with a link to the board has been out when an older link stops playing there."""

LATE_AFTER: Final = timedelta(days=1)
"""A link that is first used later than this may have been found by somebody else: its player learns of it."""


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A personal link that still counts: its mail, its reader, and where a newer link counts instead."""

    mail: PlayLinkMail
    player: Player
    replaced: frozenset[int]
    key: str = field(repr=False)

    def plays_on(self, number: int) -> bool:
        """Whether it plays on a board of its reader."""
        return number in dict(self.mail.shown) and number not in self.replaced


@dataclass(frozen=True, slots=True)
class PlayLink:
    """What a personal link leads to: a board, and the seat of its reader."""

    board: GameState
    seat: Seat
    mail: PlayLinkMail
    # Whether a newer link has replaced it.
    is_past: bool
    # Whether mail to its reader bounces.
    is_suspended: bool
    key: str = field(repr=False)

    @property
    def is_open(self) -> bool:
        """Whether its reader can move by it now."""
        return not self.is_past and self.board.state.to_move == self.seat

    @property
    def userid(self) -> str:
        """Its reader."""
        return self.board.match.userids[self.seat]

    @property
    def mark(self) -> str:
        """What tells the mails that came by it."""
        return link_id_of(mail_tokens.digest(self.key), self.mail.message_id)


@dataclass(frozen=True, slots=True)
class MoveForm:
    """What is sent from a page: a move, words to the other players, and where the game stood on that page."""

    move: str
    words: str
    # The plies, and all that were ever played, with those taken back.
    plies: int
    played: int


@dataclass(frozen=True, slots=True)
class PostedMove:
    """A mail from the page: its number in the inbox, and what its second copies share with it."""

    mail_id: int
    content_key: str


@dataclass(frozen=True, slots=True)
class PlayLinkVisit:
    """What came of a mail from the page: the text of its answer, and the board as it stands now."""

    outcome: Outcome
    answer: str
    board: GameState


def find_link(app: App, key: str, now: datetime) -> OpenLink | None:
    """The personal link with that key; None when it stands in no mail that still counts.

    A mail counts as long as an answer to it would, its words are kept, and the address that it went to is its
    player's.
    """
    with reading(app.engine) as connection:
        mail = mail_tokens.find_play_link(connection, key)
        if mail is None or mail.written <= now - WORDS_LAST:
            return None
        player = players.find_at(connection, mail.recipient)
        if player is None or player.id != mail.player_id:
            return None
        return OpenLink(mail, player, mail_tokens.replaced_by(connection, mail, now - REPLACED_AFTER), key)


def find_play_link(app: App, number: int, key: str, now: datetime) -> PlayLink | None:
    """What the link of a board with that key leads to; None when its mail did not name the board, or is gone."""
    link = find_link(app, key, now)
    if link is None or number not in dict(link.mail.shown):
        return None
    with reading(app.engine) as connection:
        board = matches.replayed(connection, number, app.recent.find(number))
    seat = None if board is None else board.match.seat_of(link.player.userid)
    if board is None or seat is None:
        return None
    app.recent.remember([board])
    return PlayLink(board, seat, link.mail, number in link.replaced, link.player.is_suspended, key)


def times_played(board: GameState) -> int:
    """All plies that were ever played on a board, with those taken back: it never gets less."""
    return sum(entry.kind == "played" for entry in board.match.entries)


def is_current(link: PlayLink, form: MoveForm) -> bool:
    """Whether the page that a form was sent from shows the board as it stands."""
    return (form.plies, form.played) == (link.board.state.plies, times_played(link.board))


def is_done(link: PlayLink, form: MoveForm) -> bool:
    """Whether the move of a form from an older page was played right there: the button was pressed twice."""
    turn = next((turn for turn in link.board.state.turns if turn.ply == form.plies + 1), None)
    if turn is None or turn.seat != link.seat:
        return False
    return _notation(link.board.at(form.plies), form.move) == turn.move


def play(app: App, link: PlayLink, form: MoveForm, now: datetime) -> PostedMove | None:
    """Keeps the mail that plays a move by an open link, from a current page; None when that is no move there.

    Nothing but a legal move makes a mail: what else stands in a move's place in a command, such as giving up, is
    not what the link is for.
    """
    notation = _notation(link.board, form.move)
    if notation is None or not link.is_open or not is_current(link, form):
        return None
    # The address that the mail came from: an answer to it proves whose move it is.
    address = sender_of(head_of(link.mail.raw)) or app.server.address
    mail = LinkedMove(
        sender=link.mail.recipient,
        recipient=address,
        answers=link.mail.message_id,
        command=f"move {link.board.match.number} {notation.lower()}#{form.plies + 1}",
        words=form.words,
        link_id=link.mark,
        # What was taken back may be played once more.
        turn=str(form.played),
    )
    if link.mail.used_at is None:
        with writing(app.engine) as connection:
            mail_tokens.note_use(connection, link.mail, now, is_late=now > link.mail.written + LATE_AFTER)
    raw = write_by_link(mail, now)
    content_key = read(raw, mail.sender, app.server.address, app.server.delimiter).content_key
    return PostedMove(receive_mail(app, raw, mail.sender, [address], now), content_key)


def settled(app: App, sent: PostedMove) -> int | None:
    """The number of the mail that tells what became of it, which is its first copy; None as long as it waits."""
    with reading(app.engine) as connection:
        if mail_history.status_of(connection, sent.mail_id) == "waiting":
            return None
        if any(due <= AT_ONCE for due in letters.caused_by(connection, sent.mail_id)):
            return None
        first = mail_history.find_by_content(connection, sent.content_key)
    return first or sent.mail_id


def load_outcome(app: App, link: PlayLink, mail_id: int) -> PlayLinkVisit | None:
    """What became of a mail from the page; None when no such mail came by that link."""
    with reading(app.engine) as connection:
        fate = mail_history.find_outcome(connection, mail_id)
        if fate is None or not came_by_link(fate.raw, link.mark):
            return None
        raw = mail_history.reply_to(connection, mail_id, link.mail.player_id)
        number = link.board.match.number
        board = matches.replayed(connection, number, app.recent.find(number)) or link.board
    answer, server = open_mail(raw).text if raw else "", app.server
    # It is shown to anybody who has this link, which must lead to no other.
    safe = without_keys(without_tokens(answer, server.address, server.delimiter))
    return PlayLinkVisit(_outcome(link, board, fate, answer), safe, board)


def _notation(board: GameState, move: str) -> str | None:
    game, position = rules_of(board.match), board.state.position
    try:
        return game.write(position, game.read(position, move))
    except MoveError:
        return None


def _outcome(link: PlayLink, board: GameState, fate: MailOutcome, answer: str) -> Outcome:
    if fate.status != "handled":
        return _OUTCOMES.get(fate.status, "unanswered")
    # Two moves may be kept at the same moment.
    asked = open_mail(fate.raw).text.partition("\n")[0].rpartition("#")[0]
    has_played = any(
        each.kind == "played"
        and each.seat == link.seat
        and each.at == fate.received_at
        and asked == f"move {each.match} {each.text.lower()}"
        for each in board.match.entries
    )
    return "played" if has_played else "refused" if answer else "unanswered"


MOST_SHOWN: Final = 100
"""Boards on a desk. Who has more sees the most urgent ones."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The boards of the reader of a link: those that wait for them, the most urgent first, and the others."""

    link: OpenLink
    waiting: tuple[BoardRow, ...]
    # The last played on first.
    others: tuple[BoardRow, ...]
    # How many wait in all.
    total: int

    @property
    def userid(self) -> str:
        """Whose desk it is."""
        return self.link.player.userid

    def next_after(self, number: int) -> int | None:
        """The most urgent board besides one on which the link can play; None where there is none."""
        return next(
            (line.number for line in self.waiting if line.number != number and self.link.plays_on(line.number)),
            None,
        )


def load_desk(app: App, key: str, now: datetime) -> Desk | None:
    """The desk behind a key; None when it stands in no mail that still counts."""
    link = find_link(app, key, now)
    if link is None:
        return None
    userids = (link.player.userid,)
    with reading(app.engine) as connection:
        wanted = ListingQuery(userids=userids, filter="next", count=MOST_SHOWN, with_practice=True)
        records = TransactionQueries(connection)
        waiting = records.boards(wanted)
        running = records.boards(ListingQuery(userids=userids, count=2 * MOST_SHOWN))
    others = tuple(line for line in running.lines if line.to_move != link.player.userid)
    return Desk(link, waiting.lines, others[:MOST_SHOWN], waiting.total)
