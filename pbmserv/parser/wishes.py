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
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbmserv.commands.vocabulary import COURTESY, SMALL_WORDS
from pbmserv.commands.word_lists import word_lists
from pbmserv.parser.game_names import opened_by_game
from pbmserv.parser.words import without_accents

SOCIAL: Final = frozenset({"thanks", "hello", "sorry"})
"""Wishes that any other overrides. Their answer says how words reach the others, too."""

_STOP: Final = "stop"
_GENERAL: Final = "help"
"""The wish that any other overrides, except the social ones."""

_OF_PHRASE: Final = 4
"""What a phrase weighs beside its words."""

_RAREST: Final = 4
"""What a clue weighs that one wish alone needs."""

_NEAR: Final = 2
"""By how much a second wish may weigh less, and is offered beside the first."""

_ACROSS: Final = 7
"""What clues weigh at least that stand in several sentences."""

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


def wish_of(text: str, subject: str = "") -> Wishes:
    """What a mail asks for.

    >>> [wish_of(text).names for text in ("How do I capture?", "Hi, how do I resign? Thanks", "Keine Mails mehr!")]
    [('capture',), ('resign',), ('stop',)]
    >>> wish_of("Let me play chess with ben!")
    Wishes(names=('friend',), game='chess', persons=('ben',))
    >>> wish_of("My dog ate a stone. Rules are rules!").names
    ()
    """
    parts = [[["^", *plain_words(each)] for each in _sentences(part)] for part in (text, subject)]
    found = [list(_found(words)) for part in parts for words in part]
    spoken = Counter(each.language for sentence in found for each in sentence if each.language not in ("", _ANY))
    languages = [language for language, count in spoken.items() if _SPOKEN * count >= max(spoken.values())]
    polite = word_lists("wishes.toml", __package__)["polite"].split(", ")
    alone = [[word for words in part for word in words[1:] if word not in polite] for part in parts]
    whole = [list(_phrases_at(["=", *words, "="], 0)) for words in alone]
    scores: Counter[str] = Counter()
    for each in (*found, *whole):
        scores |= _scores(each, languages)
    if SOCIAL.issuperset(scores):
        # What is asked in one sentence may be about what another says.
        across = _scores([each for sentence in found for each in sentence], languages)
        scores |= Counter({wish: weight for wish, weight in across.items() if weight >= _ACROSS})
    names = [each.name.split() for sentence in found for each in sentence if each.language in (_ANY, *languages)]
    games, persons = (
        [name for kind, *given in names if kind == of for name in given] for of in ("title", "somebody")
    )
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
    scores: Counter[str] = Counter()
    for each in found:
        if not each.language:
            scores |= Counter({each.name: _OF_PHRASE + each.length})
    for language in languages:
        said = {each.name.partition(" ")[0] for each in found if each.language in (language, _ANY)}
        for wish, needed, barred, weight in _combinations():
            if needed <= said and barred.isdisjoint(said):
                scores |= Counter({wish: weight})
    return scores


def _found(words: Sequence[str]) -> Iterator[_Found]:
    """The phrases of a sentence, its games, and who may be a player, behind a word such as `with`."""
    found = [each for place in range(len(words)) for each in _phrases_at(words, place)]
    yield from found
    known = {(each.place, each.language) for each in found}
    for each in found:
        word = "".join(words[(place := each.place + each.length) :][:1])
        if each.name in _NAMED_AFTER and (place, each.language) not in known and _may_be_name(word):
            yield _Found(place, 1, each.language, f"{_NAMED_AFTER[each.name]} {word}")
    played = {each.place + each.length for each in found if each.name in _BEFORE_TITLES}
    for place, word in enumerate(words):
        game = opened_by_game(words[place : place + _LONGEST_NAME])
        if game and (len(word) > _SHORT_NAME or (place in played and len(word) > 1)):
            yield _Found(place, 1, _ANY, f"title {game[0]}")


def _may_be_name(word: str) -> bool:
    return word.isalpha() and len(word) > 1 and word not in COURTESY | SMALL_WORDS and not opened_by_game([word])


