"""Signatures without the line `-- `: how people close a letter, and where they can be reached.

Only lines at the end of a text count. A single line counts if a telephone number says so; a name, a company, a web
address or a street count together, or below `Kind regards`.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from pbmserv.commands.vocabulary import word_lists
from pbmserv.mail.reading.phrases import holds_address, is_in_first_person, is_ruler, pattern

_MOST: Final = 400
"""Characters of a line that are looked at."""

_MOST_LINES: Final = 16
"""Lines with text in a signature, above which no more is looked for."""

_MOST_WORDS: Final = 9
"""Words in a line of a signature."""

_FEWEST_WORDS: Final = 3
"""Around a number they make a sentence; fewer are a name or a label."""

_FEWEST_DIGITS: Final = 7
_FEWEST_LABELLED: Final = 5
_SHORT_TALK: Final = 3
_MOST_TALK_LINES: Final = 2

_MOST_OPENING: Final = 3
"""Lines in which a confidentiality notice says what it is."""

_MOST_BELOW: Final = 4
"""Paragraphs that may stand below a signature, as a postscript does."""

FEWEST_EARLIER: Final = 3
"""Letters with the same end as this one that show that it is a signature."""

_NUMBER: Final = re.compile(r"(?<![\w#.-])(?:\+|\(|0(?=[0-9(])|[1-9])[0-9()/. \u00a0-]{4,24}[0-9](?![\w-])")
_LIKE_NUMBER: Final = re.compile(r"[+(0]")
_DATE: Final = re.compile(
    r"(?<![0-9])(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}[./-] ?[0-9]{1,2}[./-] ?[0-9]{2,4})(?![0-9])"
)
_WEB: Final = re.compile(r"<?(?<!\w)(?:https?://|www\.)\S{1,300}", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"[^\s@]{1,80}@[^\s@]{1,80}")
_ABBREVIATED: Final = re.compile(r"(?<!\w)(?:Inc|Ltd|Co|St|Str|Jr|Sr|e\. ?V|S\.A|S\.L|S\.r\.l|B\.V|Dr|Prof)\.\Z")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SMALL: Final = frozenset(
    "a and at d da de del della den der des di do du e en et f for für i la le of the u und van von y zu".split()  # noqa: SIM905
)
_PARTS: Final = re.compile(r"[|\u2022\u00b7\t]| {2,9}|,? [-\u2013\u2014/] |, ")
_SENTENCE_END: Final = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][)\"'\u201d]?\Z")
_PICTURE: Final = re.compile(
    r"(?:(?:\[(?:cid|image|inline image|bild|imagen?|immagine|logo)\s?:[^\]\n]{0,300}\]|\[https?://[^\]\s]{1,300}\]"
    r"|\[(?:logo|image|\S{1,80}\.(?:png|jpe?g|gif))\]|<https?://[^>\s]{1,300}>)\s{0,4}){1,8}",
    re.IGNORECASE,
)
_STARS: Final = re.compile(r"(?:[*~=_\u2013\u2014-] ?){2,100}")


_CLOSING: Final = (
    r"[*_]{0,2}%(closings)s(?!\w)[*_,.!;:\uff0c\u2013\u2014\s-]{0,4}"
    r"(?:(?:from|aus|de|desde|da|uit|från|fra|z|из) )?"
)
"""The beginning of a line that closes a letter; the writer's name or place may follow."""

_NOTICE: Final = r"[\s*_(\[]{0,6}%(notices)s"
"""The beginning of what calls a mail confidential."""

_POSTSCRIPT: Final = r"(?:p\.? ?p?\.? ?s|p\.? ?d|n\.? ?b|post ?scriptum|nachtrag|з\.? ?ы)(?!\w)"
"""The beginning of what somebody adds below a letter."""

