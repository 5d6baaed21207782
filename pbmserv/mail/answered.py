"""Which of our own mails a mail answers. Each of ours bears a token in its addresses and in its Message-ID.

That token tells who answers, so it is its owner's secret: what people write goes on to others, and must not
hold it.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pbmserv.mail.decoding import decode_words
from pbmserv.mail.headers import Headers

MAX_TOKENS: Final = 20

WRITTEN_BY_SERVERS: Final = ("delivered-to", "x-original-to", "envelope-to", "x-envelope-to", "x-delivered-to")
"""Headers in which mail servers note the envelope's recipient: Postfix, qmail and Gmail; Postfix; Exim; Kerio and
fetchmail; Cyrus. X-Forwarded-To is none of them: it tells where a mail went on to."""

WRITTEN_BY_SENDERS: Final = ("to", "cc")

_RANDOM: Final = r"[a-z0-9]{1,40}"
_SEPARATOR: Final = r"\s<>()\[\],:;\""
_LONG_WORD: Final = "[a-z0-9]{16,40}"
"""What is taken for a token where a local part of our domain stands alone, which may be a person's: those that are
made by chance have 20 letters and digits."""

_FLAGS: Final = re.IGNORECASE | re.ASCII

# As it is, or as in a URL within another one, which may be within a third.
_SLASH: Final = "(?:/|%(?:25){0,4}2f)"
_PERSONAL_LINK: Final = re.compile(rf"({_SLASH})play({_SLASH})([0-9]{{1,9}}){_SLASH}{_RANDOM}", _FLAGS)


def answered_tokens(
    headers: Headers, recipients: Iterable[str], our_address: str, delimiter: str = "+"
) -> tuple[str, ...]:
    """The tokens of our mails that a mail says it answers, lower-case, each once, at most MAX_TOKENS.

    First come those in the addresses that it was sent to: of its envelope (`recipients`), of the headers that
    servers write, of To and Cc. Then those in the Message-IDs that it names, of In-Reply-To and of References from
    the newest to the oldest. Anybody can write any of them; whether a token is one of ours is not known here. No
    token is what a bounce address holds (`pbm+b.TOKEN`), nor the name of a board's thread (`<b101@club.test>`).
    """
    told_by = WRITTEN_BY_SERVERS + WRITTEN_BY_SENDERS
    addresses = _in_each(_address(our_address, delimiter), (*recipients, *_values(headers, told_by)))
    message_id = _message_id(our_address)
    replied = _in_each(message_id, _values(headers, ("in-reply-to",)))
    earlier = reversed([*_in_each(message_id, _values(headers, ("references",)))])
    return tuple(dict.fromkeys((*addresses, *replied, *earlier)))[:MAX_TOKENS]


def addressed_words(
    headers: Headers, recipients: Iterable[str], our_address: str, delimiter: str = "+"
) -> tuple[str, ...]:
    """The tokens in the addresses of ours that a mail was sent to, and no others."""
    names = WRITTEN_BY_SERVERS + WRITTEN_BY_SENDERS
    addresses = Headers(tuple(each for each in headers.fields if each[0] in names))
    return answered_tokens(addresses, recipients, our_address, delimiter)


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
    """A Message-ID of ours, with its brackets or without; group 1 is its token."""
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
        rf"(?:(?<![a-z0-9.+-])|(?<=%[0-9a-f][0-9a-f]))(?:{address}|{message_id})"
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
    """An expression for these characters, each as it is or as URLs write it (RFC 3986, section 2.1)."""
    return "".join(each if each.isalnum() else rf"(?:{re.escape(each)}|%{ord(each):02x})" for each in characters)


def without_keys(text: str) -> str:
    """The text with links for everybody in place of the personal ones in our mails, by which anybody could play.

    >>> without_keys("see https://club.test/play/101/w4hzexk3q7m2c5b6n8pq")
    'see https://club.test/boards/101'
    """
    return _PERSONAL_LINK.sub(r"\1boards\2\3", text)


def _parted(address: str) -> tuple[str, str]:
    local, _, domain = address.rpartition("@")
    return local, domain
