"""What a refused mail says about its address: no mail can be delivered there, or only this one was not.

Hard is what is about the mailbox and for good. Whatever is about us (policy, reputation, signatures), about the
one mail, or about this hour is soft: a mistake in our own DNS must not silence a whole club.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pbmserv.mail.reading.decoding import one_line
from pbmserv.mail.reading.headers import Headers, one_address, open_message, parse_head
from pbmserv.mail.reading.mime import Leaf, content_type, every_leaf
from pbmserv.mail.reading.phrases import pattern

Verdict = Literal["hard", "soft"]

Status = tuple[int, int, int]
"""An enhanced status code (RFC 3463): class, subject, detail."""

_FOR_GOOD: Final = frozenset(
    (
        *((1, detail) for detail in (1, 2, 3, 4, 5, 6, 10)),  # no such mailbox, no such domain, moved, null MX
        (2, 1),  # the mailbox is disabled
        (2, 4),  # a mailing list that leads nowhere
        (4, 1),  # how Exchange Online refuses whom it does not know, below "Access denied"
        (4, 4),  # no way to the domain
        (4, 310),  # Exchange: the domain does not exist
        (7, 13),  # the account is disabled (RFC 5248)
        (7, 17),  # the mailbox has another owner now (RFC 7293)
    )
)
# A detail of 0 is "other or undefined": the words tell, and without words the subject (2: the mailbox).
_ABOUT_THE_ADDRESS: Final = (0, 1, 2)
_POLICY: Final = 7
# Replies without an enhanced code. 552 is a full mailbox, 554 says nothing in particular.
_REFUSES_ADDRESS: Final = ("550", "551", "553", "521", "556")

_STATUS: Final = re.compile(r"\s*([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_STATED: Final = re.compile(
    r"(?<![\d.])[245]\d\d[- ][ #]{0,3}([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)"
    r"|#([245])\.(\d{1,3})\.(\d{1,3})(?![\d.]*\d)"
)
_REPLY: Final = re.compile(r"(?m)(?:^|[:;>(\"\]])[ \t]*([45][0-5]\d)(?=[- ])")
_PASSING: Final = r"%(passing)s"
_ABOUT_US: Final = r"%(about_us)s"
_GONE: Final = r"%(gone)s"


def judge(status: str, words: str) -> Verdict:
    """The verdict on a delivery that failed for good, by its enhanced status (may be empty) and the words with it.

    >>> judge("5.1.1", ""), judge("5.2.2", ""), judge("4.4.7", "expired"), judge("5.7.1", "access denied")
    ('hard', 'soft', 'soft', 'soft')
    >>> judge("", "550 5.1.1 nobody here"), judge("5.0.0", "552 5.2.2 full"), judge("", "what is this?")
    ('hard', 'soft', 'soft')
    >>> judge("5.1.1", "550 5.1.1 sender rejected: no such domain"), judge("", "550 Verification failed")
    ('soft', 'soft')
    """
    if pattern(_ABOUT_US).search(words):
        return "soft"
    code = _code(_STATUS.match(status))
    if code is None or code[2] == 0:
        code = stated(words) or code
    if code is None:
        return "hard" if pattern(_GONE).search(words) and not pattern(_PASSING).search(words) else "soft"
    if code[0] != 5:
        return "soft"
    if code[1:] in _FOR_GOOD:
        return "hard"
    if code[2] != 0 or code[1] == _POLICY or pattern(_PASSING).search(words):
        return "soft"
    # Outlook.com's way to say that there is no such mailbox is "550 5.5.0 ...: mailbox unavailable".
    return "hard" if code[1] in _ABOUT_THE_ADDRESS or pattern(_GONE).search(words) else "soft"


def stated(words: str) -> Status | None:
    """The first status in a mail system's words: an enhanced code after a reply or a `#`, else the reply."""
    code = _code(_STATED.search(words))
    if code is not None:
        return code
    reply = _REPLY.search(words)
    if reply is None:
        return None
    return (int(reply[1][0]), 0 if reply[1] in _REFUSES_ADDRESS else 3, 0)


