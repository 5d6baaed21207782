"""Mails in forms that we cannot read: encrypted, in a file of Outlook's, in rich text. None counts as empty."""

import pytest

from tests.services.post import Post, text_of

ALICE = "alice@example.org"
PARTS = "multipart/mixed; boundary=x"
PGP = "-----BEGIN PGP MESSAGE-----\n\nhQEMA1\n=abcd\n-----END PGP MESSAGE-----"

QUOTE = "On Mon, 6 Jan 2025 at 10:12, pbmserv wrote:\n> Your turn."
IN_PARTS = f"""--x
Content-Type: application/pgp-encrypted

Version: 1
--x
Content-Type: application/octet-stream; name="encrypted.asc"

{PGP}
--x--"""
PACKED = """--x
Content-Type: text/plain

--x
Content-Type: application/ms-tnef; name="winmail.dat"
Content-Transfer-Encoding: base64

eJ8+
--x--"""

FORMS = {
    "pgp": ("text/plain", PGP, "it is encrypted"),
    "pgp, quoted": ("text/plain", f"{PGP}\n\n{QUOTE}", "it is encrypted"),
    "pgp mime": ("multipart/encrypted; boundary=x", IN_PARTS, "it is encrypted"),
    "smime": ("application/pkcs7-mime; smime-type=enveloped-data", "MIAGCSqGSIb3DQEHA6CAMIACAQAx", "S/MIME"),
    "smime, signed": ("application/x-pkcs7-mime; smime-type=signed-data", "MIAGCSqGSIb3DQEHAqCAMIAC", "S/MIME"),
    "outlook": (PARTS, PACKED, "winmail.dat"),
    "rtf": (PARTS, "--x\nContent-Type: text/rtf\n\n{\\rtf1 Nf3}\n--x--", "rich text"),
    "rtf alone": ("application/rtf", "{\\rtf1 Nf3}", "rich text"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_that_cannot_be_read(sqlite_post: Post, form: str) -> None:
    """Its sender is told which it is and how to write instead, in answer to a board and as a stranger."""
    kind, text, said = FORMS[form]
    sqlite_post.people(alice="sesame", bob="poppy")
    sqlite_post.mail(ALICE, "challenge alice bob")
    for sender, subject in ((ALICE, "Re: Cephalopod Board 101: alice vs bob"), ("eve@example.net", "hello")):
        raw = sqlite_post.write(sender, subject, text).replace(b"text/plain; charset=utf-8", kind.encode(), 1)
        (answer,) = sqlite_post.send(raw, sender)
        told = " ".join(text_of(answer).split())
        assert "Your mail came in a form we can't read: " in told
        assert said in told
        assert "empty" not in told
    # A second one is answered too, though all that we read of it is the same.
    raw = sqlite_post.write(ALICE, "Re: Cephalopod Board 101: alice vs bob", text)
    assert sqlite_post.send(raw.replace(b"text/plain; charset=utf-8", kind.encode(), 1), ALICE)
    assert sqlite_post.moves() == []


def test_what_is_beside_it_is_read(sqlite_post: Post) -> None:
    """Plain text beside Outlook's file is a mail like any other."""
    sqlite_post.people(alice="sesame", bob="poppy")
    sqlite_post.mail(ALICE, "challenge alice bob")
    text = PACKED.replace("text/plain\n", "text/plain\n\nc3\n")
    raw = sqlite_post.write(ALICE, "Re: Cephalopod Board 101: alice vs bob", text)
    sqlite_post.send(raw.replace(b"text/plain; charset=utf-8", PARTS.encode(), 1), ALICE)
    assert sqlite_post.moves() == ["C3"]
