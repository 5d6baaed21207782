from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.reading.quotes import reply_text
from tests.every import for_each

ALIKE = st.lists(
    st.sampled_from(
        ["", " ", "c3", "> quoted", " > quoted", ">", "Alice wrote:", "On Monday,", "-- ", "--", "x" * 70]
    ),
    max_size=12,
).map("\n".join)


@for_each(
    ("text", "expected"),
    [
        ("", ""),
        ("c3", "c3"),
        ("\n \n c3 \n\n", " c3 "),
        ("> c3", ""),
        (">c3\n  > d4\n\t>e5\n\u00a0>f6", ""),
        ("a > b", "a > b"),
        ("c3\n> q\nd4\n>> q\ne5", "c3\nd4\ne5"),
        ("c3\n\n\n> q\n\nd4", "c3\n\n\n\nd4"),
        ("c3\n-- \nAlice\nresign 101", "c3"),
        ("-- \nAlice", ""),
        ("c3\n--\nd4", "c3\n--\nd4"),
        ("c3\n --  \nd4", "c3\n --  \nd4"),
        ("> -- \nc3", "c3"),
        ("c3\n---- \nd4", "c3\n---- \nd4"),
    ],
)
def test_quotes_and_signatures_go_and_the_rest_stays(text: str, expected: str) -> None:
    assert reply_text(text) == expected


@for_each(
    "attribution",
    [
        "On Mon, Jan 6, 2025 at 10:12, Bob wrote:",
        "Am 06.01.2025 um 10:12 schrieb Bob: ",
        "Le lun. 6 janv. 2025 à 10:12, Bob <bob@bank.example> a écrit\u00a0:",
        "2025年1月6日(月) 10:12 Bob <bob@bank.example>:",
        "在 2025年1月6日，Bob 写道：",
        "On Mon, Jan 6, 2025 at 10:12 AM Cephalopod Board 101 <\npbm+b.k3x9@club.test> wrote:",
        "On Monday the 6th of January 2025 at 10:12:44 Central European Time Bob\nwrote:",
        "On Monday, 6 January 2025,\nBob wrote:",
    ],
)
@for_each("gap", ["\n", "\n\n", "\n \n"])
@for_each("above", ["", "c3\n\n", "> older\n"])
def test_the_attribution_goes_with_the_quote_in_any_language(attribution: str, gap: str, above: str) -> None:
    left = reply_text(f"{above}{attribution}{gap}> quoted\n\nd4")
    assert [line for line in left.split("\n") if line.strip()] == (["c3", "d4"] if "c3" in above else ["d4"])


@for_each(
    "text",
    [
        "c3:\nd4",
        "my moves:\n\n\n> too far above",
        "c3\n> no attribution",
        "c3\n\n> no attribution",
        "hello:",
    ],
)
def test_a_line_that_is_no_attribution_stays(text: str) -> None:
    assert reply_text(text) == text.partition("\n>")[0].rstrip("\n")


@for_each("command", ["c3", "move 101 c3", "signup alice sesame alice@bank.example"])
def test_a_command_right_above_an_attribution_is_not_lost(command: str) -> None:
    assert reply_text(f"{command}\nOn Monday Bob wrote:\n> quoted") == command


def test_a_paragraph_that_ends_in_a_colon_loses_only_its_last_line() -> None:
    long = "a line so long that the next one must have been broken off from it, I say"
    assert reply_text(f"first\n{long}\nsecond:\n> quoted") == f"first\n{long}"


@given(ALIKE)
def test_what_is_left_is_part_of_the_text_in_its_order(text: str) -> None:
    left = reply_text(text).split("\n")
    lines = iter(text.split("\n"))
    assert left == [""] or all(line in lines for line in left)


@given(ALIKE)
def test_nothing_quoted_is_left_and_twice_is_once(text: str) -> None:
    once = reply_text(text)
    assert not any(line.lstrip().startswith(">") for line in once.split("\n"))
    assert "-- " not in once.split("\n")
    assert reply_text(once) == once


@given(ALIKE.filter(lambda text: ">" not in text and "-- " not in text.split("\n")))
def test_a_text_without_quotes_and_signature_stays_whole(text: str) -> None:
    assert reply_text(text).split() == text.split()


@for_each(
    "head",
    [
        "From: pbmserv <pbm+x@club.test>\nSent: Thursday\nTo: bob@example.org\nSubject: Board 101",
        "-----Original Message-----\nFrom: pbm@club.test\nSent: Thursday\nTo: bob@example.org",
        "________________________________\nVon: pbm@club.test\nGesendet: Donnerstag\nAn: bob@example.org",
        "*From:* pbm@club.test\n*Sent:* Thursday\n*To:* bob@example.org",
    ],
)
def test_a_mail_quoted_without_marks_falls_away(head: str) -> None:
    """The opponent must read neither the board once more nor the sender's address."""
    assert reply_text(f"c3\n\nNice game!\n\n{head}\n\nSummary of Cephalopod Board 101\nd4") == "c3\n\nNice game!"


