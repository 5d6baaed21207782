"""`pbmserv robots`: robots that play for the club; and `match`: how much stronger one is than another."""

import json
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import click
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.table import Column
from rich.text import Text

from pbmserv.cli.lazy import PlainGroup
from pbmserv.cli.running import ready, run_until_told
from pbmserv.cli.terminal import Exit, give_up, print_table, progress_bar
from pbmserv.games import games
from pbmserv.games.info import BadOption
from pbmserv.robots.contest import (
    Contest,
    ContestResult,
    EloDifference,
    PairResult,
    UnknownRobot,
    chained,
    contestant,
    ladder_of,
    play_pair,
    result_of,
)
from pbmserv.server.in_flight import end_with_parent
from pbmserv.server.robots import playing

_HEADS: Final = ("robot", "against", "won", "lost", "drawn", "Elo", "ms a move", "iterations a move")


@click.group(cls=PlainGroup, invoke_without_command=True)
@click.option("--bound", is_flag=True, hidden=True)
@click.pass_context
def robots(context: click.Context, bound: bool) -> None:
    """Have the robots play on the boards that wait for them; with a command, do something else with them."""
    if context.invoked_subcommand is not None:
        return
    if bound:
        end_with_parent()
    _, app = ready()
    run_until_told(app, {"robot player": playing(app)})


@robots.command
@click.argument("robot", default="", help="a rung, random, greedy, or a search: search:50, best:100, best:100:0.5")
@click.argument("against", default="", help="the robot it plays against")
@click.option("--game", default="cephalopod", help="the game")
@click.option("--games", "number", type=click.IntRange(2), default=40, help="how many games, two for each opening")
@click.option("--option", multiple=True, help="of the game: size=3x5; may be repeated")
@click.option("--seats", type=click.IntRange(2), default=2, help="the robots take turns at them")
@click.option("--seed", type=int, default=0, help="other seeds give other games")
@click.option("--processes", type=click.IntRange(1), default=1, help="how many at the same time")
@click.option(
    "--iterations-share",
    "share",
    type=click.FloatRange(0.001),
    default=1.0,
    help="of the robots' iterations: 0.1 is a tenth",
)
@click.option("--ladder", is_flag=True, help="all rungs, each against the next")
@click.option("--json", "file", type=click.Path(path_type=Path), help="write the results to a file, too")
def match(
    robot: str,
    against: str,
    game: str,
    number: int,
    option: tuple[str, ...],
    seats: int,
    seed: int,
    processes: int,
    share: float,
    ladder: bool,
    file: Path | None,
) -> None:
    """Have two robots play each other, from both sides after two random plies, and tell how much stronger one is.

    Elo differences come with their 95 % errors, pairs of games being one observation; ">" is before one that may
    well be larger, since all games were won. Times are of the processor, for a move.

    Examples:
        pbmserv robots match club league --games 100
        pbmserv robots match --ladder --game hex --processes 2
    """
    contest = Contest(game.lower(), (robot, against), _options(option), seats, seed, share)
    robots = _robots(contest, ladder)
    results = [
        played(replace(contest, robots=(stronger, weaker)), number, processes)
        for weaker, stronger in pairwise(robots)
    ]
    columns = [Column(head, justify="left" if place < 2 else "right") for place, head in enumerate(_HEADS)]
    print_table(columns, ([Text(cell) for cell in _row(*each)] for each in results))
    if ladder:
        rungs = zip(robots, chained(result.difference for _, result in results), strict=True)
        print_table(
            [Column("rung"), Column("Elo", justify="right")],
            ([Text(name), Text(told(strength))] for name, strength in rungs),
        )
    if file is not None:
        _write(file, results)


def told(difference: EloDifference) -> str:
    """An Elo difference with its error: `+214 ± 53`, or `> +528 ± 508`."""
    return f"{'> ' if difference.is_bound else ''}{difference.elo:+.0f} ± {difference.error:.0f}"


def stored(contest: Contest, result: ContestResult) -> Mapping[str, Any]:
    """A contest's result as a row of JSON."""
    return {
        **asdict(contest),
        "games": result.wins + result.losses + result.draws,
        "wins": result.wins,
        "losses": result.losses,
        "draws": result.draws,
        "elo": round(result.difference.elo, 1),
        "error": round(result.difference.error, 1),
        "is_bound": result.difference.is_bound,
        "milliseconds": [round(effort.milliseconds_a_move, 2) for effort in result.efforts],
        "iterations": [round(effort.iterations_a_move, 1) for effort in result.efforts],
    }


