"""`pbmserv games check`: whether a game, perhaps of another package, keeps the laws of games."""

import time

import click
from rich.markup import escape

from pbmserv.cli.lazy import PlainGroup
from pbmserv.cli.terminal import Exit, err, give_up, out
from pbmserv.games import games, others
from pbmserv.services.laws.check import LAWS, try_laws


@click.group(cls=PlainGroup, no_args_is_help=True)
def tools() -> None:
    """Look after games that other packages add."""


@tools.command
@click.argument("name", help="the game, as it is typed")
def check(name: str) -> None:
    """Try all laws of games on one game, and tell of each whether it holds.

    The exit code is 1 if one does not. A game of another package that is left out is told, and why.

    Examples:
        pbmserv games check hex
    """
    if not __debug__:
        give_up("the laws are asserts: run it without python -O", Exit.USAGE)
    if name not in games():
        why = "; ".join(f"{point}: {reason}" for point, reason in others().left_out.items())
        left_out = f" Of other packages these are left out: {why}." if why else ""
        give_up(f'there is no game "{name}".{left_out} There are {", ".join(games())}', Exit.USAGE)
    broken, begun = 0, time.monotonic()
    with err.status(LAWS[0].told) as status:
        for place, tried in enumerate(try_laws(name), 1):
            mark = "[red]broken[/]" if tried.broken else "[green]holds [/]"
            out.print(
                f"{mark} {place:>2} of {len(LAWS)}  {escape(tried.law.told)}", highlight=False, soft_wrap=True
            )
            if tried.broken:
                broken += 1
                out.print(f"       {escape(tried.broken)}", highlight=False, soft_wrap=True)
            if place < len(LAWS):
                status.update(LAWS[place].told)
    seconds = time.monotonic() - begun
    said = f"{broken} of {len(LAWS)} laws are broken" if broken else f"all {len(LAWS)} laws hold"
    out.print(f"{name}: {said}, in {seconds:.0f} s.", highlight=False)
    if broken:
        raise SystemExit(Exit.FAILED)