def test_a_line_with_an_address_is_no_head() -> None:
    """Only three lines of a head together are one."""
    text = "signup bob poppy bob@example.org\nNote: I am new\nand I like dice"
    assert reply_text(text) == text


@for_each(
    "head",
    [
        "De : pbmserv\nEnvoyé : lundi\nÀ : alice\nObjet : Board 101",
        "*Da:* pbmserv\n*Inviato:* lunedì\n*A:* alice\n*Oggetto:* Board 101",
        "Gesendet: Montag\nVon: pbmserv\nAn: alice\nBetreff: Board 101",
        "From: pbmserv\nSent: Monday\nTo: alice\nCc: bob\nSubject: Board 101",
        "-------- Ursprüngliche Nachricht --------",
        "-------- Original message --------From: pbmserv Date: 06/01/2025 To: alice Subject: Board 101",
        "----- Messaggio originale -----\n",
        "---------- Forwarded message ---------\nFrom: pbmserv",
        "-------- Message transféré --------",
        "Begin forwarded message:\n",
        "Anfang der weitergeleiteten Nachricht:",
        "________________________________\n差出人: pbmserv\n送信日時: 2025\n宛先: alice\n件名: x",
    ],
)
@for_each("above", ["c3\n\n", "c3\n\n\n\n", "c3\n"])
def test_below_the_head_of_a_mail_everything_falls_away(head: str, above: str) -> None:
    assert reply_text(f"{above}{head}\n\nresign 101\n-- \nx") == "c3"


def test_where_a_head_stands_above_a_marked_quote_only_the_two_fall_away() -> None:
    head = "----- Original Message -----\nFrom: <a@b.example>\nTo: bob\nSent: Monday\nSubject: x"
    assert reply_text(f"{head}\n\n> old\n\nc3") == "c3"


@for_each(
    "text",
    [
        "From: here to there\nc3",
        "A: I think so\nDo: it\nc3",
        "To: bob\nSubject: dice\nc3",
        "--\nc3",
        "-- original --\nc3",
        "________\nc3",
        "on monday I wrote:\nc3",
        "I wrote: c3",
        "Sent from my phone, c3: see",
        "sent from",
    ],
)
def test_what_only_resembles_a_head_or_an_attribution_stays(text: str) -> None:
    assert reply_text(text) == text


@for_each(
    "line",
    [
        "Sent from my iPhone",
        "  Sent from my iPad.",
        "Von meinem iPhone gesendet",
        "Gesendet mit der GMX Mail App",
        "Envoyé de mon iPhone",
        "Enviado desde mi iPhone",
        "Inviato da iPhone",
        "Verstuurd vanaf mijn iPhone",
        "Skickat från min iPhone",
        "Sendt fra min iPhone",
        "Lähetetty iPhonesta",
        "Wysłane z iPhone'a",
        "Отправлено с iPhone",
        "iPhoneから送信",
        "发自我的iPhone",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
        "Sent with Proton Mail secure email.",
        "Sent from my Android device with K-9 Mail. Please excuse my brevity.",
    ],
)
def test_the_line_of_a_phone_goes_at_the_end_and_above_a_quote(line: str) -> None:
    assert reply_text(f"c3\n{line}\n\n> quoted\nd4") == "c3\nd4"
    assert reply_text(f"c3\n\n{line}\n\n") == "c3"
    in_the_middle = f"c3\n\n{line}\nand all of us.".strip()
    assert reply_text(in_the_middle) == in_the_middle


ATTRIBUTION = "On Mon, 6 Jan 2025 at 10:12, pbmserv <pbm@club.test> wrote:"


def test_an_attribution_beyond_doubt_goes_without_a_quote_too() -> None:
    assert reply_text(f"{ATTRIBUTION}\n\nc3") == "c3"
    assert reply_text(f"c3\n\n{ATTRIBUTION}") == "c3"
    assert reply_text(f"hello\n\n{ATTRIBUTION}\nc3\nbye") == "hello\n\nc3\nbye"


def test_below_one_a_long_text_without_marks_is_quoted_if_there_is_something_above_it() -> None:
    board = "\n".join(["Summary"] * 20)
    assert reply_text(f"c3\n\n{ATTRIBUTION}\n\n{board}") == "c3"
    assert reply_text(f"{ATTRIBUTION}\n\n{board}\nc3").endswith("c3")
    assert reply_text(f"Hello\n{ATTRIBUTION}\n> q\n{board}\nc3").endswith("c3")


def test_an_attribution_in_three_lines_leaves_the_command_above_it() -> None:
    upper = "On Monday the 6th of January 2025 at 10:12:44 Central European Time the"
    lower = "server that plays abstract games by mail with everybody who likes to <"
    assert reply_text(f"c3\n{upper}\n{lower}\npbm@club.test> wrote:\n> q") == "c3"


def test_a_footer_of_a_list_goes() -> None:
    footer = "_" * 47 + "\ngames mailing list\ngames@lists.example"
    assert reply_text(f"c3\n\n{footer}\n") == "c3"
    long = "\n".join(["c3"] * 7)
    assert reply_text("_" * 47 + f"\n{long}").endswith(long)
    assert reply_text("_" * 47 + "\nc3").endswith("c3")
