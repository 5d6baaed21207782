"""What mail programs put before a Subject: that it is an answer, a forward, or came over a list.

The words are those that mail programs use in their languages. `VS` is an answer in Finnish and a forward in Danish
and Norwegian: what stands on top is the sender's own words in both, so it counts as an answer.
"""

import re
from dataclasses import dataclass

_ANSWER_WORDS = (
    "re r res resp réf ref rif risp rép aw antw antwort sv vs odp ynt yan atb bls tl vá vastaus vast svar ang "
    "răsp отв ответ на απ σχετ השב رد 回复 回覆 答复 答覆 返信 回信 회신 답장"
)
_FORWARD_WORDS = (
    "fwd fw f tr rv i wg enc vb vl vd pd doorst fs továbbítás ilt \u0130lt trs ml ct redir inoltro reenv "
    "przek weitergeleitet пересл переслано πρθ הועבר 转发 轉寄 轉發 転送 전달"
)
_ANSWERS = frozenset(word.casefold() for word in _ANSWER_WORDS.split())
_FORWARDS = frozenset(word.casefold() for word in _FORWARD_WORDS.split())
_COUNT = r"(?:\[[0-9]{1,4}\]|\([0-9]{1,4}\)|[\^*][0-9]{1,4})?"
_PREFIX = re.compile(rf"\s*([^\W\d_]{{1,15}}){_COUNT}(\s?):\s*")
_TAG = re.compile(r"\s*\[\s*([^\]\n]{0,60})\]\s*")


@dataclass(frozen=True, slots=True)
class Title:
    """A Subject without what mail programs put before it."""

    text: str
    is_answer: bool = False
    is_forward: bool = False


def title_of(subject: str) -> Title:
    """What a normalised Subject says, and how the mail came by it. Takes time linear in the Subject's length.

    >>> title_of("[club] Re: AW: move 101 c3")
    Title(text='move 101 c3', is_answer=True, is_forward=False)
    >>> title_of("I: move 101 c3").is_forward, title_of("I : c3").is_forward, title_of("[Fwd: c3]").is_forward
    (True, False, True)
    """
    is_answer = False
    place = 0
    while True:
        if tag := _TAG.match(subject, place):
            if _prefix(tag[1], 0)[0] == "forward":
                return Title(subject[place:], is_answer, is_forward=True)
            place = tag.end()
            continue
        kind, end = _prefix(subject, place)
        if kind == "forward":
            return Title(subject[place:], is_answer, is_forward=True)
        if kind == "none":
            return Title(subject[place:], is_answer)
        is_answer, place = True, end


def _prefix(text: str, place: int) -> tuple[str, int]:
    found = _PREFIX.match(text, place)
    # A single letter is a prefix only with its colon right behind it, as programs write it.
    if found is None or (len(found[1]) == 1 and found[2]):
        return "none", place
    word = found[1].casefold()
    if word in _ANSWERS:
        return "answer", found.end()
    return ("forward", found.end()) if word in _FORWARDS else ("none", place)
