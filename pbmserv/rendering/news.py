"""What a board mail says first: what happened since its reader last moved, and whose turn it is, for templates."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from pbmserv.games.game import Event, Seat
from pbmserv.matches.log import EntryKind, rules_of
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import State, Turn
from pbmserv.rendering.turn import PendingOffer, TimeLeft, TurnEvent, ends_by_pass, pending_offer, turn_events

Opening = Literal["challenge", "rematch", "offer"]
"""How a game came about: somebody challenged the others, wanted it again, or had offered it to anybody."""

MOST_TOLD: Final = 6
"""At most this many moves are listed; of more, the last ones."""

MOST_NAMED: Final = 4
"""At most this many captured cells are named; of more, only the number."""


@dataclass(frozen=True, slots=True)
class BoardNotes:
    """What a mail about a board says in addition to the board itself."""

    # Sentences for the reader: before the news, between the news and the board, below the board.
    first: tuple[str, ...] = ()
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    # After which entry of the log the news begins; None: after the reader's own last turn.
    since: int | None = None
    # How a new game came about, if not by a challenge or a rematch.
    opening: Opening | None = None
    # Whether the mail reports the events elsewhere, so that the news says only whose turn it is.
    is_told: bool = False


NOTHING_ELSE: Final = BoardNotes()


@dataclass(frozen=True, slots=True)
class GameEvent:
    """What happened in a turn that only its game knows, and tells in its rules text."""

    game: str
    # The name of the sentence.
    what: str
    userid: str
    cells: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class NewsMove:
    """What one player did in one turn."""

    userid: str
    # How it came to be: "played", or how they left.
    kind: EntryKind
    # The move, with a blank in it only if books write it so; empty if they left.
    text: str
    # The cells on which something was captured, and how many these are.
    captured: tuple[str, ...]
    captures: int
    has_passed: bool
    has_swapped: bool
    # Whether it directly follows a move of the reader's that is listed too, in a game for two.
    is_answer: bool
    # Who had to pass after it, and whom it put out.
    had_to_pass: tuple[str, ...]
    eliminated: tuple[str, ...]
    # What the game itself tells of it.
    changes: tuple[GameEvent, ...]


@dataclass(frozen=True, slots=True)
class News:
    """The news of a board for one reader: the context of `news.txt`."""

    # The reader's userid; None for anybody.
    reader: str | None
    # Whether the reader plays, or only watches.
    is_player: bool
    # How the game came about, before its first move; None later.
    opening: Opening | None
    moves: tuple[NewsMove, ...]
    # What was done that is no move, and what waits for an answer.
    events: tuple[TurnEvent, ...]
    pending: PendingOffer | None
    # Who is to move; None when the game is over.
    to_move: str | None
    # How long the reader has for the turn that is theirs; None if there is no limit or no turn.
    left: timedelta | None
    # Whether the game would be over if they passed, too.
    ends_by_pass: bool
    # The reader's rank in a finished game of three and more.
    rank: int | None

    @property
    def is_readers_turn(self) -> bool:
        """Whether the reader is to move."""
        return self.reader is not None and self.reader == self.to_move

    @property
    def last_mover(self) -> str:
        """Who made the last of the moves told; empty if none is."""
        return self.moves[-1].userid if self.moves and self.moves[-1].text else ""


def news_of(board: GameState, reader: str | None, time: TimeLeft | None, notes: BoardNotes) -> News:
    """The news of a board as it stands for a reader (a userid, or None for anybody)."""
    state, userids = board.state, board.match.userids
    seat = None if reader is None else board.match.seat_of(reader)
    events, pending = ((), None) if notes.is_told else (_events(board, notes.since), pending_offer(board))
    is_told = notes.is_told and notes.opening is None
    is_new = notes.since is None and not (is_told or state.turns or events or pending) and state.status == "active"
    is_turn = reader is not None and reader == board.on_turn
    outcome = state.outcome
    return News(
        reader=reader,
        is_player=seat is not None,
        opening=(notes.opening or ("rematch" if board.match.after else "challenge")) if is_new else None,
        moves=() if notes.is_told else _moves(board, seat, notes.since),
        events=events,
        pending=pending,
        to_move=board.on_turn,
        left=time.left if is_turn and time and time.left is not None and not time.stopped else None,
        ends_by_pass=ends_by_pass(board),
        rank=outcome.ranks[seat] if outcome and seat is not None and len(userids) > 2 else None,
    )


def _moves(board: GameState, reader: Seat | None, since: int | None) -> tuple[NewsMove, ...]:
    """The moves that are told: after an entry, or after the reader's own last turn.

    Then none, where something else was done since the last one, but for an offer that came with it.
    """
    if since is None:
        if (_events(board, None) or board.state.offer is not None) and not _is_of_one_mail(board):
            return ()
        since = _own_last(board.state, reader)
    told = [place for place, turn in enumerate(board.state.turns) if turn.seq > since][-MOST_TOLD:]
    return tuple(_told(board, place, reader if place > told[0] else None) for place in told)


def _own_last(state: State, seat: Seat | None) -> int:
    """The entry of a seat's own last turn, or the one before if nothing followed it; for watchers, of any turn."""
    if not state.turns:
        return 0
    last = state.turns[-1].seq
    own = last if seat is None else max((turn.seq for turn in state.turns if turn.seat == seat), default=0)
    return own - 1 if own and (own == last or state.status != "active") else own


