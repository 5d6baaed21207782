"""A board as a value ready for its templates: the drawn squares, the columns of moves, what can be captured.

The drawing follows the layout that players of such servers, and the programs that read their mail, know.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pbmserv.games.game import Captured, Eliminated, Game, Left, Outcome, Scene, Seat, Side
from pbmserv.games.library import games
from pbmserv.matches.clock import Timing
from pbmserv.matches.entry import EntryKind
from pbmserv.matches.match import rules_of
from pbmserv.matches.replay import Replayed
from pbmserv.matches.state import Ending, State, Status, Turn, rounds
from pbmserv.rendering.environment import WIDTH
from pbmserv.rendering.happened import LEAVES, Happening, Pending, departures, happened, pending
from pbmserv.rendering.time_left import TimeLeft, time_left
from pbmserv.rendering.words import ToldBoard, tell_board

_LINES_WHILE_RUNNING = 4
_LIST_WHILE_RUNNING = 8
_NARROWEST_COLUMN = 14


@dataclass(frozen=True, slots=True)
class Comment:
    """What a player wrote to the others."""

    userid: str
    text: str


@dataclass(frozen=True, slots=True)
class BoardView:
    """The context of `board.txt`.

    `moves` and `squares` are drawn text. `captures` are the captures open to the player on turn where a square
    leaves no choice: the square, and what it takes; `choices` are the moves of each square that leaves one, in
    lower case. `example` is a legal move as a person types it; it and they are empty unless the viewer is on turn.
    `started_by` is the userid of whoever began the match; `eliminated` and `left` are those that the last turn put
    out. `ply` is set when an earlier moment is shown. Of a line that is only tried the last `imagined` plies are
    not played, and `plies` counts none of them. `board` is what all this is a view of, `timing` what is known of
    its present turn (None: it begins with this mail); `remarks` are sentences that stand above it. `scene` and
    `turns` (those that `moves` shows) are for who draws the board anew. `link` is where it stands on the web, for
    a viewer on turn by a personal link by which they can play there; empty where there are no pages.
    """

    number: int
    game: str
    title: str
    userids: tuple[str, ...]
    status: Status
    to_move: str | None
    outcome: Outcome | None
    scores: tuple[tuple[str, int], ...]
    gone: tuple[str, ...]
    moves: str
    turns: tuple[Turn, ...]
    position: Any
    scene: Scene
    squares: str
    captures: tuple[tuple[str, tuple[str, ...]], ...]
    choices: tuple[tuple[str, ...], ...]
    example: str
    eliminated: tuple[str, ...]
    left: tuple[str, ...]
    plies: int
    started_by: str
    viewer: str | None
    ply: int | None
    comment: Comment | None
    board: Replayed
    timing: Timing | None = None
    remarks: tuple[str, ...] = ()
    imagined: int = 0
    link: str = field(default="", repr=False)

    @property
    def is_viewers_turn(self) -> bool:
        """Whether whoever gets this is to move."""
        return self.is_present and self.viewer is not None and self.viewer == self.to_move

    @property
    def time(self) -> TimeLeft | None:
        """How much time is left."""
        return time_left(self.board, self.timing) if self.is_present else None

    @property
    def is_present(self) -> bool:
        """Whether the board is shown as it stands now."""
        return self.ply is None and not self.imagined

    @property
    def ending(self) -> Ending | None:
        """How the finished game came to its end."""
        return self.board.state.ending

    @property
    def last_kind(self) -> EntryKind | None:
        """What the last thing in the story is."""
        return self.turns[-1].kind if self.turns else None

    @property
    def departures(self) -> dict[Seat, EntryKind]:
        """How those went who have gone, by seat."""
        return departures(self.board.state)

    @property
    def pending(self) -> Pending | None:
        """The draw or take-back that waits for consent."""
        return pending(self.board)

    @property
    def happened(self) -> tuple[Happening, ...]:
        """What happened in the present turn and was no move."""
        return happened(self.board) if self.is_present else ()

    @property
    def first_of_rematch(self) -> str:
        """Who would move first if whoever gets this asked for a rematch; empty where they cannot."""
        is_over = self.is_present and self.status != "active" and self.viewer in self.userids
        # Whoever has left for good is called by two words.
        return self.userids[1] if is_over and not any(" " in userid for userid in self.userids) else ""

    @property
    def told(self) -> ToldBoard:
        """The same in words."""
        last = self.turns[-1] if self.turns else None
        with_moves = self.is_viewers_turn or self.imagined > 0
        return tell_board(games()[self.game], self.position, self.scene, self.userids, last, with_moves)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who shares the first rank."""
        return self.ranked(1)

    @property
    def standings(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Every rank with those who share it."""
        ranks = sorted(set(self.outcome.ranks)) if self.outcome else []
        return tuple((rank, self.ranked(rank)) for rank in ranks)

    def ranked(self, rank: int) -> tuple[str, ...]:
        """Who has a rank."""
        ranks = self.outcome.ranks if self.outcome else ()
        return tuple(userid for userid, each in zip(self.userids, ranks, strict=False) if each == rank)


def view_board(
    board: Replayed,
    viewer: str | None = None,
    comment: Comment | None = None,
    whole: bool = False,
    ply: int | None = None,
    imagined: int = 0,
    timing: Timing | None = None,
    remarks: tuple[str, ...] = (),
) -> BoardView:
    """The board as `viewer` (a userid; None for anybody) is to see it; `whole` shows every move.

    Of a board on which moves were only tried, `imagined` of them, all that could be captured then is told.
    """
    match, state = board.match, board.state
    whole = whole or state.status != "active"
    game = rules_of(match)
    scene, squares = _drawn(match.game, state.position)
    to_move = None if state.to_move is None else match.userids[state.to_move]
    sides = game.info.sides[: len(match.userids)]
    captures: list[tuple[str, tuple[str, ...]]] = []
    choices: list[tuple[str, ...]] = []
    example = ""
    if imagined:
        captures, choices = _open_captures(game, state, scene)
    elif viewer is not None and viewer == to_move and ply is None:
        captures, choices = _open_captures(game, state, scene)
        example = _example(scene, captures, choices)
    last = state.turns[-1].events if state.turns else ()
    return BoardView(
        number=match.number,
        game=match.game,
        title=game.info.title,
        userids=match.userids,
        status=state.status,
        to_move=to_move,
        outcome=state.outcome,
        scores=tuple(zip(match.userids, scene.scores, strict=True)),
        gone=tuple(match.userids[seat] for seat in state.gone),
        moves=draw_moves(state, match.userids, sides, whole),
        turns=state.turns if whole else state.turns[-_LIST_WHILE_RUNNING:],
        position=state.position,
        scene=scene,
        squares=squares,
        captures=tuple(captures),
        choices=tuple(choices),
        example=example,
        eliminated=tuple(match.userids[event.seat] for event in last if isinstance(event, Eliminated)),
        left=tuple(match.userids[event.seat] for event in last if isinstance(event, Left)),
        plies=state.plies - imagined,
        started_by=match.started_by,
        viewer=viewer,
        ply=ply,
        comment=comment,
        board=board,
        timing=timing,
        remarks=remarks,
        imagined=imagined,
    )


@lru_cache(maxsize=64)
def _drawn(game: str, position: Any) -> tuple[Scene, str]:
    """A position of the game of that name: drawn once for all who are mailed it."""
    scene = games()[game].scene(position)
    return scene, draw_squares(scene)


def draw_squares(scene: Scene) -> str:
    """The squares, with row numbers on both sides and column letters above and below."""
    middle = scene.cell_width // 2
    letters = " ".join(" " * middle + label.ljust(scene.cell_width - middle) for label in scene.columns)
    letters = (" " * 7 + letters).rstrip()
    rows = (
        f"    {label}  {' '.join(cell.text for cell in cells)}  {label}"
        for label, cells in zip(scene.rows, scene.cells, strict=True)
    )
    return "\n\n".join([letters, *rows, letters])


def draw_moves(state: State, userids: Sequence[str], sides: Sequence[Side], whole: bool) -> str:
    """The moves in a column for each seat; where that is too wide, one below the other."""
    turns = state.turns
    texts = [_told(turn) for turn in turns]
    longest = max(map(len, (*userids, *(side.name for side in sides), *texts)))
    width = max(_NARROWEST_COLUMN, longest + 6)
    if width * len(userids) > WIDTH:
        told = zip(turns, texts, strict=True)
        listed = [f"{turn.ply or '':>3} {userids[turn.seat]} {text}" for turn, text in told]
        return "\n".join(listed if whole else listed[-_LIST_WHILE_RUNNING:])
    lines = [{seat: f"{turn.ply or '':>3} {_told(turn)}" for seat, turn in row.items()} for row in rounds(turns)]
    shown = lines if whole else lines[-_LINES_WHILE_RUNNING:]
    heads = [
        {seat: f"  {side.name}" for seat, side in enumerate(sides)},
        {seat: f"  {userid}" for seat, userid in enumerate(userids)},
    ]
    drawn = (
        "".join(f" {line.get(seat, ''):{width - 1}}" for seat in range(len(userids))) for line in heads + shown
    )
    return "\n".join(line.rstrip() for line in drawn)


def _told(turn: Turn) -> str:
    return turn.move or LEAVES[turn.kind]


def _open_captures(
    game: Game, state: State, scene: Scene
) -> tuple[list[tuple[str, tuple[str, ...]]], list[tuple[str, ...]]]:
    taken = {}
    for move in game.moves(state.position):
        _, events = game.play(state.position, move)
        taken[game.write(state.position, move)] = tuple(
            event.square for event in events if isinstance(event, Captured)
        )
    captures, choices = [], []
    for cell in sorted((cell for row in scene.cells for cell in row), key=lambda cell: cell.square):
        if len(cell.choices) > 1:
            choices.append(tuple(text.lower() for text in cell.choices))
        elif cell.choices and taken[cell.choices[0]]:
            captures.append((cell.square, taken[cell.choices[0]]))
    return captures, choices


def _example(scene: Scene, captures: list[tuple[str, tuple[str, ...]]], choices: list[tuple[str, ...]]) -> str:
    if captures:
        return captures[0][0].lower()
    open_squares = [cell.square for row in scene.cells for cell in row if len(cell.choices) == 1]
    if open_squares:
        return open_squares[len(open_squares) // 2].lower()
    return choices[0][0] if choices else ""
