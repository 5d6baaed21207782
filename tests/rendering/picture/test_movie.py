"""Whole games as movies."""

import random
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.games import games
from pbmserv.games.game import Scene
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState, fold, line
from pbmserv.rendering.piece_style import PIECE_STYLES
from pbmserv.rendering.svg.animation import PACE, REST, Pacing, draw_movie
from pbmserv.rendering.svg.pictures import movie_of
from tests.every import for_each
from tests.examples import examples
from tests.rendering.letters import MIDDLE, NOON, PAIR, SIX, first_moves, played
from tests.rendering.picture.svg import every, parsed, seen_in, told_by, value_at

MOST_BYTES = 150_000
CEPHALOPOD = "cephalopod"


def scenes_of(board: GameState) -> list[Scene]:
    """A scene for each ply, each found by folding to there."""
    game = games()[board.match.game]
    return [game.scene(fold(board.match, ply).position) for ply in range(board.state.plies + 1)]


@cache
def played_at_random(seed: int, most: int, seats: int = 2) -> GameState:
    """A board with so many plies at most, in which captures are liked."""
    rng = random.Random(seed)
    board = played("", (*PAIR, "carol")[:seats])
    game = games()[CEPHALOPOD]
    while board.state.to_move is not None and board.state.plies < most:
        texts = [game.write(board.state.position, move) for move in game.moves(board.state.position)]
        text = rng.choice([text for text in texts if "x" in text] or texts)
        entry = play(board, board.state.to_move, text, None, NOON)
        board = board.apply(entry)
    return board


@examples(15)
@given(seed=st.integers(0, 10**6), plies=st.integers(0, 40), seats=st.integers(2, 3), part=st.floats(0, 0.999))
def test_at_each_moment_it_shows_its_ply(seed: int, plies: int, seats: int, part: float) -> None:
    """Pieces, marks, number and move; whatever part of the ply's time has gone."""
    board = played_at_random(seed, plies, seats)
    scenes = scenes_of(board)
    root = parsed(movie_of(board))
    film = next(group for group in every(root, "g", "film"))
    pacing = Pacing(len(scenes))
    begins = [float(pacing.begins(index)) for index in range(len(scenes) + 1)]
    for ply, scene in enumerate(scenes):
        moment = begins[ply] + part * (begins[ply + 1] - begins[ply])
        assert seen_in(film, scene, moment) == told_by(scene), ply
        (strip,) = [group for group in every(film, "g") if group.get("transform")]
        up = -int((value_at(strip, "transform", moment) or "").split()[-1])
        line_above = int(every(strip, "text")[0].get("y") or 0)
        (caption,) = [text.text for text in every(strip, "text") if int(text.get("y") or 0) - up == line_above]
        move = board.state.turns[ply - 1].move if ply else ""
        assert caption == f"{ply}  {move}".strip()


def test_without_animation_the_last_position_stands_there() -> None:
    """In what shows no animation, and for those who asked for less motion."""
    board = played(MIDDLE)
    *_, scene = scenes_of(board)
    root = parsed(movie_of(board))
    (film,), (still,) = every(root, "g", "film"), every(root, "g", "still")
    assert seen_in(still, scene) == told_by(scene)
    for each in film.iter():
        for child in [child for child in each if "animate" in child.tag]:
            each.remove(child)
    assert seen_in(film, scene) == told_by(scene)
    sheet = every(root, "style")[0].text or ""
    assert "@media(prefers-reduced-motion:reduce){.film{display:none}.still{display:inline}}" in sheet


def test_what_is_taken_fades_while_its_ply_is_shown() -> None:
    """On C4 and D3, and only then; where nothing is animated it is not there."""
    board = played("c3 c4 d3 d4xc4,d3 a1")
    film = every(parsed(movie_of(board)), "g", "film")[0]
    pacing = Pacing(6)
    gone = every(film, "use", "gone")
    assert sorted(each.get("href") or "" for each in gone) == ["#p0-1", "#p1-1"]
    for each in gone:
        assert each.get("visibility") == "hidden"
        shown = [value_at(each, "visibility", float(pacing.begins(ply)) + 0.001) for ply in range(6)]
        assert shown == ["hidden"] * 4 + ["visible", "hidden"]
        (fading,) = [child for child in each if child.get("attributeName") == "opacity"]
        assert fading.get("values") == "1;1;0;0"
        assert fading.get("keyTimes") == f"0;{pacing.begins(4)};{pacing.begins(5)};1"


