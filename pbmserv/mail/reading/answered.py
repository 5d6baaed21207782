"""Which of our mails a mail is in reply to. Each of ours has two unrelated random words.

The token is in its From address. It identifies who replies, so it is the reader's secret: text that goes to other
players must not contain it. The thread word is in its Message-ID, which everybody sees who gets a copy of a reply:
it says which mail is meant, and proves nothing."""

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from pbmserv.mail.reading.decoding import decode_words
from pbmserv.mail.reading.headers import Headers

MAX_TOKENS: Final = 20

WRITTEN_BY_SERVERS: Final = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-delivered-to")
"""Headers in which mail servers note the envelope's recipient: Postfix, qmail and Gmail; Postfix; Exim; Kerio and
fetchmail; Cyrus. X-Forwarded-To is none of them: it tells where a mail went on to."""

WRITTEN_BY_SENDERS: Final = ("to", "cc")

DOCTOR_HEADER: Final = "X-Pbmserv-Doctor"
"""Every mail of `doctor` to the server itself carries its word here."""

_RANDOM: Final = r"[a-z0-9]{1,40}"
_SEPARATOR: Final = r"\s<>()\[\],:;\""
_LONG_WORD: Final = "[a-z0-9]{16,40}"
"""What is taken for a token where a local part of our domain stands alone, which may be a person's: those that are
made by chance have 20 letters and digits."""

_FLAGS: Final = re.IGNORECASE | re.ASCII


def _written(character: str) -> str:
    """An expression for a character as it is, or as those write it who put a URL into another one, which may be
    within a third: percent signs, what Proofpoint and quoted-printable make of them, JSON, HTML."""
    plain, code = re.escape(character), f"{ord(character):02x}"
    html = rf"&#(?:x{code}|{ord(character)});"
    return rf"(?:{plain}|%(?:25){{0,4}}{code}|[-=]{code}|\\u00{code}|{html})"


# Proofpoint has "_" for it.
_SLASH: Final = rf"(?:{_written('/')}|_|\\/|&sol;)"
_PERSONAL_LINK: Final = re.compile(rf"({_SLASH})play({_SLASH})([0-9]{{1,9}}){_SLASH}{_RANDOM}", _FLAGS)


# Without a number in it, only what has the length of our keys is taken for one.
_DESK_LINK: Final = re.compile(rf"({_SLASH})desk{_SLASH}{_LONG_WORD}(?:{_SLASH}[0-9]{{1,9}})?", _FLAGS)


_LONG_RUN: Final = re.compile(r"[a-z0-9+/_-]{32,}={0,2}", _FLAGS)
_HEXADECIMAL: Final = re.compile(r"[0-9a-f]{32,}", _FLAGS)
_URL_SAFE: Final = str.maketrans("-_", "+/")
_HIDDEN: Final = re.compile(
    rf"{_SLASH}play{_SLASH}[0-9]{{1,9}}{_SLASH}{_RANDOM}|{_SLASH}desk{_SLASH}{_LONG_WORD}|{_written('+')}{_LONG_WORD}{_written('@')}",
    _FLAGS,
)


def answered_tokens(
    headers: Headers, recipients: Iterable[str], our_address: str, delimiter: str = "+"
) -> tuple[str, ...]:
    """The tokens in the addresses of ours that a mail was sent to, lower-case, each once, at most MAX_TOKENS.

    They are looked for in its envelope (`recipients`), in the headers that servers write, in To and Cc. Anybody
    can write any of them; whether a token is one of ours is not known here. No token is what a bounce address
    holds (`pbm+b.WORD`)."""
    told_by = WRITTEN_BY_SERVERS + WRITTEN_BY_SENDERS
    found = _in_each(_address(our_address, delimiter), (*recipients, *_values(headers, told_by)))
    return tuple(dict.fromkeys(found))[:MAX_TOKENS]


def one_time_words(headers: Headers, recipients: Iterable[str], our_address: str) -> tuple[str, ...]:
    """The words by which `doctor` knows a mail of its own, or a report about it, at most MAX_TOKENS.

    They are in an address (`pbm+d.WORD`, of a report `pbm+b.WORD`), or where tags are lost in a header of its own.
    """
    local, domain = map(re.escape, _parted(our_address))
    tagged = re.compile(rf"(?<![^{_SEPARATOR}]){local}[+-][bd]\.({_RANDOM})@{domain}(?![^{_SEPARATOR}])", _FLAGS)
    in_addresses = _in_each(tagged, (*recipients, *_values(headers, WRITTEN_BY_SERVERS + WRITTEN_BY_SENDERS)))
    in_header = (value.strip().lower() for value in _values(headers, (DOCTOR_HEADER.lower(),)))
    return tuple(dict.fromkeys((*in_addresses, *in_header)))[:MAX_TOKENS]


def answered_threads(headers: Headers, our_address: str) -> tuple[str, ...]:
    """The words of our Message-IDs that a mail names, lower-case, each once, at most MAX_TOKENS.

    First come those of In-Reply-To, then those of References from the newest to the oldest. None is the name of a
    board's thread (`<b101@club.test>`).
    """
    message_id = _message_id(our_address)
    replied = _in_each(message_id, _values(headers, ("in-reply-to",)))
    earlier = reversed([*_in_each(message_id, _values(headers, ("references",)))])
    return tuple(dict.fromkeys((*replied, *earlier)))[:MAX_TOKENS]


