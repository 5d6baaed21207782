"""What `doctor` says of the DNS, asked of a nameserver of our own."""

from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address

import pytest

from pbmserv.services.admin.doctor.records import Names, see_records
from pbmserv.services.admin.doctor.round_trip import Signature
from pbmserv.services.admin.findings import Finding, Verdict
from tests.doctor.nameserver import DOMAIN, Nameserver, Records

SIGNATURES = (Signature("relay.example", "x", frozenset()), Signature(DOMAIN, "sel", frozenset()))


def see(
    server: Nameserver,
    domain: str = DOMAIN,
    signed: Sequence[Signature] = SIGNATURES,
    sender: str = "9.9.9.9",
    mailbox: str = "",
) -> dict[str, Finding]:
    """Each finding by its name."""
    names = Names(("127.0.0.1", server.port))
    found = see_records(names, domain, mailbox, ip_address(sender), signed)
    return {each.name: each for each in found}


def test_all_is_well(nameserver: Nameserver) -> None:
    """Strings of one record are joined; records of others at the same name do not disturb."""
    found = see(nameserver)
    assert list(found) == ["MX", "SPF", "DKIM key", "DMARC", "PTR"]
    assert {each.verdict for each in found.values()} == {Verdict.FINE}, found
    assert found["SPF"].found == "v=spf1 ip4:9.9.9.9 -all"
    assert found["PTR"].found == "9.9.9.9 is out.club.test"


def without(*gone: tuple[str, str], **put: str) -> Callable[[Records], None]:
    """Records taken away, and others put at the domain."""

    def change(records: Records) -> None:
        for key in gone:
            del records[key]
        records.update({(DOMAIN, kind): [value] for kind, value in put.items()})

    return change


BROKEN: Iterable[tuple[str, Callable[[Records], None], Verdict, str]] = [
    ("MX", without((DOMAIN, "MX")), Verdict.BROKEN, "club.test. MX 10 mail.club.test."),
    ("MX", without((DOMAIN, "MX"), A="127.0.0.1"), Verdict.ATTENTION, "MX 10 mail.club.test."),
    ("MX", without(MX="0 ."), Verdict.BROKEN, "replace it"),
    ("MX", without(("mx.club.test", "A")), Verdict.BROKEN, "mx.club.test. A ADDRESS"),
    ("SPF", without((DOMAIN, "TXT")), Verdict.ATTENTION, 'club.test. TXT "v=spf1 ip4:9.9.9.9 ~all"'),
    ("SPF", without(TXT='"v=spf10 -all"'), Verdict.ATTENTION, "v=spf1 ip4:9.9.9.9"),
    ("SPF", without(TXT='"v=spf1 +all"'), Verdict.ATTENTION, "~all"),
    ("SPF", lambda records: records[DOMAIN, "TXT"].append('"v=spf1 -all"'), Verdict.ATTENTION, "one of them"),
    ("DKIM key", without(("sel._domainkey.club.test", "TXT")), Verdict.ATTENTION, "sel._domainkey.club.test. TXT"),
    ("DMARC", without(("_dmarc.club.test", "TXT")), Verdict.ATTENTION, '_dmarc.club.test. TXT "v=DMARC1; p=none'),
    ("PTR", without(("9.9.9.9.in-addr.arpa", "PTR")), Verdict.ATTENTION, "use a relay"),
    ("PTR", without(("out.club.test", "A")), Verdict.ATTENTION, "lead back"),
]


@pytest.mark.parametrize(("name", "change", "verdict", "mend"), BROKEN)
def test_one_thing_is_missing(
    nameserver: Nameserver, name: str, change: Callable[[Records], None], verdict: Verdict, mend: str
) -> None:
    """It is told with the record to add, and all else is as well as before."""
    change(nameserver.records)
    found = see(nameserver)
    assert found[name].verdict is verdict
    assert mend in found[name].mend
    assert {each.verdict for each in found.values() if each.name != name} == {Verdict.FINE}


def test_a_mailbox_at_a_provider(nameserver: Nameserver) -> None:
    """Where it is read from is not where its mail is taken."""
    assert "is fetched from imap.club.test" in see(nameserver, mailbox="imap.club.test")["MX"].found
    del nameserver.records[DOMAIN, "MX"]
    mend = see(nameserver, mailbox="imap.club.test")["MX"].mend
    assert mend.startswith("club.test. MX 10 HOST.")
    assert "the provider of imap.club.test names" in mend


def test_a_key_that_is_withdrawn(nameserver: Nameserver) -> None:
    nameserver.records["sel._domainkey.club.test", "TXT"] = ['"v=DKIM1; p="']
    assert "is withdrawn" in see(nameserver)["DKIM key"].found


def test_a_policy_of_the_domain_above(nameserver: Nameserver) -> None:
    nameserver.records["play.club.test", "MX"] = ["10 mx.club.test."]
    assert see(nameserver, "play.club.test")["DMARC"].verdict is Verdict.FINE


def test_mail_that_nobody_signed(nameserver: Nameserver) -> None:
    """Then there is no key to look for."""
    assert "DKIM key" not in see(nameserver, signed=SIGNATURES[:1])


def test_a_nameserver_that_is_silent(nameserver: Nameserver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told that a record is missing when nobody knows."""
    monkeypatch.setattr("pbmserv.services.admin.doctor.records.PATIENCE", 0.1)
    nameserver.is_silent = True
    found = see(nameserver)
    assert {each.verdict for each in found.values()} == {Verdict.ATTENTION}
    assert found["SPF"].found.startswith("no answer about TXT of club.test: ")
    assert "--nameserver" in found["SPF"].mend
