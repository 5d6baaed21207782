"""Games of other packages: the example of the documentation is built and installed; what is broken is left out."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbmserv import games as packages
from pbmserv.commands.server import Server
from pbmserv.games import Packaged, games, ours
from pbmserv.matches.log import Match
from pbmserv.matches.moves import play
from pbmserv.matches.replay import replay
from pbmserv.rendering.board import view_board
from pbmserv.rendering.document import Prose
from pbmserv.rendering.news import GameEvent
from pbmserv.rendering.templates import environment, render, sentence_of
from pbmserv.robots import knowing
from pbmserv.web.board_page import said_of

ROOT = Path(__file__).parents[2]
EXAMPLE = Path(__file__).parent / "third_party" / "chomp"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PATIENCE = 240.0
CHOMP = EntryPoint("chomp", "chomp_for_pbmserv.chomp", packages.GROUP)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the example was built and installed."""
    folder = tmp_path_factory.mktemp("third_party")
    shutil.copytree(EXAMPLE, folder / "source")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")
    alone = ("--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder / "site"))
    done = subprocess.run([*pip, *alone, str(folder / "source")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def run(site: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Runs Python with what is installed there."""
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def check(site: Path, name: str) -> subprocess.CompletedProcess[str]:
    return run(site, "-c", "from pbmserv.cli.main import cli; cli()", "games", "check", name)


@pytest.mark.slow
def test_the_example_keeps_all_laws(site: Path) -> None:
    done = check(site, "chomp")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("holds") == 14
    assert "chomp: all 14 laws hold" in done.stdout


@pytest.mark.slow
def test_the_example_is_played_by_mail(site: Path) -> None:
    """The test that plays each of our games by mail finds it, and its tutorial and robot too."""
    tests = ("tests/services/test_every_game_by_mail.py", "tests/test_tutorial.py", "tests/robots/test_robots.py")
    done = run(site, "-m", "pytest", "-n0", "-q", "-k", "chomp", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout
    assert "5 passed" in done.stdout


@pytest.mark.slow
def test_a_law_that_a_game_breaks_is_told(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site, tmp_path / "site")
    source = tmp_path / "site" / "chomp_for_pbmserv" / "chomp.py"
    source.write_text(source.read_text().replace("captured=position.eaten", "captured=position.eaten[1:]"))
    done = check(tmp_path / "site", "chomp")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "broken 12 of 14  scenes show what events told" in done.stdout
    assert "set(after.captured) == taken" in done.stdout
    assert "chomp: 1 of 14 laws are broken" in done.stdout


@pytest.mark.slow
def test_a_broken_package_does_not_stop_the_club(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site, tmp_path / "site")
    (tmp_path / "site" / "chomp_for_pbmserv" / "chomp.py").write_text("1 / 0\n")
    done = check(tmp_path / "site", "hex")
    assert done.returncode == 0, done.stdout
    told = run(tmp_path / "site", "-c", "from pbmserv.cli.running import tell_left_out; tell_left_out()").stderr
    assert told.splitlines() == [
        'a game of another package is left out game=chomp error="ZeroDivisionError: division by zero"',
        'a robot of another package is left out robot=chomp error="there is no game chomp"',
    ]
    done = check(tmp_path / "site", "chomp")
    assert done.returncode == 2
    assert "ZeroDivisionError" in " ".join(done.stderr.split())


def found(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint, taken: frozenset[str] = frozenset()) -> Packaged:
    """What these entry points add."""
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.setattr(packages, "entry_points", lambda group: points)
    return packages.packaged.__wrapped__(taken)


def test_a_game_and_its_templates_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    added = found(monkeypatch, CHOMP)
    assert list(added.games) == ["chomp"]
    assert added.folders == (str(EXAMPLE / "chomp_for_pbmserv" / "templates"),)
    assert added.left_out == {}


def test_a_name_that_is_taken_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    added = found(monkeypatch, CHOMP, taken=frozenset({"chomp"}))
    assert added.games == {}
    assert added.left_out == {"chomp": "there is a game chomp already"}
    twice = found(monkeypatch, CHOMP, EntryPoint("chomp2", CHOMP.value, packages.GROUP))
    assert list(twice.games) == ["chomp"]
    assert list(twice.left_out) == ["chomp2"]


CHOMP_BUT = "from dataclasses import replace\nfrom chomp_for_pbmserv.chomp import *\n"
"""Of a module: the same game, and what stands below."""


@pytest.mark.parametrize(
    ("value", "source", "why"),
    [
        ("strange", "", "strange has neither info nor games"),
        ("strange", "import no_such_module", "ModuleNotFoundError"),
        ("strange", "raise SystemExit(3)", "SystemExit: 3"),
        ("strange", "info = 3", "its info is none"),
        ("strange", "from chomp_for_pbmserv.chomp import info", "chomp does not answer start, to_move"),
        ("strange:nothing", "", "AttributeError"),
        (
            "strange",
            "from chomp_for_pbmserv.chomp import *\ndef start(seats, options): return 1",
            "AttributeError",
        ),
        (
            "strange",
            "import dataclasses as d\nfrom chomp_for_pbmserv.chomp import *\ninfo = d.replace(info, name='x')",
            "x has no rules text",
        ),
        (
            "strange",
            f"{CHOMP_BUT}info = replace(info, dialect='[a-')",
            "bad character range",
        ),
        (
            "strange",
            f"{CHOMP_BUT}info = replace(info, dialect='(a)1')",
            "the dialect of chomp has groups",
        ),
    ],
)
def test_what_is_broken_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str, source: str, why: str
) -> None:
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "__init__.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "strange", raising=False)
    added = found(monkeypatch, EntryPoint("strange", value, packages.GROUP), CHOMP)
    assert list(added.games) == ["chomp"]
    assert why in added.left_out["strange"]
    monkeypatch.delitem(sys.modules, "strange", raising=False)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The example is one of the games, as if it were installed."""
    added = found(monkeypatch, CHOMP)
    monkeypatch.setattr(packages, "packaged", lambda taken: added)
    loader: Any = environment().loader
    monkeypatch.setattr(loader, "searchpath", [*loader.searchpath, *(f"{each}/en" for each in added.folders)])
    games.cache_clear()
    yield
    games.cache_clear()


@pytest.mark.usefixtures("installed")
def test_what_only_the_game_knows_is_told() -> None:
    """In the news, in words and on the page; where more followed, right after the move that did it."""
    board = replay(Match(101, "chomp", "chomp/1", (), True, ("alice", "bob"), "alice", NOON))
    for seat, text in enumerate(("b1", "a2")):
        board = board.apply(play(board, seat, text, None, NOON))
    view = view_board(board, "alice")
    server = Server("pbm@club.test")
    for words in (False, True):
        mail = " ".join(render("mail/notice.txt", words=words, view=view, alone=True, server=server).split())
        assert "bob played A2 and took A2, A3 and A4. Only A1 is left for you. Your turn." in mail
    assert "Board 101, move 2: bob captured A2 bob, A3 bob and A4 bob." in mail
    (page,) = said_of(view_board(board)).gone
    assert isinstance(page, Prose)
    assert page.lines == ("Only A1 is left for alice.",)
    over = board.apply(play(board, 0, "a1", None, NOON))
    assert render("mail/news.txt", view=view_board(over, "bob")).strip() == (
        "You played A2 and took A2, A3 and A4. Only A1 is left for alice. alice answered A1 and took A1. "
        "You won: alice cannot move!"
    )
    with pytest.raises(LookupError, match="no macro frozen"):
        sentence_of(GameEvent("chomp", "frozen", "bob", (), 0))


def robots(monkeypatch: pytest.MonkeyPatch, added: Mapping[str, object]) -> Mapping[str, object]:
    points = [SimpleNamespace(name=name, value="", load=lambda each=each: each) for name, each in added.items()]
    monkeypatch.setattr(knowing, "entry_points", lambda group: points)
    monkeypatch.setattr(knowing, "others", knowing.others.__wrapped__)
    return knowing.knowing()


def test_robots_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    thinker = SimpleNamespace(think=len, knows=len)
    every = robots(
        monkeypatch, {"hex": thinker, "go": SimpleNamespace(), "no-such-game": thinker, "cephalopod": thinker}
    )
    assert every["hex"] is thinker
    assert set(every) == {"hex", "cephalopod"}
    assert every["cephalopod"] is not thinker
    assert knowing.others()[1] == {
        "cephalopod": "there is a thinker that knows cephalopod already",
        "go": "it does not answer think, knows",
        "no-such-game": "there is no game no-such-game",
    }
    assert not knowing.is_ours(thinker)


def test_games_are_ours_and_those_of_others() -> None:
    assert set(ours()) <= set(games())