_COMPANY: Final = (
    r"(?<!\w)(?:Ltd|Limited|Inc|LLC|LLP|GmbH|AG|KG|e\.\s?V|SARL|SAS|S\.A|S\.L|S\.r\.l|SpA|B\.V|Oy|AB|ApS)(?!\w)"
)
_STREETS: Final = (
    r"[0-9]{1,4}[a-z]?,? [A-Z]\w{1,20} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Way|Court|Place)(?!\w)",
    r"\w(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|straat|laan|gatan|vägen|vej) ?[0-9]",
    r"(?<!\w)(?:[Rr]ue|[Aa]venue|[Cc]alle|[Vv]ia|[Pp]iazza|[Rr]ua|ul\.|ulica|ул\.) [^\d\n]{2,30}[0-9]",
    r"[0-9]{1,4},? (?:rue|avenue|boulevard|place) ",
    r"(?<![\w.-])(?:[A-Z]{1,2}-)?[0-9]{4,5} ?[A-Z]{0,2} [A-Z]\w{2,20}",
    r"(?<!\w)[A-Z]{1,2}[0-9]{1,2}[A-Z]? [0-9][A-Z]{2}(?!\w)",
    r"(?:LinkedIn|Facebook|Instagram|Twitter|Xing|YouTube) ?[|\u2022\u00b7]",
)
_PLACE: Final = re.compile("|".join((_COMPANY, *_STREETS)))


def is_picture(line: str) -> bool:
    """`[image: Acme logo]`, `[cid:image001.png@01DA]`, `<https://acme.example/logo.png>` and nothing else."""
    return _PICTURE.fullmatch(line[:_MOST].strip()) is not None


def is_drawn(line: str) -> bool:
    """A line drawn across: `_____`, `* * *`."""
    return is_ruler(line) or _STARS.fullmatch(line[:_MOST].strip()) is not None


def signature_start(lines: Sequence[str]) -> int:
    """Where the signature begins that ends these lines; the number of lines where there is none.

    The last lines are looked at, and a confidentiality notice wherever it begins.
    """
    notices = (at for at in range(len(lines)) if _begins_notice(lines, at))
    end = _without_drawn(lines, next(notices, len(lines)))
    return _without_drawn(lines, _contacts_start(lines, end))


def signature_above(lines: Sequence[str]) -> tuple[int, int] | None:
    """Where a signature begins and ends that has words below it: a postscript, or what was written later.

    It tells a number or an address, and a line that closes a letter stands above it, or a postscript below it.
    """
    ends = [at for at in range(1, len(lines)) if lines[at - 1].strip() and _may_begin_postscript(lines[at])]
    for end in reversed(ends[-_MOST_BELOW - 1 :]):
        below = next((line[:_MOST].strip() for line in lines[end:] if line.strip()), "")
        start = _contacts_start(lines, end)
        if not below or not any(_tells_number(lines, at) for at in range(start, end)):
            continue
        if pattern(_POSTSCRIPT).match(below) or pattern(_CLOSING).match(lines[start][:_MOST].strip()):
            return start, end
    return None


def _may_begin_postscript(line: str) -> bool:
    return not line.strip() or pattern(_POSTSCRIPT).match(line[:_MOST].strip()) is not None


def repeated_end(lines: Sequence[str], below: Sequence[str], earlier: Sequence[Sequence[str]]) -> int:
    """How many of the last lines of a letter stood at the end of its writer's last letters, too.

    `lines` are those of the letter with text, `below` what was left out below them; `earlier` are those of earlier
    letters with what was left out of them, the newest first. What people may well say each time does not count:
    one short line that is the whole letter, or one or two lines with a sentence among them.
    """
    if len(earlier) < FEWEST_EARLIER:
        return 0
    ends = [[*lines, *below], *earlier[:FEWEST_EARLIER]]
    same = 0
    while same < min(map(len, ends)) and len({each[-same - 1].strip() for each in ends}) == 1:
        same += 1
    found = [line.strip() for line in lines[len(lines) - max(same - len(below), 0) :]]
    is_short = len(found) == len(lines) == 1 and len(found[0].split()) <= _SHORT_TALK
    is_talk = is_short or (len(found) <= _MOST_TALK_LINES and any(map(_SENTENCE_END.search, found)))
    return 0 if is_talk else len(found)


