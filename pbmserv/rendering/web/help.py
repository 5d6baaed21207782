"""The manual: the texts that `help` mails, set for a page."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbmserv.commands.library import commands
from pbmserv.commands.verbs import help as manual
from pbmserv.commands.words import close_to
from pbmserv.games.library import games
from pbmserv.rendering.blocks import Block, blocks_of
from pbmserv.rendering.environment import laid_out
from pbmserv.rendering.sentences import say
from pbmserv.rendering.web.page import Frame, Page, help_path, mailto, slug
from pbmserv.rendering.web.question import LONGEST_ECHO
from pbmserv.rendering.web.trouble import Missing


@dataclass(frozen=True, slots=True)
class Help(Page):
    """A help page: the mailed text as blocks; `links` says where a line of them leads to. The rest leads on."""

    template = "web/help.html"
    section = "help"
    subject: str
    blocks: tuple[Block, ...]
    links: Mapping[str, str]
    topics: tuple[str, ...]
    games: tuple[str, ...]
    commands: tuple[str, ...]


def help_page(asked: str, frame: Frame) -> Help | Missing:
    """The help page that has this name in its address ("" is the index), its text being what `help` mails."""
    wanted = asked.lower()
    known = {slug(subject): subject for subject in ("", *manual.subjects())}
    subject = known.get(slug(wanted))
    reply = None if subject is None else manual.page(subject)
    if subject is None or reply is None:
        return Missing("help", asked[:LONGEST_ECHO], close_to(wanted, manual.subjects()))
    return Help(
        subject=subject,
        blocks=blocks_of(laid_out(say(reply, frame.server))),
        links={line: path for line, path in _links(frame).items() if path != help_path(subject)},
        topics=("tutorial", *(topic for topic in manual.TOPICS if topic != "tutorial")),
        games=tuple(games()),
        commands=tuple(commands()),
    )


def _links(frame: Frame) -> dict[str, str]:
    """Where a line leads to that names a help page, gives a form of a command, or is the server's address."""
    asking = {f"help {subject}".rstrip(): help_path(subject) for subject in ("", *manual.subjects())}
    forms = {form: help_path(command.name) for command in commands().values() for form in command.forms}
    return {**asking, **forms, frame.server.address: mailto(frame)}
