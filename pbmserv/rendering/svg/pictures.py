"""The pictures of a board: one of a position, one of the whole game, one for previews of links."""

from itertools import islice
from typing import Final

from pbmserv.games import games
from pbmserv.games.game import scores_of
from pbmserv.matches.log import rules_of
from pbmserv.matches.replay import GameState, line
from pbmserv.rendering.board import BoardView, view_board
from pbmserv.rendering.piece_style import looks_of
from pbmserv.rendering.svg.animation import draw_movie
from pbmserv.rendering.svg.png import draw_card, to_png
from pbmserv.rendering.svg.position import draw_scene
from pbmserv.rendering.templates import render, render_block
from pbmserv.robots import greedy
from pbmserv.robots.thought import AnyMove, seed_of

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
    if scenes[-1] != now:  # whoever leaves a game of several takes the pieces along
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
