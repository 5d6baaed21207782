"""What is struck out is not read, in HTML and in plain text; what stands beside it is."""

from pbmserv.mail.reading.html_quotes import may_be_struck, without_struck
from pbmserv.mail.reading.read import read
from tests.every import for_each

HEAD = "From: alice@bank.example\nSubject: hi\nMIME-Version: 1.0\n"


def text_of(kind: str, text: str) -> str:
    """What is read of a mail with that text."""
    raw = f"{HEAD}Content-Type: text/{kind}; charset=utf-8\n\n{text}\n".encode()
    return read(raw, "alice@bank.example", "pbm@club.test").text


def text_of_both(plain: str, html: str) -> str:
    """The same where it comes as plain text and as HTML."""
    parts = f"--b\nContent-Type: text/plain\n\n{plain}\n--b\nContent-Type: text/html\n\n{html}\n--b--\n"
    raw = f'{HEAD}Content-Type: multipart/alternative; boundary="b"\n\n{parts}'.encode()
    return read(raw, "alice@bank.example", "pbm@club.test").text


IN_HTML = [
    ("<s>d4</s>", ""),
    ("<del>d4</del>", ""),
    ("<strike>d4</strike>", ""),
    ("<DEL cite='x'>d4</DEL>", ""),
    ("<span style='text-decoration: line-through'>d4</span>", ""),
    ('<span style="color:red;TEXT-DECORATION:underline LINE-THROUGH red">d4</span>', ""),
    ("<p style='text-decoration-line:line-through'>d4</p>", ""),
    ("<div><s>d4</s></div><div>e5</div>", "e5"),
    ("<s>d4</s> e5", "e5"),
    ("e5 <s>d4</s>", "e5"),
    ("<div>d4</div><div><s>Hello</s> Bye</div>", "d4\nBye"),
    ("<s><b>d</b><i>4</i></s>e5", "e5"),
    ("<span style='text-decoration: none'>d4</span>", "d4"),
    ("<u>d4</u>", "d4"),
    ("<small>d4</small><span>e</span>", "d4e"),
    ("line-through is a word, d4", "line-through is a word, d4"),
]


@for_each(("html", "expected"), IN_HTML)
def test_in_html(html: str, expected: str) -> None:
    assert text_of("html", html) == expected


@for_each(("html", "expected"), IN_HTML[:12])
def test_beside_plain_text_that_does_not_tell(html: str, expected: str) -> None:
    """Programs send both, and leave the stroke out of the plain text."""
    assert text_of_both("d4\nwhatever", html) == expected


BY_A_SHEET = [
    ("<style>.x{text-decoration:line-through}</style><p class=x>d4</p>", ""),
    ("<style>p.x, #y {TEXT-DECORATION-LINE : Line-Through}</style><p class='a X'>d4</p><i id=y>e5</i>", ""),
    ("<style>.x{text-decoration:line-through}</style><p class=x>d4</p><p>e5</p>", "e5"),
    ("<style>.x{text-decoration:line-through}</style><p class=x style='display:block'>d4</p>", ""),
    ("<style>.x{text-decoration:line-through}</style><p class=x style='text-decoration:none'>d4</p>", "d4"),
    ("<style>.x{text-decoration:line-through} .x{text-decoration:none}</style><p class=x>d4</p>", "d4"),
    ("<style>.x{text-decoration:line-through}</style><p class=y>d4</p>", "d4"),
    ("<style>@media print{.x{text-decoration:line-through}}</style><p class=x>d4</p>", "d4"),
]


@for_each(("html", "expected"), BY_A_SHEET)
def test_by_a_style_sheet(html: str, expected: str) -> None:
    assert text_of("html", html) == expected


@for_each(("html", "expected"), BY_A_SHEET[:4])
def test_by_a_style_sheet_beside_plain_text(html: str, expected: str) -> None:
    assert text_of_both("d4\nwhatever", html) == expected


def test_plain_text_counts_where_nothing_is_struck_out() -> None:
    assert text_of_both("d4\nplain", "<p>d4</p><p>line-through</p>") == "d4\nplain"


@for_each(
    ("text", "expected"),
    [
        ("~~d4~~", ""),
        ("~~d4~~ e5", "e5"),
        ("~~d4~~\ne5", "e5"),
        ("(~~d4~~) e5", "() e5"),
        ("~~not this\nnor this~~\ne5", "e5"),
        ("<s>d4</s> e5", "e5"),
        ("~d4~", ""),
        ("-d4-", ""),
        ("-D4-\ne5", "e5"),
        ("d\u03364\u0336", ""),
        ("d\u03354\u0335 e5", "e5"),
        ("d4\n~~Hello~~ Bye", "d4\n Bye"),
        ("d4\n~~~ Alice ~~~", "d4\n~~~ Alice ~~~"),
        ("d4\nso ~ so ~ la la", "d4\nso ~ so ~ la la"),
        ("d4\nHello~~ how are you~~", "d4\nHello~~ how are you~~"),
        ("d4~~", "d4~~"),
        ("d4 - e5", "d4 - e5"),
        ("- d4", "- d4"),
        ("c3-d4-e5", "c3-d4-e5"),
        ("d4\n-well-", "d4\n-well-"),
    ],
)
def test_in_plain_text(text: str, expected: str) -> None:
    assert text_of("plain", text).strip() == expected.strip()


def test_time_is_linear() -> None:
    """Much that opens and never closes."""
    for text in ("~~d4 " * 50_000, "~d4\n" * 50_000, "<s>d4 " * 50_000, "d\u0336 " * 50_000):
        without_struck(text)
    assert not may_be_struck("<a " * 50_000)