def _phrases_at(words: Sequence[str], start: int) -> Iterator[_Found]:
    """Those that begin there; small words may stand between theirs: `how does this game even work`."""
    nodes = [_known()]
    for place in range(start, len(words)):
        stems = (words[place], *(f"{words[place][:end]}*" for end in range(len(words[place]) + 1)))
        ahead = [node[stem] for node in nodes for stem in stems if stem in node]
        for node in ahead:
            yield from (_Found(start, place + 1 - start, *meant) for meant in node.get("", ()))
        may_be_left_out = place > start and _BETWEEN in _known().get(words[place], {}).get("", ())
        # Each once, by whichever words it was reached: else a letter of such words alone would take long.
        nodes = [*{id(node): node for node in ahead + nodes * may_be_left_out}.values()]
        if not nodes:
            break


@cache
def _known() -> Mapping[str, Any]:
    """All phrases as a tree by their words; `""` holds what the words up to there mean."""
    tree: dict[str, Any] = {}
    texts = word_lists("wishes.toml", __package__)
    clues = [(of, said, name) for name, each in texts["clue"].items() for of, said in each.items()]
    phrases = [("", said, name) for name, each in texts["wish"].items() for of, said in each.items() if of != "of"]
    titles = [(_ANY, said, f"title {game}") for game, said in texts["game"].items()]
    for language, said, name in (*clues, *phrases, *titles):
        node = tree
        for word in (*plain_words(said, len(said), _MARKED), ","):
            if word != ",":
                node = node.setdefault(word, {})
            elif node is not tree:
                node.setdefault("", []).append((language, name))
                node = tree
    return MappingProxyType(tree)


@cache
def _combinations() -> tuple[tuple[str, frozenset[str], frozenset[str], int], ...]:
    """Each wish with clues that it needs and clues that bar it, and what they weigh."""
    asked = word_lists("wishes.toml", __package__)["wish"]
    groups = [(wish, each.split()) for wish, said in asked.items() for each in said.get("of", "-").split(",")]
    users = Counter(clue for _, clue in {(wish, clue) for wish, clues in groups for clue in clues})
    combinations = []
    for wish, clues in groups:
        needed = frozenset(clue for clue in clues if not clue.startswith("-"))
        weight = sum(max(_RAREST + 1 - users[clue], 1) for clue in needed)
        combinations.append((wish, needed, frozenset(each[1:] for each in clues) - needed, weight))
    return tuple(combinations)


def _sentences(text: str) -> list[str]:
    """The sentences of the first lines with text, up to a signature."""
    own = text[: 10 * _MOST_CHARACTERS].replace("\n-- \n", "\n--\n").partition("\n--\n")[0]
    lines = [line for line in own.split("\n") if line.strip()]
    return _SENTENCE.findall("\n".join(lines[:_MOST_LINES])[:_MOST_CHARACTERS])


def plain_words(text: str, most: int = _MOST_CHARACTERS, kind: re.Pattern[str] | None = None) -> list[str]:
    """The words, in small letters without accents, and the question marks of the first `most` characters.

    >>> " ".join(plain_words("Qu\u2019est-ce que c'est? I don't! \u79c1\u306e\u756a"))
    'qu est ce que c est ? i dont \u79c1 \u306e \u756a'
    """
    whole = _SHORTENED.sub("", _IS.sub(r"\1 is", text[:most].casefold()))
    return (kind or _WORD).findall(without_accents(whole))


_IS: Final = re.compile(r"\b(wh(?:at|ere|o|en)|how)['\u2019]?s\b")
_SHORTENED: Final = re.compile(r"['\u2019\u2018`\u00b4](?=(?:[tsmd]|ve|ll)\b)")
_SENTENCE: Final = re.compile(r"[^.!?;:\u2026\u3002\uff01\uff1f]+[?\uff1f]?")
_EAST: Final = "\u3040-\u30ff\u4e00-\u9fff"
"""Scripts without blanks between words: each letter counts as a word."""

_WORD: Final = re.compile(rf"[{_EAST}]|[^\W_{_EAST}]+|\?")
_MARKED: Final = re.compile(rf"[{_EAST}]|[^\W_{_EAST}]+\*?|[?*=^,]")
_ANY: Final = "any"
"""The language of clues that are the same in many."""

_BETWEEN: Final = (_ANY, "between")
"""The clue of words that may stand within any phrase."""

_SPOKEN: Final = 1.5
"""How many times less than the likeliest language another may be found in a letter, and still count."""

_BEFORE_TITLES: Final = frozenset({"play", "game", "amid", "has", "works"})
_NAMED_AFTER: Final = MappingProxyType({"beside": "somebody", "addressed": "listener", "inquired": "missed"})
"""Clues behind which a name may stand, and the clue that it then is."""

_LONGEST_NAME: Final = 4
_SHORT_NAME: Final = 3
