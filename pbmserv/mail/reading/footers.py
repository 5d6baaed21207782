"""Lines that mail programs, phones and virus scanners put below what people write, in many languages.

Each pattern matches a whole line, and none of them can match a command.
"""

import re
from collections.abc import Sequence
from typing import Final

from pbmserv.mail.reading.phrases import pattern

_MOST: Final = 400
"""Characters of a line that are looked at."""

_LONGEST: Final = 160
_MOST_WORDS: Final = 8
_MOST_BLANK: Final = 20
_MOST_LINKS: Final = 2
_LINK: Final = re.compile(r"\s*<?https?://[^\s<>]{1,300}>?\s*", re.IGNORECASE)
_SHORT_RULER: Final = re.compile(r"\s{0,3}(?:-{2,10}|_{2,10})\s*")

_TAGLINE: Final = r"[\s*_~]{0,3}%(sent_from)s[.。!]?[*_]{0,2}(?: ?[<(\[][^>)\]]{1,120}[>)\]])?\s*$"
_EXCUSE: Final = r"[\s*_]{0,3}%(excuses)s\s*$"
_OUTLOOK: Final = re.compile(
    r"(?=[^.!?]{0,60}\bOutlook)(?=[^.!?]{0,60}(?:\biOS|\bAndroid))[^.!?;:<]{1,60}(?: ?<[^>]{1,120}>)?\s*$"
)
_DEVICE: Final = r"%(devices)s"
_YAHOO: Final = re.compile(r"(?i)\s{0,3}(?:Yahoo|AOL) Mail ?: [^;:]{1,60}$")
_SCANNER: Final = re.compile(
    r"(?i)(?=.{0,160}\b(?:avast|avg|eset|norton|mcafee|bitdefender|kaspersky)\b)"
    r".{0,160}(?:vir[uůo]|viren|вирус|вірус|ウイルス|病毒|바이러스|antivir)"
)
_TUTA: Final = re.compile(
    r"\s{0,3}(?:Sent|Secured|Gesendet|Gesichert|Verschickt|Envoyé|Sécurisé|Enviado|Inviato|Verzonden|Отправлено)"
    r" [^\s:;]{2,9} Tuta(?:nota)?\b[^.!?]{0,60}?(?:https?://\S{1,100})?\s*$|\s{0,3}Из Xiaomi\s*$"
)
_SCANNERS_PAGE: Final = re.compile(r"(?i)\s{0,3}<?(?:https?://)?www\.(?:avast|avg)\.com\S{0,120}\s*$")
_PROGRAM: Final = r"(?-i:%(programs)s)"


def is_tagline(line: str) -> bool:
    """`Sent from my iPhone`, `Get Outlook for Android<https://...>`, `Virus-free. www.avast.com`.

    What is sent `with love` or `from Crete` names neither a program nor a device, and is somebody's own word.
    """
    line = line[:_MOST].rstrip()
    if len(line.partition("<")[0]) > _LONGEST:
        return False
    if pattern(_TAGLINE).match(line) is not None and (
        names_program(line) or pattern(_DEVICE).search(line) is not None
    ):
        return True
    others = (pattern(_EXCUSE), _OUTLOOK, _YAHOO, _SCANNER, _SCANNERS_PAGE, _TUTA)
    return any(each.match(line) is not None for each in others)


def may_be_tagline(line: str) -> bool:
    """`Sent from Fairphone`, of at most eight words: by a program not known here, or by somebody `with love`."""
    line = line[:_MOST].strip()
    is_short = len(line.split()) <= _MOST_WORDS and not line.endswith(("!", "?"))
    return is_short and pattern(_TAGLINE).match(line) is not None


def without_taglines(lines: Sequence[str], end: int | None = None) -> int:
    """Where such lines begin that are the last above `end`, with links below and a short ruler above them.

    It is `end` where there are none: in the middle of a letter they are its writer's.
    """
    top = end = len(lines) if end is None else end
    while True:
        last = next((at for at in range(top - 1, max(top - _MOST_BLANK, 0) - 1, -1) if lines[at].strip()), -1)
        first = last
        while first > 0 and last - first < _MOST_LINKS and _LINK.fullmatch(lines[first][:_MOST]):
            first -= 1
        if first < 0 or not is_tagline(lines[first]):
            return top
        top = first
        if top and _SHORT_RULER.fullmatch(lines[top - 1][:_MOST]):
            top -= 1


def names_program(line: str) -> bool:
    """Whether the name of a mail program, a mail house or a kind of telephone stands in it, as they write it."""
    return pattern(_PROGRAM).search(line[:_MOST]) is not None


_LINE: Final = re.compile(r"-----(BEGIN|END) PGP ([A-Z0-9 ]{3,40})-----\s*$")
_SIGNED: Final = "SIGNED MESSAGE"
_HEADER: Final = re.compile(r"[A-Za-z-]{1,40}: ")
_DASHED: Final = "- "


def without_armour(lines: list[str]) -> list[str]:
    """The lines that were signed, their dashes as written, and those around them; what is no text falls away.

    A block that is never closed reaches to the end.
    """
    kept: list[str] = []
    block = ""
    in_head = False
    for line in lines:
        found = _LINE.match(line) if line.startswith("-----") else None
        if found is not None:
            block = found[2] if found[1] == "BEGIN" else ""
            in_head = block == _SIGNED
        elif not block:
            kept.append(line)
        elif block == _SIGNED:
            if in_head and _HEADER.match(line):
                continue
            in_head = in_head and not line.strip()
            kept.append(line.removeprefix(_DASHED))
    return kept
