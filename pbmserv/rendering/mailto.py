"""Links that write a mail to the server (RFC 6068)."""

from functools import lru_cache
from urllib.parse import quote


def mailto(address: str, command: str, is_whole: bool = True) -> str:
    """A link that begins a mail with a command; when it `is_whole`, the mail is ready to be sent.

    A whole one bears the command in Subject and text, since some programs lose one of them and a person may
    change either; the other leaves the text to be written. A `+` in the address is encoded, which is allowed: some
    programs read a bare one as a blank.

    >>> mailto("pbm+t1@club.test", "move 101 c3#8")
    'mailto:pbm%2Bt1@club.test?subject=move%20101%20c3%238&body=move%20101%20c3%238'
    >>> mailto("pbm@club.test", "chat 101", is_whole=False)
    'mailto:pbm@club.test?subject=chat%20101'
    """
    asked = quote(command, safe="")
    begun = f"mailto:{_encoded(address)}?subject={asked}"
    return f"{begun}&body={asked}" if is_whole else begun


@lru_cache(maxsize=256)
def _encoded(address: str) -> str:
    """An address as a link holds it; one mail has many to the same."""
    return quote(address, safe="@")
