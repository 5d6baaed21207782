"""Finds what a letter in plain words asks for. Nothing here runs a command.

This is what is asked before what, of any letter; the first that applies decides:

| asked                               | by                                                           |
|-------------------------------------|--------------------------------------------------------------|
| did a person write it               | `mail.reading`                                               |
| `yes` or `no` to an open question   | `prose.yes_or_no`, `services.reply_text.as_answer_to_offer`  |
| commands and moves                  | `parse`                                                      |
| *stop*: a wish for no more mail     | here, whatever else is said                                  |
| the other wishes                    | here, the heaviest; two that are near are both offered       |
| greetings, thanks, apologies        | here, in a short letter that asks for nothing else           |
| a move named in passing             | `prose.mentioned_move`: it is asked about                    |
| talk: whatever is left              | goes to nobody before its writer says so                     |

The words are in `wishes.toml`: phrases, which tell a wish by themselves, and clues, words by their meaning, of
which a wish needs some in one sentence and one language. A phrase weighs more than clues, a longer one more than
a short one, and a rare clue more than one that many wishes share.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS
from pbmserv.parser.game_names import opened_by_game
from pbmserv.parser.words import word_lists

SOCIAL: Final = frozenset({"thanks", "hello", "sorry"})
"""Wishes that any other overrides. Their answer says how words reach the others, too."""

_STOP: Final = "stop"
_GENERAL: Final = "help"
"""The wish that any other overrides, except the social ones."""

_OF_PHRASE: Final = 4
"""What a phrase weighs beside its words."""

_RAREST: Final = 4
"""What a clue weighs that one wish alone needs."""

_NEAR: Final = 1
"""By how much a second wish may weigh less, and is offered beside the first."""

_SHORT: Final = 9
"""The most words of a mail that is only a greeting or thanks. A longer one is a letter to somebody."""

_MOST_LINES: Final = 12
_MOST_CHARACTERS: Final = 600


class _Found(NamedTuple):
    """A phrase in a sentence: a clue in a language, or a wish, of which the language is empty."""

    place: int
    length: int
    language: str
    name: str


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a letter asks for."""

    # The wish, the likelier first of two that its words leave open, or none.
    names: tuple[str, ...] = ()
    # The game that it speaks of, or empty.
    game: str = ""
    # Who may be meant as a player's name, in small letters.
    persons: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The likeliest wish, or empty."""
        return next(iter(self.names), "")


@cache
def wishes() -> tuple[str, ...]:
    """Every wish; a text for each is in `mail/wishes.txt`."""
    return tuple(word_lists("wishes.toml")["wish"])


def wish_of(text: str, subject: str = "") -> Wishes:
    """What a mail asks for.

    >>> [wish_of(text).names for text in ("How do I capture?", "Hi, how do I resign? Thanks", "Keine Mails mehr!")]
    [('capture',), ('resign',), ('stop',)]
    >>> wish_of("Let me play chess with ben!")
    Wishes(names=('friend',), game='chess', persons=('ben',))
    >>> wish_of("My dog ate a stone. Rules are rules!").names
    ()
    """
    parts = [[plain_words(each) for each in _sentences(part)] for part in (text, subject)]
    found = [list(_found(words)) for part in parts for words in part]
    spoken = Counter(each.language for sentence in found for each in sentence)
    most = max((count for language, count in spoken.items() if language not in _ANY), default=0)
    languages = [each for each, count in spoken.items() if _SPOKEN * count >= most and each not in _ANY]
    scores: Counter[str] = Counter()
    for each in (*(_scores(sentence, languages) for sentence in found), *map(_said_alone, parts)):
        scores |= each
    names = [each.name for sentence in found for each in sentence]
    games, persons = ([each.removeprefix(of) for each in names if each.startswith(of)] for of in (_GAME, _PERSON))
    return Wishes(_best(scores, len(text.split())), next(iter(games), ""), tuple(dict.fromkeys(persons)))


def _best(scores: Mapping[str, int], length: int) -> tuple[str, ...]:
    if _STOP in scores:
        return (_STOP,)
    ranked = sorted(scores, key=lambda wish: (wish in SOCIAL, wish == _GENERAL, -scores[wish]))
    if not ranked or ranked[0] in SOCIAL:
        return tuple(ranked[: length <= _SHORT])
    near = (wish for wish in ranked[1:2] if wish not in SOCIAL and wish != _GENERAL)
    return (ranked[0], *(wish for wish in near if scores[wish] >= scores[ranked[0]] - _NEAR))


def _scores(found: Sequence[_Found], languages: Sequence[str]) -> Counter[str]:
    """The wishes of a sentence, each with the weight of what says it best."""
    scores = Counter({each.name: 0 for each in found if not each.language})
    for each in found:
        if not each.language:
            scores[each.name] = max(_OF_PHRASE + each.length, scores[each.name])
    for language in languages or _ANY:
        said = {each.name for each in found if each.language in (language, *_ANY)}
        for wish, needed, barred, weight in _combinations():
            if needed <= said and barred.isdisjoint(said):
                scores[wish] = max(weight, scores[wish])
    return scores


def _said_alone(sentences: Sequence[Sequence[str]]) -> Counter[str]:
    """The wish that a text or a Subject is, where it says nothing else."""
    words = [word for words in sentences for word in words if word not in _COURTESY]
    whole = _phrases_at(["=", *words], 0)
    return Counter({each.name: _OF_PHRASE + each.length for each in whole if each.length > len(words)})


def _found(words: Sequence[str]) -> Iterator[_Found]:
    """The phrases of a sentence, its games, and who may be a player, behind a word such as `with`."""
    found = [each for place in range(len(words)) for each in _phrases_at(words, place)]
    yield from found
    known = {(each.place, each.language) for each in found}
    behind = {each.place + each.length: each for each in found if each.name in _BEFORE_NAMES}
    for place, word in enumerate(words):
        game = opened_by_game(words[place : place + _LONGEST_NAME])
        if game and (len(word) > _SHORT_NAME or place in behind or words[max(place - 1, 0)] == "of"):
            yield from (_Found(place, 1, "any", name) for name in ("title", _GAME + game[0]))
        elif (
            place in behind
            and (place, behind[place].language) not in known
            and word not in _NOBODY
            and word.isalpha()
            and len(word) > 1
        ):
            yield from (_Found(place, 1, behind[place].language, name) for name in ("somebody", _PERSON + word))


def _phrases_at(words: Sequence[str], start: int) -> Iterator[_Found]:
    nodes = [_known()]
    for place in range(start, len(words)):
        stems = (words[place], *(f"{words[place][:end]}*" for end in range(len(words[place]) + 1)))
        nodes = [node[stem] for node in nodes for stem in stems if stem in node]
        for node in nodes:
            yield from (_Found(start, place + 1 - start, *meant) for meant in node.get("", ()))
        if not nodes:
            break


@cache
def _known() -> Mapping[str, Any]:
    """All phrases as a tree by their words; `""` holds what the words up to there mean."""
    tree: dict[str, Any] = {}
    texts = word_lists("wishes.toml")
    clues = (each for name, said in texts["clue"].items() for each in ((*spoken, name) for spoken in said.items()))
    phrases = (
        ("", said, wish) for wish, asked in texts["wish"].items() for of, said in asked.items() if of != _OF
    )
    titles = [("any", said, name) for game, said in texts["game"].items() for name in ("title", _GAME + game)]
    for language, said, name in (*clues, *phrases, *titles):
        for phrase in said.split(","):
            node = tree
            for word in _words_of_phrase(phrase.strip()):
                node = node.setdefault(word, {})
            node.setdefault("", []).append((language, name))
    return MappingProxyType(tree)


def _words_of_phrase(phrase: str) -> Iterator[str]:
    yield from "=" * phrase.startswith("=")
    for part in phrase.split():
        *words, last = plain_words(part) or [""]
        yield from (*words, last + "*" * part.endswith("*"))


@cache
def _combinations() -> tuple[tuple[str, frozenset[str], frozenset[str], int], ...]:
    """Each wish with clues that it needs and clues that bar it, and what they weigh."""
    asked = word_lists("wishes.toml")["wish"]
    groups = [(wish, each.split()) for wish, said in asked.items() for each in said.get(_OF, "").split(",")]
    users: dict[str, set[str]] = {}
    for wish, clues in groups:
        for clue in clues:
            users.setdefault(clue, set()).add(wish)
    return tuple(
        (
            wish,
            frozenset(needed := [clue for clue in clues if clue[0] != "-"]),
            frozenset(clue[1:] for clue in clues if clue[0] == "-"),
            sum(max(_RAREST + 1 - len(users[clue]), 1) for clue in needed),
        )
        for wish, clues in groups
        if clues
    )


def _first_lines(text: str) -> list[str]:
    """The first non-empty lines, up to a signature."""
    lines: list[str] = []
    for line in text[: 10 * _MOST_CHARACTERS].split("\n"):
        if line.rstrip() == "--":
            break
        if line.strip():
            lines.append(line[:_MOST_CHARACTERS])
    return lines[:_MOST_LINES]


def _sentences(text: str) -> list[str]:
    return _SENTENCE.findall("\n".join(_first_lines(text))[:_MOST_CHARACTERS])


def plain_words(text: str, most: int = _MOST_CHARACTERS) -> list[str]:
    """The words, in small letters without accents, and the question marks of the first `most` characters.

    >>> " ".join(plain_words("Qu\u2019est-ce que c'est? I don't! \u79c1\u306e\u756a"))
    'qu est ce que c est ? i dont \u79c1 \u306e \u756a'
    """
    apart = unicodedata.normalize("NFKD", _SHORTENED.sub("", text[:most].casefold()))
    words = _WORD.findall("".join(each for each in apart if not unicodedata.combining(each)))
    return [each for word in words for each in _LONG_FORMS.get(word, word).split()]


_LONG_FORMS: Final = MappingProxyType(
    {"whats": "what is", "wheres": "where is", "whos": "who is", "hows": "how is", "whens": "when is"}
)
_SHORTENED: Final = re.compile(r"['\u2019\u2018`\u00b4](?=(?:[tsmd]|re|ve|ll)\b)")
_SENTENCE: Final = re.compile(r"[^.!?;:\u2026\u3002\uff01\uff1f]+[?\uff1f]?")
_EAST: Final = "\u3040-\u30ff\u4e00-\u9fff"
"""Scripts without blanks between words: each letter counts as a word."""

_WORD: Final = re.compile(rf"[{_EAST}]|[^\W_{_EAST}]+|\?")
_COURTESY: Final = COURTESY - {"thanks", "thank", "thx", "cheers", "ta"} | {
    "bitte",
    "merci",
    "server",
    "pbmserv",
    "?",
}
_NOBODY: Final = COURTESY | SMALL_WORDS
_ANY: Final = ("", "any")
"""The languages of wishes, and of clues that are the same in many."""

_SPOKEN: Final = 1.5
"""How many times less than the likeliest language another may be found in a letter, and still count."""

_BEFORE_NAMES: Final = frozenset({"beside", "addressed", "play", "game"})
_PERSON: Final = "person "

_OF: Final = "of"
_GAME: Final = "game "
_LONGEST_NAME: Final = 4
_SHORT_NAME: Final = 3
