"""What is easily forgotten when something is added: that its name is taken, that the setting should do something,
that the page is to be tried and told of. docs/extending.md has the recipes.
"""

import ast
import re
from collections.abc import Collection, Iterable
from dataclasses import fields
from typing import Any, Final, get_args

import pytest
from argon2 import PasswordHasher
from sqlalchemy import create_engine
from starlette.routing import Route

from pbmserv.cli.config import KNOWN, Settings
from pbmserv.commands.command import commands
from pbmserv.commands.help import ELSEWHERE, TOPICS, page
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.rendering.templates import templates_folder
from pbmserv.services.app import App
from pbmserv.web.app import make_app
from pbmserv.web.layout import AssetName
from pbmserv.web.site import Site
from tests.docs import ROOT
from tests.house.imports import modules_of

# Names


def test_no_name_means_two_things() -> None:
    """`help NAME` shows one page, and `NAME list` is about a game or nothing: of two, one would be hidden."""
    kinds: dict[str, Iterable[str]] = {
        "a command": commands(),
        "a help topic": ("commands", *TOPICS),
        "a game": games(),
        "a word that commands/help.py looks up ELSEWHERE": ELSEWHERE,
    }
    meanings: dict[str, list[str]] = {}
    for kind, names in kinds.items():
        for name in names:
            # In the address of a page a blank is a hyphen.
            meanings.setdefault(name.replace(" ", "-"), []).append(kind)
    clashes = [f"`{name}` is {' and '.join(found)}" for name, found in meanings.items() if len(found) > 1]
    assert not clashes, "; ".join(clashes)


def test_words_looked_up_elsewhere_lead_to_a_page() -> None:
    server = Server("pbm@club.test")
    lost = {word: subject for word, subject in ELSEWHERE.items() if page(subject, server) is None}
    assert not lost, f"ELSEWHERE in commands/help.py leads to pages that are not there: {lost}"


# Settings

CHANGED: Final[dict[str, tuple[Any, Any]]] = {
    "address": ("games@other.test", "games@other.test"),
    "delimiter": ("-", "-"),
    "confirm": ("from", "from"),
    "site_url": ("https://other.test/games/", "https://other.test/games"),
    "authserv_id": ("mx.other.test", "mx.other.test"),
    "max_size": (20_000, 20_000),
    "default_game": ("", ""),
    "games": ("hex go", ("hex", "go")),
    "variants": (True, True),
    "club_name": ("Other Club", "Other Club"),
    "club_contact": ("ann@other.test", "ann@other.test"),
    "accent": ("#7a1f5c", "#7a1f5c"),
    "signup": ("mail", "mail"),
}
"""For each field of `Server`, what an operator may set in place of the default, and what it becomes there."""


@pytest.mark.parametrize("name", [each.name for each in fields(Server)])
def test_the_server_follows_its_setting(name: str) -> None:
    """What an operator sets reaches commands (`request.server`) and pages (`app.server`)."""
    assert name in CHANGED, f"tell CHANGED what the setting of Server.{name} may be, other than its default"
    given, becomes = CHANGED[name]
    default, changed = (getattr(Settings(**each).server(), name) for each in ({}, {name: given}))
    assert default != becomes, f"the value of {name} in CHANGED is the default"
    assert changed == becomes, f"Settings.server() does not pass {name} to Server"


def test_every_setting_does_something() -> None:
    """Each is read by the command line or passed to `Server`, of which each field is read somewhere."""
    modules = modules_of(ROOT).trees
    of_settings = [tree for path, tree in modules.items() if path.startswith("pbmserv/cli/")]
    unread = KNOWN.keys() - attributes_read(of_settings, ("self", "settings"))
    assert not unread, f"nothing reads these settings: {sorted(unread)}"
    itself = [modules["pbmserv/commands/server.py"]]
    read = attributes_read(modules.values(), ("server",)) | attributes_read(itself, ("self",))
    for template in templates_folder().rglob("*.*"):
        read |= set(re.findall(r"\bserver\.(\w+)", template.read_text()))
    idle = {each.name for each in fields(Server)} - read
    assert not idle, f"nothing reads these fields of Server: {sorted(idle)}"


def attributes_read(trees: Iterable[ast.Module], owners: Collection[str]) -> set[str]:
    """The attributes of whatever has one of these names: of `server`, as of `site.app.server`."""
    found = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {node.attr for node in found if _last_name(node.value) in owners}


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


# Pages

NOT_FOR_EVERYBODY: Final = ("/play/", "/desk/", "/leave/", "/mailbox", "/changes")
"""Where only the owner of a link comes, who sits at the machine, or a page itself. They have their own tests."""

SAME_AS_ANOTHER: Final = ("/standings",)
"""What shows the page of a longer address."""


def public_routes() -> list[Route]:
    """The routes of what anybody can look at, in the order in which they are tried."""
    app = make_app(Site(App(create_engine("sqlite://"), Server("pbm@club.test"), str, PasswordHasher())))
    assets = {f"/{name}" for name in get_args(AssetName)}
    routes = [route for route in app.routes if isinstance(route, Route) and "GET" in (route.methods or ())]
    return [route for route in routes if not route.path.startswith(NOT_FOR_EVERYBODY) and route.path not in assets]


def strings_in(file: str, name: str) -> set[str]:
    """The strings of what a module assigns to a name, without importing what the module needs."""
    assigned = re.compile(rf"{name}\b.* = ")
    statements = [node for node in ast.parse((ROOT / file).read_text()).body if assigned.match(ast.unparse(node))]
    assert len(statements) == 1, f"{name} should be assigned once in {file}"
    constants = (node.value for node in ast.walk(statements[0]) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


def told_in_playing() -> set[str]:
    """The addresses in docs/playing.md; a file without one belongs to the first address of its line."""
    found: set[str] = set()
    for line in (ROOT / "docs" / "playing.md").read_text().splitlines():
        first, *others = re.findall(r"`([^`\s]+)`", line) or [""]
        found |= {first, *(other if other.startswith("/") else f"{first}/{other}" for other in others)}
    return found


def missing(routes: Iterable[Route], addresses: Iterable[str]) -> list[str]:
    """The paths of the routes that none of these addresses belongs to."""
    every, shown = public_routes(), {each.partition("?")[0] for each in addresses}
    met = {next((route.path for route in every if route.path_regex.match(each)), "") for each in shown}
    return [route.path for route in routes if route.path not in (*met, *SAME_AS_ANOTHER)]


@pytest.mark.parametrize("file", ["tests/web/test_pages.py", "tests/browser/test_quality.py"])
def test_every_page_is_tried(file: str) -> None:
    """What holds for every page is tried on each, in memory and in a browser."""
    pages = [route for route in public_routes() if "." not in route.path]
    lacking = missing(pages, strings_in(file, "PAGES"))
    assert not lacking, f"PAGES in {file} has no address for {', '.join(lacking)}"


def test_players_are_told_of_every_page() -> None:
    """And of every file."""
    lacking = missing(public_routes(), told_in_playing())
    assert not lacking, f"docs/playing.md, The pages, tells nothing of {', '.join(lacking)}"


def test_every_game_has_a_conversation() -> None:
    """From the challenge to the end; that of Cephalopod is the oldest, and is called otherwise."""
    missing = [
        f"tests/golden/game_{name.replace('-', '_')}.txt"
        for name in games()
        if name != "cephalopod" and not (ROOT / "tests" / "golden" / f"game_{name.replace('-', '_')}.txt").exists()
    ]
    assert not missing, f"these games are played in no golden conversation: {missing}"
