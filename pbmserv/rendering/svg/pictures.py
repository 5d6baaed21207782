"""The pictures of a board: one of a position, one of the whole game, one for previews of links."""

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

import resvg_py
from markupsafe import Markup

from pbmserv.games import games
from pbmserv.games.game import Scene, Seat, scores_of
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState, line
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.piece_style import PieceStyle, looks_of
from pbmserv.rendering.svg.animation import draw_movie
from pbmserv.rendering.svg.pieces import token
from pbmserv.rendering.svg.plan import plan_for
from pbmserv.rendering.svg.position import draw_inside, draw_scene
from pbmserv.rendering.svg.stylesheet import BOARD_LIGHT, PIECES_LIGHT
from pbmserv.rendering.templates import render, render_block
from pbmserv.robots import greedy
from pbmserv.robots.thought import AnyMove, seed_of

WIDTH: Final = 1200
HEIGHT: Final = 630
"""As Open Graph has it."""

REMEMBERED: Final = 64
"""Pictures, of some thirty kilobytes each."""

_BOARD: Final = 550
_LEFT: Final = 40
_TEXT: Final = 640
_RIGHT: Final = 1150
_LETTERS_A_LINE: Final = 34
_MOST_LINES: Final = 3
_FAMILIES: Final = (
    ("Noto Serif", "NotoSerif-Regular.ttf", "NotoSerif-Bold.ttf"),
    ("DejaVu Serif", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"),
    ("Liberation Serif", "LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf"),
    ("Georgia", "Georgia.ttf", "Georgia Bold.ttf"),
)
_FONT_FOLDERS: Final = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
)
_SHEET: Final = (
    f"{PIECES_LIGHT}{BOARD_LIGHT}"
    ".paper{fill:#fbfaf6}.rule{fill:#0b6b57}"
    "text{font-family:'Noto Serif','DejaVu Serif','Liberation Serif',Georgia,serif;fill:#211f1a}"
    ".score{text-anchor:end}.strong{font-weight:700}.piece .pip{stroke:none}"
    ".turn{fill:#fbeecb}"
)


def draw_card(view: BoardView, sentence: str) -> str:
    """The card of a board as an SVG: the position, and beside it title, players and the sentence."""
    looks = looks_of(rules_of(view.match).info.sides)
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        '<style>{}</style><rect class="paper" width="{width}" height="{height}"/>{}{}{}{}</svg>'
    ).format(
        _SHEET,
        _position(view.diagram.scene, looks),
        _heading(view),
        _players(view, looks),
        _sentence(sentence),
        width=WIDTH,
        height=HEIGHT,
    )


@lru_cache(maxsize=REMEMBERED)
def to_png(svg: str) -> bytes:
    """An SVG in pixels, as large as it says. Where the system has no fonts, its words are missing."""
    family, files = _fonts()
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=bool(files),
            font_files=list(files),
            serif_family=family,
            sans_serif_family=family,
        )
    )


@lru_cache(maxsize=1)
def _fonts() -> tuple[str | None, tuple[str, ...]]:
    """The files of a family that suits; none where one has to look through all fonts of the system, if any.

    To read some hundreds of them for each picture would take longer than to draw it.
    """
    for family, *names in _FAMILIES:
        found = [next(Path(folder).rglob(name), None) for name in names for folder in _FONT_FOLDERS]
        files = tuple(str(each) for each in found if each)
        if len(files) >= len(names):
            return family, files
    return None, ()


def _position(scene: Scene, looks: Sequence[PieceStyle]) -> Markup:
    plan = plan_for(scene)
    return Markup('<svg x="{}" y="{}" width="{size}" height="{size}" viewBox="0 0 {} {}">{}</svg>').format(
        _LEFT, _LEFT, plan.width, plan.height, draw_inside(scene, looks), size=_BOARD
    )


def _heading(view: BoardView) -> Markup:
    return Markup(
        '<rect class="rule" x="{x}" y="74" width="64" height="8" rx="4"/>'
        '<text x="{x}" y="134" font-size="40">{}</text>'
        '<text class="strong" x="{x}" y="190" font-size="52">{}</text>'
    ).format(*render_block("picture/board.txt:heading", view=view).strip().splitlines(), x=_TEXT)


