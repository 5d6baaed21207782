"""What a line comes to, in one line of text that a table can hold."""

from collections.abc import Sequence

from pbmserv.commands.command import Credentials
from pbmserv.commands.lookup import UnknownGame
from pbmserv.commands.queue_notation import Misread, write
from pbmserv.commands.typed_moves import spelling_of
from pbmserv.games.info import Info
from pbmserv.matches.conditional_moves import Branch
from pbmserv.parser.fitting import ParsedLine
from pbmserv.parser.line import parse_line
from pbmserv.parser.parsed import NotPlainlySaid, Parsed, ParsedMail, UnknownCommand, Unparsed, WhichOne
from pbmserv.parser.words import normalised


def meaning(line: str, board: int | None = None, game: Info | None = None) -> str:
    """The meaning of a line as it stands in a mail; `board` is the one that the mail answers, of that `game`.

    `cephalopod move 101 c3 #7 by anna/sesame` - `refused WrongForm` - `meant? resign 101` - `prose`
    """
    return of_line(parse_line(normalised(line), board, spelling_of(game)))


def of_line(read: ParsedLine) -> str:
    """The meaning of what was read."""
    found = read.parsed or read.unparsed
    if found is not None:
        return of(found)
    return "prose" if read.claim is None else f"as {_told(read.claim)}"


def of(line: Parsed | Unparsed) -> str:
    """The meaning of a line of a `ParsedMail`."""
    if isinstance(line, Unparsed):
        match line.error:
            case UnknownCommand(suggestions=suggestions):
                return f"meant? {' | '.join(suggestions)}"
            case NotPlainlySaid(ready=ready):
                return f"meant? {ready}"
            case WhichOne(choices=choices):
                return f"which? {' | '.join(choices)}"
            case UnknownGame():
                return "game?"
        return f"refused {type(line.error).__name__}"
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


def _told(claim: Credentials) -> str:
    return f"{claim.userid}/{claim.password.value}"


def of_mail(reading: ParsedMail) -> str:
    """The meaning of a whole mail: a line for each command, then the comment behind `//`."""
    if reading == ParsedMail(forwarded=True):
        return "forwarded"
    told = [f"as {_told(reading.claim)}"] if reading.claim else []
    told += map(of, reading.lines)
    if not reading.lines:
        told.append("nothing" if reading.board is None else f"nothing for board {reading.board}")
        told[-1] += f", but {reading.near}" if reading.near else ""
    told += [f"// {line}".rstrip() for line in reading.comment.split("\n") if reading.comment]
    return "\n".join(told)


def of_queue(said: Sequence[Branch] | Misread) -> str:
    """The meaning of what `queue` is to do: the plainest line that says it, or what is wrong and where."""
    if not isinstance(said, Misread):
        return write(said)
    if said.choices:
        return f"{said.why}: {' | '.join(said.choices)}"
    return f"{said.why} behind [{said.before}] at [{said.word}]"
