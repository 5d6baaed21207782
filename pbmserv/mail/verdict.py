"""What a refused mail says about its address: no mail goes there any more, or only this one did not arrive.

Hard is what is about the mailbox and for good. Whatever is about us (policy, reputation, signatures), about the
one mail, or about this hour is soft: a mistake in our own DNS must not silence a whole club.
"""

import re
from typing import Final, Literal

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
_PASSING: Final = re.compile(
    r"""quota | \bfull\b | too\ (?:large|big|many|long) | size\ limit | exceed | insufficient
    | spam | block(?:ed|\ ?list) | black\ ?list | reputation | policy
    | relay(?:ing)?\ (?:access\ )?(?:denied|not|is\ not) | to\ relay | not\ permitted
    | \bspf\b | \bdkim\b | \bdmarc\b | authenticat | rate\ limit | gr[ea]y\ ?list | throttl
    | sender\ (?:address\ )?(?:rejected|refused|denied|not|verif)
    | expired | time(?:d|\ |-)?\ ?out | temporar | try(?:ing)?\ again | in\ the\ queue | \bloop""",
    re.IGNORECASE | re.VERBOSE,
)
_THING: Final = r"(?:user|recipient|mailbox|account|address|addressee|e-?mail)"
_GONE: Final = re.compile(
    rf"""{_THING}\b[^.\n]{{0,60}}\b(?:unknown|not\ (?:found|exist|known|valid)|does(?:\ not|n.?t)\ exist
        |disabled|inactive|unavailable|invalid|no\ longer)
    | (?:unknown|no\ such|invalid|non-?existent|not\ a\ valid|not\ a\ known|inactive)\ (?:local\ )?{_THING}
    | no\ mailbox | not\ our\ customer | unrout(?:e)?able | nobody\ (?:here\ )?by\ that\ name
    | does(?:\ not|n.?t)\ have\ an?\ [^\n]{{0,60}}account | null\ mx
    | (?:host|domain)\ (?:name\ )?not\ found | (?:unknown|no\ such)\ (?:host|domain)""",
    re.IGNORECASE | re.VERBOSE,
)


def judge(status: str, words: str) -> Verdict:
    """The verdict on a delivery that failed for good, by its enhanced status (may be empty) and the words with it.

    >>> judge("5.1.1", ""), judge("5.2.2", ""), judge("4.4.7", "expired"), judge("5.7.1", "access denied")
    ('hard', 'soft', 'soft', 'soft')
    >>> judge("", "550 5.1.1 nobody here"), judge("5.0.0", "552 5.2.2 full"), judge("", "what is this?")
    ('hard', 'soft', 'soft')
    """
    code = _code(_STATUS.match(status))
    if code is None or code[2] == 0:
        code = stated(words) or code
    if code is None:
        return "hard" if _GONE.search(words) and not _PASSING.search(words) else "soft"
    if code[0] != 5:
        return "soft"
    if code[1:] in _FOR_GOOD:
        return "hard"
    if code[2] != 0 or code[1] == _POLICY or _PASSING.search(words):
        return "soft"
    # Outlook.com's way to say that there is no such mailbox is "550 5.5.0 ...: mailbox unavailable".
    return "hard" if code[1] in _ABOUT_THE_ADDRESS or _GONE.search(words) else "soft"


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
