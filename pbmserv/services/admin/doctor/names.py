"""Questions to the DNS, by dnspython."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # it takes long to import: only `doctor` needs it
    pass

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
