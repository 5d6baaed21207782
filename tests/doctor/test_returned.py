"""What `doctor` reads from the head of its own mail: who judged it, who signed it, where it came from."""

from datetime import timedelta

import pytest

from pbmserv.commands.server import Server
from pbmserv.mail.reading.headers import Headers, head_of
from pbmserv.services.admin.doctor.round_trip import (
    see_judgement,
    see_mail_clock,
    see_signature,
    sending_address,
    signatures,
)
from pbmserv.services.admin.findings import Finding, Verdict
from tests.conftest import NOON

SIGNED = "DKIM-Signature: v=1; a=rsa-sha256; d=club.test; s=sel; h=From:To: Subject:List-Unsubscribe{more}; b=abc="
UNSUBSCRIBE = "List-Unsubscribe: <mailto:club@club.test>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click"


def head(*lines: str) -> Headers:
    return head_of("\r\n".join((*lines, "From: club@club.test", "", "")).encode())


def judged(results: str, authserv_id: str = "") -> Finding:
    """What is said of a mail with these results."""
    lines = [f"Authentication-Results: {results}"] if results else []
    return see_judgement(head(*lines), Server("club@club.test", authserv_id=authserv_id))


ALL_PASS = "mx.club.test; dkim=pass header.d=club.test; spf=pass smtp.mailfrom=club.test; dmarc=pass (p=none)"


def test_results_that_could_be_believed() -> None:
    """Nothing is wrong, and the setting is told."""
    found = judged(ALL_PASS)
    assert found.verdict is Verdict.FINE
    assert found.found == "mx.club.test says dkim=pass spf=pass dmarc=pass; that is not believed"
    assert 'authserv_id = "mx.club.test"' in found.mend
    assert found.figures["results"] == {"dkim": "pass", "spf": "pass", "dmarc": "pass"}


def test_results_that_are_believed() -> None:
    found = judged(ALL_PASS, "MX.club.test")
    assert (found.verdict, found.mend) == (Verdict.FINE, "")


def test_results_of_another_server() -> None:
    found = judged(ALL_PASS, "mail.club.test")
    assert found.verdict is Verdict.ATTENTION
    assert found.mend == 'authserv_id = "mx.club.test"'


@pytest.mark.parametrize(("authserv_id", "verdict"), [("", Verdict.FINE), ("mx.club.test", Verdict.ATTENTION)])
def test_no_results(authserv_id: str, verdict: Verdict) -> None:
    """That matters only where they are waited for."""
    assert judged("", authserv_id).verdict is verdict


@pytest.mark.parametrize("authserv_id", ["", "mx.club.test"])
def test_our_own_mail_fails(authserv_id: str) -> None:
    found = judged("mx.club.test; spf=fail smtp.mailfrom=club.test; dmarc=fail", authserv_id)
    assert found.verdict is Verdict.ATTENTION
    assert "spf, dmarc" in found.mend


def signature(*lines: str, is_public: bool = True) -> Finding:
    return see_signature(head(*lines), Server("club@club.test"), is_public)


def test_a_signature_that_covers_all() -> None:
    found = signature(SIGNED.format(more=":List-Unsubscribe-Post"), UNSUBSCRIBE)
    assert (found.verdict, found.found) == (Verdict.FINE, "signed with d=club.test s=sel")
    assert found.figures == {"signatures": ["sel._domainkey.club.test"]}


def test_a_signature_without_the_button() -> None:
    """What mail programs show a button for must be signed, as far as the mail has it."""
    found = signature(SIGNED.format(more=""), UNSUBSCRIBE)
    assert found.verdict is Verdict.ATTENTION
    assert "does not cover List-Unsubscribe-Post" in found.found
    assert "SignHeaders" in found.mend
    assert signature(SIGNED.format(more="")).verdict is Verdict.FINE


def test_a_signature_of_somebody_else() -> None:
    found = signature("DKIM-Signature: d=relay.example; s=x; h=from")
    assert found.verdict is Verdict.ATTENTION
    assert "d=club.test" in found.mend


@pytest.mark.parametrize(("is_public", "verdict"), [(True, Verdict.ATTENTION), (False, Verdict.FINE)])
def test_no_signature(is_public: bool, verdict: Verdict) -> None:
    assert signature(is_public=is_public).verdict is verdict
    assert signature("DKIM-Signature: v=1; garbage; =; s=;", is_public=is_public).verdict is verdict


def test_several_signatures() -> None:
    found = signatures(head("DKIM-Signature: d=relay.example; s=x", SIGNED.format(more="")))
    assert [(each.domain, each.selector) for each in found] == [("relay.example", "x"), ("club.test", "sel")]


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("Received: from out (out.club.test [9.9.9.9]) by mx; Mon, 1 Jan 2024 10:00:00 +0000", "9.9.9.9"),
        ("Received: from out ([IPv6:2620:fe::fe]) by mx; Mon, 1 Jan 2024 10:00:00 +0000", "2620:fe::fe"),
        ("Received-SPF: pass (mx) client-ip=9.9.9.9; envelope-from=x", "9.9.9.9"),
        ("Received: from localhost ([127.0.0.1]) by mx; date\r\nReceived: from x ([10.0.0.1])", "None"),
        ("Received: from [1.2.3.4.5] and [::::::::]", "None"),
    ],
)
def test_where_it_came_from(line: str, address: str) -> None:
    assert str(sending_address(head(line))) == address


def test_the_mail_servers_clock() -> None:
    """Two minutes do no harm; an hour is told; no time at all is no finding."""
    sent, came = NOON, NOON + timedelta(seconds=5)

    def seen(minutes: int) -> Finding | None:
        time = (NOON + timedelta(minutes=minutes)).strftime("%a, %d %b %Y %H:%M:%S +0000")
        return see_mail_clock(head(f"Received: from a by b; {time}"), sent, came)

    for minutes in (-1, 0, 1):
        found = seen(minutes)
        assert found is not None
        assert found.verdict is Verdict.FINE
    for minutes in (-60, 61):
        found = seen(minutes)
        assert found is not None
        assert found.verdict is Verdict.ATTENTION
        assert "60 minutes apart" in found.found
        assert "NTP" in found.mend
    assert see_mail_clock(head("Received: from a by b; soon"), sent, came) is None
    assert see_mail_clock(head(), sent, came) is None
