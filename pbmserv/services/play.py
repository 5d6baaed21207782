"""Playing by the personal link of a board mail: what is sent from the page becomes a mail like any other.

The link's key allows one thing: the next ply after the one that its mail showed, on that board, by the player whom
the mail went to. So it is spent when that ply is played. The mail is written as the player would answer, from the
address that ours went to, and kept in the same inbox: whatever holds for an answer by mail holds for it.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from pbmserv.games.game import MoveError, Seat
from pbmserv.mail.reading.answered import without_keys, without_tokens
from pbmserv.mail.reading.inspect import open_mail
from pbmserv.mail.reading.read import head_of, read, sender_of
from pbmserv.mail.sending.from_web import LinkedMove, came_by_link, link_id_of, write_by_link
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState
from pbmserv.services.app import App
from pbmserv.services.receive import receive_mail
from pbmserv.services.sender import WORDS_LAST
from pbmserv.store import mail_tokens, matches, outcomes, players
from pbmserv.store.engine import reading
from pbmserv.store.mail_tokens import PlayLinkMail
from pbmserv.store.outcomes import MailOutcome

Outcome = Literal["waits", "played", "refused", "twice", "unanswered"]
"""What became of a mail from the page: it is kept and waits; its move was played, or not, and it was answered; it
was a second copy; it brought no answer."""

_OUTCOMES: Final[dict[str, Outcome]] = {"waiting": "waits", "duplicate": "twice"}


@dataclass(frozen=True, slots=True)
class PlayLink:
    """What a personal link leads to: a board, the seat of its reader, and the ply that its mail showed."""

    board: GameState
    seat: Seat
    ply: int
    mail: PlayLinkMail
    key: str = field(repr=False)

    @property
    def is_open(self) -> bool:
        """Whether the ply that may be played by it is the next one, and its reader's."""
        state = self.board.state
        return state.to_move == self.seat and state.plies == self.ply

    @property
    def userid(self) -> str:
        """Its reader."""
        return self.board.match.userids[self.seat]

    @property
    def mark(self) -> str:
        """What tells the mails that came by it."""
        return link_id_of(self.key, self.mail.message_id)


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


def find_play_link(app: App, number: int, key: str, now: datetime) -> PlayLink | None:
    """What the link of a board with that key leads to; None when it stands in no mail that still counts.

    A mail counts as long as an answer to it would, its words are kept, and the address that it went to is its
    player's.
    """
    with reading(app.engine) as connection:
        mail = mail_tokens.find_play_link(connection, key)
        if mail is None or mail.written <= now - WORDS_LAST:
            return None
        ply = dict(mail.shown).get(number)
        player = players.find_at(connection, mail.recipient) if ply is not None else None
        if ply is None or player is None or player.id != mail.player_id:
            return None
        board = matches.replayed(connection, number, app.recent.find(number))
    seat = None if board is None else board.match.seat_of(player.userid)
    if board is None or seat is None:
        return None
    app.recent.remember([board])
    return PlayLink(board, seat, ply, mail, key)


def play(app: App, link: PlayLink, move: str, words: str, now: datetime) -> PostedMove | None:
    """Keeps the mail that plays a move by an open door; None when that is no move there.

    `words` go to the other players. Nothing but a legal move makes a mail: what else stands in a move's place in a
    command, such as giving up, is not what the link is for.
    """
    notation = _notation(link.board, move)
    if notation is None or not link.is_open:
        return None
    # The address that the mail came from: an answer to it proves whose move it is.
    address = sender_of(head_of(link.mail.raw)) or app.server.address
    played = sum(entry.kind == "played" for entry in link.board.match.entries)
    mail = LinkedMove(
        sender=link.mail.recipient,
        recipient=address,
        answers=link.mail.message_id,
        command=f"move {link.board.match.number} {notation.lower()}#{link.ply + 1}",
        words=words,
        link_id=link.mark,
        # What was taken back may be played once more.
        turn=str(played),
    )
    raw = write_by_link(mail, now)
    content_key = read(raw, mail.sender, app.server.address, app.server.delimiter).content_key
    return PostedMove(receive_mail(app, raw, mail.sender, [address], now), content_key)


def settled(app: App, sent: PostedMove) -> int | None:
    """The number of the mail that tells what became of it, which is its first copy; None as long as it waits."""
    with reading(app.engine) as connection:
        if outcomes.status_of(connection, sent.mail_id) == "waiting":
            return None
        first = outcomes.find_by_content(connection, sent.content_key)
    return first or sent.mail_id


def load_outcome(app: App, link: PlayLink, mail_id: int) -> PlayLinkVisit | None:
    """What became of a mail from the page; None when no such mail came by that link."""
    with reading(app.engine) as connection:
        fate = outcomes.find_outcome(connection, mail_id)
        if fate is None or not came_by_link(fate.raw, link.mark):
            return None
        raw = outcomes.reply_to(connection, mail_id, link.mail.player_id)
    answer, server = open_mail(raw).text if raw else "", app.server
    # It is shown to whoever has this link, which must lead to no other.
    safe = without_keys(without_tokens(answer, server.address, server.delimiter))
    return PlayLinkVisit(_outcome(link, fate, answer), safe, link.board)


def _notation(board: GameState, move: str) -> str | None:
    game, position = rules_of(board.match), board.state.position
    try:
        return game.write(position, game.read(position, move))
    except MoveError:
        return None


def _outcome(link: PlayLink, fate: MailOutcome, answer: str) -> Outcome:
    if fate.status != "handled":
        return _OUTCOMES.get(fate.status, "unanswered")
    entries = link.board.match.entries
    has_played = any(
        each.kind == "played" and each.seat == link.seat and each.at == fate.received_at for each in entries
    )
    return "played" if has_played else "refused" if answer else "unanswered"
