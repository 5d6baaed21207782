"""Which robots may be given a seat: not every rung of the ladder plays every game."""

from collections.abc import Sequence

from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.player import Player
from pbmserv.matches.queries import Queries
from pbmserv.robots.levels import rungs_of
from pbmserv.robots.robot import FITTING, does_play


class RobotDoesNotPlay(CommandError):
    """The robot `userid` does not play `title` with so many `seats`; those of `robots` do, the weakest first.

    `game` and `userids`, with one of them in its place, make a command.
    """

    userid: str
    title: str
    seats: int
    robots: tuple[str, ...]
    game: str
    userids: tuple[str, ...]


def require_able(
    game_name: str, options: Sequence[tuple[str, str]], players: Sequence[Player], records: Queries
) -> None:
    """Raises RobotDoesNotPlay where one of these players is a robot that does not play this game with so many."""
    game = games()[game_name]
    robots = [player for player in players if player.robot is not None]
    if not robots:
        return
    position = game.start(len(players), dict(options))
    for robot in robots:
        if does_play(robot.robot or "", game, position):
            continue
        there = [records.robot(program) for program in (FITTING, *rungs_of(game, position))]
        able = [each.userid for each in there if each is not None]
        free = next((each for each in able if each not in [player.userid for player in players]), "")
        raise RobotDoesNotPlay(
            userid=robot.userid,
            title=game.info.title,
            seats=len(players),
            robots=tuple(able),
            game=game_name,
            userids=tuple(free if player is robot else player.userid for player in players),
        )
