"""What can be wrong with a mail, or with a line of it, before any command is known."""

from pbmserv.matches.errors import CommandError


class TooMuchAtOnce(CommandError):
    """The mail holds more words on command lines, or above its first command, than are read. Nothing was run."""


class UnknownCommand(CommandError):
    """`word` is no command; `suggestions` are whole lines, or command names, that were perhaps meant."""

    word: str
    suggestions: tuple[str, ...]


class NotPlainlySaid(CommandError):
    """A line may mean to give something up, but is not that command and nothing else; `ready` would be."""

    ready: str


class WhichOne(CommandError):
    """The mail says different things where one can be meant only: `choices`, secrets blotted. Nothing was run.

    So many moves were `left_out` of the choices, since they are not possible now.
    """

    choices: tuple[str, ...]
    left_out: int = 0
