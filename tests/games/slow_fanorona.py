"""A slow engine for fanorona, written on its own from the rules text: men by coordinates, moves as texts."""

Square = tuple[int, int]
Men = dict[Square, str]
WORDS = {1: "approach", -1: "retreat"}


def on_line(here: Square, way: Square) -> bool:
    """Whether a line goes from a point in a direction; half of the points have no slanting ones."""
    there = (here[0] + way[0], here[1] + way[1])
    on_board = 0 <= there[0] < 9 and 0 <= there[1] < 5
    return on_board and (0 in way or (here[0] + here[1]) % 2 == 0)


def slow_moves(men: Men, own: str) -> dict[str, Men]:
    """The legal moves of a side and what they lead to."""
    ways = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    quiet: dict[str, Men] = {}
    taking: dict[str, Men] = {}

    def go(men: Men, here: Square, text: str, been: list[Square], before: Square | None) -> None:
        for way in ways:
            there = (here[0] + way[0], here[1] + way[1])
            if not on_line(here, way) or there in men:
                continue
            after = {square: man for square, man in men.items() if square != here} | {there: own}
            if before is None:
                quiet[text + called(there)] = after
            rows = {
                sign: row(men, there if sign == 1 else here, (sign * way[0], sign * way[1]), own)
                for sign in (1, -1)
            }
            can = [sign for sign in rows if rows[sign]]
            for sign in can:
                if there in been or way == before:
                    continue
                left = {square: man for square, man in after.items() if square not in rows[sign]}
                said = text + called(there) + (WORDS[sign] if len(can) == 2 else "")
                taking[said] = left
                go(left, there, said, [*been, there], way)

    for square, man in men.items():
        if man == own:
            go(men, square, called(square), [square], None)
    return taking or quiet


def row(men: Men, begin: Square, way: Square, own: str) -> list[Square]:
    """The men of the other side that stand one behind the other on from a point."""
    found: list[Square] = []
    here = begin
    while on_line(here, way):
        here = (here[0] + way[0], here[1] + way[1])
        if men.get(here, own) == own:
            break
        found.append(here)
    return found


def called(square: Square) -> str:
    """The name of a point."""
    return f"{'abcdefghi'[square[0]]}{square[1] + 1}"


def slow_start() -> Men:
    """All men, and an empty point in the middle."""
    rows = ["ooooooooo", "ooooooooo", "xoxo.xoxo", "xxxxxxxxx", "xxxxxxxxx"]
    return {(x, y): man for y, line in enumerate(rows) for x, man in enumerate(line) if man != "."}


def slow_leaves(men: Men, own: str, plies: int) -> int:
    """How many games of so many plies there are."""
    other = "x" if own == "o" else "o"
    return (
        1 if plies == 0 else sum(slow_leaves(after, other, plies - 1) for after in slow_moves(men, own).values())
    )
