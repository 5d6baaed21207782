"""What a command line looks like when it is told again, or kept: words that nobody understood are blotted.

People type their password where there is no place for it: `games alice sesame`. Whatever is no word of the
language could be one, so that it is neither repeated in an answer, which goes through other hands, nor kept.
"""

from collections.abc import Iterable
from typing import Final

from pbmserv.commands.command import BLOT
from pbmserv.commands.echo import echo_word
from pbmserv.commands.lookup import UnknownGame
from pbmserv.commands.vocabulary import is_address, is_userid
from pbmserv.parser.parsed import Parsed, Unparsed

_MOST_NAMED: Final = 200


def named_userids(lines: Iterable[Parsed | Unparsed]) -> frozenset[str]:
    """Words in lower case that stand in a userid's place, and may be one."""
    parsed = [line for line in lines if isinstance(line, Parsed)]
    claimed = [line.claim.userid for line in parsed if line.claim]
    named = (*(userid for line in parsed for userid in line.arguments.userids), *claimed)
    return frozenset([userid.lower() for userid in named if is_userid(userid)][:_MOST_NAMED])


def echo(line: Parsed | Unparsed, known: frozenset[str]) -> str:
    """The line as it may be told again; `known` are userids, in lower case, that somebody has."""
    if isinstance(line, Unparsed):
        return BLOT if isinstance(line.error, UnknownGame) and line.line.endswith("...") else line.line
    said = line.arguments
    # A name that is only wanted stands where names do; the name before a password may be a password itself.
    own = said.userids[:1] if line.new_password else ()
    address = (said.address,) if is_address(said.address) else ()
    allowed = known | {each.lower() for each in (*own, *address)}
    return " ".join(echo_word(word, allowed) for word in line.line.split(" "))
