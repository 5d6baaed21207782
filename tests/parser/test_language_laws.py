"""What holds for every mail: it is read, in whatever dress, and no secret is ever shown."""

import string

from hypothesis import assume, example, given
from hypothesis import strategies as st

from pbmserv.commands.command import commands
from pbmserv.commands.server import Server
from pbmserv.commands.vocabulary import CLOSING, COURTESY, NEVER_BY_SLIP, OPENING, SETTINGS, SMALL_WORDS, is_userid
from pbmserv.games.board import is_cell_like
from pbmserv.parser.line import parse_line
from pbmserv.parser.parse import as_kept, parse_mail
from pbmserv.parser.parsed import IncomingMail, ParsedMail, Unparsed
from pbmserv.parser.words import normalised
from pbmserv.rendering.templates import say
from tests.examples import examples
from tests.parser.meaning import of

ANSWER = "Re: Cephalopod Board 101: anna vs bob"
SERVER = Server("pbmserv@club.test", variants=True)

WORDS = [
    "as",
    "move",
    "101",
    "c3",
    "anna",
    "sesame",
    "resign",
    "undo",
    "Please",
    "signup",
    "change",
    "password",
    "Re:",
    "#",
    "x",
    "-size=3x3",
]
pieces = st.sampled_from([*WORDS, " ", "\n", "\t", "--", "\u2013", "\uff11", "\ufdfa", "*", ""]) | st.text(
    max_size=4
)
texts = st.lists(pieces, max_size=40).map(lambda found: "".join(f"{piece} " for piece in found)) | st.text()
subjects = st.sampled_from(["", ANSWER, "Fwd: ", "Re: pbmserv: "]) | texts


def mail(subject: str, text: str) -> IncomingMail:
    """A mail with that Subject and text."""
    return IncomingMail("anna@example.org", subject, text, None, (), None, "key")


@given(subjects, texts)
def test_any_text_is_read(subject: str, text: str) -> None:
    """Whatever a mail says gives a Reading, twice the same, and what is kept of it holds no secret."""
    sent = mail(subject, text)
    reading = parse_mail(sent)
    assert reading == parse_mail(sent)
    assert len(reading.lines) <= 21
    assert len(reading.comment) <= 4000
    for secret in reading.secrets:
        if secret not in "***":
            assert secret not in as_kept(reading) + reading.comment


@given(st.text())
def test_a_line_in_its_normal_dress_stays_so(line: str) -> None:
    """Normalising is done once."""
    assert normalised(normalised(line)) == normalised(line)


OPENINGS = (
    "* - 1. please board 101 101: #102 move show next help resign preview challenge set add yes cephalopod mvoe"
)
LATER_WORDS = (
    "101 101: #102 c3 C3. c3xb3,d3#7 resign undo show anna anna, -size 3x3 -unrated. please html off a@b.example"
)
said = st.tuples(
    st.lists(st.sampled_from(OPENINGS.split()), min_size=1, max_size=2),
    st.lists(st.sampled_from(LATER_WORDS.split()), max_size=4),
).map(lambda words: " ".join(words[0] + words[1]))


@examples(500)
@given(said, st.sampled_from([None, 101]))
@example("* show, please", 101)
@example("- 101 undo", None)
@example("Please move 101 undo", 101)
@example("101 preview c3 please", None)
def test_a_line_is_told_as_it_can_be_sent(line: str, board: int | None) -> None:
    """What is told of a line without secrets means the same where it stands alone, in whatever mail it stood."""
    parsed = parse_line(line, board).parsed
    if parsed is None or parsed.claim is not None or parsed.new_password is not None:
        return
    again = parse_line(parsed.line, None).parsed
    assert again is not None
    assert of(again) == of(parsed)


LINES = [
    "help move",
    "list cephalopod",
    "cephalopod games anna next",
    "challenge anna bob -size=3x5 -unrated",
    "move 101 c3",
    "cephalopod move 101 {anna} {s3-Same#1} c3-b3#7",
    "101 {anna} {d4x} c3 x b3 , d3 # 7",
    "resign 101 {anna} {-X-}",
    "show 101#7 102",
    "show anna all",
    "next anna",
    "signup {anna} {Sesame!} {anna@example.org}",
    "change password {anna} {Old-1} {New-2}",
]
DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"
BLANKS = [" ", "  ", "\t", "\u00a0", "\u3000", " \u200b ", "\u2009"]
GREETINGS = ["Hello,", "Dear server,", "", "Here is my move.", "I hope you are well!"]


