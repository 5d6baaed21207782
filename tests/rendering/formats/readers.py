"""Small readers of SGF, PGN and PDN, written from their descriptions and not from what writes them."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    """A game in SGF without variations: the properties of the root, and of each node after it."""

    root: dict[str, list[str]]
    nodes: list[dict[str, list[str]]]


def read_sgf(text: str) -> Tree:
    """A collection of one game tree of one line."""
    place = 0

    def skip() -> None:
        nonlocal place
        while place < len(text) and text[place].isspace():
            place += 1

    def take(expected: str) -> None:
        nonlocal place
        skip()
        assert text[place] == expected, (place, text[place : place + 20])
        place += 1

    def value() -> str:
        nonlocal place
        take("[")
        found = ""
        while text[place] != "]":
            if text[place] == "\\":
                place += 1
            found += text[place]
            place += 1
        place += 1
        return found

    take("(")
    nodes: list[dict[str, list[str]]] = []
    skip()
    while text[place] == ";":
        place += 1
        node: dict[str, list[str]] = {}
        skip()
        while text[place].isupper():
            name = ""
            while text[place].isupper():
                name += text[place]
                place += 1
            assert name not in node
            node[name] = [value()]
            skip()
            while text[place] == "[":
                node[name].append(value())
                skip()
        nodes.append(node)
    take(")")
    assert not text[place:].strip()
    return Tree(nodes[0], nodes[1:])


@dataclass(frozen=True)
class Game:
    """A game in PGN or PDN: its tags, its moves without their numbers, and its result."""

    tags: dict[str, str]
    moves: list[str]
    result: str


def read_tagged(text: str) -> Game:
    """One game: a section of tags, a blank line, and the moves."""
    assert all(len(line) <= 80 for line in text.split("\n"))
    assert text.endswith("\n")
    head, moves = text.split("\n\n", 1)
    tags: dict[str, str] = {}
    for line in head.split("\n"):
        match = re.fullmatch(r'\[([A-Z][A-Za-z]*) "((?:[^"\\]|\\.)*)"\]', line)
        assert match, line
        tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
    *words, result = moves.split()
    found: list[str] = []
    for word in words:
        if word.endswith("."):
            assert len(found) % 2 == 0
            assert int(word[:-1]) == len(found) // 2 + 1
        else:
            found.append(word)
    assert list(tags)[:7] == ["Event", "Site", "Date", "Round", "White", "Black", "Result"]
    assert tags["Result"] == result
    return Game(tags, found, result)