def _begins_notice(lines: Sequence[str], at: int) -> bool:
    """Whether a paragraph begins there that calls the mail confidential."""
    above = lines[at - 1] if at else ""
    if not lines[at].strip() or (above.strip() and not is_drawn(above) and not is_picture(above)):
        return False
    return pattern(_NOTICE).match(" ".join(lines[at : at + _MOST_OPENING])[:_MOST]) is not None


def _without_drawn(lines: Sequence[str], end: int) -> int:
    """The same place, less pictures and what is drawn across above it."""
    top = end
    while top > 0 and (not lines[top - 1].strip() or is_picture(lines[top - 1]) or is_drawn(lines[top - 1])):
        top -= 1
    return top if end < len(lines) or any(line.strip() for line in lines[top:end]) else end


def _contacts_start(lines: Sequence[str], end: int) -> int:
    """Where a block begins that says who writes and how to reach them, and reaches to `end`.

    Names above the first number or place belong to it, and so does what stands in one paragraph below a name.
    """
    top = last = end
    certain = probable = filled = 0
    for at in range(end - 1, -1, -1):
        line = lines[at][:_MOST].strip()
        if not line or is_drawn(line) or is_picture(line):
            continue
        filled += 1
        closing = pattern(_CLOSING).match(line)
        if closing is not None and (closing.end() == len(line) or _is_name(line[closing.end() :])):
            return at if certain or probable else end
        is_certain, is_probable = _tells_number(lines, at), _tells_place(line)
        is_apart = last - at > 1
        if is_certain or is_probable or (_is_name(line) and (last == top or not is_apart)):
            top = at
        elif is_apart or not _may_be_part(line):
            break
        certain += is_certain
        probable += is_probable
        last = at
        if filled == _MOST_LINES:
            break
    return top if certain or probable > 1 else end


def _tells_number(lines: Sequence[str], at: int) -> bool:
    """Whether a line is a telephone number or an address with a few words; not what a sentence leads up to."""
    line = lines[at][:_MOST].strip()
    above = next((lines[each].rstrip() for each in range(at - 1, -1, -1) if lines[each].strip()), "")
    if above.endswith((":", "\uff1a")) or is_in_first_person(line) or line.endswith(("!", "?")):
        return False
    return any(_is_number(part) or holds_address(part) for part in _PARTS.split(line)) and _has_few_words(line)


def _is_number(part: str) -> bool:
    if _DATE.search(part):
        return False
    words = _WORD.findall(part)
    has_label = any(word.casefold() in _labels() for word in words)
    fewest = _FEWEST_LABELLED if has_label else _FEWEST_DIGITS
    found = [each[0] for each in _NUMBER.finditer(part) if has_label or not words or _LIKE_NUMBER.match(each[0])]
    return any(sum(map(str.isdigit, number)) >= fewest for number in found)


def _has_few_words(text: str) -> bool:
    """Whether no sentence stands around the numbers and addresses of a line: none of its parts reads as one."""
    return all(len(_other_words(part)) < _FEWEST_WORDS or _is_name(part) for part in _PARTS.split(text))


def _other_words(text: str) -> list[str]:
    words = _WORD.findall(_ADDRESS.sub(" ", _WEB.sub(" ", text)))
    return [word for word in words if word.casefold() not in _labels()]


def _tells_place(line: str) -> bool:
    """Whether a company, a street, a town or a page in the web is named in a line that is no sentence."""
    if page := _WEB.search(line):
        # Nobody's card leads to what a page is asked.
        return "?" not in page[0] and _has_few_words(line)
    return _PLACE.search(line) is not None and _may_be_part(line)


def _may_be_part(line: str) -> bool:
    is_sentence = _SENTENCE_END.search(line) is not None and _ABBREVIATED.search(line) is None
    return not is_sentence and len(line.split()) <= _MOST_WORDS


def _is_name(line: str) -> bool:
    """`Margaret Whitfield`, `Head of Sales`: each word with a capital, or in a script that has none."""
    words = _WORD.findall(line)
    is_like = all(not word[0].islower() or word in _SMALL for word in words)
    return bool(words) and is_like and _may_be_part(line) and not line.rstrip().endswith((":", ","))


@cache
def _labels() -> frozenset[str]:
    return frozenset(str(word_lists("phrases.toml", __package__)["labels"]).split())
