"""Which functions and templates a piece of work passes, in the order in which each is first called."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

INNER = ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>", "<module>")
"""Code objects that nobody would call functions."""


@dataclass(frozen=True)
class Step:
    """A function of the package by its file, from the top of the checkout, and its qualified name."""

    file: str
    function: str


@dataclass(frozen=True)
class Road:
    """What was passed, each once, in the order of first calls."""

    steps: tuple[Step, ...]
    """Functions, methods and lambdas; a comprehension belongs to the function around it."""

    templates: tuple[str, ...]
    """From the top of the checkout."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the functions."""
        return tuple(dict.fromkeys(step.file for step in self.steps))


class Recorder:
    """Notes calls on all threads that start while it is installed, but only while it is recording."""

    def __init__(self, checkout: Path) -> None:
        self._package = f"{checkout / 'pbmserv'}/"
        self._templates = f"{checkout / 'templates'}/"
        self._checkout = checkout
        self._seen: dict[CodeType, None] = {}
        self._is_recording = False

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Listens to calls until the block ends. A thread that is to be heard must start within it."""
        before = sys.getprofile()
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(before)

    def record(self, work: Callable[[], object]) -> Road:
        """Does the work and gives what it passed."""
        self._seen = {}
        self._is_recording = True
        try:
            work()
        finally:
            self._is_recording = False
        codes = list(self._seen)
        return Road(
            steps=tuple(
                dict.fromkeys(
                    Step(str(Path(code.co_filename).relative_to(self._checkout)), _name(code))
                    for code in codes
                    if code.co_filename.startswith(self._package) and code.co_name not in INNER
                )
            ),
            templates=tuple(
                dict.fromkeys(
                    str(Path(code.co_filename).relative_to(self._checkout))
                    for code in codes
                    if code.co_filename.startswith(self._templates)
                )
            ),
        )

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if self._is_recording and event == "call":
            self._seen.setdefault(frame.f_code)


def _name(code: CodeType) -> str:
    return code.co_qualname.replace("<locals>.", "")
