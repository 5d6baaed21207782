"""What a line comes to, in one line of text that a table can hold."""

from pbmserv.commands.line import Line, read_line
from pbmserv.commands.message import Claim, Parsed, Unparsed
from pbmserv.commands.refusals.common import NotPlainlySaid, UnknownCommand, UnknownGame, WhichOne
from pbmserv.commands.words import normalised


def meaning(line: str, board: int | None = None) -> str:
    """The meaning of a line as it stands in a mail; `board` is the one that the mail answers.

    `cephalopod move 101 c3 #7 by anna/sesame` - `refused WrongForm` - `meant? resign 101` - `prose`
    """
    return of_line(read_line(normalised(line), board))


def of_line(read: Line) -> str:
    """The meaning of what was read."""
    found = read.parsed or read.unparsed
    if found is not None:
        return of(found)
    return "prose" if read.claim is None else f"as {_told(read.claim)}"


def of(line: Parsed | Unparsed) -> str:
    """The meaning of a line of a `Reading`."""
    if isinstance(line, Unparsed):
        match line.refused:
            case UnknownCommand(suggestions=suggestions):
                return f"meant? {' | '.join(suggestions)}"
            case NotPlainlySaid(ready=ready):
                return f"meant? {ready}"
            case WhichOne(choices=choices):
                return f"which? {' | '.join(choices)}"
            case UnknownGame():
                return "game?"
        return f"refused {type(line.refused).__name__}"
    said = line.arguments
    words = [said.game or "", line.command.name]
    words += [f"{ref.number}" if ref.ply is None else f"{ref.number}#{ref.ply}" for ref in said.boards]
    words += [*said.userids, said.move, f"#{said.ply}" if said.ply is not None else "", *said.words, said.address]
    words += [*said.moves, f"say {said.text}" if said.text else ""]
    words += [f"-{name}={value}" if value else f"-{name}" for name, value in said.options]
    words += [f"by {_told(line.claim)}" if line.claim else ""]
    words += [f"token {line.token.value}" if line.token else ""]
    words += [f"new {line.new_password.value}" if line.new_password else ""]
    return " ".join(word for word in words if word)


def _told(claim: Claim) -> str:
    return f"{claim.userid}/{claim.password.value}"