def _is_of_one_mail(board: GameState) -> bool:
    """Whether what was last done besides moves came in the same mail as the last move."""
    since = board.state.since
    played = next((each for each in reversed(board.match.entries) if each.kind == "played"), None)
    return played is not None and bool(since) and since[-1].at == played.at and since[-1].kind == "proposed"


def _events(board: GameState, since: int | None) -> tuple[TurnEvent, ...]:
    """What was done on a running board after an entry (None: by the last one) that is no move and no offer."""
    state = board.state
    if not state.since:
        return ()
    after = state.entries - 1 if since is None else since
    has_paused = state.is_paused and any(each.kind == "paused" and each.seq > after for each in state.since)
    return (*turn_events(board, after), *([TurnEvent("paused")] if has_paused else ()))


def _written(board: GameState, turn: Turn) -> str:
    """A move as books write it, with its number (`12. O-O`, `7... Nf6`), or else as its game does."""
    rules = rules_of(board.match)
    if turn.move is None or turn.ply is None or not hasattr(rules, "san"):
        return turn.move or ""
    position = board.at(turn.ply - 1).state.position
    number = f"{(turn.ply + 1) // 2}{'.' if turn.ply % 2 else '...'}"
    return f"{number} {rules.san(position, rules.read(position, turn.move))}"


def _told(board: GameState, place: int, reader: Seat | None) -> NewsMove:
    """What a turn says; `reader` is the seat whose move, if it came right before, this one answers."""
    turns, userids = board.state.turns, board.match.userids
    turn = turns[place]
    names = rules_of(board.match).scene(board.state.position).board.names
    captured = tuple(names[cell] for event in turn.events if event.kind == "captured" for cell in event.cells)
    before = turns[place - 1] if place else None
    passed = [event.seat for event in turn.events if event.kind == "passed"]
    return NewsMove(
        userid=userids[turn.seat],
        kind=turn.kind,
        text=_written(board, turn),
        captured=captured if len(captured) <= MOST_NAMED else (),
        captures=len(captured),
        has_passed=turn.seat in passed,
        has_swapped=any(event.kind == "swapped" for event in turn.events),
        is_answer=before is not None and before.seat == reader != turn.seat and len(userids) == 2,
        had_to_pass=tuple(userids[seat] for seat in passed if seat != turn.seat),
        eliminated=tuple(userids[event.seat] for event in turn.events if event.kind == "eliminated"),
        changes=changes_in(board.match.game, names, turn.events, userids),
    )


def changes_in(
    game: str, names: Sequence[str], events: Iterable[Event], userids: Sequence[str]
) -> tuple[GameEvent, ...]:
    """What a game itself tells of these events; `names` are those of the board's cells."""
    return tuple(
        GameEvent(game, event.piece, userids[event.seat], tuple(names[cell] for cell in event.cells), event.count)
        for event in events
        if event.kind == "changed"
    )
