"""HTML parts: every link does what it says, everything is escaped, nothing grows too large."""

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from pbmserv.commands.help import page, subjects
from pbmserv.games import games
from pbmserv.matches.errors import CommandError
from pbmserv.matches.moves import play
from pbmserv.matches.replay import GameState
from pbmserv.parser.line import parse_line
from pbmserv.rendering.board import Comment, view_board
from pbmserv.rendering.html_cells import mailto
from pbmserv.rendering.html_mail import Content, html_part
from pbmserv.rendering.markup import document_of, marked
from tests.every import every
from tests.rendering.letters import (
    ADDRESS,
    FOUR,
    MIDDLE,
    NOON,
    SERVER,
    checkered,
    every_letter,
    first_moves,
    letter,
    listing,
    played,
    told,
)

GMAIL_CUTS_OFF_ABOVE = 90_000


def links(html: str) -> Iterator[tuple[str, str]]:
    """The words of each link that writes a mail, and the Subject that it writes."""
    for element in lxml_html.document_fromstring(html).iter("a"):
        href = element.get("href", "")
        if href.startswith("mailto:"):
            parts = urlsplit(href)
            assert unquote(parts.path) == ADDRESS
            fields = dict(each.split("=", 1) for each in parts.query.split("&"))
            words = " ".join(element.text_content().split())
            assert set(fields) == {"subject"}
            yield words, unquote(fields["subject"])


def moves_linked(html: str) -> list[str]:
    """The commands of all links that move."""
    return [subject for _, subject in links(html) if len(subject) < 3 or not subject[:3].isalpha()]


def is_playable(board: GameState, command: str) -> bool:
    """Whether a command, taken as mail takes it, is a move that can be played on the board now."""
    parsed = parse_line(command, board.match.number).parsed
    assert parsed is not None
    (ref,) = parsed.arguments.boards
    assert ref.number == board.match.number
    assert board.state.to_move is not None
    try:
        play(board, board.state.to_move, parsed.arguments.move, parsed.arguments.ply, NOON)
    except CommandError:
        return False
    return True


@pytest.mark.parametrize(
    "board",
    [
        played(""),
        played(MIDDLE),
        played("b1 b2 c1 a3 c3"),
        played("a1 a3 c1 e5 g1", size="7x5"),
        played(first_moves(14, userids=FOUR), FOUR),
    ],
    ids=["start", "middle", "choices", "seven", "four"],
)
def test_every_legal_move_is_one_tap_or_two_away(board: GameState) -> None:
    """The links of whoever is on turn are the legal moves, each once: the mail's own address tells the rest."""
    assert board.state.to_move is not None
    rules = games()["cephalopod"]
    legal = [rules.write(board.state.position, move).lower() for move in rules.moves(board.state.position)]
    commands = moves_linked(letter(view_board(board, board.match.userids[board.state.to_move])))
    assert sorted(commands) == sorted(legal)
    assert all(is_playable(board, command) for command in commands)


def test_a_link_says_what_the_address_does_not() -> None:
    """One of several boards is named, and where the address is everybody's, the ply too."""
    view = view_board(played("c3"), "bob")
    content = Content(document_of(""), (view, view_board(played("", number=102), "alice")))
    several = html_part(content, "next", ADDRESS, SERVER)
    assert several is not None
    assert {"101 c4", "102 c4"} <= {subject for _, subject in links(several)}
    public = html_part(Content(document_of(""), (view,)), "Board", SERVER.address, SERVER)
    assert public is not None
    assert f"mailto:{SERVER.address}?subject=move%20101%20c4%232" in public


def test_a_square_with_choices_leads_to_them() -> None:
    """Its link names a place in the same mail."""
    tree = lxml_html.document_fromstring(every_letter()["middle"])
    within = [element.get("href")[1:] for element in tree.iter("a") if element.get("href", "").startswith("#")]
    assert within == ["b101-c3"]
    for name in within:
        (place,) = tree.xpath("//p[@id=$name]", name=name)
        assert len(place.xpath(".//a[@href]")) == 4


def test_only_who_is_on_turn_can_tap() -> None:
    """The others, and whoever looks at an earlier moment, are offered no move."""
    board = played(MIDDLE)
    for view in (view_board(board, "bob"), view_board(board), view_board(board.at(4), "alice", ply=4)):
        assert moves_linked(letter(view)) == []
    assert moves_linked(letter(view_board(board, "alice"))) != []


def test_the_way_to_the_pages() -> None:
    """Whoever is on turn can play there, the others look; a mail of many boards leads to each of them."""

    def ways(name: str) -> dict[str, str]:
        tree = lxml_html.document_fromstring(every_letter()[name])
        found = {element.get("href", ""): element.text_content() for element in tree.iter("a")}
        return {href: words for href, words in found.items() if href.startswith("https:")}

    assert ways("middle") == {"https://club.test/play/101/k3j4h5k6j7h8a2k3j4h5": "Play on the web"}
    assert ways("waiting") == {"https://club.test/boards/101": "see it on the web"}
    assert ways("start") == {}
    assert len(ways("twenty")) == 20


def test_what_else_can_be_done() -> None:
    """Players may resign while the game runs, and before their first move decline; onlookers may only look."""
    board = played(MIDDLE)

    def offered(html: str) -> set[str]:
        return {subject for _, subject in links(html)}

    assert {"show 101", "help", "help cephalopod", "resign 101"} <= offered(letter(view_board(board, "bob")))
    assert offered(letter(view_board(board, "carol"))) == {"show 101", "help", "help cephalopod"}
    assert "resign 101" not in offered(letter(view_board(played("c3 c4 resign"), "bob")))
    invited = [(words, subject) for words, subject in links(letter(view_board(played(""), "bob")))]
    assert ("decline", "resign 101") in invited


