"""Whether a mail's From address was proven on its way: DMARC (RFC 7489) in Authentication-Results (RFC 8601)."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from pbmserv.commands.server import Server
from pbmserv.mail.reading.headers import Headers

MAX_RESULTS: Final = 16_384
"""Bytes of an Authentication-Results header; a longer one is doubtful."""

_VERSION: Final = "1"
_WORD: Final = r"[a-z0-9][a-z0-9_-]*"
_WHO: Final = re.compile(r'[ \t]*("?)([^ \t=";]+)\1')
_WHOLE_WHO: Final = re.compile(rf"{_WHO.pattern}(?:[ \t]+{_VERSION})?[ \t]*")
_METHOD: Final = re.compile(rf"[ \t]*({_WORD})[ \t]*(?:/[ \t]*([0-9]+)[ \t]*)?=[ \t]*({_WORD})")
_NAME: Final = rf"{_WORD}(?:[ \t]*\.[ \t]*{_WORD})?"
_PROPERTY: Final = re.compile(rf"""[ \t]+({_NAME})[ \t]*=[ \t]*((?:"[^"]*"|[^ \t"])+)(?![^ \t])""")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_PIECE: Final = re.compile(r'\\.?|["()]|[^\\"()]+')
_HARMLESS: Final = re.compile(r"[a-z0-9._@-]*")


def is_authenticated(headers: Headers, sender: str | None, authserv_id: str) -> bool:
    """Whether the server that puts `authserv_id` on its results says that the sender's domain stands for the mail.

    `sender` is the mail's one From address in lower case, None where there is any doubt; an empty `authserv_id`
    stands for no server. Only the topmost header of that server counts: servers put theirs on top, so one below
    was there before the mail came to it. Whatever is not written by the book, or told twice, counts as no.

    Anyone who can write the topmost header is believed. So this holds only where every mail comes through that
    server, and it takes away the headers under its own name that come in (RFC 8601, section 5), or at least puts
    one on every mail. Where it does neither for some, a forged one counts: perhaps on mail of its own users or
    networks, mail that its filter failed on, and mail that reaches our listener, mailbox or pipe by another way.

    DMARC proves a domain. That its users cannot write under each other's names is up to that domain.
    """
    if sender is None or not authserv_id:
        return False
    for value in headers.every("authentication-results"):
        outline, is_whole = _outline(value)
        sections = outline.split(";")
        who = _WHO.match(sections[0])
        if who is None:
            return False
        if who[2] == authserv_id.lower():
            by_the_book = is_whole and _WHOLE_WHO.fullmatch(sections[0]) is not None
            return by_the_book and _is_passed(sections[1:], sender)
    return False


@dataclass(frozen=True, slots=True)
class ServerResults:
    """What one server says about a mail, as its header has it: for people to read, not to be believed."""

    server: str
    results: tuple[tuple[str, str], ...]
    """Methods and their results in the order of the header: ("spf", "pass"), ("dmarc", "fail")."""


def every_result(headers: Headers) -> tuple[ServerResults, ...]:
    """What Authentication-Results say, the topmost first; headers that name no server are left out."""
    found = []
    for value in headers.every("authentication-results"):
        who, *sections = _outline(value)[0].split(";")
        server = _WHO.match(who)
        if server is not None:
            methods = [method for section in sections if (method := _METHOD.match(section))]
            found.append(ServerResults(server[2], tuple((each[1], each[3]) for each in methods)))
    return tuple(found)


def _outline(value: bytes) -> tuple[str, bool]:
    """The header in lower case, a blank for each comment; and whether it could be read to its end.

    Of a quoted string only such characters stay, in its quotes, as mean nothing outside of them; else `""`.
    """
    text = value[:MAX_RESULTS].decode("latin-1").lower()
    readable = _CONTROL.split(text, maxsplit=1)[0]
    outline: list[str] = []
    comments, quoted = 0, None
    for piece in _PIECE.findall(readable):
        if comments:
            comments += (piece == "(") - (piece == ")")
        elif quoted is not None and piece != '"':
            quoted += piece
        elif quoted is not None:
            outline.append(f'"{quoted}"' if _HARMLESS.fullmatch(quoted) else '""')
            quoted = None
        elif piece == '"':
            quoted = ""
        elif piece == "(":
            comments = 1
            outline.append(" ")
        elif piece == ")" or piece.startswith("\\"):
            return "".join(outline), False
        else:
            outline.append(piece)
    is_whole = len(readable) == len(value) and not comments and quoted is None
    return "".join(outline), is_whole


def _is_passed(sections: list[str], sender: str) -> bool:
    """Whether exactly one of the results is DMARC's, and it says `pass` for that sender."""
    if sections and not sections[-1].strip(" \t"):
        # Several large providers end the header with a semicolon.
        sections = sections[:-1]
    methods = [_METHOD.match(section) for section in sections]
    passed = [
        (method, section[method.end() :])
        for method, section in zip(methods, sections, strict=True)
        if method is not None and method[1] == "dmarc"
    ]
    if len(passed) != 1 or None in methods:
        return False
    method, rest = passed[0]
    return method[2] in (None, _VERSION) and method[3] == "pass" and _is_about(rest, sender)


