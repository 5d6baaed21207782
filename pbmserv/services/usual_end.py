"""What stands below all mails of a player is a signature: it goes to nobody, and the player is told once."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection

from pbmserv.mail.reading.doubt import told_lines
from pbmserv.mail.reading.signatures import FEWEST_EARLIER, repeated_end
from pbmserv.parser.parse import KEPT_SIGNATURE, inline_text
from pbmserv.services.reply_text import ReplyText
from pbmserv.store import mail_history

_MOST_LOOKED_AT: Final = 8
"""Kept mails in which the last ones with words are looked for."""


def without_usual_end(connection: Connection, written: ReplyText, sender: str, address: str) -> ReplyText:
    """The same text without the lines that ended the last mails from `sender`, too, as far as they are kept.

    `address` is the player's own, where our answers went. Of what was left out of one of those mails the player is
    not told again.
    """
    comment = written.parsed.comment
    if not comment and not written.left_out:
        return written
    kept = (_parts(raw) for raw in mail_history.kept_mails(connection, sender, address, _MOST_LOOKED_AT))
    earlier = [(own, unsent) for own, unsent in kept if own or unsent][:FEWEST_EARLIER]
    said = inline_text(written.parsed.lines)
    lines = comment.removeprefix(said).strip("\n").split("\n")
    usual = repeated_end(_filled(lines), written.left_out, [[*own, *unsent] for own, unsent in earlier])
    signature: list[str] = []
    while len(signature) < usual:
        signature = [*_filled([lines.pop()]), *signature]
    if usual:
        words = (said if comment.startswith(said) else "", "\n".join(lines).rstrip())
        written = replace(written, parsed=replace(written.parsed, comment="\n".join(filter(None, words))))
    unsent = (*signature, *written.left_out)
    told_before = {line for _, unsent in earlier for line in told_lines(unsent)}
    told = told_lines(unsent)
    return replace(written, left_out=() if told_before.issuperset(told) else told, unsent=unsent)


def _parts(raw: bytes) -> tuple[list[str], list[str]]:
    """The lines with text that a kept mail passed on, and those that it did not."""
    text = raw.partition(b"\n\n")[2].decode("utf-8", "replace")
    read, _, unsent = text.partition(f"\n{KEPT_SIGNATURE}\n")
    return _filled(read.partition("\n\n")[2].split("\n")), _filled(unsent.split("\n"))


def _filled(lines: Iterable[str]) -> list[str]:
    return [line for line in lines if line.strip()]