def played_pairs(contest: Contest, number: int, processes: int) -> Iterator[tuple[int, PairResult]]:
    """The pairs of a contest by number, as they come in; their times are seconds of the processor."""
    if processes == 1:
        for each in range(number):
            yield each, play_pair(contest, each, time.process_time)
        return
    # Started anew, not forked: the bar that shows progress has a thread.
    with ProcessPoolExecutor(min(processes, number), mp_context=get_context("spawn")) as pool:
        yield from _as_they_come(pool, contest, number)


def _as_they_come(pool: Executor, contest: Contest, number: int) -> Iterator[tuple[int, PairResult]]:
    waiting = {pool.submit(play_pair, contest, each, time.process_time): each for each in range(number)}
    for done in as_completed(waiting):
        yield waiting[done], done.result()


def played(contest: Contest, games: int, processes: int) -> tuple[Contest, ContestResult]:
    """The contest with its result, after all its games or one more; a bar shows how it goes."""
    found: dict[int, PairResult] = {}
    pairs = (games + 1) // 2
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with progress_bar(*columns) as progress:
        task = progress.add_task(_score(contest, found), total=2 * pairs)
        for number, pair in played_pairs(contest, pairs, processes):
            found[number] = pair
            progress.update(task, completed=2 * len(found), description=_score(contest, found))
    return contest, result_of(found[number] for number in sorted(found))


def _score(contest: Contest, found: Mapping[int, PairResult]) -> str:
    points = sum(sum(pair.points) for pair in found.values())
    first, second = contest.robots
    return f"{first} {points:g} : {2 * len(found) - points:g} {second}"


def _options(given: Sequence[str]) -> dict[str, str]:
    options = {}
    for each in given:
        name, equals, value = each.lower().partition("=")
        if not equals:
            give_up(f'"{each}" is not an option of a game: write --option size=3x5', Exit.USAGE)
        options[name] = value
    return options


def _robots(contest: Contest, is_ladder: bool) -> tuple[str, ...]:
    """Who plays, the weakest first; exits if the game or a robot is unknown."""
    game = games().get(contest.game)
    if game is None:
        give_up(f'there is no game "{contest.game}": write --game with one of {", ".join(games())}', Exit.USAGE)
    if not game.info.least_seats <= contest.seats <= game.info.most_seats:
        give_up(f"{game.info.title} is for {game.info.least_seats} to {game.info.most_seats}", Exit.USAGE)
    try:
        position = game.start(contest.seats, contest.options)
    except BadOption as error:
        choices = ", ".join(f"{error.name}={choice}" for choice in error.choices) or "none of that name"
        give_up(f'the game has no "{error.name}={error.value}", but {choices}', Exit.USAGE)
    if is_ladder:
        if any(contest.robots):
            give_up("--ladder takes all rungs: leave the robots out", Exit.USAGE)
        return ladder_of(game, position)
    if not all(contest.robots):
        give_up("name two robots, as in pbmserv robots match club greedy, or use --ladder", Exit.USAGE)
    try:
        for name in contest.robots:
            contestant(name, game, position)
    except UnknownRobot as error:
        known = ", ".join((*error.known, "search:50", "best:100"))
        give_up(f'nobody called "{error.name}" plays {game.info.title}: it may be {known}', Exit.USAGE)
    return contest.robots[::-1]


def _row(contest: Contest, result: ContestResult) -> list[str]:
    mine, others = result.efforts
    return [
        *contest.robots,
        *map(str, (result.wins, result.losses, result.draws)),
        told(result.difference),
        f"{mine.milliseconds_a_move:.1f} : {others.milliseconds_a_move:.1f}",
        f"{mine.iterations_a_move:.0f} : {others.iterations_a_move:.0f}",
    ]


def _write(file: Path, results: list[tuple[Contest, ContestResult]]) -> None:
    machine = f"{platform.machine()}, {platform.python_implementation()} {platform.python_version()}"
    rows = [stored(contest, result) for contest, result in results]
    try:
        file.write_text(json.dumps({"machine": machine, "contests": rows}, indent=1) + "\n")
    except OSError as error:
        give_up(f"{file} cannot be written: {error.strerror}")
