"""The parts of a mail that a person wrote to be read (RFC 2045, 2046, 2183), found within fixed bounds."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal, TypeAlias

from pbmserv.mail.reading.decoding import clean_text, codec_of, from_charset, from_transfer, unflowed
from pbmserv.mail.reading.headers import Headers, parse_head
from pbmserv.mail.reading.html import html_text, says_more
from pbmserv.mail.reading.html_quotes import MAX_TAGS, may_say_more
from pbmserv.mail.reading.phrases import listed

MAX_DEPTH: Final = 10
MAX_PARTS: Final = 500
MAX_PART_HEAD_LINES: Final = 200
MAX_TYPE: Final = 4_096
MAX_BOUNDARY: Final = 200
MAX_META: Final = 2_048

MAX_STUB: Final = 400

_SOME_DISPOSITION: Final = re.compile(rb"(?i)(?:^|\n)content-disposition[ \t]*:")
_OTHER_KIND: Final = re.compile(rb"(?i)(?:^|\n)content-type[ \t]*:\s*text/(?!(?:plain|html)\b)")
_IN_HTML: Final = frozenset(("text/html", "text/watch-html"))
_COMMON: Final = frozenset(("text/plain", "text/html"))
_HTML: Final = re.compile(r"\bhtml\b", re.IGNORECASE)
# An HTML part may name its charset itself, where its Content-Type does not (HTML Standard, section 4.2.5.4).
_META_CHARSET: Final = re.compile(rb"""(?i)<meta[^>]{1,200}charset=["']?([a-z0-9_:.-]{1,40})""")
_LOWER: Final = bytes(range(256)).lower()
_CONTROLS: Final = bytes({*range(0x20), 0x7F} - set(b"\t\n\r"))
_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
# A boundary is another one in each mail: an expression made of it would take longer to compile than to search.
_AFTER_DELIMITER: Final = re.compile(rb"(--)?[ \t\r]*(?=\n|\Z)")
_PARAMETER: Final = re.compile(r';[ \t]*([^\s=;"]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))')


@dataclass(frozen=True, slots=True)
class Written:
    """One part of what was written, decoded and clean; `flow` tells how its lines may be joined (RFC 3676)."""

    kind: Literal["plain", "html"]
    text: str
    flow: Literal["fixed", "flowed", "flowed without spaces"] = "fixed"


def content_type(headers: Headers, default: str = "text/plain") -> tuple[str, dict[str, str]]:
    """The lower-case `type/subtype` and its parameters by lower-case name; `default` where none can be read."""
    value = headers.first("content-type")[:MAX_TYPE].decode("latin-1")
    words = value.partition(";")[0].lower().split()
    if not words or not _TYPE.fullmatch(words[0]):
        return default, _parameters(value)
    return words[0], _parameters(value)


def written_parts(message: bytes, headers: Headers, start: int) -> list[Written]:
    """The text and HTML parts of the message whose body begins at `start`, in their order, attachments left out.

    Of alternatives only one is taken: the first with HTML that says more than plain text (`says_more`), else the
    first with plain text, else the first with HTML that is not blank, else the first that is anything. What lies
    in an attached or forwarded message (message/rfc822) is not what this mail's sender wrote,
    so nothing is read there.
    Parts nested deeper than MAX_DEPTH or after the first MAX_PARTS are not read.

    A part whose disposition nobody knows is a file (RFC 2183, section 2.8), unless nothing else is written there.
    Then text of other kinds is read too, as plain text (RFC 2046, section 4.1.4).
    """
    whole = _Part(headers, start, len(message))
    written = _written(message, whole, "text/plain", MAX_DEPTH, iter(range(MAX_PARTS)), _is_file_or_odd)
    if any(part.text.strip() for part in written):
        return written
    is_plain = _OTHER_KIND.search(message) is None and _SOME_DISPOSITION.search(message) is None
    if is_plain:
        return written
    again = _written(message, whole, "text/plain", MAX_DEPTH, iter(range(MAX_PARTS)), _is_surely_file)
    return again or written


def says_see_html(text: str) -> bool:
    """Whether a text part only tells that the mail is in HTML, in whatever language."""
    return len(text) <= MAX_STUB and _HTML.search(text) is not None


_SEALED: Final = re.compile(
    rb"(?im)^(?:-----BEGIN (PGP) MESSAGE-----|content-type[ \t]*:\s{0,9}"
    rb"(?:multipart/|application/(?:x-|vnd\.)?|text/)(encrypted|pkcs7-mime|ms-tnef|rtf)\b)"
)