def _is_about(properties: str, sender: str) -> bool:
    """Whether all that the result says of the From header fits the sender: its domain, or its whole address."""
    domain = sender.rpartition("@")[2]
    properties = properties.rstrip(" \t")
    position = 0
    while position < len(properties):
        found = _PROPERTY.match(properties, position)
        if found is None:
            return False
        name = found[1].replace(" ", "").replace("\t", "")
        if name == "header.from" and found[2].strip('"') not in (domain, f"@{domain}", sender):
            return False
        position = found.end()
    return True


_FAILED: Final = re.compile(r"[ \t]*(?:spf|dmarc)[ \t]*(?:/[ \t]*[0-9]+[ \t]*)?=[ \t]*fail\b")


def has_failed(headers: Headers, authserv_id: str) -> bool:
    """Whether the server that puts `authserv_id` on its results says that SPF or DMARC failed.

    Any of its headers counts, and any result in it: who is suspected wrongly only gets no letter.
    """
    if not authserv_id:
        return False
    for value in headers.every("authentication-results"):
        who, *results = _outline(value)[0].split(";")
        server = _WHO.match(who)
        if server is not None and server[2] == authserv_id.lower() and any(map(_FAILED.match, results)):
            return True
    return False


Sign = Literal["marked", "forged", "not its domain", "not its envelope", "not to us"]
"""A filter has marked it as spam; the mail server that we believe says that SPF or DMARC failed; its envelope has
a sender of another domain, or another one; neither To nor Cc names us."""

_MOST: Final = 65_536
"""Bytes of To and Cc that are searched for our address."""

_SPAM_HEADERS: Final = ("x-spam-flag", "x-spam-status", "x-spam")
_NAMED: Final = re.compile(rb"[^\s<>,;:\"()\[\]]+")
_BATCH_TAG: Final = re.compile(r"prvs=[^=@]+=")
"""What some servers put before the local part in the envelope (BATV)."""

_FORWARDED: Final = re.compile(r"^srs0[=+-][^=@]{1,20}=[^=@]{1,20}=([^=@]{1,255})=([^@]{1,64})@.*")
"""How a forwarder writes an envelope's sender (SRS)."""


def unwelcome_sign(
    headers: Headers, envelope_sender: str, sender: str | None, our_address: str, delimiter: str, authserv_id: str
) -> Sign | None:
    """The first sign that a mail has, the gravest first; None if it has none."""
    if any(_is_yes(value) for name in _SPAM_HEADERS for value in headers.every(name)):
        return "marked"
    if has_failed(headers, authserv_id):
        return "forged"
    envelope = _BATCH_TAG.sub("", _FORWARDED.sub(r"\2@\1", envelope_sender.strip().strip("<>").lower()))
    if envelope != sender:
        is_near = sender is not None and envelope.endswith(sender[sender.index("@") :])
        return "not its envelope" if is_near else "not its domain"
    server = Server(our_address, delimiter)
    named = b"\n".join((*headers.every("to"), *headers.every("cc")))[:_MOST]
    # The pattern asks for no @: on a long word without one that would take quadratic time.
    is_to_us = any(server.owns(word.decode("latin-1")) for word in _NAMED.findall(named) if b"@" in word)
    return None if is_to_us else "not to us"


def _is_yes(value: bytes) -> bool:
    return re.split(rb"[\s,;]", value[:200].strip().lower(), maxsplit=1)[0] in (b"yes", b"true")
