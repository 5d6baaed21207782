"""The ladder of robots as tables and as a picture, from the stored results of `make bench-robots`.

`python -m tests.bench.ladder` writes `docs/ladder.svg`; `python -m tests.docs` puts the tables into
`docs/robots.md`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pbmserv.cli.robots import told
from pbmserv.robots.contest import EloDifference, chained

DOCS: Final = Path(__file__).parents[2] / "docs"
RESULTS: Final = DOCS / "robots.json"
PICTURE: Final = DOCS / "ladder.svg"

_HEAD: Final = (
    "| robot | against | games | won | lost | Elo | above random | ms a move | iterations a move | share |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
)
_LEFT, _RIGHT, _TOP, _STEP, _BASE = 110, 620, 40, 34, 20
_STYLE: Final = """
  svg { --paper: #ffffff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --bar: #0550ae; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #f0f6fc; --faint: #9198a1; --line: #3d444d; --bar: #388bfd; }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--ink); }
  .name { text-anchor: end; font-weight: 600; }
  .scale { font-size: 11px; fill: var(--faint); text-anchor: middle; }
  .paper { fill: var(--paper); }
  .line { stroke: var(--line); }
  .error { stroke: var(--bar); stroke-width: 2; }
  .rung { fill: var(--bar); }
"""


def load() -> Mapping[str, Any]:
    """The results of the last run; empty if there was none."""
    found: Mapping[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return found


def rungs_of(results: Mapping[str, Any]) -> list[tuple[str, EloDifference]]:
    """Each robot of the ladder with its strength above `random`."""
    rows = results.get("ladder", [])
    steps = [EloDifference(row["elo"], row["error"], row["is_bound"]) for row in rows]
    names = [row["robots"][1] for row in rows[:1]] + [row["robots"][0] for row in rows]
    return list(zip(names, chained(steps), strict=False))


def ladder_table() -> str:
    """The contests of the ladder, those that were set as marks, and the endings."""
    results = load()
    if not results:
        return "Not measured yet.\n"
    strengths = dict(rungs_of(results))
    ladder = [_row(row, told(strengths[row["robots"][0]])) for row in results.get("ladder", [])]
    marks = [_row(row, "") for row in results.get("marks", [])]
    lines = [f"Measured on {results['date']} at {results['commit']} ({results['machine']}).", ""]
    if ladder:
        lines += ["![The robots by their strength](ladder.svg)", ""]
        lines += [*_HEAD, *ladder, ""]
    if marks:
        lines += ["What was to be reached, `club` 39 of 40 and `strong` 36 of 40:", "", *_HEAD, *marks, ""]
    return "\n".join([*lines, *_endings(results)])


def _row(row: Mapping[str, Any], strength: str) -> str:
    difference = EloDifference(row["elo"], row["error"], row["is_bound"])
    cells = [
        *row["robots"],
        *(row[each] for each in ("games", "wins", "losses")),
        told(difference),
        strength,
        *(" : ".join(f"{each:.{digits}f}" for each in row[name]) for name, digits in _FIGURES),
        "" if row["share"] == 1 else f"{row['share']:g}",
    ]
    return f"| {' | '.join(map(str, cells))} |"


_FIGURES: Final = (("milliseconds", 1), ("iterations", 0))


def _endings(results: Mapping[str, Any]) -> Iterator[str]:
    if (found := results.get("endings")) is None:
        return
    yield (
        f"Of {found['all']} endings, 20 plies before the end of games on 3x5 and 5x5, two million positions "
        f"decide {found['decided']}; {found['won']} of these are won for the side to move. `master` keeps "
        f"{found['kept']} of these wins and lets {found['slipped']} slip; after {found['unclear']} of its moves "
        "the proof takes more."
    )
    yield ""


def draw() -> None:
    """Writes the picture."""
    rungs = rungs_of(load())
    if rungs:
        PICTURE.write_text("\n".join(_svg(rungs)) + "\n")


def _svg(rungs: list[tuple[str, EloDifference]]) -> Iterator[str]:
    least = min(each.elo - each.error for _, each in rungs)
    most = max(each.elo + each.error for _, each in rungs)
    height = _TOP + _STEP * len(rungs) + _BASE

    def across(elo: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (elo - least) / (most - least), 1)

    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_RIGHT + 120} {height}" role="img">'
    yield "<title>The robots by their strength in Elo above random, with 95 % errors</title>"
    yield f"<style>{_STYLE}</style>"
    yield f'<rect class="paper" width="{_RIGHT + 120}" height="{height}"/>'
    for elo in range(0, int(most) + 1, 500):
        place = across(elo)
        yield f'<line class="line" x1="{place}" x2="{place}" y1="{_TOP - 12}" y2="{height - _BASE}"/>'
        yield f'<text class="scale" x="{place}" y="{_TOP - 18}">{elo}</text>'
    for order, (name, strength) in enumerate(reversed(rungs)):
        middle = _TOP + _STEP * order + _STEP / 2
        ends = across(strength.elo - strength.error), across(strength.elo + strength.error)
        yield f'<text class="name" x="{_LEFT - 14}" y="{middle + 4}">{name}</text>'
        yield f'<line class="error" x1="{ends[0]}" x2="{ends[1]}" y1="{middle}" y2="{middle}"/>'
        yield f'<circle class="rung" cx="{across(strength.elo)}" cy="{middle}" r="5"/>'
        yield f'<text x="{ends[1] + 8}" y="{middle + 4}">{told(strength)}</text>'.replace("> ", "&gt; ")
    yield "</svg>"


if __name__ == "__main__":
    draw()
