"""A slow engine for Lasca, written on its own: squares by coordinates, columns as lists, jumps played out."""

from typing import Any

Columns = dict[tuple[int, int], list[str]]


def slow_moves(columns: Columns, own: str) -> dict[tuple[tuple[int, int], ...], Columns]:
    """All legal paths of the side with these letters, and what each leads to."""
    found: dict[tuple[tuple[int, int], ...], Columns] = {}
    for place in columns:
        if columns[place][-1] in own:
            slow_jumps(columns, own, [place], frozenset(), found)
    if found:
        return found
    for (x, y), column in columns.items():
        if column[-1] in own:
            for aside, up in slow_ways(column[-1]):
                target = (x + aside, y + up)
                if max(target) < 7 and min(target) >= 0 and target not in columns:
                    after = {place: each for place, each in columns.items() if place != (x, y)}
                    found[((x, y), target)] = after | {target: slow_promoted(column, target)}
    return found


def slow_ways(mark: str) -> list[tuple[int, int]]:
    ups = {"o": [1], "x": [-1]}.get(mark, [1, -1])
    return [(aside, up) for aside in (1, -1) for up in ups]


def slow_promoted(column: list[str], place: tuple[int, int]) -> list[str]:
    is_far = (column[-1], place[1]) in (("o", 6), ("x", 0))
    return [*column[:-1], column[-1].upper() if is_far else column[-1]]


def slow_jumps(
    columns: Columns, own: str, path: list[Any], jumped: frozenset[Any], found: dict[Any, Columns]
) -> bool:
    x, y = path[-1]
    column = columns[path[-1]]
    can_jump = False
    for aside, up in slow_ways(column[-1]):
        middle, target = (x + aside, y + up), (x + 2 * aside, y + 2 * up)
        if middle not in columns or middle in jumped or columns[middle][-1] in own:
            continue
        if max(target) > 6 or min(target) < 0 or target in columns:
            continue
        can_jump = True
        after = {place: list(each) for place, each in columns.items() if place != path[-1]}
        after[target] = [after[middle].pop(), *column]
        if not after[middle]:
            del after[middle]
        promoted = slow_promoted(after[target], target)
        is_promoted = promoted != after[target]
        after[target] = promoted
        goes_on = not is_promoted and slow_jumps(after, own, [*path, target], jumped | {middle}, found)
        if not goes_on:
            found[(*path, target)] = after
    return can_jump


def slow_leaves(columns: Columns, turn: int, plies: int) -> int:
    reached = slow_moves(columns, ("oO", "xX")[turn]).values()
    return len(reached) if plies == 1 else sum(slow_leaves(after, 1 - turn, plies - 1) for after in reached)
