"""The house stays as tidy as it is, and grows no larger: each figure has a budget, which only falls.

A budget may fall in any commit (`python -m tests.house.figures --tighten`, then `python -m tests.docs`). It
rises only in a commit of its own that says why.
"""

from pathlib import Path

import pytest

from tests.docs import ROOT
from tests.house.budgets import over_budget
from tests.house.figures import (
    PackageFigures,
    RoadFigures,
    figures_by_budget,
    figures_of,
    road_figures,
    table,
)
from tests.house.recorder import Recorder, Step
from tests.house.road import measured_road


def test_figures() -> None:
    """No circles, no arrows upwards, no class name twice; nothing over its budget."""
    found, road = figures_of(ROOT), road_figures(measured_road())
    print(table(vars(found) | vars(road)))
    assert found.cycles == ()
    assert found.arrows_up == ()
    assert found.classes_twice == ()
    assert over_budget(figures_by_budget(found, road)) == []


def test_road() -> None:
    """A move mail passes something of everything that it needs, and every function is named by its file."""
    road = measured_road()
    assert all((ROOT / name).is_file() for name in (*road.files, *road.templates))
    folders = {name.split("/")[1] for name in road.files}
    assert folders >= {"services", "mail", "parser", "commands", "matches", "games", "rendering", "store"}
    assert not folders & {"web", "cli", "server", "robots"}
    assert road.templates


def test_untidy_checkout(tmp_path: Path) -> None:
    """What is not to be is found where it is."""
    fields = "".join(f"    field{number}: int\n" for number in range(12))
    written = {
        "README.md": "A house\n",
        "tests/house/test_floors.py": "FLOORS = {'games': 0, 'matches': 1}\n",
        "templates/a.txt": "",
        "pbmserv/__init__.py": '"""A\nhouse."""\n',
        "pbmserv/games/__init__.py": "",
        "pbmserv/games/one.py": "from pbmserv.games import two\n\n\nclass Twice: ...\n",
        "pbmserv/games/two.py": "def late():\n    from pbmserv.matches.up import x\n\n\nclass Twice: ...\n",
        "pbmserv/matches/up.py": f"import pbmserv.games.one\n\n@dataclass\nclass Narrow:\n{fields}\n"
        "@dataclass\nclass Wide(Narrow):\n    more: int\n    kind: ClassVar[int] = 0\n"
        "def wide(a, b, c, d, e): ...\nclass Method:\n    def narrow(self, b, c, d, e): ...\n",
    }
    for name, text in written.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = figures_of(tmp_path)
    circle = ("pbmserv/games/one.py", "pbmserv/games/two.py", "pbmserv/matches/up.py")
    assert found.cycles == (circle,)
    assert found.arrows_up == ("pbmserv/games/two.py imports pbmserv/matches/up.py",)
    assert found.classes_twice == ("Twice",)
    assert found.wide_values == ("pbmserv/matches/up.py: Wide, 13",)
    assert (found.files, found.templates, found.readme_lines, found.small_files) == (5, 1, 1, 4)
    assert found.lines == 2 + 3 + (1 + 2 + 12 + 2 + 2) + 3
    assert found.packages["matches"] == PackageFigures(lines=22, files=1, long_calls=1, one_importer=1)
    over = over_budget(figures_by_budget(found, RoadFigures(10**6, 1, 1)))
    assert [each.split(",")[0] for each in over if each.startswith("house")] == ["house: road_files 1e+06"]
    assert found.import_share == pytest.approx(100 * 2 / found.lines, abs=0.1)


def test_recorder_notes_each_function_once(tmp_path: Path) -> None:
    """In the order of first calls; comprehensions belong to the function around them, others are not ours."""
    file = tmp_path / "pbmserv" / "some.py"
    file.parent.mkdir()
    source = "def a():\n    return [b() for _ in range(2)]\ndef b():\n    def c(): ...\n    return c()\n"
    names: dict[str, object] = {}
    exec(compile(source, file, "exec"), names)
    recorder = Recorder(tmp_path)
    work = names["a"]
    assert callable(work)
    with recorder.installed():
        work()
        road = recorder.record(work)
    assert road.steps == tuple(Step("pbmserv/some.py", name) for name in ("a", "b", "b.c"))
    assert road.files == ("pbmserv/some.py",)
    assert road.templates == ()
