"""The one Jinja environment with its loaders, filters and globals: listing, columns, quoting a rule.

Templates lie in `templates/`, beside the package in a checkout and inside it when installed. Every name that a
template uses must be given to it: a missing one is an error, never an empty place.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, MutableMapping
from dataclasses import fields, replace
from functools import cache, lru_cache, partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, Final

from jinja2 import (
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateNotFound,
    pass_context,
    select_autoescape,
)
from jinja2.runtime import Context

from pbmserv.commands.command import Command, Reply
from pbmserv.commands.server import Server
from pbmserv.commands.time_options import as_options
from pbmserv.games import games, others
from pbmserv.games.info import Info
from pbmserv.matches.errors import CommandError
from pbmserv.matches.ratings import Rating
from pbmserv.rendering import language
from pbmserv.rendering.accessible import parts_of
from pbmserv.rendering.document import Document, Heading, Item, Numbered, Prose, between
from pbmserv.rendering.drawn_text import Figures, bars, in_words
from pbmserv.rendering.filters import example, offered, terms_of
from pbmserv.rendering.language import listed, moment, plural, span
from pbmserv.rendering.markup import (
    WIDTH,
    Marked,
    document_of,
    filled,
    marked,
    marked_command,
    plotted,
    source_of,
    without_marks,
)
from pbmserv.rendering.news import GameEvent
from pbmserv.robots import spiel
from pbmserv.robots.levels import level_of, rungs_of
from pbmserv.robots.robot import FITTING, RANDOM, userid_of

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


_MOST_QUOTED = 4
"""Lines of a rule in a refusal: the whole of it is one `help` away."""

_PACKAGE = Path(__file__).parent.parent


@lru_cache(maxsize=1)
def templates_folder() -> Path:
    """`templates/`, inside an installed package or beside it in a checkout."""
    return next(path for path in (_PACKAGE / "templates", _PACKAGE.parent / "templates") if path.is_dir())


class _Templates(Environment):
    """Gives templates their globals in one mapping: Jinja's chain of two is slow, and asked for every template."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


def environment(words: bool = False) -> Environment:
    """The environment, made once for each kind of reader: `.html` and `.xml` templates escape.

    With `words` it is for people who hear their mail read.
    """
    return _environment(words)


