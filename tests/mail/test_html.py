"""HTML mails: what a person sees there as his own words is what is read."""

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.reading.html import QUOTE, html_text
from pbmserv.mail.reading.html_quotes import MAX_TAGS, tidied
from pbmserv.mail.reading.quotes import reply_text
from pbmserv.mail.reading.read import read
from pbmserv.parser.parsed import IncomingMail
from tests.every import for_each

HEAD = b"From: alice@bank.example\nMessage-ID: <1@bank.example>\nMIME-Version: 1.0\n"
LINKED = '<td><a href="mailto:pbm+b.k3x9@club.test?subject=Re&amp;body=c3">c3</a></td>'


def mail(raw: bytes) -> IncomingMail:
    return read(raw, "alice@bank.example", "pbm@club.test")


def only_html(html: str, *headers: bytes) -> IncomingMail:
    head = HEAD + b"".join(header + b"\n" for header in headers)
    return mail(head + b"Content-Type: text/html; charset=utf-8\n\n" + html.encode())


def own(html: str) -> str:
    return reply_text(html_text(html))


# Lines


@for_each(
    ("html", "expected"),
    [
        ("", ""),
        ("c3", "c3"),
        ("<p>c3</p><p>d4</p>", "c3\n\nd4"),
        ("<div>c3</div><div>d4</div>", "c3\nd4"),
        ("<div>c3<br></div><div>d4</div>", "c3\nd4"),
        ("<div>c3</div><div><br></div><div>d4</div>", "c3\n\nd4"),
        ("c3<br/>d4<br />e5", "c3\nd4\ne5"),
        ("c3<hr>d4", "c3\nd4"),
        ("<b>mo</b>ve <i>101</i>\n  c3", "move 101 c3"),
        ("move&nbsp;101&#160;c3", "move 101 c3"),
        ("<pre>move 101 c3\n  d4</pre>", "move 101 c3\n  d4"),
        ('<div style="white-space: pre-wrap">c3\nd4</div>', "c3\nd4"),
        ("<ul><li>101 c3<li>115 b2</ul>", "101 c3\n115 b2"),
        ("<ol><li>101 c3</li><li>115 b2</li></ol>", "101 c3\n115 b2"),
        ("<table><tr><td>move<td>101<td>c3<tr><td>d4</table>", "move 101 c3\nd4"),
        ("<p class=MsoNormal>c3<o:p></o:p></p><p class=MsoNormal>d4</p>", "c3\nd4"),
        ('<p style="margin:0">c3</p><p style="margin: 0px">d4</p>', "c3\nd4"),
        ('<a href="mailto:bob@other.example">bob@other.example</a>', "bob@other.example"),
        ("a &amp;lt; b &amp;copy; c &lt;d&gt;", "a &lt; b &copy; c <d>"),
        ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"),
        ('<img src="x" alt="c3">d4', "d4"),
        ("<c3>d4</c3>", "d4"),
    ],
)
def test_lines_are_those_that_are_seen(html: str, expected: str) -> None:
    assert own(html) == expected


@for_each(
    "hidden",
    [
        "<head><title>c3</title></head>",
        "<title>c3</title>",
        "<style>c3</style>",
        "<script>c3</script>",
        "<SCRIPT type=x>c3</SCRIPT >",
        "<textarea>c3</textarea>",
        "<template>c3</template>",
        "<svg><text>c3</text></svg>",
        "<!-- c3 -->",
        "<!--[if mso]><p>c3</p><![endif]-->",
        "<!-->",
        "<![if !supportLists]>",
        "<?xml c3?>",
        "<p hidden>c3</p>",
        '<p style="display:none">c3</p>',
        '<p style="color:red; DISPLAY : NONE !important">c3</p>',
        "<p style='visibility:hidden'>c3</p>",
        "<p style=font-size:0>c3</p>",
        '<p style="font-size:0.0px;">c3</p>',
        '<p style="opacity:0">c3</p>',
        '<div style="max-height:0;overflow:hidden"><b>c3</b></div>',
        '<p style="mso-hide:all">c3</p>',
        '<p style="&#100;isplay:none">c3</p>',
        "<table>" + LINKED + "</table>",
        '<a href="MAILTO:pbm@club.test?body=c3">c3</a>',
        '<div class="gmail_signature">c3</div>',
        '<div class="x_moz-signature">c3</div>',
    ],
)
def test_what_is_hidden_or_a_button_or_a_signature_is_not_read(hidden: str) -> None:
    assert own(f"<div>d4</div>{hidden}<div>e5</div>") == "d4\ne5"


@for_each(
    "shown",
    [
        '<p style="font-size:10px">c3</p>',
        '<p style="font-size:0.9em">c3</p>',
        '<p style="opacity:0.9">c3</p>',
        '<p title="display:none">c3</p>',
        '<p style="x">c3</p>',
        '<a href="https://club.test/?c3">c3</a>',
        '<div id="signature-of-alice">c3</div>',
    ],
)
def test_what_is_seen_is_read(shown: str) -> None:
    assert own(shown) == "c3"


# Quotes