def test_the_bar_grows_to_its_end() -> None:
    """With each ply."""
    board = played(MIDDLE)
    root = parsed(movie_of(board))
    (bar,) = every(root, "rect", "d-bar")
    pacing = Pacing(board.state.plies + 1)
    widths = [int(value_at(bar, "width", float(pacing.begins(ply)) + 0.001) or -1) for ply in range(11)]
    assert widths == sorted(set(widths))
    assert (widths[0], str(widths[-1])) == (0, bar.get("width"))


@for_each("plies", [0, 10, 80, 255])
def test_it_is_no_longer_than_one_watches(plies: int) -> None:
    """At an easy pace where there is time, with a rest at the end."""
    pacing = Pacing(plies + 1)
    seconds = [float(pacing.begins(index)) * pacing.seconds for index in range(plies + 2)]
    lengths = [after - before for before, after in pairwise(seconds)]
    assert pacing.seconds <= 90.001
    assert lengths[-1] == pytest.approx(lengths[0] + REST if plies else PACE + REST, abs=0.01)
    if plies <= 80:
        assert lengths[:-1] == pytest.approx([PACE] * plies, abs=0.01)


def test_everything_runs_in_step() -> None:
    """All animations take equally long and never end."""
    root = parsed(movie_of(played(MIDDLE)))
    animations = [each for each in root.iter() if "animate" in each.tag]
    assert len(animations) > 20
    assert any(each.get("attributeName") == "opacity" for each in animations)
    told = {(each.get("dur"), each.get("repeatCount"), each.get("begin")) for each in animations}
    assert told == {(f"{Pacing(11).seconds:g}s", "indefinite", None)}


def test_a_long_game_is_light() -> None:
    """255 plies on 5x5, with as many captures as can be."""
    scenes: list[Scene] = []
    captions: list[str] = []
    for seed in range(9):
        scenes += scenes_of(played_at_random(seed, 60))
    captions = [f"{ply}  C3xB3,C2,C4,D3" for ply in range(256)]
    assert len(scenes) >= 256
    assert len(draw_movie(scenes[:256], PIECE_STYLES, "Board 101", captions).encode()) < MOST_BYTES


def test_who_leaves_a_game_of_several_takes_the_dice_along() -> None:
    """That is the end of the movie, though it is no ply."""
    board = played("a1 b1 c3 resign", (*PAIR, "carol"))
    now = games()[CEPHALOPOD].scene(board.state.position)
    root = parsed(movie_of(board))
    film = every(root, "g", "film")[0]
    assert seen_in(film, now, 0.999) == told_by(now) != told_by(scenes_of(board)[2])
    assert len(every(film, "text", "d-told")) == 5


def test_a_game_not_begun() -> None:
    """An empty board is a movie too."""
    board = played("")
    scene = scenes_of(board)[0]
    root = parsed(movie_of(board))
    assert seen_in(every(root, "g", "film")[0], scene, 0.5) == told_by(scene)


def taken_back(board: GameState, ply: int) -> GameState:
    """The board when the operator has taken it back to right after a ply."""
    return board.apply(board.entry(NOON, "rewound", text=str(ply)))


@pytest.mark.parametrize(
    "board",
    [
        played(MIDDLE),
        played(first_moves(20, userids=SIX), SIX),
        played("c3 resign"),
        taken_back(played(MIDDLE), 4),
    ],
    ids=["two", "six", "resigned", "taken back"],
)
def test_line_is_what_folding_to_each_ply_gives(board: GameState) -> None:
    """In one go."""
    assert list(line(board.match)) == [fold(board.match, ply) for ply in range(board.state.plies + 1)]


def test_what_was_taken_back_is_not_shown() -> None:
    """The movie is of the line that is played on."""
    board = taken_back(played(MIDDLE), 4)
    told = every(every(parsed(movie_of(board)), "g", "film")[0], "text", "d-told")
    assert [each.text for each in told] == ["0", "1  C3", "2  C4", "3  D3", "4  D4xC4,D3"]
