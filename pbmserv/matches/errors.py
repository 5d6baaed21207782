"""Why a command was refused: the base of all such errors, each of which stands beside what raises it.

A command raises one; the service that runs the command catches it and answers the mail with it. The template gets
the error's fields, and the facts about the server.
"""

import re
from dataclasses import FrozenInstanceError, dataclass, field, fields
from functools import partial
from typing import Any, ClassVar, Final, dataclass_transform

_LATER_WORD: Final = re.compile(r"(?<!^)(?=[A-Z])")


def block_of(module: str, name: str) -> str:
    """Where the sentences of a reply, an error or a help text stand: in its module's template, under its name.

    >>> block_of("pbmserv.matches.errors", "NoSuchBoard")
    'matches/errors.txt:no_such_board'
    """
    path = module.removeprefix("pbmserv.").replace(".", "/")
    return f"{path}.txt:{_LATER_WORD.sub('_', name).lower()}"


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
@dataclass(kw_only=True)
class CommandError(Exception):
    """The command cannot be carried out. A class of its own for each reason, which is a dataclass by itself.

    Two errors are equal if their class and fields are. A field never changes. The class itself guards
    that: Python could not set the traceback of a frozen dataclass.
    """

    template: ClassVar[str]
    """Its sentences (`block_of`)."""

    about_identity: ClassVar[bool]
    """Whether it is about who the sender is. If so, the later commands of the mail are not run."""

    board: int | None = None
    """The board that it is about. The answer shows it."""

    def __init_subclass__(cls, about_identity: bool = False) -> None:
        super().__init_subclass__()
        dataclass(kw_only=True)(cls)
        cls.template, cls.about_identity = block_of(cls.__module__, cls.__name__), about_identity

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(self) and name in self.__dataclass_fields__:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super().__setattr__(name, value)

    def __str__(self) -> str:
        return repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{each.name: getattr(self, each.name) for each in fields(self)}), ()
