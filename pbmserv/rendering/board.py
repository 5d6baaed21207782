"""A board as one viewer sees it, ready for templates: players, diagram, moves, open captures.

The text layout is the one that players of such servers, and programs that read their mail, know.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from pbmserv.commands.vocabulary import ROBOTS
from pbmserv.games import games
from pbmserv.games.game import Move, Outcome, Scene, Seat
from pbmserv.matches.clock import Timing
from pbmserv.matches.log import EntryKind, Match, rules_of, title_of
from pbmserv.matches.replay import GameState
from pbmserv.matches.state import State, Turn
from pbmserv.rendering.accessible import AccessibleBoard, Holding, Strokes, accessible_board, holdings, strokes_of
from pbmserv.rendering.board_text import LISTED_WHILE_RUNNING, draw_moves, draw_sheet
from pbmserv.rendering.markup import Marked
from pbmserv.rendering.news import NOTHING_ELSE, BoardNotes, GameEvent, News, changes_in, news_of
from pbmserv.rendering.open_moves import OpenMoves, open_moves_of
from pbmserv.rendering.templates import render
from pbmserv.rendering.turn import (
    PendingOffer,
    RematchOffer,
    TimeLeft,
    TurnEvent,
    departures,
    pending_offer,
    rematch_offer,
    time_left,
    turn_events,
)


@dataclass(frozen=True, slots=True)
class Comment:
    """What a player wrote to the other players."""

    userid: str
    text: str


@dataclass(frozen=True, slots=True)
class BoardPlayers:
    """Who plays on a board, who is to move, and how they stand: userids, in the order of their seats."""

    userids: tuple[str, ...]
    to_move: str | None
    # Empty in games that have none.
    scores: tuple[tuple[str, int], ...]
    # Set once the game is over.
    outcome: Outcome | None
    # Those who have left the game so far.
    gone: tuple[str, ...]
    # Those whom the last turn put out, and those whom it made leave.
    eliminated: tuple[str, ...]
    left: tuple[str, ...]
    # What they have in hand; empty in games without hands.
    hands: tuple[Holding, ...] = ()
    # Whether a robot of this server is to move; only where it was asked for.
    waits_for_robot: bool = False
    # Whether the king of the side to move is attacked.
    is_in_check: bool = False

    @property
    def winners(self) -> tuple[str, ...]:
        """Who shares the first rank."""
        return self.ranked(1)

    @property
    def by_rank(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Every rank with the players who share it."""
        ranks = sorted(set(self.outcome.ranks)) if self.outcome else []
        return tuple((rank, self.ranked(rank)) for rank in ranks)

    def ranked(self, rank: int) -> tuple[str, ...]:
        """The players with a rank."""
        ranks = self.outcome.ranks if self.outcome else ()
        return tuple(userid for userid, each in zip(self.userids, ranks, strict=False) if each == rank)


@dataclass(frozen=True, slots=True)
class BoardDiagram:
    """A position as its game describes it for drawing, and drawn as text."""

    scene: Scene
    text: str


@dataclass(frozen=True, slots=True)
class MoveList:
    """The moves that are listed: the last few, or all of them."""

    turns: tuple[Turn, ...]
    # All of them, drawn as a table; empty if only the last few are listed.
    text: str

    @property
    def last_kind(self) -> EntryKind | None:
        """The kind of the last turn."""
        return self.turns[-1].kind if self.turns else None


@dataclass(frozen=True, slots=True)
class BoardWords:
    """Sentences about a board that the text and the HTML of a mail share, not yet laid out."""

    # What has happened and whose turn it is, or how the game ended.
    news: Marked
    # The last moves, and until when the turn lasts; empty if there are none.
    moves: Marked
    deadline: Marked


