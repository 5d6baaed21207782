"""A personal link, or a personal address, in what people write: the opponent must not be sent it in any dress."""

import base64

import pytest

from pbmserv.mail.reading.answered import without_keys, without_tokens

KEY = "w4hzexk3q7m2c5b6n8pq"
LINK = f"https://club.test/play/101/{KEY}"
DESK = f"https://club.test/desk/{KEY}"
PERSONAL = f"pbmserv+{KEY}@club.test"


def encoded(text: str, times: int = 1) -> str:
    """Percent signs for whatever is no letter, so often."""
    for _ in range(times):
        text = "".join(each if each.isalnum() or each in ".-" else f"%{ord(each):02X}" for each in text)
    return text


@pytest.mark.parametrize(
    "written",
    [
        LINK,
        f"https://eur01.safelinks.protection.outlook.com/?url={encoded(LINK)}&data=05%7C02",
        f"https://eur01.safelinks.protection.outlook.com/?url={encoded(LINK, 3)}&data=05",
        f"https://urldefense.proofpoint.com/v2/url?u=https-3A__club.test_play_101_{KEY}&d=DwMF",
        f"https://urldefense.com/v3/__{LINK}__;!!abc$",
        f"https://u1.ct.sendgrid.net/ls/click?upn=https-3A-2F-2Fclub.test-2Fplay-2F101-2F{KEY}-3D",
        f"https://www.google.com/url?q={LINK}&sa=D",
        f"https:=2F=2Fclub.test=2Fplay=2F101=2F{KEY}",
        f"https:&#x2F;&#x2F;club.test&#x2F;play&#x2F;101&#x2F;{KEY}",
        f"https:&#47;&#47;club.test&#47;play&#47;101&#47;{KEY}",
        rf"https:\/\/club.test\/play\/101\/{KEY}",
        rf"https:\u002f\u002fclub.test\u002fplay\u002f101\u002f{KEY}",
        f"HTTPS://CLUB.TEST/PLAY/101/{KEY.upper()}",
        DESK,
        f"{DESK}/101",
        f"https://eur01.safelinks.protection.outlook.com/?url={encoded(DESK, 2)}&data=05",
    ],
)
def test_a_link_that_was_rewritten(written: str) -> None:
    """A mail program or a filter writes the link of our mail anew and quotes it unmarked."""
    assert KEY not in without_keys(f"I played here: {written} and you?").lower()


@pytest.mark.parametrize("hidden", [LINK, DESK, f"x{LINK}", f"xx{LINK}", f"mailto:{PERSONAL}", f"{LINK}?a=b&c=d"])
@pytest.mark.parametrize("prefix", ["", "a", "ab", "abc"])
def test_a_link_in_another_alphabet(hidden: str, prefix: str) -> None:
    """A tracker hides where it leads to in base64 or hexadecimal digits, which anybody can read."""
    raw = hidden.encode()
    for packed in (base64.b64encode(raw), base64.urlsafe_b64encode(raw).rstrip(b"="), raw.hex().encode()):
        written = f"https://click.example/CL0/{prefix}{packed.decode()}/1/0100"
        kept = without_keys(written)
        assert packed.decode()[:40] not in kept


@pytest.mark.parametrize(
    "written",
    [
        PERSONAL,
        encoded(PERSONAL),
        f"https://x.example/?url={encoded(encoded('mailto:' + PERSONAL))}",
        f"mailto-3Apbmserv-2B{KEY}-40club.test",
        f"pbmserv=2B{KEY}=40club.test",
        f"pbmserv&#43;{KEY}&#64;club.test",
    ],
)
def test_a_personal_address_that_was_rewritten(written: str) -> None:
    """The address that a mail of ours came from is written as a part of a link, and quoted unmarked."""
    assert KEY not in without_tokens(f"Write to {written} please", "pbmserv@club.test")


def test_long_words_stay() -> None:
    """No attack: what is only long is left as it was written."""
    said = f"Look at https://example.org/{'a' * 200}/b, and 0123456789abcdef0123456789abcdef!"
    assert without_keys(said) == said
    assert len(without_keys("a" * 1_000_000)) == 1_000_000
