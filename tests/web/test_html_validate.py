"""What html-validate (npm, MIT) says of pages and mails, where it is installed: npm install -g html-validate.

A parser of its own, beside the checks on every page. It finds elements where they may not stand, unknown
attributes, and ids that occur twice.
"""

import json
import shutil
import subprocess
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from pbmserv.services.views import list_outbox
from tests.web.club import Club, Get
from tests.web.test_pages import MISSING, PAGES

pytestmark = pytest.mark.slow

RULES = {"root": True, "extends": ["html-validate:standard"], "rules": {"no-deprecated-attr": "off"}}
"""What the standard demands, but for attributes of tables that Outlook needs in mails."""


def flaws(folder: Path) -> list[str]:
    """What is wrong with the files of a folder."""
    program = shutil.which("html-validate")
    if program is None:
        pytest.skip("html-validate is not installed on this machine")
    (folder / ".htmlvalidate.json").write_text(json.dumps(RULES))
    files = sorted(str(each) for each in folder.glob("*.html"))
    assert files
    done = subprocess.run([program, "--formatter", "json", *files], capture_output=True, cwd=folder, timeout=300)
    return [
        f"{Path(file['filePath']).name}:{each['line']}: {each['message']}"
        for file in json.loads(done.stdout)
        for each in file["messages"]
    ]


def test_pages(get: Get, tmp_path: Path) -> None:
    for number, path in enumerate((*PAGES, *MISSING)):
        (tmp_path / f"{number}.html").write_text(get(path).text)
    assert flaws(tmp_path) == []


def test_mails(club: Club, tmp_path: Path) -> None:
    for mail in list_outbox(club, None, 100):
        part = message_from_bytes(mail.raw, policy=policy.default).get_body(("html",))
        if part is not None:
            (tmp_path / f"{mail.id}.html").write_text(part.get_content())
    assert flaws(tmp_path) == []


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    """Else nobody would notice if it looked at nothing."""
    (tmp_path / "wrong.html").write_text("<!DOCTYPE html><html lang=en><title>x</title><p id=a><p id=a><div></p>")
    assert flaws(tmp_path)
