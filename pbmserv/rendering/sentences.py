"""Replies and refusals in words: each value's class names its template, its fields are the template's context."""

import re
from dataclasses import fields

from pbmserv.commands.replies.common import Reply
from pbmserv.commands.server import Server
from pbmserv.matches.refusals import Refused
from pbmserv.rendering.environment import filled, render

_WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def template_of(kind: type[Reply] | type[Refused]) -> str:
    """The template of a kind of reply or refusal.

    >>> from pbmserv.matches.refusals import NotYourTurn
    >>> template_of(NotYourTurn)
    'refusals/not_your_turn.txt'
    """
    folder = "refusals" if issubclass(kind, Refused) else "replies"
    return f"{folder}/{_WORD_START.sub('_', kind.__name__).lower()}.txt"


def say(what: Reply | Refused, server: Server, words: bool = False) -> str:
    """The sentences of a reply or a refusal, not yet laid out; with `words` without anything drawn."""
    context = {field.name: getattr(what, field.name) for field in fields(what)}
    return filled(render(template_of(type(what)), words=words, **context, server=server).strip("\n"))