def test_what_people_write_is_only_text() -> None:
    """Tags stand there as they were written; marks of direction and control characters are gone."""
    written = '<img src=x onerror=y> <a href="http://evil">x</a> & \u202eolleh\x00\x1b[1m </div>\u2028"\''
    html = letter(view_board(played("c3"), "bob", Comment("alice", written)))
    tree = lxml_html.document_fromstring(html)
    assert not list(tree.iter("img"))
    assert not [element for element in tree.iter("a") if "evil" in element.get("href", "")]
    assert '<img src=x onerror=y> <a href="http://evil">x</a> & olleh[1m </div> "\'' in tree.text_content()
    said = letter(said=document_of("Not done: move 101 <b>c3</b>\x07"))
    assert not {"\x00", "\x07", "\x1b", "\u202e"} & set(html + said)
    assert "Not done: move 101 <b>c3</b>" in lxml_html.document_fromstring(said).text_content()


def test_a_comment_is_no_quote() -> None:
    """Programs fold or drop quotes, and what they drop would be the words of the other player."""
    html = every_letter()["middle"]
    assert "<blockquote" not in html
    tree = lxml_html.document_fromstring(html)
    (outermost,) = tree.xpath("//body/div")
    assert outermost.get("class") == "pbmserv-mail"


def test_parts_are_the_same_every_time() -> None:
    """A mail that is written again for another try has the same bytes."""
    board = played(MIDDLE)
    assert letter(view_board(board, "alice")) == letter(view_board(played(MIDDLE), "alice"))


def test_parts_are_fit_for_every_program() -> None:
    """ASCII, small enough, nothing remote, no picture, no script."""

    def check(name: str) -> None:
        html = every_letter()[name]
        assert html.isascii()
        assert len(html) < GMAIL_CUTS_OFF_ABOVE
        html = html.replace('href="https://club.test/', 'href="')
        for forbidden in ("<img", "<svg", "<script", "http:", "https:", "url(", "@import", "position:", "<link"):
            assert forbidden not in html

    every(every_letter(), check)


def test_where_most_can_be_chosen_from_the_board_stays() -> None:
    """The choices are not listed then: a tap on a square asks which of them is meant."""
    for size, columns in (("5x5", 5), ("9x9", 9)):
        html = letter(view_board(played(checkered(columns, columns), size=size), "bob"))
        tree = lxml_html.document_fromstring(html)
        assert len(tree.xpath("//table[contains(@class, 'pb')]//tr")) == columns + 1
        assert "b3" in moves_linked(html)
        assert "#b101-b3" not in html
        assert "b3xb2" not in html


def test_many_boards_fall_back_to_text() -> None:
    """The first are drawn, the last are shown as in the text part, and none is missing."""
    for moves, size in ((MIDDLE, "5x5"), (checkered(9, 9), "9x9")):
        boards = [played(moves, size=size, number=101 + each) for each in range(20)]
        views = [view_board(each, "alice") for each in boards]
        html = html_part(Content(document_of("Boards"), tuple(views)), "next", ADDRESS, SERVER)
        assert html is not None
        assert len(html) < GMAIL_CUTS_OFF_ABOVE
        text = lxml_html.document_fromstring(html).text_content()
        assert all(f"Cephalopod Board {view.number}" in text for view in views)
        assert text.count("Summary of") not in (0, 20)


def test_what_cannot_be_made_small_is_left_out() -> None:
    """Then the text part has to do."""
    assert html_part(Content(document_of("word " * 20_000)), "pbmserv: help", ADDRESS, SERVER) is None


def test_lines_of_a_listing_lead_to_their_boards() -> None:
    """By their numbers; what follows stays text."""
    shown = [(words, subject) for words, subject in links(letter(said=told(listing(3))))]
    assert shown[:3] == [("101", "show 101"), ("102", "show 102"), ("103", "show 103")]


def test_examples_are_not_sent_by_a_tap() -> None:
    """In help, only what asks is linked: board 101 of an example may be a real one, and `sesame` no password."""
    for subject in ["", *subjects()]:
        for _, command in links(letter(said=told(page(subject, SERVER)))):
            parsed = parse_line(command, None).parsed
            assert parsed is not None
            assert parsed.command.kind == "open", command
            assert "sesame" not in command


def test_what_a_template_says_can_be_sent_is_sent_by_a_tap() -> None:
    """But no example, and an answer only where the mail asks; what players write is no link either."""
    text = marked("Send\n    $ move 102 c3\n    % move 102 d4\n    ! yes\n    resign 102\n| $ resign 102")
    assert [command for _, command in links(letter(said=document_of(text)))] == ["move 102 c3"]
    asking = html_part(Content(document_of(text), asks=True), "pbmserv: help", ADDRESS, SERVER)
    assert asking is not None
    assert [command for _, command in links(asking)] == ["move 102 c3", "yes"]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_command_survives_its_link(command: str) -> None:
    """What the link says comes back, by the rules of URIs and not of forms."""
    parts = urlsplit(mailto("pbm+t.1@club.test", command))
    assert unquote(parts.path) == "pbm+t.1@club.test"
    assert "+" not in parts.path + parts.query
    assert unquote(parts.query.removeprefix("subject=")) == command