@for_each(
    "quote",
    [
        "<blockquote>c3</blockquote>",
        '<blockquote type="cite" style="border:none">c3</blockquote>',
        '<div class="gmail_quote">c3</div>',
        '<div class="m_-123gmail_quote">c3</div>',
        '<div class="yahoo_quoted" id="yahoo_quoted_12">c3</div>',
        '<div class="ydp12yahoo_quoted">c3</div>',
        '<div class="protonmail_quote">c3</div>',
        '<div name="quote">c3</div>',
        '<span id="OLK_SRC_BODY_SECTION"></span><div id="OLK_SRC_BODY_SECTION">c3</div>',
        '<div style="border-left:solid blue 1.5pt"><b>From:</b> x<br>c3</div>',
        '<div class="gmail_quote">On Monday Bob wrote:<br><blockquote>c3</blockquote></div>',
        "<p>On Monday Bob wrote:</p><blockquote>c3</blockquote>",
        '<div class="moz-cite-prefix">Bob said</div><blockquote>c3</blockquote>',
        "&gt; c3",
    ],
)
@for_each(("above", "below"), [("d4", ""), ("", "d4"), ("d4", "e5"), ("", "")])
def test_a_quote_goes_wherever_it_stands(quote: str, above: str, below: str) -> None:
    left = own(f"<div>{above}</div>{quote}<div>{below}</div>")
    assert left.split() == [part for part in (above, below) if part]


@for_each(
    "end",
    [
        '<div id="divRplyFwdMsg"><b>From:</b> x</div>',
        '<div style="border:none;border-top:solid #E1E1E1 1.0pt"><p><b>Von:</b> x</p></div>',
        """<div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: x</div>
        <blockquote>old</blockquote></div>""",
        "<p>-------- Original Message --------</p>",
        "<p>Begin forwarded message:</p>",
        "<p>-- <br>Alice</p>",
        "<p>--&nbsp;</p>",
    ],
)
def test_below_an_unmarked_quote_or_a_signature_nothing_is_read(end: str) -> None:
    assert own(f"<p>d4</p>{end}<div>c3</div>") == "d4"


def test_a_line_above_own_text_is_no_head() -> None:
    assert own('<div style="border-top:solid 1px">c3</div>') == "c3"
    assert own('<div style="border-left:solid 1px">c3</div>') == "c3"


def test_an_indented_text_is_ones_own() -> None:
    assert own('<blockquote style="margin:0 0 0 40px;border:none;padding:0px">c3</blockquote>') == "c3"


def test_answers_between_the_pieces_of_a_quote_are_read_within_its_wrapping() -> None:
    quote = "<blockquote>101 a1</blockquote>"
    html = f'<div class="gmail_quote">On Monday Bob wrote:<br>{quote}<p>101 c3</p>{quote}<p>115 b2</p></div>'
    assert own(html).split("\n") == ["101 c3", "", "", "115 b2"]


def test_two_dashes_alone_stay() -> None:
    assert own("c3<br>--<br>d4") == "c3\n--\nd4"


WORDS = st.lists(
    st.sampled_from(["c3", "move 101 c3", "Hello, Bob!", "a < b & c", "&amp;", "ü \u201cx\u201d", "x"]), max_size=6
)


@given(WORDS, st.sampled_from(["<br>", "</div><div>", "</div>\n<div class=x>", "<br/>\r\n"]))
def test_html_says_what_plain_text_says(lines: list[str], newline: str) -> None:
    html = "<div>" + newline.join(escape(line) for line in lines) + "</div>"
    assert own(html) == reply_text("\n".join(lines))


@given(st.text(st.sampled_from("<>/!-\"'= apbrdivhistyle&#x;\n\t1"), max_size=80))
def test_any_markup_gives_a_text(html: str) -> None:
    html_text(html)
    assert tidied(tidied(html)) == tidied(html)


def test_there_is_a_bound_of_tags_and_what_stands_above_it_is_read() -> None:
    text = html_text("<p>c3</p>" + "<i>x</i>" * MAX_TAGS + "<p>d4</p>")
    assert text.startswith("c3")
    assert "d4" not in text


def test_a_quote_leaves_one_line_for_itself() -> None:
    assert html_text("<p>a</p><blockquote>b</blockquote>c") == f"a\n\n{QUOTE}\nc"


# Whole mails


def test_plain_text_comes_before_html_unless_it_is_blank() -> None:
    def alternatives(plain: bytes) -> IncomingMail:
        parts = b"--b\n\n" + plain + b"\n--b\nContent-Type: text/html\n\n<p>d4</p>\n--b--\n"
        return mail(HEAD + b"Content-Type: multipart/alternative; boundary=b\n\n" + parts)

    assert alternatives(b"c3").text == "c3"
    assert alternatives(b" \n\n").text == "d4"
    assert alternatives(b"").text == "d4"


def test_html_below_plain_text_is_something_else() -> None:
    parts = b"--b\n\nc3\n--b\nContent-Type: text/html\n\n<p>d4</p>\n--b--\n"
    assert mail(HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + parts).text == "c3"


def test_html_above_plain_text_is_read_with_it() -> None:
    parts = b"--b\nContent-Type: text/html\n\n<p>c3</p>\n--b\n\nd4\n--b--\n"
    assert mail(HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + parts).text == "c3\nd4"


def test_two_copies_of_an_html_mail_are_one_mail() -> None:
    first = only_html("<p>c3 \u00fc</p>\n")
    quoted = b"Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n"
    second = mail(b"Received: by x\n" + HEAD + quoted + b"<p>c3 =\n=FC</p>\n")
    assert second.content_key == first.content_key
    assert only_html("<p>d4 \u00fc</p>\n").content_key != first.content_key
