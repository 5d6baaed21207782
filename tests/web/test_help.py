"""The help pages: figures drawn as the text has them, examples that begin a mail, a way through the manual."""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

import httpx
import pytest

from pbmserv.commands.command import Reply, commands
from pbmserv.commands.help import ELSEWHERE, HelpGame, page, subjects
from pbmserv.commands.server import Server
from pbmserv.games import games
from pbmserv.games.cephalopod import info
from pbmserv.parser.line import parse_line
from pbmserv.rendering.board_text import draw_sheet
from pbmserv.rendering.markup import document_of, laid_out
from pbmserv.rendering.templates import say
from pbmserv.web.figures import BoardFigure, DrawnNumbered, read_grids, with_figures
from tests.games.positions import ALL_FOUR, CENTRE, CHOSEN, THE_END, TOO_MUCH
from tests.web.club import Get, asking, opened
from tests.web.tree import Element, main, parse

SERVER = Server("pbmserv@club.test", variants=True, confirm="from")
MARKS = {f"p{seat}-": side.mark for seat, side in enumerate(info.sides)}
NAMES = {f"p{seat}-": side.name for seat, side in enumerate(info.sides)}


@pytest.fixture(scope="module")
def get(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Get]:
    """Asks an empty house: the manual does not depend on who is in it."""
    with opened(tmp_path_factory.mktemp("empty")) as house:
        yield asking(house)


def article(get: Get, subject: str) -> Element:
    """The text of a help page."""
    return main(get(path_of(subject))).one("article")


def path_of(subject: str) -> str:
    """The address of a help page."""
    return f"/help/{subject.replace(' ', '-')}" if subject else "/help"


def drawn(square: Element) -> str:
    """A square of a figure as the text draws it, by the piece that is to be seen."""
    pieces = [use.attributes["href"].removeprefix("#") for use in square.all("use")]
    if not pieces:
        return "..."
    kind, value = pieces[0][:3], pieces[0][3:]
    said = square.one("span", class_="unseen").said
    assert said.partition(", ")[0] == f"{NAMES[kind]} {value}"
    return MARKS[kind].replace("n", value)


def rows_of(table: Element) -> list[str]:
    """The rows of a drawn board, as the text has them."""
    return [" ".join(drawn(square) for square in row.all("td")) for row in table.one("tbody").all("tr")]


def text_of(figure: Element) -> list[str]:
    """A figure as the text has it, line by line, boards side by side."""
    return ["     ".join(rows) for rows in zip(*map(rows_of, figure.all("table")), strict=True)]


# The words


def sheets(reply: Reply) -> dict[str, str]:
    """The whole boards in a mailed text, as it draws them, by what the page says of them."""
    game = reply.game.name if isinstance(reply, HelpGame) else ""
    blocks = with_figures(document_of(say(reply, SERVER)).blocks, game)
    items = [item for block in blocks if isinstance(block, DrawnNumbered) for item in block.items]
    parts = [*blocks, *(part for item in items for part in item.parts)]
    boards = [each for each in parts if isinstance(each, BoardFigure)]
    said = [", ".join(f"{name} {stands}" for name, stands in each.cells) for each in boards]
    return {words or "An empty board": draw_sheet(each.scene) for words, each in zip(said, boards, strict=True)}


def mailed_in(element: Element, boards: Mapping[str, str]) -> str:
    """The mailed words of an article: figures drawn with characters again, without what only the page says."""
    if element.tag == "figure" and element.all("svg", class_="figured"):
        board = boards[element.one("svg").attributes["aria-label"]]
        return f"{' '.join(caption.text for caption in element.all('figcaption'))} {board}"
    if element.tag == "figure":
        captions = [caption.text for caption in element.all("figcaption")]
        labels = [label for table in element.all("table") for label in visible_labels(table)]
        return " ".join([*captions, *labels, *text_of(element)])
    if element.tag == "table":
        rows = element.one("tbody").all("tr")
        return " ".join(part.said for row in rows for part in (row.one("th"), row.all("td")[0]))
    return "".join(each if isinstance(each, str) else mailed_in(each, boards) for each in element.inside)


def visible_labels(table: Element) -> list[str]:
    """Labels of rows and columns that are in the drawing, as often as the text has them."""
    heads = [head for head in table.all("th") if not head.all("span", class_="unseen")]
    return [word for head in heads for word in head.words * (2 if head.attributes["scope"] == "row" else 1)]


@pytest.mark.parametrize("subject", ["", *subjects()])
def test_a_page_has_the_words_that_are_mailed(get: Get, subject: str) -> None:
    reply = page(subject, SERVER)
    assert reply is not None
    mailed = laid_out(say(reply, SERVER)).split()
    shown = main(get(path_of(subject)))
    heading = shown.one("h1")
    begins_with_heading = mailed[: len(heading.words)] == heading.words
    assert begins_with_heading or heading.said == f"Help: {subject}".removesuffix(": ")
    words = (heading.words if begins_with_heading else []) + mailed_in(shown.one("article"), sheets(reply)).split()
    if subject == "tutorial":  # its boards have labels, which the text puts around the rows
        assert sorted(words) == sorted(mailed)
    else:
        assert words == mailed


