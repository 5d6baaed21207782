"""The one Jinja environment, and the text it may not do without: wrapping, listing, quoting a rule.

Templates lie in `templates/`, beside the package in a checkout and inside it when installed. Every name that a
template uses must be given to it: a missing one is an error, never an empty place.
"""

import re
import textwrap
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound, select_autoescape

from pbmserv.matches.rating import Rating
from pbmserv.rendering.happened import LEAVES
from pbmserv.rendering.time_left import span
from pbmserv.rendering.words import parts_of
from pbmserv.robots.library import robots, userid_of

WIDTH = 72

_PACKAGE = Path(__file__).parent.parent
# Marks that turn the direction of what follows could make a board read from right to left; what others take for
# the end of a line could make a comment look like our own words.
_DIRECTIONS = (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C)
_LINE_ENDS = (0x0B, 0x0C, 0x0D, 0x1C, 0x1D, 0x1E, 0x85, 0x2028, 0x2029)
_UNSEEN = dict.fromkeys(_DIRECTIONS) | dict.fromkeys(_LINE_ENDS, " ")
# Where a line goes on: below its blanks, or behind the bar of a comment; never so far in that nothing fits.
_INDENT = re.compile(r"(?:\| )?[ ]{0,24}")
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)))
_RULE = re.compile(r"^([0-9]{1,2})\. ")


@lru_cache(maxsize=1)
def templates_folder() -> Path:
    """`templates/`, inside an installed package or beside it in a checkout."""
    return next(path for path in (_PACKAGE / "templates", _PACKAGE.parent / "templates") if path.is_dir())


class _WordsFirst(FileSystemLoader):
    """Finds `NAME.words.txt` in the place of `NAME.txt` where there is one, for includes too."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        with suppress(TemplateNotFound):
            return super().get_source(environment, f"{template.removesuffix('.txt')}.words.txt")
        return super().get_source(environment, template)


@lru_cache(maxsize=2)
def environment(words: bool = False) -> Environment:
    """The environment; `.html` and `.xml` templates escape. With `words` it is for those who hear a mail read."""
    env = Environment(
        loader=(_WordsFirst if words else FileSystemLoader)(templates_folder()),
        undefined=StrictUndefined,
        autoescape=select_autoescape(enabled_extensions=("html", "xml"), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,
    )
    env.filters["listed"] = listed
    env.filters["moment"] = moment
    env.filters["ordered"] = ordered
    env.filters["parts"] = parts_of
    env.filters["span"] = span
    env.globals["quoted"] = partial(rule, words=words)
    env.globals["columns"] = one_a_line if words else in_columns
    env.globals["gap"] = ", " if words else "  "
    env.globals["passage"] = passage
    env.globals["robots"] = [(userid_of(name), robot.summary) for name, robot in robots().items()]
    env.globals["leaves"] = LEAVES
    env.globals["newcomer"] = Rating()
    env.globals["width"] = WIDTH
    return env


def render(template: str, /, words: bool = False, **context: object) -> str:
    """A template's text, not yet laid out; with `words` that of its variant in words, where it has one."""
    return environment(words).get_template(template).render(context)


def laid_out(text: str) -> str:
    """Text as a mail may carry it (RFC 5322, and what mail programs do to a body).

    No line is longer than 72 columns, ends in a blank, begins with `From ` or `>`, or is only `.` or `-- `; blank
    lines come one at a time and stand neither first nor last. A long line goes on below its own indentation.
    """
    lines: list[str] = []
    for line in as_shown(text).split("\n"):
        whole = line.rstrip()
        for part in _broken(whole) if len(whole) > WIDTH else [_harmless(whole)]:
            if part or (lines and lines[-1]):
                lines.append(part)
    return "\n".join(lines).rstrip("\n") + "\n"


def as_shown(text: str) -> str:
    """Text without the marks that would make it look like something else: its only line ends are line feeds."""
    return text.translate(_UNSEEN)


def without_controls(text: str) -> str:
    """Text without the control characters that HTML may not hold, not even escaped."""
    return text.translate(_CONTROLS)


def filled(text: str) -> str:
    """Text whose paragraphs of prose are broken anew at 72 columns; prose is every line that is not indented.

    >>> filled("One\\ntwo:\\n    three")
    'One two:\\n    three'
    """
    done: list[str] = []
    prose: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line and not line.startswith((" ", "|")):
            prose.append(line)
            continue
        done += [*textwrap.wrap(" ".join(prose), WIDTH, break_on_hyphens=False), line]
        prose = []
    return "\n".join(done[:-1])


def _broken(line: str) -> list[str]:
    indent = _INDENT.match(line)
    below = indent[0] if indent else ""
    parts = textwrap.wrap(line, WIDTH - 1, subsequent_indent=below, break_on_hyphens=False)
    return [_harmless(part) for part in parts]


def _harmless(line: str) -> str:
    return f" {line}" if line.startswith(("From ", ">")) or line in (".", "--") else line


def listed(words: Iterable[object], last: str = "and") -> str:
    """Words as people list them.

    >>> listed(["A2", "B1", "C2"])
    'A2, B1 and C2'
    """
    every = [str(word) for word in words]
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} {last} {every[-1]}"


def moment(at: datetime) -> str:
    """A moment as programs read it (RFC 3339), to the second.

    >>> moment(datetime(2026, 1, 1, 12, 30, 15, 999, tzinfo=UTC))
    '2026-01-01T12:30:15Z'
    """
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def ordered(pairs: Iterable[tuple[str, str]]) -> str:
    """Options as they are typed.

    >>> ordered([("size", "3x5")])
    '-size=3x5'
    """
    return " ".join(f"-{name}={value}" if value else f"-{name}" for name, value in pairs)


def in_columns(words: Iterable[str], indent: int = 4) -> str:
    """Words in lines of at most 72 columns, three blanks between them, each line indented."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 3 + len(word) <= WIDTH:
            lines[-1] += f"   {word}"
        else:
            lines.append(" " * indent + word)
    return "\n".join(lines)


def one_a_line(words: Iterable[str], indent: int = 4) -> str:
    """Words one below the other, which is how they are best heard, each line indented."""
    return "\n".join(" " * indent + word for word in words)


def rules_text(game: str, words: bool = False) -> str:
    """The rules text of a game."""
    return render(f"rules/{game}.txt", words=words)


def passage(game: str, begin: str, end: str = "") -> str:
    """The rules text of a game from where it says `begin` to before `end`, or to its end.

    A variant in words takes from it what is not drawn, so that a rule is written once.
    """
    text = rules_text(game)
    start = text.index(begin)
    return text[start : text.index(end, start) if end else len(text)].strip("\n")


def rule(game: str, number: int, words: bool = False) -> str:
    """The paragraph of a game's rules text that begins with this number, with the lines indented below it."""
    found: list[str] = []
    for line in rules_text(game, words).split("\n"):
        begins = _RULE.match(line)
        if found and (begins or not line.startswith(" ")):
            break
        if found or (begins and int(begins[1]) == number):
            found.append(line)
    if not found:
        raise LookupError(f"the rules of {game} have no paragraph {number}")
    return "\n".join(found)