def sealed_form(message: bytes) -> str:
    """What a part is in that only some programs can read: `pgp`, `encrypted`, `pkcs7-mime` (which may be signed
    alone), `ms-tnef` (Outlook's winmail.dat), `rtf`; empty if there is no such part.
    """
    found = _SEALED.search(message)
    return "" if found is None else (found[1] or found[2]).decode("ascii").lower()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part that holds no other parts, as text; of a forwarded mail, its head and body as they stand."""

    kind: str
    text: str


def every_leaf(message: bytes, headers: Headers, start: int) -> list[Leaf]:
    """All parts of the message whose body begins at `start`, files and forwarded mails too, in the same bounds.

    This is for what machines write (RFC 6522), where nothing is said by a disposition.
    """
    return _leaves(message, _Part(headers, start, len(message)), MAX_DEPTH, iter(range(MAX_PARTS)))


@dataclass(frozen=True, slots=True)
class _Part:
    headers: Headers
    start: int
    end: int


_IsFile: TypeAlias = Callable[[str, Headers, dict[str, str]], bool]


def _written(
    message: bytes, part: _Part, default: str, depth: int, budget: Iterator[int], is_file: _IsFile
) -> list[Written]:
    kind, parameters = content_type(part.headers, default)
    if is_file(kind, part.headers, parameters):
        return []
    # A multipart that does not tell its boundary is one text.
    is_one = kind.startswith("multipart/") and not parameters.get("boundary", "").strip()
    if is_one or (kind.startswith("text/") and kind not in listed("unread_kinds")):
        text = _text(message[part.start : part.end], part.headers, parameters)
        return [Written("html", text) if kind in _IN_HTML else Written("plain", text, _flow(parameters))]
    if not kind.startswith("multipart/") or depth == 0:
        return []
    if kind == "multipart/alternative" and (alone := _plain_alone(message, part, parameters, budget, is_file)):
        return [alone]
    default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
    groups: list[list[Written]] = []
    for start, end in _between(message, part, parameters.get("boundary", "")):
        if next(budget, None) is None:
            break
        headers, body = parse_head(message, start, end, MAX_PART_HEAD_LINES)
        if headers.complete:
            groups.append(_written(message, _Part(headers, body, end), default, depth - 1, budget, is_file))
    if kind == "multipart/alternative":
        filled = [group for group in groups if any(one.text.strip() for one in group)]
        if any(one.kind == "html" for group in filled for one in group):
            filled = [group for group in filled if not all(_is_stub(one) for one in group)]
        better = (group for group in filled if any(one.kind == "html" and says_more(one.text) for one in group))
        plain = (group for group in filled if any(one.kind == "plain" and one.text.strip() for one in group))
        return next(better, None) or next(plain, None) or next(iter((*filled, *filter(None, groups))), [])
    return [one for group in groups for one in group]


def _plain_alone(
    message: bytes, part: _Part, parameters: dict[str, str], budget: Iterator[int], is_file: _IsFile
) -> Written | None:
    """The first of two alternatives, if it is plain text and the other one needs no reading, as in most mails."""
    places = [*islice(_between(message, part, parameters.get("boundary", "")), 3)]
    inner = [parse_head(message, start, end, MAX_PART_HEAD_LINES) for start, end in places]
    if len(inner) != 2 or not all(headers.complete for headers, _ in inner):
        return None
    first, other = (_Part(headers, body, end) for (headers, body), (_, end) in zip(inner, places, strict=True))
    if content_type(first.headers)[0] != "text/plain" or not _says_no_more(message, other):
        return None
    read = _written(message, first, "text/plain", 0, iter(()), is_file)
    is_said = bool(read) and bool(read[0].text.strip()) and not _is_stub(read[0])
    # Both count, as if they were read.
    return read[0] if is_said and all(next(budget, None) is not None for _ in inner) else None


def _says_no_more(message: bytes, part: _Part) -> bool:
    """Whether a part is HTML in which surely nothing is struck out or marked as a signature: it is not needed."""
    kind, parameters = content_type(part.headers)
    charset = parameters.get("charset", "")
    is_like_ascii = bool(charset) and codec_of(charset) in (None, "utf_8", "cp1252")
    if kind != "text/html" or not is_like_ascii:
        return False
    html = _decoded(message[part.start : part.end], part.headers)
    return not may_say_more(html.translate(_LOWER, _CONTROLS))


def _leaves(message: bytes, part: _Part, depth: int, budget: Iterator[int]) -> list[Leaf]:
    kind, parameters = content_type(part.headers)
    if not kind.startswith("multipart/"):
        return [Leaf(kind, _text(message[part.start : part.end], part.headers, parameters))]
    leaves: list[Leaf] = []
    for start, end in _between(message, part, parameters.get("boundary", "")) if depth else ():
        if next(budget, None) is None:
            break
        headers, body = parse_head(message, start, end, MAX_PART_HEAD_LINES)
        leaves += _leaves(message, _Part(headers, body, end), depth - 1, budget)
    return leaves


def _between(message: bytes, part: _Part, boundary: str) -> Iterator[tuple[int, int]]:
    """Where the children of a multipart begin and end; one that is never closed goes on to the end."""
    name = boundary.rstrip().encode("latin-1")
    if not 0 < len(name) <= MAX_BOUNDARY:
        return
    delimiter = b"\n--" + name
    opened: int | None = None
    # A body begins after a newline, and that one may belong to the first delimiter.
    found = message.find(delimiter, max(part.start - 1, 0), part.end)
    while found >= 0:
        after = _AFTER_DELIMITER.match(message, found + len(delimiter), part.end)
        if after is not None:
            if opened is not None:
                # The newline before a delimiter belongs to it (RFC 2046, section 5.1.1).
                yield opened, max(opened, found)
            if after[1]:
                return
            opened = min(after.end() + 1, part.end)
        found = message.find(delimiter, found + 1, part.end)
    if opened is not None:
        yield opened, part.end


def _decoded(body: bytes, headers: Headers) -> bytes:
    return from_transfer(body, headers.first("content-transfer-encoding")[:MAX_TYPE])


def _text(body: bytes, headers: Headers, parameters: dict[str, str]) -> str:
    body = _decoded(body, headers)
    charset = parameters.get("charset", "")
    if not charset and (named := _META_CHARSET.search(body[:MAX_META])):
        charset = named[1].decode("ascii")
    return clean_text(from_charset(body, charset))


def _flow(parameters: dict[str, str]) -> Literal["fixed", "flowed", "flowed without spaces"]:
    if parameters.get("format", "").lower() != "flowed":
        return "fixed"
    return "flowed without spaces" if parameters.get("delsp", "").lower() == "yes" else "flowed"


def _attached(headers: Headers, parameters: dict[str, str]) -> bool:
    """Whether a part is a file. A disposition that nobody knows is one too (RFC 2183, section 2.8).

    So is a part with a file name: text that is shown inline but came out of a file was not typed into this mail.
    """
    disposition, is_named = _disposition(headers, parameters)
    return is_named or disposition not in ("", "inline")


def _is_file_or_odd(kind: str, headers: Headers, parameters: dict[str, str]) -> bool:
    return _attached(headers, parameters) or (kind.startswith("text/") and kind not in _COMMON)


def _is_surely_file(kind: str, headers: Headers, parameters: dict[str, str]) -> bool:
    disposition, is_named = _disposition(headers, parameters)
    return is_named or disposition == "attachment"


def _disposition(headers: Headers, parameters: dict[str, str]) -> tuple[str, bool]:
    """What a part is said to be, and whether it has the name of a file."""
    value = headers.first("content-disposition")[:MAX_TYPE].decode("latin-1")
    names = {name.partition("*")[0] for name in (*parameters, *_parameters(value))}
    return value.partition(";")[0].strip().lower(), not names.isdisjoint(("name", "filename"))


def _is_stub(part: Written) -> bool:
    return part.kind == "plain" and says_see_html(part.text)


def _parameters(value: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    if ";" not in value:
        return parameters
    for match in _PARAMETER.finditer(value):
        quoted, bare = match[2], match[3]
        text = bare if quoted is None else re.sub(r"\\(.)", r"\1", quoted)
        parameters.setdefault(match[1].lower(), text)
    return parameters


MAX_HTML_PARTS: Final = 20


def as_text(parts: Sequence[Written]) -> str:
    """What stands in these parts, in their order.

    HTML is read only where no plain text stands before it: below plain text it is that once more, or something
    that a mail system has added. Plain text that only tells of HTML counts for none. Between them the HTML parts
    share what is read of one.
    """
    html = [part for part in parts if part.kind == "html"][:MAX_HTML_PARTS]
    texts: list[str] = []
    has_plain = False
    for part in parts:
        if part.kind == "plain":
            has_plain = has_plain or not (part.text == "" or part.text.isspace() or says_see_html(part.text))
            texts.append(part.text if part.flow == "fixed" else unflowed(part.text, part.flow != "flowed"))
        elif not has_plain and part in html:
            texts.append(html_text(part.text, MAX_TAGS // len(html)))
    return "\n".join(texts)