# The figures


def test_the_rules_have_five_figures_with_the_dice_of_the_worked_cases(get: Get) -> None:
    figures = article(get, "cephalopod").all("figure")
    worked = [CENTRE, ALL_FOUR, CHOSEN, TOO_MUCH, THE_END]
    assert [text_of(figure) for figure in figures] == [
        [line.strip() for line in case.strip().split("\n")] for case in worked
    ]
    assert [[each.said for each in figure.all("caption")] for figure in figures] == [
        ["Before the move", "After the move"]
    ] * 5
    assert [figure.one("figcaption").words[0] for figure in figures] == ["Paren", "Angle", "Angle", "Angle", "The"]
    assert not article(get, "cephalopod").all("pre")[0].text.startswith("(")


def test_a_figure_says_in_words_what_it_shows(get: Get) -> None:
    before, after = article(get, "cephalopod").all("figure")[0].all("table")
    assert [head.said for head in after.all("th")] == ["left", "middle", "right", "top", "middle", "bottom"]
    said = [square.said for square in before.one("tbody").all("td")]
    assert said == ["empty", "Paren 1", "empty", "empty", "empty", "Angle 1", "empty", "empty", "empty"]
    said = [square.said for square in after.one("tbody").all("td")]
    assert said == [
        *("empty", "empty, captured", "empty"),
        *("empty", "Paren 2, just placed", "empty, captured"),
        *("empty", "empty", "empty"),
    ]
    assert [square.said for square in after.all("td", class_="placed")] == ["Paren 2, just placed"]
    assert [square.said for square in after.all("td", class_="taken")] == ["empty, captured"] * 2


@pytest.mark.parametrize("subject", ["cephalopod"])
def test_each_piece_that_is_used_is_drawn_once(get: Get, subject: str) -> None:
    shown = parse(get(path_of(subject)).text)
    used = {use.attributes["href"] for use in shown.all("use")}
    defined = [f"#{symbol.attributes['id']}" for symbol in shown.one("svg", class_="symbols").all("symbol")]
    assert sorted(used) == sorted(defined)


@pytest.mark.parametrize(
    "lines",
    [
        ["help", "list"],
        ["(1) ...", "... <1> ..."],
        ["(1) ...     ... ...", "... <1>"],
        ["(1) ... ..."],
        ["(1)", "<1>"],
        ["1  b2  a1", "2  a2  c1"],
        ["(n) ...", "... <1>"],
        ["A   B   C"],
        ["3  (1) ...  2", "2  (1) ...  2"],
    ],
)
def test_what_only_looks_like_a_board_stays_text(lines: list[str]) -> None:
    assert read_grids(lines) == ()


def test_marks_of_all_sides_are_known() -> None:
    (grid,) = read_grids(["(1) <2> [3]", "{4} /5/ |6|"])
    squares = [square for row in grid.squares for square in row]
    pieces = [square.stands for square in squares if square.stands]
    assert [(piece.seat, piece.value) for piece in pieces] == [(n, n + 1) for n in range(6)]
    assert [square.side for square in squares] == list(info.sides)


# The links


def links_of(get: Get, subject: str) -> dict[str, str]:
    """Where the links of an article lead to, by their words."""
    return {link.said: link.attributes["href"] for link in article(get, subject).all("a")}


def mailto(command: str) -> str:
    """A link that begins a mail with a command."""
    return f"mailto:pbmserv@club.test?subject={quote(command, safe='')}"


@pytest.mark.parametrize("name", sorted(commands()))
def test_the_example_of_a_command_begins_a_mail(get: Get, name: str) -> None:
    command = commands()[name]
    links = links_of(get, name)
    if command.kind == "token":
        assert command.example not in links
    elif command.example.startswith("help "):
        assert links[command.example] == "/help/" + command.example.removeprefix("help ")
    elif name in ("signup", "change password"):
        filled = {"signup": "signup USERID"}.get(name, "change password USERID PASSWORD NEWPASSWORD")
        assert links[command.example] == mailto(filled)
    else:
        assert links[command.example] == mailto(command.example)


@pytest.mark.parametrize("subject", ["", *subjects()])
def test_what_a_link_writes_is_a_command_without_a_secret(get: Get, subject: str) -> None:
    for link in main(get(path_of(subject))).all("a"):
        _, _, command = link.attributes["href"].partition("?subject=")
        assert "sesame" not in command
        assert "poppy" not in command
        assert "tahini" not in command
        if command:
            assert parse_line(httpx.URL(link.attributes["href"]).params["subject"], None).parsed is not None