def _code(found: re.Match[str] | None) -> Status | None:
    if found is None:
        return None
    first, subject, detail = (int(each) for each in found.groups() if each is not None)
    return first, subject, detail


MAX_TEXT: Final = 65_536
"""Characters of each part that are searched."""

MAX_GROUPS: Final = 100
MAX_REASON: Final = 300

_RANDOM: Final = r"([a-z0-9]{1,40})"
_RECIPIENT_HEADERS: Final = ("to", "delivered-to", "x-original-to", "envelope-to", "x-delivered-to")
_STATUS_PARTS: Final = frozenset(("message/delivery-status", "message/global-delivery-status"))
_READABLE: Final = frozenset(("text/plain", "text/html"))
_MAIL_SYSTEM: Final = re.compile(
    r"(?:mailer-?daemon|mail-?daemon|postmaster|mdaemon|daemon|microsoftexchange.*|mail-?delivery.*|bounce.*|system)"
    r"(?:@.*)?"
)
_FAILED: Final = frozenset(("failed", "failure"))
_ARRIVED: Final = frozenset(("delivered", "relayed", "expanded"))
_NOT_YET: Final = re.compile(
    r"has not yet been delivered|warning message only|do not need to resend|will be retried|still trying"
    r"|will (?:keep|continue)\b.{0,20}\btr(?:y|ies)|attempts to deliver .{0,40}will continue",
    re.IGNORECASE,
)
# Where the program's own words end and the returned mail, which a person may have written, begins.
_RETURNED: Final = re.compile(
    r"(?im)^[> \t]*-{2,}.{0,20}\b(?:copy of (?:the|your) (?:message|mail)|original message|returned message"
    r"|the header of the original|below this line)"
    r"|^[> \t]*(?:return-path|received|message-id|x-pbmserv-loop):"
)


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one mail of ours.

    `word` is the one in the address that the report came to (`is_addressed`), which only mail systems saw; else
    the one in the returned Message-ID, which others may know. `verdict` is "none" where it did not bounce: it is
    delayed, it arrived, or somebody's machine says they are away. `reason` is one line, in the words of the server
    that refused it.
    """

    word: str
    is_addressed: bool
    verdict: Literal["hard", "soft", "none"]
    reason: str


def read_report(raw: bytes, recipients: Sequence[str], our_address: str, delimiter: str = "+") -> Report | None:
    """What a mail that no person wrote says about a mail of ours; None when it names none.

    `recipients` are those of its envelope. The mail that it is about is named by the address that the report came
    to. Where that has no tag (the delimiter is empty, or a relay put its own envelope sender in place of ours), it
    is named by the Message-ID of the mail that the report returns.
    """
    message, headers, body = open_message(raw)
    leaves = [Leaf(each.kind, each.text[:MAX_TEXT]) for each in every_leaf(message, headers, body)]
    addressed = _addressed(headers, recipients, our_address, delimiter)
    word = addressed or _returned(leaves, our_address)
    if word is None:
        return None
    verdict, reason = _verdict(headers, leaves)
    return Report(word, addressed is not None, verdict, one_line(reason, MAX_REASON))


def _addressed(headers: Headers, recipients: Sequence[str], our_address: str, delimiter: str) -> str | None:
    """The word in the address that the report came to; relays may have changed its case."""
    local, _, domain = our_address.lower().rpartition("@")
    # Those that the listener takes, so that a changed setting does not make older mails unknown.
    delimiters = "|".join(re.escape(each) for each in {"+", "-", delimiter} if each)
    ours = re.compile(
        rf"(?<![\w.+-]){re.escape(local)}(?:{delimiters})b\.{_RANDOM}@{re.escape(domain)}(?![\w-]|\.\w)"
    )
    written = (value.decode("latin-1") for name in _RECIPIENT_HEADERS for value in headers.every(name))
    for text in (*recipients, *written):
        if found := ours.search(text[:MAX_TEXT].lower()):
            return found[1]
    return None


def _returned(leaves: Sequence[Leaf], our_address: str) -> str | None:
    domain = re.escape(our_address.lower().rpartition("@")[2])
    ours = re.compile(rf"(?m)^[> \t]*message-id:\s*<(?:b\d{{1,9}}\.\d{{1,9}}\.)?{_RANDOM}@{domain}>")
    return next((found[1] for leaf in leaves if (found := ours.search(leaf.text.lower()))), None)


def _verdict(headers: Headers, leaves: Sequence[Leaf]) -> tuple[Literal["hard", "soft", "none"], str]:
    groups = [group for leaf in leaves if leaf.kind in _STATUS_PARTS for group in _groups(leaf.text)]
    if groups:
        return _of_groups(groups)
    kind, parameters = content_type(headers)
    if kind == "multipart/report" and parameters.get("report-type", "").lower() not in ("", "delivery-status"):
        return "none", "a receipt"
    if _is_of_a_person(headers):
        return "none", "an automatic answer"
    text = "\n".join(leaf.text for leaf in leaves if leaf.kind in _READABLE)
    own = _own_words(text)
    if _NOT_YET.search(own):
        return "none", "delayed"
    return judge("", own), _telling_line(own)


def _groups(text: str) -> Iterator[Headers]:
    """The fields of each recipient, below those of the whole report (RFC 3464, section 2.1)."""
    fields = text.encode()
    position = 0
    for _ in range(MAX_GROUPS):
        if position >= len(fields):
            return
        group, after = parse_head(fields, position, len(fields))
        if after <= position:
            # A line that is no field: some systems put prose here.
            newline = fields.find(b"\n", position)
            after = len(fields) if newline < 0 else newline + 1
        position = after
        if group.every("action") or group.every("status"):
            yield group


def _of_groups(groups: Sequence[Headers]) -> tuple[Literal["hard", "soft", "none"], str]:
    """Each mail of ours has one recipient; of several groups some tell of where that address leads."""
    actions = [_word(group, "action") for group in groups]
    failed = [
        group
        for group, action in zip(groups, actions, strict=True)
        if action in _FAILED or (not action and _word(group, "status").startswith(("4", "5")))
    ]
    if not failed:
        return "none", ", ".join(filter(None, actions)) or "no failure"
    judged = [
        (judge(_word(group, "status"), words), words or _word(group, "status")) for group, words in _told(failed)
    ]
    hard = [reason for verdict, reason in judged if verdict == "hard"]
    if hard and len(hard) == len(judged) and not _ARRIVED.intersection(actions):
        return "hard", hard[0]
    return "soft", judged[0][1]


def _told(groups: Sequence[Headers]) -> Iterator[tuple[Headers, str]]:
    """Each group with what the refusing system said, without the kind of system (RFC 3464, section 2.3.6)."""
    for group in groups:
        said = group.first("diagnostic-code").decode(errors="replace")
        yield group, re.sub(r"^\s*[\w-]{1,20}\s*;\s*", "", said).strip()


def _word(group: Headers, name: str) -> str:
    return (group.first(name).decode("latin-1").lower().split() or [""])[0]


def _is_of_a_person(headers: Headers) -> bool:
    """Whether somebody's own machine answers for them (RFC 3834): they are away, and got the mail."""
    sender = one_address(headers.every("from"))
    if headers.every("x-failed-recipients") or sender is None or _MAIL_SYSTEM.fullmatch(sender):
        return False
    submitted = headers.first("auto-submitted").decode("latin-1").strip().lower()
    marks = ("precedence", "x-autoreply", "x-autorespond", "x-auto-response-suppress")
    return submitted not in ("", "no") or any(headers.every(name) for name in marks)


def _own_words(text: str) -> str:
    returned = _RETURNED.search(text)
    return text if returned is None else text[: returned.start()]


def _telling_line(text: str) -> str:
    """The line with a status in it, else the first ones."""
    found = re.search(r"(?m)^.*(?:[45]\d\d[- ]|#[45]\.)\S.*$", text)
    return found[0] if found else " ".join(text[:MAX_REASON].split()) or "unreadable"
