"""Mails written by machines, known by headers, senders and Subjects: absence notes, receipts, reports, lists.

Some machines set no header of their own, and only the Subject tells. It has to begin with the machine's words, and
no command begins so. A person who answers such a mail writes `Re:` before it. Words that a person may
write there too count only as the Subject of an answer, which no person's is without `Re:`.
"""

import re
from collections.abc import Callable
from typing import Final, Literal

from pbmserv.mail.reading.answered import answered_tokens
from pbmserv.mail.reading.decoding import decode_words, one_line
from pbmserv.mail.reading.headers import Headers, doubtful_addresses, one_address
from pbmserv.mail.reading.mime import content_type
from pbmserv.mail.reading.phrases import listed, pattern

_MOST: Final = 400
"""Characters of a Subject that are looked at."""

_COLON: Final = " ?[:\uff1a]"
_OPENING: Final = r" {0,3}(?:\[[^\]]{1,40}\] ?(?=\S))?"
"""A tag may stand in front, `[EXTERNAL]`."""
_AWAY: Final = (
    rf"{_OPENING}[\[(【]?(?:%(automatic)s(?:{_COLON}|[(\[\])】]| [-–(\[]| re\b|[.!]?\s*$)"
    rf"|%(away_from)s[\])】]?{_COLON}\s*\S)"
)
_AWAY_IN_ANSWER: Final = rf"{_OPENING}[\[(【]?(?:%(on_leave)s|%(away_from)s)[\])】]?(?:{_COLON}| [-–]|[.!]?\s*$)"
_REPORT: Final = rf"{_OPENING}%(reports)s(?:{_COLON}| ?\(| [-–]| returned\b|[.!]?\s*$)"
_RECEIPT: Final = rf"{_OPENING}%(receipts)s{_COLON}\s*\S"
_OURS: Final = re.compile(r"\bBoard [0-9]{1,9}: |pbmserv: ", re.IGNORECASE)


def machine_of(subject: str, is_answer: bool, club: str = "") -> Literal["away", "report"] | None:
    """Which machine a Subject is of: one that is `away`, one that makes a `report`; None where a person may be it.

    `is_answer`: the mail answers one of ours, as far as its head tells. `club` is the name in our Subjects.

    >>> machine_of("Automatic reply: hi", False), machine_of("Read: hi", True), machine_of("Read: hi", False)
    ('away', 'report', None)
    """
    subject = subject[:_MOST]
    if pattern(_AWAY).match(subject) or (is_answer and pattern(_AWAY_IN_ANSWER).match(subject)):
        return "away"
    is_ours = _OURS.search(subject) or (club and f"{club}: ".casefold() in subject.casefold())
    is_receipt = (is_answer or is_ours) and pattern(_RECEIPT).match(subject)
    return "report" if pattern(_REPORT).match(subject) or is_receipt else None


LOOP_HEADER: Final = "X-Pbmserv-Loop"
"""Every mail that we send carries this header, so that we know it when it comes back."""

_ROBOT: Final = r"(?:%(robots)s)(?:\+.*)?"
_NAMED: Final = r"%(robot_names)s"
_MARKED: Final = r"%(marked_subjects)s"
_REACTION: Final = r"\W{0,20}%(reactions)s\W{0,20}"
_NO_ANSWER: Final = r"%(no_answer)s"
_BY_MISTAKE: Final = r"%(by_mistake)s"
_IN_PERSON: Final = re.compile(r"(?<!\w)(?:I|[Ii]ch|[Yy]o|[Ee]u|[Ii]k|[Jj]ag|[Jj]eg|[Яя])(?!\w)")
"""A machine seldom says so of itself: `I know that this is an automatic message.`"""

_BY_HEADER: Final = ("away_headers", "robot_headers", "list_headers")
_NOT_SET: Final = ("no", "none", "false")
_MOST_TEXT: Final = 1_000
"""Characters at the beginning and at the end of a text that are looked at."""

_MACHINE_PART: Final = re.compile(
    rb"(?im)^content-(?:type[ \t]*:\s{0,9}(?:text/vnd\.google\.email-reaction|text/calendar\b"
    rb"[^\n]{0,200}(?:\n[ \t][^\n]{0,200}){0,4}\bmethod=[\"']?(?!publish))"
    rb"|class[ \t]*:\s{0,9}urn:content-classes:cal)"
)
"""A part of a mail that is a reaction, or what a calendar asks or answers."""


def is_by_machine(text: str, message: bytes) -> bool:
    """Whether a mail that holds no command is none that somebody wrote, by what its text says or a part of it is.

    >>> is_by_machine("Please do not reply to this e-mail.", b""), is_by_machine("Please reply!", b"")
    (True, False)
    """
    if _MACHINE_PART.search(message) or pattern(_REACTION).fullmatch(text[:_MOST_TEXT]):
        return True
    lines = f"{text[:_MOST_TEXT]}\n{text[_MOST_TEXT:][-_MOST_TEXT:]}".split("\n")
    said = (at for at, line in enumerate(lines) if pattern(_NO_ANSWER).search(line[:_MOST]))
    return not all(_is_spoken(lines[at][:_MOST], " ".join(lines[max(at - 1, 0) : at + 1])) for at in said)


