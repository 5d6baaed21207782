"""What holds of every board: names, neighbours, rays, the sheet and the layout."""

import re

from pbmserv.games.board import Board


def check_board(board: Board) -> None:
    """The laws of a board."""
    check_names(board)
    check_neighbours(board)
    check_rays(board)
    check_sheet(board)
    check_layout(board)


def check_names(board: Board) -> None:
    """A cell's name is a letter and a number; cells stand by letter and then by number."""
    places = [(name[0], int(name[1:])) for name in board.names if re.fullmatch(r"[A-Z][1-9][0-9]?", name)]
    assert len(places) == len(board.names)
    assert places == sorted(set(places))
    assert [board.find(name) for name in board.names] == list(range(len(board.names)))
    assert len(board.numbers) == len(board.names)


def check_neighbours(board: Board) -> None:
    """Neighbours are others, in order, and mutual but where a board goes one way round."""
    assert len(board.neighbours) == len(board.names)
    for cell, beside in enumerate(board.neighbours):
        assert list(beside) == sorted(set(beside) & set(range(len(board.names))))
        assert cell not in beside or len(board.names) == 1
        if board.layout.shape != "pit":
            assert all(cell in board.neighbours[other] for other in beside)


def check_rays(board: Board) -> None:
    """A ray goes on from its first cell as that cell's own does; the opposite one leads back."""
    assert len(board.rays) == len(board.names)
    assert len({len(rays) for rays in board.rays}) == 1
    ways = len(board.rays[0])
    for cell, rays in enumerate(board.rays):
        assert {ray[0] for ray in rays if ray}.issuperset(board.neighbours[cell])
        for way, ray in enumerate(rays):
            assert len(set(ray)) == len(ray)
            assert cell not in ray
            if ray and board.layout.shape != "pit":
                assert board.rays[ray[0]][way] == ray[1:]
                assert board.rays[ray[0]][(way + ways // 2) % ways][:1] == (cell,)


def check_sheet(board: Board) -> None:
    """A slot for each cell, all showing the same while they are empty, on narrow lines of ASCII."""
    sheet = board.sheet
    assert len(sheet.slots) == len(board.names)
    taken = {(line, place) for line, at in sheet.slots for place in range(at, at + sheet.width)}
    assert len(taken) == sheet.width * len(board.names)
    for line in sheet.lines:
        assert len(line) <= 72
        assert line.isascii()
        assert line == line.rstrip()
        assert not line or line.isprintable()
    assert all(at >= 0 and at + sheet.width <= len(sheet.lines[line]) for line, at in sheet.slots)
    assert len({sheet.lines[line][at : at + sheet.width] for line, at in sheet.slots}) == 1
    drawn = "\n".join(sheet.lines)
    assert all(re.search(rf"\b{re.escape(name[0])}\b", drawn) for name in board.names)


def check_layout(board: Board) -> None:
    """A place for each cell; rows with each cell once, from top to bottom and left to right, as on the sheet."""
    layout, every = board.layout, range(len(board.names))
    wide, high = layout.size
    assert len(layout.places) == len(set(layout.places)) == len(board.names)
    assert all(0 < x < wide and 0 < y < high for x, y in layout.places)
    assert all(-2 <= x <= wide + 2 and -2 <= y <= high + 2 for _, x, y in layout.labels)
    assert not {(x, y) for _, x, y in layout.labels}.intersection(layout.places)
    assert all(label.isascii() and label.strip() for label, _, _ in layout.labels)
    assert sorted(cell for row in layout.rows for cell in row.cells) == list(every)
    assert len({row.label for row in layout.rows}) == len(layout.rows)
    tops = []
    for row in layout.rows:
        assert len({layout.places[cell][1] for cell in row.cells}) == 1
        assert len({board.sheet.slots[cell][0] for cell in row.cells}) == 1
        for across in (layout.places, [(at, line) for line, at in board.sheet.slots]):
            assert [across[cell][0] for cell in row.cells] == sorted(across[cell][0] for cell in row.cells)
        tops.append((layout.places[row.cells[0]][1], board.sheet.slots[row.cells[0]][0]))
    assert tops == sorted(tops)
    for a, b in layout.lines:
        assert {a, b} <= set(every)
        assert a != b
    assert len({frozenset(line) for line in layout.lines}) == len(layout.lines)
    assert set(layout.stars) <= set(every)
    if layout.shape == "point":
        on_lines = {cell for line in layout.lines for cell in line}
        assert on_lines or set(layout.stars) == set(every) or len(every) == 1
    for (x, y), (to_x, to_y) in layout.heavy:
        assert (x == to_x) != (y == to_y)
        assert 0 <= x <= to_x <= wide
        assert 0 <= y <= to_y <= high
        assert (x if x == to_x else y) % 2 == 0