# Without slots, so that what is derived can be kept.
@dataclass(frozen=True)
class BoardView:
    """A board as one viewer sees it: the context of `board.txt`."""

    board: GameState
    # The userid of the reader; None for anybody.
    viewer: str | None
    # Set when an earlier moment is shown.
    ply: int | None
    # How many of the last moves are only tried, and not played.
    previewed: int
    players: BoardPlayers
    diagram: BoardDiagram
    moves: MoveList
    open_moves: OpenMoves
    # None if the present turn begins with this mail.
    timing: Timing | None = None
    comment: Comment | None = None
    # What the mail says of it beside what it shows.
    notes: BoardNotes = NOTHING_ELSE
    # The board's page, or the personal link to play there for a viewer whose turn it is; empty without a site.
    link: str = field(default="", repr=False)

    @property
    def match(self) -> Match:
        """The match with its log."""
        return self.board.match

    @property
    def state(self) -> State:
        """The state at the moment that is shown."""
        return self.board.state

    @property
    def number(self) -> int:
        """The number of the board."""
        return self.match.number

    @property
    def title(self) -> str:
        """The name of the game."""
        return title_of(self.match)

    @property
    def plies(self) -> int:
        """How many plies were played, without those that are only tried."""
        return self.state.plies - self.previewed

    @property
    def others(self) -> tuple[str, ...]:
        """The players that the viewer may write to, no robots; the name of somebody who has left has a blank."""
        others = (userid for userid in self.players.userids if userid != self.viewer)
        return tuple(userid for userid in others if not userid.startswith(ROBOTS) and " " not in userid)

    @property
    def is_viewers_turn(self) -> bool:
        """Whether the viewer is to move."""
        return self.is_present and self.viewer is not None and self.viewer == self.players.to_move

    @cached_property
    def time(self) -> TimeLeft | None:
        """How much time is left."""
        return time_left(self.board, self.timing) if self.is_present else None

    @cached_property
    def news(self) -> News | None:
        """What has happened; None of an earlier moment, and of what is only tried."""
        return news_of(self.board, self.viewer, self.time, self.notes) if self.is_present else None

    @cached_property
    def words(self) -> BoardWords:
        """What is said of it in text and in HTML."""
        return BoardWords(
            news=render("mail/news.txt" if self.news else "mail/standing.txt", view=self),
            moves=render("mail/last_moves.txt", view=self),
            deadline=render("mail/deadline.txt", view=self),
        )

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What the pieces of each player look like in text."""
        return tuple(side.mark for side in rules_of(self.match).info.sides[: len(self.players.userids)])

    @property
    def is_present(self) -> bool:
        """Whether the board is shown as it stands now."""
        return self.ply is None and not self.previewed

    @cached_property
    def departures(self) -> dict[Seat, EntryKind]:
        """How each player who left did so, by seat."""
        return departures(self.state)

    @cached_property
    def pending(self) -> PendingOffer | None:
        """The draw offer or takeback request that is waiting for an answer."""
        return pending_offer(self.board)

    @property
    def events(self) -> tuple[TurnEvent, ...]:
        """What happened in the present turn besides moves."""
        return turn_events(self.board) if self.is_present else ()

    @property
    def changes(self) -> tuple[GameEvent, ...]:
        """What the game itself tells of the last turn."""
        last = self.state.turns[-1].events if self.state.turns else ()
        return changes_in(self.match.game, self.diagram.scene.board.names, last, self.players.userids)

    @cached_property
    def rematch(self) -> RematchOffer | None:
        """What the viewer would start by asking for a rematch; None where they cannot."""
        return rematch_offer(self.board, self.viewer) if self.is_present else None

    @property
    def strokes(self) -> tuple[Strokes, ...]:
        """The walls and links on the board, by player."""
        return strokes_of(self.diagram.scene, self.players.userids)

    @property
    def accessible(self) -> AccessibleBoard:
        """The board in words."""
        last = self.moves.turns[-1] if self.moves.turns else None
        with_moves = self.is_viewers_turn or self.previewed > 0
        game, position = rules_of(self.match), self.state.position
        return accessible_board(game, position, self.diagram.scene, self.players.userids, last, with_moves)


def view_board(
    board: GameState,
    viewer: str | None = None,
    comment: Comment | None = None,
    whole: bool = False,
    ply: int | None = None,
    previewed: int = 0,
    timing: Timing | None = None,
    notes: BoardNotes = NOTHING_ELSE,
    begun: Move = (),
) -> BoardView:
    """The board as `viewer` (a userid; None for anybody) sees it; with `whole`, every move is listed.

    On a board where the last `previewed` moves were only tried, the captures possible after them are shown. Of a
    move that the viewer has `begun` the next steps are offered. `notes` is what else the mail says of the board.
    """
    match, state = board.match, board.state
    whole = whole or state.status != "active"
    game = rules_of(match)
    scene, text = _drawn(match.game, state.position)
    open_moves = OpenMoves()
    if previewed:
        open_moves = replace(open_moves_of(game, state.position, scene), example="")
    elif viewer is not None and viewer == board.on_turn and ply is None:
        open_moves = open_moves_of(game, state.position, scene, begun)
        if begun:
            text = draw_sheet(scene, [each.step for each in open_moves.choices if isinstance(each.step, int)])
    sides = game.info.sides[: len(match.userids)]
    return BoardView(
        board=board,
        viewer=viewer,
        ply=ply,
        previewed=previewed,
        players=_players(board, scene),
        diagram=BoardDiagram(scene, text),
        moves=MoveList(
            turns=state.turns if whole else state.turns[-LISTED_WHILE_RUNNING:],
            text=draw_moves(state, match.userids, sides) if whole else "",
        ),
        open_moves=open_moves,
        timing=timing,
        comment=comment,
        notes=notes,
    )


def _players(board: GameState, scene: Scene) -> BoardPlayers:
    userids, state = board.match.userids, board.state
    last = state.turns[-1].events if state.turns else ()
    return BoardPlayers(
        userids=userids,
        to_move=board.on_turn,
        scores=tuple(zip(userids, scene.scores, strict=True)) if scene.scores else (),
        outcome=state.outcome,
        hands=holdings(scene, userids),
        is_in_check=bool(scene.attacked),
        gone=tuple(userids[seat] for seat in state.gone),
        eliminated=tuple(userids[event.seat] for event in last if event.kind == "eliminated"),
        left=tuple(userids[event.seat] for event in last if event.kind == "left"),
    )


@lru_cache(maxsize=64)
def _drawn(game: str, position: Any) -> tuple[Scene, str]:
    """A position of the game of that name, drawn once for all its readers."""
    scene = games()[game].scene(position)
    return scene, draw_sheet(scene)