def _is_spoken(line: str, with_above: str) -> bool:
    """Whether a line is rather what somebody says of machines, or of a mail that went astray."""
    is_asked = _IN_PERSON.search(line) is not None or line.rstrip().endswith("?")
    return is_asked or pattern(_BY_MISTAKE).search(with_above[: 2 * _MOST]) is not None


def why_automatic(
    headers: Headers,
    envelope_sender: str,
    our_address: str,
    delimiter: str = "+",
    begins_with_command: Callable[..., bool] = lambda *subject: False,
    club: str = "",
) -> str | None:
    """A word for why this mail must not be answered, or None when a person may have written it.

    `bounce`: the null sender (`<>`, or empty; RFC 5321, section 4.5.5), in the envelope or in Return-Path.
    `bounce` also: X-Failed-Recipients, by which Exim and Gmail name whom they could not reach.
    `report`: a delivery report or receipt, multipart/report (RFC 6522), or one that came alone, or one that only
    its Subject tells ("Undeliverable: ...", "Read: ...").
    `ourselves`: from our address, with or without a tag after `delimiter`, or one of our own mails come back.
    `auto-submitted`: anything but `no` in Auto-Submitted (RFC 3834, section 5).
    `away`: a responder that says so in a header of its own, or in the Subject ("Automatic reply: ..." in the
    languages of the common programs). The Subject counts only where it begins so: no command does, and who answers
    such a mail writes `Re:` before it.
    A word that people write there too (`Away`) tells nothing to a personal address if the text
    `begins_with_command`, or a move, which no machine writes.
    `list`: it came over a mailing list (RFC 2919, RFC 2369), or can be unsubscribed from and holds no command.
    `bulk`: the old Precedence header.
    `robot`: a name that nobody answers in From or envelope (`noreply`), a header of a ticket system, or its mark
    in the Subject (`[Ticket#4711]`), which tells nothing to a personal address if the text `begins_with_command`.

    Some headers tell nothing, since people's mails carry them too. X-Auto-Response-Suppress asks the other side
    for no automatic answers (MS-OXCMAIL, section 2.1.3.2.20): Exchange sets it in its absence notes, but programs,
    rules and gateways set it in what people write. List-Unsubscribe is added by relays, so it stops no command.
    Disposition-Notification-To asks for a receipt and is none. X-Loop stays from a person's own forwarding.
    """
    envelope = _bare(envelope_sender)
    named = headers.every("from")
    one = one_address(named)
    senders = (one,) if one else doubtful_addresses(named)
    if not envelope or any(not _bare(path.decode("latin-1")) for path in headers.every("return-path")):
        return "bounce"
    if headers.every("x-failed-recipients"):
        return "bounce"
    if content_type(headers)[0] in listed("report_types"):
        return "report"
    if headers.every(LOOP_HEADER.lower()) or any(
        addresses and all(_is_ours(address, our_address, delimiter) for address in addresses)
        for addresses in (senders, (envelope,))
    ):
        return "ourselves"
    if any(_word(value) != "no" for value in headers.every("auto-submitted")):
        return "auto-submitted"
    for why in _BY_HEADER:
        if any(_word(value) not in _NOT_SET for name in listed(why) for value in headers.every(name)):
            return why.removesuffix("_headers")
    is_personal = bool(answered_tokens(headers, (), our_address, delimiter))
    is_answer = is_personal or any(headers.every(name) for name in ("in-reply-to", "references"))
    subject = one_line(decode_words(headers.first("subject")))
    machine = machine_of(subject, is_answer, club)
    marked = pattern(_MARKED).search(subject[:_MOST]) is not None
    if (machine is not None or marked) and is_personal and begins_with_command():
        machine, marked = machine_of(subject, False, club), False
    if machine is not None:
        return machine
    is_left = headers.every("list-unsubscribe") and not begins_with_command(subject)
    if not is_personal and (is_left or headers.every("list-unsubscribe-post")):
        return "list"
    precedence = (*headers.every("precedence"), *headers.every("x-precedence"))
    if any(_word(value) in listed("bulk") for value in precedence):
        return "bulk"
    marked = marked or pattern(_NAMED).search(one_line(decode_words(headers.first("from")))) is not None
    if marked or any(addresses and all(map(_is_robot, addresses)) for addresses in (senders, (envelope,))):
        return "robot"
    return None


def _bare(address: str) -> str:
    return address.strip().removeprefix("<").removesuffix(">").strip().lower()


def _is_ours(address: str, our_address: str, delimiter: str) -> bool:
    local, _, domain = address.rpartition("@")
    our_local, _, our_domain = our_address.lower().rpartition("@")
    ours = local == our_local or (delimiter != "" and local.startswith(our_local + delimiter))
    return ours and domain == our_domain


def _is_robot(address: str) -> bool:
    return pattern(_ROBOT).fullmatch(address.rpartition("@")[0] or address) is not None


def _word(value: bytes) -> str:
    """The first word of a header, without the parameters (RFC 3834, section 5) and comments after it."""
    return re.split(r"[\s;(]", value[:200].decode("latin-1").strip().lower(), maxsplit=1)[0]
