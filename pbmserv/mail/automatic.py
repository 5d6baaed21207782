"""Which mails must be neither answered nor obeyed, because no person wrote them to us."""

import re
from typing import Final

from pbmserv.mail.addresses import one_address
from pbmserv.mail.headers import Headers
from pbmserv.mail.mime import content_type

LOOP_HEADER: Final = "X-Pbmserv-Loop"
"""Every mail that we send carries this header, so that we know it when it comes back."""

_ROBOT: Final = re.compile(r"(?:mailer-daemon|postmaster|no-?reply|owner-.*|.*-request|bounce.*)(?:\+.*)?")
_BULK: Final = frozenset(("bulk", "list", "junk", "auto_reply"))


def why_automatic(headers: Headers, envelope_sender: str, our_address: str, delimiter: str = "+") -> str | None:
    """A word for why this mail must not be answered, or None when a person may have written it.

    `bounce`: the null sender (`<>`, or empty; RFC 5321, section 4.5.5), in the envelope or in Return-Path.
    `report`: a delivery report or receipt, multipart/report (RFC 6522).
    `ourselves`: from our address, with or without a tag after `delimiter`, or one of our own mails come back.
    `auto-submitted`: anything but `no` in Auto-Submitted (RFC 3834, section 5).
    `list`: it came over a mailing list (RFC 2919).
    `bulk`: the old Precedence header.
    `robot`: the name of a mail system or list in From or envelope.
    """
    envelope = _bare(envelope_sender)
    sender = one_address(headers.every("from")) or ""
    if not envelope or any(not _bare(path.decode("latin-1")) for path in headers.every("return-path")):
        return "bounce"
    if content_type(headers)[0] == "multipart/report":
        return "report"
    if headers.every(LOOP_HEADER.lower()) or any(
        _is_ours(address, our_address, delimiter) for address in (sender, envelope)
    ):
        return "ourselves"
    if any(_word(value) != "no" for value in headers.every("auto-submitted")):
        return "auto-submitted"
    if headers.every("list-id"):
        return "list"
    if any(_word(value) in _BULK for value in headers.every("precedence")):
        return "bulk"
    if any(_ROBOT.fullmatch(address.rpartition("@")[0] or address) for address in (sender, envelope)):
        return "robot"
    return None


def _bare(address: str) -> str:
    return address.strip().removeprefix("<").removesuffix(">").strip().lower()


def _is_ours(address: str, our_address: str, delimiter: str) -> bool:
    local, _, domain = address.rpartition("@")
    our_local, _, our_domain = our_address.lower().rpartition("@")
    ours = local == our_local or (delimiter != "" and local.startswith(our_local + delimiter))
    return ours and domain == our_domain


def _word(value: bytes) -> str:
    """The first word of a header, without the parameters (RFC 3834, section 5) and comments after it."""
    return re.split(r"[\s;(]", value[:200].decode("latin-1").strip().lower(), maxsplit=1)[0]