def without_tokens(text: str, our_address: str, delimiter: str = "+") -> str:
    """The text with our plain address in place of each of our tagged ones and of each of our Message-IDs.

    They come into people's text by an attribution line or a head that was not known for one, or by a link of ours
    that their mail program wrote out, with some characters as in a URL.

    >>> without_tokens("Am Montag schrieb pbmserv [mailto:PBM+abc234@club.test]", "pbm@club.test")
    'Am Montag schrieb pbmserv [mailto:pbm@club.test]'
    """
    if _parted(our_address)[1].lower() not in text.lower():
        return text
    return _secret(our_address, delimiter).sub(lambda _: our_address, text)


def _address(our_address: str, delimiter: str) -> re.Pattern[str]:
    """One of our tagged addresses that is no part of a longer address; group 1 is its token."""
    local, domain = map(re.escape, _parted(our_address))
    delimiters = "|".join(map(re.escape, _delimiters(delimiter)))
    tagged = rf"""'?{local}(?:{delimiters})({_RANDOM})"?[ \t]*@[ \t]*{domain}\.?'?"""
    return re.compile(rf"(?<![^{_SEPARATOR}]){tagged}(?![^{_SEPARATOR}])", _FLAGS)


def _message_id(our_address: str) -> re.Pattern[str]:
    """A Message-ID of ours, with its brackets or without; group 1 is its word."""
    domain = re.escape(_parted(our_address)[1])
    place = r"""(?:b\d{1,9}\.\d{1,9}\.|(?!b\d{1,9}"?@))"""
    return re.compile(rf"""(?<![^{_SEPARATOR}]){place}({_RANDOM})"?@{domain}(?![^{_SEPARATOR}])""", _FLAGS)


def _secret(our_address: str, delimiter: str) -> re.Pattern[str]:
    """Whatever in a text holds a token, or only seems to: a tag too many taken away does little harm."""
    local, domain = _parted(our_address)
    delimiters = "|".join(map(_in_text, _delimiters(delimiter)))
    address = rf'{_in_text(local)}(?:{delimiters})[a-z0-9.]{{1,64}}"?'
    message_id = rf"b\d{{1,9}}\.\d{{1,9}}\.{_RANDOM}|(?:(?<=<)|(?<=%3c)){_LONG_WORD}"
    return re.compile(
        rf"(?:(?<![a-z0-9.+-])|(?<=[%=-][0-9a-f][0-9a-f])|(?<=%25[0-9a-f][0-9a-f])|(?<=2525[0-9a-f][0-9a-f]))(?:{address}|{message_id})"
        rf"{_in_text('@')}{re.escape(domain)}(?![a-z0-9-])",
        _FLAGS,
    )


def _delimiters(delimiter: str) -> list[str]:
    """All that the listener takes: settings change, and mails stay."""
    return sorted({"+", "-", delimiter} - {""})


def _values(headers: Headers, names: Iterable[str]) -> Iterator[str]:
    return (decode_words(value) for name in names for value in headers.every(name))


def _in_each(pattern: re.Pattern[str], texts: Iterable[str]) -> Iterator[str]:
    return (found[1].lower() for text in texts for found in pattern.finditer(text))


def _in_text(characters: str) -> str:
    """An expression for these characters, each in whatever dress."""
    return "".join(each if each.isalnum() else _written(each) for each in characters)


def without_keys(text: str) -> str:
    """The text with links for everybody in place of the personal ones in our mails, by which anybody could play.

    >>> without_keys("see https://club.test/play/101/w4hzexk3q7m2c5b6n8pq")
    'see https://club.test/boards/101'
    >>> without_keys("see https://club.test/desk/w4hzexk3q7m2c5b6n8pq/101")
    'see https://club.test/games'

    What hides one in another alphabet, or a personal address, as links that count readers do, goes as a whole.
    """
    plain = _DESK_LINK.sub(r"\1games", _PERSONAL_LINK.sub(r"\1boards\2\3", text))
    return _LONG_RUN.sub(_without_hidden, plain)


def _without_hidden(run: re.Match[str]) -> str:
    return "***" if any(map(_HIDDEN.search, _decoded(run[0]))) else run[0]


def _decoded(run: str) -> Iterator[str]:
    """What a run of letters and digits may stand for: base64, from each of its places, or hexadecimal."""
    plain = run.rstrip("=").translate(_URL_SAFE)
    for start in range(4):
        part = plain[start:]
        with suppress(ValueError):
            yield b64decode(part[: len(part) // 4 * 4]).decode("latin-1")
    for digits in _HEXADECIMAL.findall(run):
        for start in range(2):
            part = digits[start:]
            yield bytes.fromhex(part[: len(part) // 2 * 2]).decode("latin-1")


def _parted(address: str) -> tuple[str, str]:
    local, _, domain = address.rpartition("@")
    return local, domain
