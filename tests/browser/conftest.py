"""Chromium for all tests of this folder."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.conftest import needed


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, as the system has it.

    It goes with the module: as long as Playwright is there its loop counts as running, and others have their own.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        needed("Chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, chromium_sandbox=False)
        yield launched
        launched.close()