# Called with one positional argument alone: the cache takes a default and its value for two different calls.
@lru_cache(maxsize=2)
def _environment(words: bool) -> Environment:
    env = _Templates(
        loader=(WordsFirst if words else Loader)(
            templates_folder() / language.LANGUAGE.folder,
            (Path(folder) / language.LANGUAGE.folder for folder in others().folders),
        ),
        undefined=StrictUndefined,
        autoescape=select_autoescape(enabled_extensions=("html", "xml"), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=False,
        finalize=without_marks,
    )
    env.filters["ago"] = language.ago
    env.filters["as_options"] = as_options
    env.filters["board"] = board_link
    env.filters["example"] = example
    env.filters["listed"] = listed
    env.filters["marked"] = Marked
    env.filters["moment"] = moment
    env.filters["offered"] = offered
    env.filters["ordered"] = ordered
    env.filters["parts"] = parts_of
    env.filters["plotted"] = plotted
    env.filters["plural"] = plural
    env.filters["span"] = span
    env.filters["terms"] = terms_of
    env.globals["bars"] = bars
    env.globals["help_of"] = _help_of
    env.globals["sentence_of"] = sentence_of
    env.globals["quoted"] = partial(quoted, words=words)
    env.globals["columns"] = one_a_line if words else in_columns
    env.globals["gap"] = ", " if words else "  "
    env.globals["drawn_rules"] = drawn_rules
    env.globals["rules_of"] = lambda game: source_of(rules_document(game, words).blocks)
    env.globals["rules_about"] = partial(rules_about, words=words)
    env.globals["rules_in_short"] = partial(rules_in_short, words=words)
    env.globals["rules_section"] = partial(rules_section, words=words)
    env.globals["robots_of"] = _robots_of
    env.globals["is_mastered_by_open_spiel"] = lambda game: spiel.serves(games()[game.name])
    env.globals["leaves"] = language.LANGUAGE.leaves
    env.globals["newcomer"] = Rating()
    env.globals["width"] = WIDTH
    return env


def _robots_of(game: Info) -> list[tuple[str, str, int | None]]:
    """Who plays a game with the fewest seats that it has: program, userid, and strength if it was measured."""
    rules = games()[game.name]
    position = rules.start(game.least_seats, {})
    found = []
    for program in (FITTING, *rungs_of(rules, position), RANDOM):
        level = level_of(program, rules, position)
        found.append((program, userid_of(program), None if level is None else level.elo))
    return found


def render(template: str, /, words: bool = False, **context: object) -> Marked:
    """A template's text, not yet laid out; with `words` that of its variant in words, where it has one."""
    return Marked(environment(words).get_template(template).render(context))


def render_block(place: str, /, words: bool = False, **context: object) -> Marked:
    """A block of a template (`FILE:BLOCK`), not yet laid out; with `words` its variant BLOCK_accessible if any."""
    template, _, block = place.partition(":")
    found = environment(words).get_template(template)
    name = f"{block}_accessible" if words and f"{block}_accessible" in found.blocks else block
    return Marked("".join(found.blocks[name](found.new_context(context))).strip("\n"))


@pass_context
def _help_of(context: Context, command: Command) -> Marked:
    """The help text of a command: the block `help_NAME` in the template of its module."""
    template, _, block = command.help.partition(":")
    found = context.environment.get_template(template)
    return Marked("".join(found.blocks[block](found.new_context(context.get_all()))).strip("\n"))


def board_link(number: int) -> Marked:
    """A board's number that leads to the board."""
    return marked_command(str(number), "send", f"show {number}", rest="")


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


def rules_text(game: str) -> str:
    """The rules of a game as they were written. Raises LookupError where there are none."""
    for folder in (templates_folder(), *map(Path, others().folders)):
        file = folder / language.LANGUAGE.folder / "rules" / f"{game}.txt"
        if file.is_file():
            return file.read_text("ascii")
    raise LookupError(f"{game} has no rules text")


@cache
def rules_document(game: str, words: bool = False) -> Document:
    """The rules of a game; with `words` without anything drawn."""
    document = document_of(render(f"rules/{game}.txt", words=words))
    return in_words(document, _figure_in_words) if words else document


def _figure_in_words(boards: Figures) -> str:
    return " ".join(render_block("parts/figure.txt:figure", boards=boards).split())


def rule(game: str, number: int, words: bool = False) -> Item:
    """The paragraph of a game's rules that has this number."""
    for item in rules_document(game, words).items():
        if item.number == f"{number}.":
            return item
    raise LookupError(f"the rules of {game} have no paragraph {number}")


def quoted(game: str, number: int, words: bool = False) -> Marked:
    """The first sentences of a paragraph of a game's rules, four lines at most, as a template says them."""
    item = rule(game, number, words)
    text = " ".join(" ".join(part.lines) for part in item.parts[:1] if isinstance(part, Prose))
    sentences = re.split(r"(?<=[.:]) ", text)
    lines: list[str] = []
    for count in range(1, len(sentences) + 1):
        longer = textwrap.wrap(" ".join(sentences[:count]), WIDTH - item.indent)
        if len(longer) > _MOST_QUOTED:
            break
        lines = longer
    said = lines or [*textwrap.wrap(text, WIDTH - item.indent)[:_MOST_QUOTED], "..."]
    return source_of([Numbered((replace(item, parts=(Prose(tuple(said)),)),))])


def sentence_of(change: GameEvent, reader: str | None = None) -> Marked:
    """What the rules text of a game says of an event of its own. Raises LookupError where it says nothing."""
    said = getattr(environment().get_template(f"rules/{change.game}.txt").module, change.what, None)
    if said is None:
        raise LookupError(f"the rules text of {change.game} has no macro {change.what}")
    return Marked(said(change, change.userid == reader))


def rules_about(game: str, stem: str, most: int, words: bool = False) -> Marked:
    """The first numbered paragraphs of a game's rules that have a word with this stem; empty if none has."""
    items = rules_document(game, words).items()
    found = tuple(islice((item for item in items if stem in source_of([Numbered((item,))]).lower()), most))
    return source_of([Numbered(found)]) if found else Marked()


def rules_in_short(game: str, words: bool = False) -> Marked:
    """The numbered paragraphs of a game's rules up to the one that says how it is won."""
    found: list[Item] = []
    for item in rules_document(game, words).items():
        found.append(item)
        if " win" in source_of([Numbered((item,))]):
            break
    return source_of([Numbered(tuple(found))])


def rules_section(game: str, heading: str, words: bool = False) -> Marked:
    """What stands below a heading in the rules of a game, up to the next one, as a template says it."""
    blocks = rules_document(game, words).blocks
    at = next(place for place, block in enumerate(blocks) if isinstance(block, Heading) and block.text == heading)
    rest = blocks[at + 1 :]
    return source_of(list(takewhile(lambda block: not isinstance(block, Heading), rest)))


def drawn_rules(game: str, first: int = 1, last: int | None = None) -> Marked:
    """The rules of a game from one numbered paragraph to another, with all between them, as a template says it.

    The first comes with what stands above it, the last with what stands below. So a variant in words repeats what
    is not drawn.
    """
    for number in (first, last or first):
        rule(game, number)
    return source_of(between(rules_document(game), first, last))


def say(what: Reply | CommandError, server: Server, words: bool = False) -> Marked:
    """The sentences of a reply or an error, not yet laid out; with `words` without anything drawn."""
    context = {field.name: getattr(what, field.name) for field in fields(what)}
    return filled(render_block(what.template, words=words, **context, server=server))
