"""How large each part of the house may be at most: `budgets.toml`, and what is over it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

BUDGETS: Final = Path(__file__).with_name("budgets.toml")


def budgets() -> dict[str, dict[str, float]]:
    """The most that each figure may come to, by folder; those of the whole house are under "house"."""
    read: dict[str, dict[str, float]] = tomllib.loads(BUDGETS.read_text())
    return read


def over_budget(found: Mapping[str, Mapping[str, float]]) -> list[str]:
    """What is over its budget, each with how much; a folder without a budget has none to spend."""
    known = budgets()
    return [
        f"{folder}: {name} {value:g}, budget {most:g}"
        for folder, figures in found.items()
        for name, value in figures.items()
        if value > (most := known.get(folder, {}).get(name, 0))
    ]


def tightened(found: Mapping[str, Mapping[str, float]]) -> str:
    """`budgets.toml` with each budget lowered to what was found."""
    known = budgets()
    sections = (
        f"[{folder}]\n"
        + "".join(
            f"{name} = {min(value, known.get(folder, {}).get(name, value)):g}\n" for name, value in figures.items()
        )
        for folder, figures in found.items()
    )
    head, _, _ = BUDGETS.read_text().partition("\n[")
    return f"{head.rstrip()}\n\n" + "\n".join(sections)


_HEAD: Final = "| | lines of code | files | functions with 5 and more parameters | modules with one importer |\n"


def budget_table() -> str:
    """The budgets of the folders as a table of docs/benchmarks.md."""
    known = budgets()
    house = known.pop("house")
    rows = [(f"`{folder}/`", each) for folder, each in sorted(known.items())]
    rows.append(("**all**", {name: sum(each[name] for _, each in rows) for name in rows[0][1]}))
    lines = [f"| {name} | " + " | ".join(f"{value:,.0f}" for value in each.values()) + " |" for name, each in rows]
    road = (
        f"A move mail passes at most {house['road_files']:.0f} files and {house['road_functions']:.0f} functions."
    )
    return _HEAD + "| --- | --- | --- | --- | --- |\n" + "\n".join(lines) + f"\n\n{road}\n"