def test_lines_that_answer_a_board_or_are_no_command_lead_nowhere(get: Get) -> None:
    assert {"b2", "a2", "preview a2", "yes"}.isdisjoint(links_of(get, "tutorial"))
    assert not any(re.match("[0-9]+ ", words) for words in links_of(get, "tutorial"))
    assert {"resign", "show", "chat", "c3"}.isdisjoint(links_of(get, "answering"))
    assert "as alice sesame" not in links_of(get, "passwords")


def test_pages_that_are_named_in_a_sentence_are_links(get: Get) -> None:
    assert links_of(get, "challenge")['"help time"'] == "/help/time"
    assert links_of(get, "move")["help passwords"] == "/help/passwords"


# A way through


def test_the_rules_credit_the_inventor_and_begin_a_game(get: Get) -> None:
    shown = main(get("/help/cephalopod"))
    facts = {row.one("dt").said: row.one("dd") for row in shown.one("dl").all("div")}
    assert facts["Inventor"].said == "Mark Steere, 2006"
    site = facts["Site"].one("a").attributes
    assert site["href"] == "https://marksteeregames.com/"
    assert "noopener" in site["rel"]
    assert facts["Rules"].said == "cephalopod/1"
    assert [side.said for side in shown.one("ul", class_="sides").all("li")][:2] == ["Paren (n)", "Angle <n>"]
    links = {link.said: link.attributes["href"] for link in shown.all("a")}
    assert links["cephalopod challenge YOU SOMEBODY"] == mailto("cephalopod challenge YOU SOMEBODY")


def test_an_address_in_a_sentence_leads_there_without_its_full_stop(get: Get) -> None:
    there = {link.said: link.attributes for link in main(get("/help/crazyhouse")).one("article").all("a")}
    assert there["https://lichess.org/variant/crazyhouse"]["href"] == "https://lichess.org/variant/crazyhouse"
    assert "noopener" in there["https://lichess.org/variant/crazyhouse"]["rel"]


@pytest.mark.parametrize("name", sorted(games()))
def test_no_site_is_named_twice_in_an_address(get: Get, name: str) -> None:
    links = [link.attributes["href"] for link in main(get(f"/help/{name}")).all("a")]
    assert not [href for href in links if re.match(r"https?://https?:", href)]


def test_a_long_page_has_contents_that_lead_to_its_headings(get: Get) -> None:
    shown = main(get("/help/cephalopod"))
    leading = {link.said: link.attributes["href"] for link in shown.one("nav", class_="contents").all("a")}
    headings = {head.said: "#" + head.attributes["id"] for head in shown.one("article").all("h2")}
    assert leading == headings
    assert headings["HOW TO WRITE A MOVE"] == "#how-to-write-a-move"
    assert not main(get("/help/move")).all("nav", class_="contents")


@pytest.mark.slow
def test_the_manual_can_be_read_from_front_to_back(get: Get) -> None:
    read = ["tutorial"]
    while True:
        after = main(get(path_of(read[-1]))).all("a", rel="next")
        if not after:
            break
        subject = next(each for each in subjects() if path_of(each) == after[0].attributes["href"])
        before = main(get(path_of(subject))).one("a", rel="prev").attributes["href"]
        told = f"from {path_of(read[-1])} one comes to {path_of(subject)}, and back from there to {before}"
        assert before == path_of(read[-1]), f"{told}: is a subject in the manual twice?"
        read.append(subject)
    assert read[: 1 + 2 * len(games())] == [
        "tutorial",
        *(each for name in games() for each in (name, f"tutorial {name}")),
    ]
    unread = set(subjects()) - set(read)
    assert not unread, f"whoever reads on from page to page misses {sorted(unread)}"
    assert len(read) == len(set(read)) == len(subjects())


def test_the_commands_are_a_table_of_all(get: Get) -> None:
    table = article(get, "commands").one("table")
    rows = {row.one("th").said: [cell.said for cell in row.all("td")] for row in table.one("tbody").all("tr")}
    assert rows == {
        " ".join(command.forms): [command.summary, who]
        for command in commands().values()
        for who in [
            {
                "open": "anybody",
                "opening": "you, from your address",
                "binding": "you, with proof",
                "signup": "anybody",
                "token": "the person asked",
            }[command.kind]
        ]
    }
    for row, command in zip(table.one("tbody").all("tr"), commands().values(), strict=True):
        assert {link.attributes["href"] for link in row.all("a")} == {path_of(command.name)}


@pytest.mark.parametrize("asked", sorted(ELSEWHERE))
def test_what_people_ask_for_by_mail_is_found_here_too(get: Get, asked: str) -> None:
    assert main(get(f"/help/{asked}")).one("h1").said == main(get(path_of(ELSEWHERE[asked]))).one("h1").said