def _players(view: BoardView, looks: Sequence[PieceStyle]) -> Markup:
    step = min(62, 250 // len(view.players.userids))
    rows = (_player(seat, view, looks[seat], 222 + step * seat, step) for seat in range(len(view.players.userids)))
    return Markup("").join(rows)


def _player(seat: Seat, view: BoardView, look: PieceStyle, y: int, step: int) -> Markup:
    userid = view.players.userids[seat]
    ground = Markup('<rect class="turn" x="{}" y="{}" width="{}" height="{}" rx="10"/>').format(
        _TEXT - 14, y, _RIGHT - _TEXT + 28, step - 4
    )
    size = step - 12
    letters, line = 34 if step > 50 else 27, round(y + step / 2 + 8)
    score = Markup('<text class="score strong" x="{}" y="{}" font-size="{}">{}</text>')
    return Markup(
        '{ground}<svg x="{x}" y="{top}" width="{size}" height="{size}" viewBox="0 0 100 100">{token}</svg>'
        '<text class="{strong}" x="{name_at}" y="{line}" font-size="{letters}">{userid}</text>{score}'
    ).format(
        ground=ground if userid == view.players.to_move else "",
        token=token(look),
        x=_TEXT,
        top=y + 4,
        size=size,
        strong="strong" if userid == view.players.to_move else "plain",
        name_at=_TEXT + size + 16,
        line=line,
        letters=letters,
        userid=userid,
        score=score.format(_RIGHT, line, letters, view.players.scores[seat][1]) if view.players.scores else "",
    )


def _sentence(sentence: str) -> Markup:
    lines = textwrap.wrap(sentence, _LETTERS_A_LINE, max_lines=_MOST_LINES, placeholder=" ...")
    last = HEIGHT - 58
    return Markup("").join(
        Markup('<text x="{}" y="{}" font-size="29">{}</text>').format(_TEXT, last - 38 * above, line)
        for above, line in enumerate(reversed(lines))
    )


_SAMPLE: Final = 11
"""Plies of a game that show what it looks like."""

_LONGEST_FILM: Final = 90
"""Positions of a film that shows what a game looks like."""

_FILM_NODES: Final = 60
_MOST_CHOSEN: Final = 500
_STRIDE: Final = 61
"""Of the moves, in their order, those so far apart are played: the same each time, and all over the board."""


def picture_of(board: GameState, ply: int | None = None) -> str:
    """An SVG of a board as it stands, or as it stood right after a ply that it has (0 is the start)."""
    view = view_at(board, ply)
    looks = looks_of(rules_of(view.match).info.sides)
    return draw_scene(view.diagram.scene, looks, title_of(view), f"{sentence_of(view)} {_words('position', view)}")


def card_of(board: GameState, ply: int | None = None) -> bytes:
    """A PNG of 1200 by 630 pixels of the same, with its players and how it stands."""
    view = view_at(board, ply)
    return to_png(draw_card(view, sentence_of(view)))


def movie_of(board: GameState) -> str:
    """An animated SVG of every ply of the line that is played on, and of how it stands at last."""
    match, state = board.match, board.state
    game = rules_of(match)
    moves = {turn.ply: turn.move for turn in state.turns}
    states = line(match)
    scenes = [game.scene(each.position) for each in states]
    captions = [f"{each.plies}  {moves.get(each.plies) or ''}".rstrip() for each in states]
    now = game.scene(state.position)
    if scenes[-1] != now:  # a player who leaves a game of several takes the pieces along
        scenes.append(now)
        captions.append(captions[-1])
    view = view_at(board)
    return draw_movie(scenes, looks_of(game.info.sides), title_of(view), captions, sentence_of(view))


def sample_of(name: str) -> str:
    """An SVG of the game of that name, after some moves: what its boards look like."""
    game = games()[name]
    position = game.start(game.info.least_seats, {})
    for ply in range(_SAMPLE):
        found = list(islice(game.moves(position), _MOST_CHOSEN))
        after = game.play(position, found[_STRIDE * ply % len(found)])[0] if found else position
        if game.outcome(after) is not None:
            break
        position = after
    return draw_scene(game.scene(position), looks_of(game.info.sides), game.info.title, "")


def film_of(name: str) -> str:
    """An animated SVG of a game between two robots, the same one each time: what a whole game looks like."""
    game = games()[name]
    position, captions = game.start(game.info.least_seats, {}), [game.info.title]
    # Where nothing is counted, nothing can be grabbed.
    think = greedy.think if scores_of(game, position) else AnyMove().think
    scenes = [game.scene(position)]
    while game.to_move(position) is not None and len(scenes) < _LONGEST_FILM:
        move = think(game, position, seed_of(name, len(scenes)), _FILM_NODES).candidates[0].move
        captions.append(f"{len(scenes)}  {game.write(position, move)}")
        position, _ = game.play(position, move)
        scenes.append(game.scene(position))
    return draw_movie(scenes, looks_of(game.info.sides), game.info.title, captions)


def view_at(board: GameState, ply: int | None = None) -> BoardView:
    """A board for anybody as it stands, or as it stood right after a ply."""
    return view_board(board.at(ply), ply=ply)


def title_of(view: BoardView) -> str:
    """What a board is called, as in the Subject of its mails."""
    named = render("mail/subject_board.txt", title=view.title, number=view.number, userids=view.players.userids)
    return named.strip()


def sentence_of(view: BoardView) -> str:
    """Whose turn it is, or how it ended; of an earlier moment, which one that is."""
    return _words("moment", view)


def _words(block: str, view: BoardView) -> str:
    return " ".join(render_block(f"picture/board.txt:{block}", view=view).split())
