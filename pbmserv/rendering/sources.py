"""Where Jinja finds templates: in the folder of this package, and of games in those that other packages bring."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, TemplateNotFound

from pbmserv.rendering.markup import marked

_OF_GAMES: Final = ("rules/", "tutorials/")
"""The templates that the package of a game may bring."""

_INCLUDE: Final = re.compile(r'{% include "([^"]*\.(\w+))" %}')


class Loader(FileSystemLoader):
    """Replaces signs by marks in text templates, and an include of the same kind of file by that file.

    So a mail is one template. As in an included one, what the file sets holds in it alone.
    """

    def __init__(self, own: Path, others: Iterable[Path]) -> None:
        super().__init__([own, *others])
        self._own = FileSystemLoader(own)

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        is_of_game = template.startswith(_OF_GAMES)
        find = super().get_source if is_of_game else self._own.get_source
        source, name, is_current = find(environment, template)
        kind = template.rpartition(".")[2]

        def included(found: re.Match[str]) -> str:
            if found[2] != kind:
                return found[0]
            inner, _, _ = self.get_source(environment, found[1])
            return f"{{% with %}}{inner.removesuffix(chr(10))}{{% endwith %}}"

        whole = marked(source) if kind == "txt" else source
        return _INCLUDE.sub(included, whole), name, is_current


class WordsFirst(Loader):
    """Finds `NAME.words.txt` in the place of `NAME.txt` where there is one, for includes too."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        try:
            return super().get_source(environment, f"{template.removesuffix('.txt')}.words.txt")
        except TemplateNotFound:
            return super().get_source(environment, template)
