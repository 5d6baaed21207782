"""Counts the steps of a backtracking matcher, on strings that are made from the regular expression itself.

Python's matcher does not tell how much it works, so this one walks the same parsed expression in the same order.
Bounded repeats are cut to a few rounds: they cost a constant factor, and strings can stay short.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product
from re import _compiler, _parser  # type: ignore[attr-defined]
from typing import Any, Final

UNBOUNDED: Final = _parser.MAXREPEAT
MOST_ROUNDS: Final = 3
"""What a bounded repeat is cut to."""

LENGTH: Final = 40
"""How many characters a string repeats, or FEWEST words, and then twice as many."""

FEWEST: Final = 8

A_STEP: Final = 12
"""Steps for each character that are not worth a second look."""

GROWTH: Final = 2.8
"""How many times the steps twice the length may cost: a linear one costs twice, a quadratic one four times."""

MOST_STEPS: Final = 400_000

_SINGLE: Final = ("LITERAL", "NOT_LITERAL", "IN", "ANY", "CATEGORY")
_REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_FOREIGN: Final = "\x01"
"""A character that hardly any expression names."""

_CHARACTERS: Final = " \t\n\x0b\u00a0aAzZ09_-.,:;!?()[]<>@/\\\"'#*=+&|~%\u00e9\u3042\u4e00" + _FOREIGN

Next = Callable[[int], bool]
Node = Callable[[int, Next], bool]


class TooManySteps(Exception):
    """The matcher has taken MOST_STEPS."""


class Expression:
    """A regular expression, taken to pieces."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._tree = _parser.parse(pattern, flags)
        self._flags = self._tree.state.flags
        self._singles: list[Any] = []
        self.prefixes: set[str] = {""}
        self.words: set[str] = set()
        self._text = ""
        self._steps = 0
        self._groups: dict[int, str] = {}
        self.is_unbounded = False
        self._node = self._sequence(list(self._tree))
        self.words.add(self._sample(list(self._tree), self.words))

    def strings(self) -> Iterator[tuple[str, str]]:
        """Strings that begin as the expression does up to some repeat, repeat something, and end as it does not.

        Each comes with another that repeats it twice as often.
        """
        for prefix, word, end in product(sorted(self.prefixes), self._pumps(), (_FOREIGN, "")):
            times = max(LENGTH // len(word), FEWEST)
            yield prefix + word * times + end, prefix + word * 2 * times + end

    def steps(self, text: str, is_searched: bool) -> int:
        """How many steps it takes to find all places where it matches, or whether it matches the whole text."""
        self._text, self._steps, self._groups = text, 0, {}
        start = 0
        try:
            if not is_searched:
                self._node(0, lambda end: end == len(text))
            while is_searched and start <= len(text):
                end = self._end_of(self._node, start)
                start = start + 1 if end is None else max(end, start + 1)
        except TooManySteps:
            return MOST_STEPS
        return self._steps

    def _pumps(self) -> list[str]:
        """One character of each class that the expression tells apart, and what its repeats are made of."""
        kinds: dict[tuple[bool, ...], str] = {}
        for character in dict.fromkeys((*_CHARACTERS, *"".join(self.words))):
            kinds.setdefault(tuple(_is_one(each, character) for each in self._singles), character)
        return [*dict.fromkeys((*kinds.values(), *sorted(self.words - {""})))]

    def _step(self) -> None:
        self._steps += 1
        if self._steps >= MOST_STEPS:
            raise TooManySteps

    def _compiled(self, item: Any) -> re.Pattern[str]:
        part = _parser.SubPattern(self._tree.state, [item])
        return _compiler.compile(part, self._flags)  # type: ignore[no-any-return]

    def _sequence(self, items: list[Any], before: str = "") -> Node:
        nodes = []
        for place, item in enumerate(items):
            nodes.append(self._one(item, before + self._sample(items[:place], set())))
        if len(nodes) == 1:
            return nodes[0]

        def run(at: int, then: Next, place: int = 0) -> bool:
            if place == len(nodes):
                return then(at)
            return nodes[place](at, lambda end: run(end, then, place + 1))

        return run

    def _one(self, item: Any, before: str) -> Node:
        kind, value = str(item[0]), item[1]
        if kind in _SINGLE:
            return self._character(item)
        if kind in _REPEATS:
            least, most, body = value
            return self._repeat(kind, least, most, body, before)
        if kind == "SUBPATTERN":
            return self._group(value[0], self._sequence(list(value[3]), before))
        if kind == "BRANCH":
            return self._branch([self._sequence(list(each), before) for each in value[1]])
        if kind == "ATOMIC_GROUP":
            return self._atomic(self._sequence(list(value), before))
        if kind in ("ASSERT", "ASSERT_NOT"):
            return self._look(kind == "ASSERT", value[0], value[1], before)
        if kind == "GROUPREF":
            return self._again(value)
        if kind == "GROUPREF_EXISTS":
            raise NotImplementedError(kind)
        return self._place(item)

    def _character(self, item: Any) -> Node:
        one = self._compiled(item)
        self._singles.append(one)

        def run(at: int, then: Next) -> bool:
            self._step()
            return at < len(self._text) and _is_one(one, self._text[at]) and then(at + 1)

        return run

    def _place(self, item: Any) -> Node:
        one = self._compiled(item)

        def run(at: int, then: Next) -> bool:
            self._step()
            return one.match(self._text, at) is not None and then(at)

        return run

    def _repeat(self, kind: str, least: int, most: Any, body: Any, before: str) -> Node:
        node = self._sequence(list(body), before)
        if most is UNBOUNDED:
            self.is_unbounded = True
            # What leads up to it, again and again, is as bad: `<!--<!--<!--`.
            self.prefixes.add(before)
            self.words.add(before or _FOREIGN)
            self.words.add(self._sample(list(body), self.words) or _FOREIGN)
        else:
            most = min(most, MOST_ROUNDS)
            least = min(least, most)

        def greedy(at: int, then: Next, round_: int = 0) -> bool:
            self._step()
            if (most is UNBOUNDED or round_ < most) and node(
                at, lambda end: (end > at or round_ < least) and greedy(end, then, round_ + 1)
            ):
                return True
            return round_ >= least and then(at)

        def lazy(at: int, then: Next, round_: int = 0) -> bool:
            self._step()
            if round_ >= least and then(at):
                return True
            return (most is UNBOUNDED or round_ < most) and node(
                at, lambda end: (end > at or round_ < least) and lazy(end, then, round_ + 1)
            )

        def possessive(at: int, then: Next) -> bool:
            round_ = 0
            while most is UNBOUNDED or round_ < most:
                end = self._end_of(node, at)
                if end is None or (end == at and round_ >= least):
                    break
                at, round_ = end, round_ + 1
            return round_ >= least and then(at)

        return {"MAX_REPEAT": greedy, "MIN_REPEAT": lazy, "POSSESSIVE_REPEAT": possessive}[kind]

    def _end_of(self, node: Node, at: int) -> int | None:
        ends: list[int] = []

        def note(end: int) -> bool:
            ends.append(end)
            return True

        return ends[0] if node(at, note) else None

    def _group(self, number: int | None, node: Node) -> Node:
        if number is None:
            return node

        def run(at: int, then: Next) -> bool:
            def close(end: int) -> bool:
                before = self._groups.get(number)
                self._groups[number] = self._text[at:end]
                if then(end):
                    return True
                self._groups[number] = before or ""
                return False

            return node(at, close)

        return run

    def _branch(self, nodes: list[Node]) -> Node:
        return lambda at, then: any(node(at, then) for node in nodes)

    def _atomic(self, node: Node) -> Node:
        def run(at: int, then: Next) -> bool:
            end = self._end_of(node, at)
            return end is not None and then(end)

        return run

    def _look(self, is_there: bool, direction: int, body: Any, before: str) -> Node:
        node = self._sequence(list(body), before)
        width = body.getwidth()[0] if direction < 0 else 0

        def run(at: int, then: Next) -> bool:
            self._step()
            found = at >= width and self._end_of(node, at - width) is not None
            return found is is_there and then(at)

        return run

    def _again(self, number: int) -> Node:
        def run(at: int, then: Next) -> bool:
            self._step()
            said = self._groups.get(number, "")
            return self._text.startswith(said, at) and then(at + len(said))

        return run

    def _sample(self, items: list[Any], words: set[str]) -> str:
        """A text that these items match, more or less; of each branch but the first one goes to `words`."""
        text = ""
        for kind, value in ((str(each[0]), each[1]) for each in items):
            if kind in _SINGLE:
                one = self._compiled((items[0][0], value)) if kind == str(items[0][0]) else None
                text += self._example(kind, value, one)
            elif kind in _REPEATS:
                text += self._sample(list(value[2]), words) * max(min(value[0], MOST_ROUNDS), 1 if value[0] else 0)
            elif kind == "SUBPATTERN":
                text += self._sample(list(value[3]), words)
            elif kind == "ATOMIC_GROUP":
                text += self._sample(list(value), words)
            elif kind == "BRANCH":
                first, *others = [self._sample(list(each), words) for each in value[1]]
                words.update(filter(None, others[:8]))
                text += first
        return text

    def _example(self, kind: str, value: Any, one: re.Pattern[str] | None) -> str:
        if kind == "LITERAL":
            return chr(value)
        named = value[0] if kind == "IN" else None
        if named is not None and str(named[0]) == "LITERAL":
            return chr(named[1])
        if named is not None and str(named[0]) == "RANGE":
            return chr(named[1][0])
        found = one or self._compiled((getattr(_parser, kind), value))
        return next((each for each in "a0 -\n" + _CHARACTERS if _is_one(found, each)), _FOREIGN)


@lru_cache(maxsize=100_000)
def _is_one(one: re.Pattern[str], character: str) -> bool:
    return one.match(character) is not None


def too_slow(pattern: str, flags: int, is_searched: bool) -> str:
    """A string on which the steps grow faster than its length; empty where none was found."""
    expression = Expression(pattern, flags)
    if not expression.is_unbounded:
        return ""
    for short, long in expression.strings():
        few = expression.steps(short, is_searched)
        if few > A_STEP * len(short) and expression.steps(long, is_searched) > min(GROWTH * few, MOST_STEPS - 1):
            return short
    return ""
