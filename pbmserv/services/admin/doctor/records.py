"""What the DNS must say of our domain, so that mail comes to us and ours is not taken for spam."""

from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from pbmserv.services.admin.doctor.round_trip import Signature, are_aligned
from pbmserv.services.admin.findings import Finding, Verdict

PATIENCE: Final = 5.0

RESERVED: Final = (
    *("localhost", "test", "example", "invalid", "local", "internal"),
    *("example.com", "example.net", "example.org"),
)
"""Names for tests and for networks at home (RFC 2606, 6761, 6762): nobody is asked about them."""


class NoNameserver(Exception):
    """No nameserver tells whether there is such a record. The message is one line."""


class Names:
    """What the DNS says."""

    def __init__(self, nameserver: tuple[str, int] | None) -> None:
        """Asks this nameserver, at its address and port; None: those that the system asks. Raises NoNameserver."""
        from dns.exception import DNSException
        from dns.resolver import Resolver

        try:
            self._resolver: Resolver = Resolver(configure=nameserver is None)
        except (DNSException, OSError) as error:
            raise NoNameserver(f"this system names no nameserver: {type(error).__name__}") from None
        if nameserver is not None:
            self._resolver.nameservers = [nameserver[0]]
            self._resolver.port = nameserver[1]
        self._resolver.lifetime = PATIENCE

    def find(self, name: str, kind: str) -> list[str]:
        """The records of a kind ("MX", "TXT") as text, empty if there are none. Raises NoNameserver."""
        from dns.exception import DNSException
        from dns.resolver import NXDOMAIN, NoAnswer

        try:
            found = self._resolver.resolve(f"{name}.", kind, search=False)
        except (NXDOMAIN, NoAnswer):
            return []
        except (DNSException, OSError) as error:
            raise NoNameserver(f"no answer about {kind} of {name}: {type(error).__name__}") from None
        if kind == "TXT":
            # One record may be several strings, which belong together without a blank (RFC 7208, section 3.3).
            texts = (b"".join(each.strings).decode("latin-1") for each in found)
            return ["".join(letter if letter.isprintable() else "?" for letter in text) for text in texts]
        return sorted(each.to_text() for each in found)

    def find_reverse(self, address: str) -> list[str]:
        """The names of an address (PTR), without a dot at their ends. Raises NoNameserver."""
        from dns.reversename import from_address

        name = from_address(address).to_text().rstrip(".")
        return [each.rstrip(".").lower() for each in self.find(name, "PTR")]


def is_reserved(domain: str) -> bool:
    """Whether a domain is not part of the public DNS.

    >>> is_reserved("club.test"), is_reserved("localhost"), is_reserved("example.org.uk")
    (True, True, False)
    """
    name = domain.lower().rstrip(".")
    return any(name == each or name.endswith(f".{each}") for each in RESERVED)


Address = IPv4Address | IPv6Address


def see_records(
    names: Names, domain: str, mailbox_host: str, sends_from: Address | None, signed: Sequence[Signature]
) -> list[Finding]:
    """All of them. `mailbox_host` is where our mailbox is, "" for none; the last two are of our own mail."""
    asked: list[tuple[str, Callable[[], Finding]]] = [
        ("MX", lambda: _mx(names, domain, mailbox_host)),
        ("SPF", lambda: _spf(names, domain, sends_from)),
        ("DMARC", lambda: _dmarc(names, domain)),
        ("PTR", lambda: _ptr(names, sends_from)),
    ]
    ours = next((each for each in signed if are_aligned(each.domain, domain)), None)
    if ours is not None:
        asked.insert(2, ("DKIM key", lambda: _key(names, ours)))
    return [_or_unknown(what, ask) for what, ask in asked]


def _or_unknown(what: str, ask: Callable[[], Finding]) -> Finding:
    try:
        return ask()
    except NoNameserver as error:
        mend = "see the nameserver in /etc/resolv.conf, or ask another by --nameserver"
        return Finding(what, Verdict.ATTENTION, str(error), mend)