def dressed(draw: st.DrawFn, line: str) -> str:
    """The line as another mailer, phone or person writes it; words in braces keep their letters."""
    words = []
    for word in line.split():
        kept = word.startswith("{")
        shown = word.strip("{}")
        letters = shown if kept else "".join(draw(st.sampled_from([each.lower(), each.upper()])) for each in shown)
        if draw(st.booleans()):
            letters = "".join(chr(ord(each) + 0xFEE0) if each.isalnum() else each for each in letters)
        words.append("".join(draw(st.sampled_from(DASHES)) if each == "-" else each for each in letters))
        if shown.startswith("-") and not kept and draw(st.booleans()):
            words[-1] = "\u2013" + words[-1]
    between = [draw(st.sampled_from(BLANKS)) for _ in words]
    return "".join(blank + word for blank, word in zip(between, words, strict=True)) + draw(
        st.sampled_from(["", " "])
    )


def told(reading: ParsedMail) -> list[str]:
    """What a mail asks, without regard to the case of what has none."""
    secrets = [line.claim for line in reading.lines if not isinstance(line, Unparsed)]
    return [*(of(line).lower() for line in reading.lines), *map(repr, secrets), *reading.secrets]


@st.composite
def dressings(draw: st.DrawFn) -> tuple[str, str, str]:
    """A line, and a Subject and text that say the same."""
    line = draw(st.sampled_from(LINES))
    other = dressed(draw, line)
    if draw(st.booleans()):
        prefix = draw(st.sampled_from(["", "Re: ", "AW:", "SV : ", "[club] ", "RE[2]: Re: [club]  "]))
        return line, prefix + other, draw(st.sampled_from(["", "\nBye"]))
    greeting = "".join(f"{each}\n" for each in draw(st.lists(st.sampled_from(GREETINGS), max_size=3)))
    return line, draw(st.sampled_from(["", "My move", "Re: hello"])), greeting + other + "\n"


@given(dressings())
def test_the_same_in_any_dress(dressing: tuple[str, str, str]) -> None:
    """Case, blanks, dashes, wide letters, prefixes and greetings change nothing."""
    line, subject, text = dressing
    plain = parse_mail(mail(line.replace("{", "").replace("}", ""), ""))
    assert len(plain.lines) == 1
    assert told(parse_mail(mail(subject, text))) == told(plain)


userids = st.from_regex(r"[a-z][a-z0-9._-]{0,6}[a-z0-9_-]", fullmatch=True)
marks = "".join(sorted(set(string.punctuation) - set("*")))
passwords = (
    st.text(string.ascii_letters + string.digits + marks, min_size=4, max_size=12)
    | st.from_regex(r"[0-9]{4,6}|[a-h][1-9][x-][a-h][1-9]|-[a-z]{4}|#[0-9]{3,4}|move|resign|next", fullmatch=True)
).filter(lambda text: normalised(text) == text)

FORMS = [
    "move 101 USER PASS c3",
    "cephalopod move 101 USER PASS c3xb3,d3#7",
    "move 101 USER PASS resign",
    "resign 101 USER PASS",
    "101 USER PASS c3",
    "101 resign USER PASS",
    "signup USER PASS",
    "signup USER PASS anna@example.org",
    "change password USER PASS oldold",
    "change password USER newnew PASS",
    "as USER PASS",
]


def shown(subject: str, text: str) -> str:
    """All that is shown to anybody or kept of a mail that holds a line meant as a command."""
    reading = parse_mail(mail(subject, text))
    assert reading.lines, "taken for prose"
    told = [line.line for line in reading.lines]
    told += [say(line.error, SERVER) for line in reading.lines if isinstance(line, Unparsed)]
    return "\n".join([repr(reading), *told, reading.comment, as_kept(reading)])


def assert_hidden(line: str, userid: str, password: str, subject: str, before: str, after: str = "") -> None:
    """That the password of a line occurs nowhere, unless it would without being the password."""
    texts = [
        (before + line.replace("USER", userid).replace("PASS", each) + after.replace("PASS", each))
        for each in (password, "Zq?7Zq?7")
    ]
    assume(password not in shown(subject, texts[1]))
    assert password not in shown(subject, texts[0])


