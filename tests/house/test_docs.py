"""The documentation is current, its links work, and what it names exists."""

import ast
import re
from pathlib import Path

import pytest

from pbmserv.cli.config import KNOWN, PREFIX
from tests.docs import DOCS, GENERATED, README, ROOT, Part, cli_commands
from tests.house.imports import modules_of, statements

PAGES = [README, *sorted(DOCS.glob("*.md"))]
LONG = 150
FOLDERS = ("deploy", "docs", "migrations", "pbmserv", "templates", "tests")


@pytest.mark.parametrize("part", GENERATED, ids=lambda part: f"{part.page.stem}-{part.name}")
def test_generated_part_is_current(part: Part) -> None:
    """What a page shows of the code is as the code has it: `python -m tests.docs` writes it anew."""
    assert part.read() == part.make()


def test_every_page_is_found_from_the_readme() -> None:
    """README leads to each page."""
    linked = {target.partition("#")[0] for target in links(README)}
    assert {f"docs/{page.name}" for page in PAGES[1:]} <= linked


def test_readme_is_short() -> None:
    """README is read in five minutes; the pages have the rest."""
    assert len(README.read_text().splitlines()) <= 165


def test_links_lead_somewhere() -> None:
    """Each relative link names a file that is there, and each anchor a heading of it."""
    for page in PAGES:
        for link in links(page):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.name}: {link}"
            assert ROOT in target.parents, f"{page.name}: {link}"
            if anchor:
                assert anchor in anchors(target), f"{page.name}: {link}"


def test_long_pages_have_contents() -> None:
    """A page of many screens begins with links to all its sections; of a reference, the sections are enough."""
    for page in PAGES[1:]:
        sections = re.findall(r"(?m)^## (.*)$", outside_code(page.read_text()))
        if len(page.read_text().splitlines()) > LONG and len(sections) > 1 and page.name != "changes.md":
            contents = outside_code(page.read_text()).partition("\n## ")[0]
            listed = [link.removeprefix("#") for link in re.findall(r"\]\((#[^)]+)\)", contents)]
            assert listed == [slug(section) for section in sections], page.name


def test_files_and_folders_that_are_named_are_there() -> None:
    """Paths between backticks, from the top of the checkout; NAME stands for one that is to be written."""
    for page in PAGES:
        for name in re.findall(r"`([a-z_.]+/[A-Za-z0-9_./-]*)`", page.read_text()):
            if name.partition("/")[0] in FOLDERS and "NAME" not in name:
                assert (ROOT / name).exists(), f"{page.name}: {name}"


def test_classes_that_are_named_exist() -> None:
    """A class between backticks is one of the package; in the glossary it is in the file that the row names."""
    classes = {
        path: {node.name for node in statements(tree) if isinstance(node, ast.ClassDef)}
        for path, tree in modules_of(ROOT).trees.items()
    }
    every_class = set().union(*classes.values())
    for page in (DOCS / "architecture.md", DOCS / "extending.md", DOCS / "glossary.md"):
        named = re.findall(r"`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`", page.read_text())
        assert {name for name in named if name not in every_class} == set(), page.name
    rows = re.findall(r"(?m)^\|[^|]*\| (`[A-Z][^|]*) \| (`pbmserv/[^|]*) \|$", (DOCS / "glossary.md").read_text())
    assert rows
    for named, files in rows:
        there = set().union(*(classes[path] for path in re.findall(r"`([^`]+)`", files)))
        assert set(re.findall(r"`([^`]+)`", named)) <= there, f"{named}: {files}"


def test_settings_that_are_named_exist() -> None:
    """No page tells of a setting that is gone."""
    known = {PREFIX + name.upper() for name in KNOWN}
    for page in PAGES:
        assert set(re.findall(rf"\b{PREFIX}[A-Z_]+\b", page.read_text())) <= known, page.name


def test_commands_that_are_named_exist() -> None:
    """Each command line that begins with `pbmserv`, or with `admin` in a sentence, begins with a command of it."""
    known = cli_commands()
    for page in PAGES:
        text = page.read_text().replace("`admin ", "`pbmserv admin ")
        for line in re.findall(r"(?m)(?:`|^\$ |^    (?:sudo )?)pbmserv((?: [a-z]+)+)", text):
            words = line.split()
            command = " ".join(["pbmserv", *words[: 2 if words[0] == "admin" else 1]])
            assert command in known, f"{page.name}: {command}"


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures that lead into the checkout."""
    text = re.sub(r"`[^`\n]*`", "", outside_code(page.read_text()))
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """What a link may name behind `#`: a page's headings, as GitHub makes anchors of them."""
    found: list[str] = []
    for heading in re.findall(r"(?m)^#{1,6} (.*)$", outside_code(page.read_text())):
        times = sum(re.sub(r"-[0-9]+$", "", each) == slug(heading) for each in found)
        found.append(f"{slug(heading)}-{times}" if times else slug(heading))
    return set(found)


def slug(heading: str) -> str:
    """A heading as an anchor.

    >>> slug("A club on a mailbox, in ten minutes")
    'a-club-on-a-mailbox-in-ten-minutes'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def outside_code(text: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"(?ms)^```.*?^```$|^    .*?$", "", text)
