"""For whom a mail from a mailbox is: there is no envelope any more, only what the headers tell of it."""

import re
from typing import Final

from pbmserv.commands.server import Server
from pbmserv.mail.headers import parse_head
from pbmserv.mail.reception import MOST_RECIPIENTS, known

TOLD_BY: Final = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "to", "cc")
"""What the servers on its way wrote goes before what the sender wrote."""

MAX_HEAD: Final = 512 * 1024

_ADDRESS: Final = re.compile(rb"[!#-'*+\--9=?A-Z^-~]{1,255}@[A-Za-z0-9.-]{1,253}")


def recipients_in(raw: bytes, server: Server) -> tuple[str, ...]:
    """Those of our addresses, with their tags, that a mail was sent to; the plain one where it names none.

    >>> recipients_in(b"To: Club <pbm+t1@club.test>, bob@club.test\\r\\n\\r\\n", Server("pbm@club.test"))
    ('pbm+t1@club.test',)
    """
    head = raw[:MAX_HEAD].replace(b"\r\n", b"\n")
    headers, _ = parse_head(head, 0, len(head))
    found = (
        address.decode("ascii")
        for name in TOLD_BY
        for value in headers.every(name)
        for address in _ADDRESS.findall(value)
    )
    ours = dict.fromkeys(address for address in found if known(server, address))
    return tuple(ours)[:MOST_RECIPIENTS] or (server.address,)
