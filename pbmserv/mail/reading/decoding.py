"""From bytes to text: transfer encodings, charsets, encoded words, and what must not stay in a text.

Everything here is total and linear in the size of its input: whatever the bytes are, a value comes back.
"""

import binascii
import re
import string
import unicodedata
from encodings.aliases import aliases
from functools import lru_cache
from typing import Final

from pbmserv.mail.reading.phrases import listed

MAX_LINE: Final = 998
"""No line of a mail may be longer (RFC 5322, section 2.1.1), so no decoded header is kept longer."""

_NOT_BASE64: Final = bytes(set(range(256)) - set((string.ascii_letters + string.digits + "+/").encode()))
_BLANKS_AT_END: Final = (b" \n", b"\t\n", b"\r\n", b"\x0b\n", b"\x0c\n")
_ENCODED_WORD: Final = re.compile(rb"=\?([!-)+->@-~]{1,40})(?:\*[!->@-~]{0,20})?\?([bBqQ])\?([^?]*)\?=")
_FORBIDDEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]{31,}")
MOST_MARKS: Final = 30
"""The most marks on one letter in any language (UAX 15, Stream-Safe Text Format). Putting more of
them in order takes the square of their number.
"""
_BREAKS_AND_BLANKS: Final = re.compile(r"[ \t\n\r\x0b\x0c\x85\u2028\u2029]+")


def from_transfer(data: bytes, encoding: bytes) -> bytes:
    """What a body stands for by its Content-Transfer-Encoding (RFC 2045, section 6)."""
    match encoding.lower().split()[:1]:
        case [b"base64"]:
            return from_base64(data)
        case [b"quoted-printable"]:
            return from_quoted_printable(data)
    return data


def from_base64(data: bytes) -> bytes:
    """What base64 (RFC 2045, section 6.8) stands for, as far as it goes; foreign characters are passed over."""
    letters = data.partition(b"=")[0].translate(None, _NOT_BASE64)
    # A single left-over letter carries six bits, which make no byte.
    usable = letters[:-1] if len(letters) % 4 == 1 else letters
    return binascii.a2b_base64(usable + b"==")


def from_quoted_printable(data: bytes) -> bytes:
    """What quoted-printable (RFC 2045, section 6.7) stands for; blanks at line ends were added on the way."""
    ended = data + b"\n"
    if any(blank in ended for blank in _BLANKS_AT_END):
        data = b"\n".join(line.rstrip() for line in data.split(b"\n"))
    return binascii.a2b_qp(data)


def from_charset(data: bytes, charset: str) -> str:
    """Text out of bytes in that charset; where it is empty, unknown or wrong, the best guess."""
    codec = codec_of(charset)
    if codec == "utf_16":
        codec = _utf_16(data)
    if codec:
        try:
            return data.decode(codec).removeprefix("\ufeff")
        except UnicodeError:
            if codec not in ("utf_8", "cp1252"):
                return data.decode(codec, "replace").removeprefix("\ufeff")
    return _guess(data)


def decode_words(value: bytes) -> str:
    """A header's value with its encoded words (RFC 2047) decoded; bare 8-bit bytes are guessed.

    Neighbouring words of one charset are joined as bytes first: mailers cut characters in two.
    """
    if b"=?" not in value:
        return _guess(value)
    pieces: list[str] = []
    charset, pending = "", bytearray()
    after_word, position = False, 0
    for word in _ENCODED_WORD.finditer(value):
        between = value[position : word.start()]
        position = word.end()
        name, encoding, encoded = word[1].decode("ascii").lower(), word[2], word[3]
        decoded = from_base64(encoded) if encoding in b"bB" else binascii.a2b_qp(encoded, header=True)
        adjoining = after_word and not between.strip()
        if adjoining and name == charset:
            pending += decoded
        else:
            pieces.append(from_charset(bytes(pending), charset))
            if not adjoining:
                pieces.append(_guess(between))
            charset, pending = name, bytearray(decoded)
        after_word = True
    pieces.append(from_charset(bytes(pending), charset))
    pieces.append(_guess(value[position:]))
    return "".join(pieces)


def clean_text(text: str) -> str:
    """The text with its lines ended by newlines only, and no control characters but newline and tab."""
    return _FORBIDDEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def with_few_marks(text: str) -> str:
    """The text without those marks on a letter that are more than any language writes.

    >>> [len(with_few_marks("a" + "\u0316\u0301" * times)) for times in (3, 15, 16, 1000)]
    [7, 31, 31, 31]
    """
    return _NOT_ASCII.sub(_few_marks, text)


def _few_marks(run: re.Match[str]) -> str:
    kept, marks = [], 0
    for letter in run[0]:
        marks = marks + 1 if _is_mark(letter) else 0
        if marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


@lru_cache(maxsize=4096)
def _is_mark(letter: str) -> bool:
    """Whether a character stands upon the letter before it, in whatever form, or is not seen."""
    plain = unicodedata.normalize("NFKD", letter)[0]
    return unicodedata.combining(plain) > 0 or unicodedata.category(plain) in ("Mn", "Me", "Cf")


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """The text on one line of at most `limit` characters, blanks run together, without control characters."""
    return _FORBIDDEN.sub("", _BREAKS_AND_BLANKS.sub(" ", text)).strip(" ")[:limit].rstrip(" ")


@lru_cache(maxsize=64)
def codec_of(charset: str) -> str | None:
    """The codec for the charset of that name; None where it is empty or unknown, so that it is guessed."""
    name = re.sub("[^a-z0-9]+", "_", charset[:40].lower()).strip("_")
    name = aliases.get(name, name)
    name = dict(pair.split(":") for pair in listed("larger_charsets")).get(name, name)
    # A closed list: no codec is looked up by a name out of a mail, because Python imports a module for each name,
    # remembers each unknown one for ever, and knows slow ones (punycode, idna) and ones that are no charsets.
    return name if name in listed("codecs") else None


def _utf_16(data: bytes) -> str:
    """RFC 2781, section 4.3, wants big endian where no mark tells; text in the other order still looks like it."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf_16"
    return "utf_16_le" if data[1::2].count(0) > data[0::2].count(0) else "utf_16_be"


def _guess(data: bytes) -> str:
    for codec in ("utf_8", "cp1252"):
        try:
            return data.decode(codec).removeprefix("\ufeff")
        except UnicodeError:
            continue
    return data.decode("latin_1")


_SIGNATURE: Final = "-- "


def unflowed(text: str, delete_space: bool) -> str:
    """The text with each paragraph on one line, quotes still marked, without the blanks that guard a line.

    A line that ends in a blank goes on in the next one, unless that is empty, is quoted otherwise, or begins a
    signature.
    `delete_space` is DelSp=yes (section 4.1): the blank at the end was not there before the line was broken.
    """
    result: list[str] = []
    open_depth: int | None = None
    parts: list[str] = []
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        content = line[depth:].removeprefix(" ")
        is_signature = content == _SIGNATURE
        if open_depth is not None and (depth != open_depth or is_signature or not content):
            result.append("".join(parts).rstrip(" "))
            parts, open_depth = [], None
        flows = content.endswith(" ") and not is_signature
        # A quoted line keeps a blank after its marks, so that nobody's text can come to look like one more mark.
        start = (">" * depth + " " if depth else "") if open_depth is None else ""
        parts.append(start + (content[:-1] if flows and delete_space else content))
        open_depth = depth if flows else None
        if not flows:
            result.append("".join(parts))
            parts = []
    if open_depth is not None:
        result.append("".join(parts).rstrip(" "))
    return "\n".join(result)