@given(
    st.sampled_from(FORMS),
    userids,
    passwords,
    st.sampled_from(["", ANSWER]),
    st.sampled_from(["", "\nWell, PASS it is"]),
)
def test_secrets_are_never_shown(form: str, userid: str, password: str, subject: str, after: str) -> None:
    """Not in a line, a comment, a repr, a refusal, nor in what is kept of the mail."""
    assume(not is_cell_like(userid) and userid not in SMALL_WORDS | COURTESY)
    # `Well, resign it is` is asked back, by the name of the command.
    assume(not after or password not in NEVER_BY_SLIP)
    assert_hidden(form, userid, password, subject, "Hi\n", after)
    if form != "as USER PASS":
        assert_hidden(form, userid, password, subject, "102 d4\nMore later\n", after)


@st.composite
def malformed(draw: st.DrawFn) -> str:
    """A line with credentials and a fault: a word too few or too many, a command misspelt, or both."""
    words = draw(st.sampled_from([form for form in FORMS if not form.startswith("as ")])).split()
    verb = next(
        (place for place, word in enumerate(words) if word in ("move", "resign", "signup", "change")), None
    )
    if draw(st.booleans()):
        kept = {
            place for place in range(len(words)) if words[place] == "PASS" or (place == 0 and verb in (None, 0))
        }
        if words[0] == "signup" and len(words) == 4:
            kept.add(1)
        places = sorted(set(range(len(words))) - kept)
        del words[draw(st.sampled_from(places))]
    elif words[0] != "change":
        words.insert(draw(st.integers(1, len(words))), "please")
    else:
        words.insert(draw(st.integers(2, len(words))), "please")
    if verb is not None and verb < len(words) and draw(st.booleans()):
        words[verb] = misspelt(draw, words[verb])
    return " ".join(words)


def misspelt(draw: st.DrawFn, word: str) -> str:
    """The word with one letter too few, too many, or wrong behind the first, or two swapped."""
    place = draw(st.integers(1, len(word) - 1))
    letter = draw(st.sampled_from("aeiost"))
    head, tail = word[:place], word[place:]
    return draw(
        st.sampled_from(
            [
                head + tail[1:],
                head + letter + tail,
                head + letter + tail[1:],
                word[: place - 1] + tail[0] + head[-1] + tail[1:],
            ]
        )
    )


@examples(300)
@given(malformed(), userids, passwords, st.sampled_from(["", ANSWER]))
@example("signup PASS", "anna", "47110815", "")
@example("sigup PASS", "anna", "47110815", "")
@example("signup PASS", "anna", "sesame!1", "")
@example("change password PASS oldold", "anna", "4711", "")
@example("move 101 c3 USER PASS", "anna", "sesame", "")
@example("resgin USER PASS", "anna", "sesame", ANSWER)
@example("sign up USER PASS", "anna", "sesame", "")
@example("signup USER correct PASS", "anna", "horse", "")
@example("move 101 USER PASS", "anna", "#1234", "")
@example("chnage password USER PASS oldold", "anna", "sesame", "")
@example("change passwd USER PASS oldold", "anna", "sesame", "")
@example("change USER PASS oldold", "anna", "sesame", "")
def test_secrets_of_faulty_lines_are_never_shown(line: str, userid: str, password: str, subject: str) -> None:
    """A line that cannot be read may hold a password anywhere."""
    # Nobody is called like a square, and a password like a move or a command cannot be told from one in its place.
    assume(not is_cell_like(userid) and userid not in SMALL_WORDS | COURTESY)
    assume(not is_cell_like(password) and "@" not in password)
    assume(password.lower() not in commands())
    # `signup anna` needs no password, so that one in the form of a name is a name there, however it is dressed.
    is_in_names_place = len(line.split()) == 2
    assume(not is_in_names_place or not is_userid(password.strip(OPENING + CLOSING)))
    assert_hidden(line, userid, password, subject, "Hi\n")


@given(st.sampled_from(FORMS), userids, passwords)
def test_secrets_in_a_subject_are_never_shown(form: str, userid: str, password: str) -> None:
    """The classic place of a command."""
    assume(not is_cell_like(userid) and userid not in SMALL_WORDS | COURTESY)
    line = form.replace("USER", userid)
    assume(password not in shown(line.replace("PASS", "Zq?7Zq?7"), "Hello"))
    assert password not in shown(line.replace("PASS", password), "Hello")


@given(userids, passwords)
def test_a_password_is_taken_as_it_is(userid: str, password: str) -> None:
    """Whatever its letters, it is the one that was typed."""
    assume(not is_cell_like(userid) and userid not in SMALL_WORDS | COURTESY | SETTINGS)
    read = parse_line(f"move 101 {userid} {password} c3", None).parsed
    assert read is not None
    assert read.claim is not None
    assert (read.claim.userid, read.claim.password.value) == (userid, password)
    assert read.arguments.move == "c3"
