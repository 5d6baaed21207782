"""Signatures of many programs and people: nothing of them goes to the opponent, and no talk is taken for one."""

import json
from pathlib import Path

from pbmserv.mail.reading.read import read
from tests.every import every, for_each
from tests.mail.replies import SERVER, moves, reading

TALK = ("", "Nice game!", "Ouch, I did not see that.\n\nShall we play another one on Sunday?")

CORPUS: dict[str, list[str]] = json.loads(Path(__file__).with_name("signatures.json").read_text())
"""Real-looking `signatures`, and `talk` that only looks like one."""


def test_no_signature_goes_on() -> None:
    def check(signature: str) -> None:
        for talk in TALK:
            got = reading("\n\n".join(("c3", talk, signature) if talk else ("c3", signature)))
            assert (moves(got), got.parsed.comment) == (["move 101 c3"], talk)

    every(CORPUS["signatures"], check)


def test_nor_above_a_quote() -> None:
    quote = "\n\nOn Mon, 6 Jan 2025 at 10:12, Ben <ben@example.net> wrote:\n> Hello\n"

    def check(signature: str) -> None:
        assert reading(f"c3\n\nNice game!\n\n{signature}{quote}").parsed.comment == "Nice game!"

    every(CORPUS["signatures"], check)


def test_nor_a_notice_right_below_words() -> None:
    """What calls a mail confidential, in a dozen languages, with and without a blank line above it."""

    def check(notice: str) -> None:
        for gap in ("\n", "\n\n"):
            got = reading(f"c3\n\nNice game!{gap}{notice}\nPlease delete it.\n\nAcme Ltd")
            assert (moves(got), got.parsed.comment) == (["move 101 c3"], "Nice game!")
            assert got.left_out[0][:20] == notice.replace("\n", " ")[: len(got.left_out[0])][:20]

    every(CORPUS["notices"], check)


WITH_NUMBER = (
    "Kind regards\nMargaret Whitfield\nAcme Widgets Ltd.\nTel. +44 20 7946 0000",
    "Viele Grüße\nHanne Müller\nTel. 0221/123456",
    "Cordialement,\nJean-Luc Durand\nTél. : 01 23 45 67 89",
)


@for_each("signature", WITH_NUMBER)
@for_each("tagline", ["", "\n\nSent from my iPhone"])
@for_each("gap", ["\n\n", "\n"])
@for_each("postscript", ["PS: It snows here.", "P.S. It snows here.\n\nP.P.S. It really does."])
def test_nor_above_a_postscript(signature: str, gap: str, postscript: str, tagline: str) -> None:
    got = reading(f"c3\n\nNice game!\n\n{signature}{gap}{postscript}{tagline}")
    assert (moves(got), got.parsed.comment) == (["move 101 c3"], f"Nice game!\n\n{postscript}")
    assert got.left_out[0] == signature.split("\n")[0]


def test_nor_above_an_afterthought() -> None:
    """Where the letter was plainly closed; else a number among words is passed on."""
    after = "I forgot to say that the snow is lovely."
    assert reading(f"c3\n\nHello!\n\n{WITH_NUMBER[0]}\n\n{after}").parsed.comment == f"Hello!\n\n{after}"
    talk = f"Hello!\n\nMargaret Whitfield\n+44 20 7946 0000\n\nis whom you can call. {after}"
    assert reading(f"c3\n\n{talk}").parsed.comment == talk


def test_talk_is_no_signature() -> None:
    def check(talk: str) -> None:
        for text in (talk, f"Nice game!\n{talk}", f"Nice game!\n\n{talk}"):
            got = reading(f"c3\n\n{text}")
            assert (moves(got), got.parsed.comment, got.left_out) == (["move 101 c3"], text, ())

    every(CORPUS["talk"], check)


@for_each("words", ["with love", "from my heart", "from Crete where we are now"])
def test_what_may_be_a_tagline_is_told(words: str) -> None:
    got = reading(f"c3\n\nHello Alice,\nSent {words}")
    assert (got.parsed.comment, got.left_out) == ("Hello Alice,", (f"Sent {words}",))


MARKED = (
    '<div id="Signature"><p>Margaret Whitfield</p><p>the one of Leeds</p></div>',
    '<div class="x_elementToProof" id="x_Signature">the one of Leeds</div>',
    '<div id="ms-outlook-mobile-signature">the one of Leeds</div>',
    '<div class="AppleMailSignature" id="AppleMailSignature">the one of Leeds</div>',
    '<div class="protonmail_signature_block protonmail_signature_block-empty">the one of Leeds</div>',
    '<div class="ydp3f1signature">the one of Leeds</div>',
    '<div name="messageSignatureSection">the one of Leeds</div>',
    '<div id="bloop_sign_1"></div><div class="bloop_sign">the one of Leeds</div>',
    '<div data-marker="__SIG_PRE__">the one of Leeds</div>',
    '<div id="_rc_sig">the one of Leeds</div>',
    "<signature>the one of Leeds</signature>",
)


@for_each("signature", MARKED)
def test_what_html_marks_as_a_signature_goes_from_the_plain_text_too(signature: str) -> None:
    """Outlook and others mark it in HTML alone, and without a line `-- ` in the plain text of the same mail."""

    def said(html: str, plain: str) -> str:
        parts = "".join(
            f"--x\nContent-Type: text/{kind}; charset=utf-8\n\n{text}\n"
            for kind, text in (("plain", plain), ("html", html))
        )
        head = "From: bob@example.org\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n"
        return read(f"{head}{parts}--x--\n".encode(), "bob@example.org", SERVER).text

    plain = "c3\n\nNice game!\n\nMargaret Whitfield\nthe one of Leeds\n"
    assert said(f"<body><p>c3</p><p>Nice game!</p>{signature}</body>", plain) == "c3\n\nNice game!"
    # What is written into the signature is read all the same.
    assert "c3" in said(f"<body>{signature.replace('the one', 'c3 the one')}</body>", plain)