def _mx(names: Names, domain: str, mailbox_host: str) -> Finding:
    found = [each.split() for each in names.find(domain, "MX")]
    hosts = [host.rstrip(".").lower() for _, host in sorted(found, key=lambda each: int(each[0]))]
    record = f"{domain}. MX 10 mail.{domain}."
    if mailbox_host:
        record = (
            f"{domain}. MX 10 HOST., with the host for incoming mail that the provider of {mailbox_host} names"
        )
    figures: dict[str, object] = {"hosts": hosts}
    if hosts == [""]:
        found_words = f"{domain} says that it takes no mail at all (a null MX)"
        return Finding(
            "MX", Verdict.BROKEN, found_words, f"replace it by the host that takes the mail: {record}", figures
        )
    if not hosts:
        if names.find(domain, "A") or names.find(domain, "AAAA"):
            words = f"{domain} has none; mail goes to the host of that very name"
            return Finding("MX", Verdict.ATTENTION, words, f"say which host takes the mail: {record}", figures)
        return Finding("MX", Verdict.BROKEN, f"{domain} has none: no mail finds us", record, figures)
    unknown = [host for host in hosts if not (names.find(host, "A") or names.find(host, "AAAA"))]
    if unknown:
        verdict = Verdict.BROKEN if len(unknown) == len(hosts) else Verdict.ATTENTION
        return Finding("MX", verdict, f"{unknown[0]} has no address", f"{unknown[0]}. A ADDRESS", figures)
    fetched = f", and is fetched from {mailbox_host}" if mailbox_host else ""
    return Finding("MX", Verdict.FINE, f"mail to {domain} goes to {', '.join(hosts)}{fetched}", figures=figures)


def _spf(names: Names, domain: str, sends_from: Address | None) -> Finding:
    found = [each for each in names.find(domain, "TXT") if each.lower().split(" ")[0] == "v=spf1"]
    who = f"ip{sends_from.version}:{sends_from}" if sends_from else "mx"
    record = f'{domain}. TXT "v=spf1 {who} ~all"'
    figures: dict[str, object] = {"records": found}
    if not found:
        mend = f"{record}, or what your provider of mail tells you to put after v=spf1 (include:...)"
        return Finding("SPF", Verdict.ATTENTION, f"{domain} does not say who may send for it", mend, figures)
    if len(found) > 1:
        words = f"{domain} has {len(found)} records, which counts as an error"
        return Finding(
            "SPF", Verdict.ATTENTION, words, "make one of them: v=spf1, all that is named, ~all", figures
        )
    if found[0].lower().endswith("+all") or found[0].lower().endswith(" all"):
        return Finding("SPF", Verdict.ATTENTION, f"{found[0]} lets everybody send", "end it with ~all", figures)
    return Finding("SPF", Verdict.FINE, found[0], figures=figures)


def _key(names: Names, signature: Signature) -> Finding:
    name = f"{signature.selector}._domainkey.{signature.domain}"
    found = names.find(name, "TXT")
    figures: dict[str, object] = {"record": name}
    tags = [each.partition("=") for each in "".join(found).split(";")]
    key = next(("".join(value.split()) for tag, _, value in tags if tag.strip().lower() == "p"), None)
    if key:
        return Finding("DKIM key", Verdict.FINE, f"{name} has the key", figures=figures)
    words = f"{name} has no key" if key is None else f"the key at {name} is withdrawn"
    mend = f'{name}. TXT "v=DKIM1; k=rsa; p=..." with the public key of the host that signs our mail'
    return Finding("DKIM key", Verdict.ATTENTION, f"{words}, so our signature counts as broken", mend, figures)


def _dmarc(names: Names, domain: str) -> Finding:
    labels = domain.split(".")
    # A record of the domain above counts too (RFC 7489, section 6.6.3); which one that is nobody needs to know.
    for parent in (".".join(labels[start:]) for start in range(max(1, len(labels) - 1))):
        found = [each for each in names.find(f"_dmarc.{parent}", "TXT") if each.startswith("v=DMARC1")]
        if found:
            return Finding("DMARC", Verdict.FINE, f"{found[0]} at _dmarc.{parent}", figures={"record": found[0]})
    record = f'_dmarc.{domain}. TXT "v=DMARC1; p=none; rua=mailto:postmaster@{domain}"'
    return Finding("DMARC", Verdict.ATTENTION, f"{domain} has no policy; large providers want one", record)


def _ptr(names: Names, sends_from: Address | None) -> Finding:
    if sends_from is None:
        return Finding("PTR", Verdict.FINE, "not looked at: our mail shows no public address that it came from")
    address = str(sends_from)
    figures: dict[str, object] = {"address": address}
    found = names.find_reverse(address)
    mend = f"have the owner of {address} name its host, and let that name lead back to it; or use a relay"
    if not found:
        return Finding("PTR", Verdict.ATTENTION, f"{address}, which sends our mail, has no name", mend, figures)
    kind = "A" if sends_from.version == 4 else "AAAA"
    if not any(address in names.find(name, kind) for name in found):
        words = f"{address} is called {found[0]}, and that name does not lead back to it"
        return Finding("PTR", Verdict.ATTENTION, words, mend, figures)
    return Finding("PTR", Verdict.FINE, f"{address} is {found[0]}", figures=figures)
