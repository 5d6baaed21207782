"""A small nameserver on 127.0.0.1: it knows what it is told, and answers NXDOMAIN to all else."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

DOMAIN = "club.test"

WELL = {
    (DOMAIN, "MX"): ["10 mx.club.test."],
    ("mx.club.test", "A"): ["127.0.0.1"],
    (DOMAIN, "TXT"): ['"some-site=verified"', '"v=spf1 ip4:9.9.9.9 " "-all"'],
    ("_dmarc.club.test", "TXT"): ['"v=DMARC1; p=none"'],
    ("sel._domainkey.club.test", "TXT"): ['"v=DKIM1; k=rsa; " "p=MIIBIjANBg"'],
    ("9.9.9.9.in-addr.arpa", "PTR"): ["out.club.test."],
    ("out.club.test", "A"): ["9.9.9.9"],
}
"""A domain at which all is well."""

Records = dict[tuple[str, str], list[str]]


@dataclass
class Nameserver:
    """Its records, by name and kind, as in a zone file."""

    port: int
    records: Records = field(default_factory=lambda: {key: [*found] for key, found in WELL.items()})
    is_silent: bool = False

    @property
    def place(self) -> str:
        """What `--nameserver` takes."""
        return f"127.0.0.1:{self.port}"

    def answer(self, wire: bytes) -> bytes | None:
        """What it says to a question."""
        question = dns.message.from_wire(wire)
        (asked,) = question.question
        reply = dns.message.make_response(question)
        reply.flags |= dns.flags.RA
        name, kind = asked.name.to_text().rstrip(".").lower(), dns.rdatatype.to_text(asked.rdtype)
        if found := self.records.get((name, kind)):
            reply.answer.append(dns.rrset.from_text(asked.name, 60, "IN", kind, *found))
        elif not any(known == name for known, _ in self.records):
            reply.set_rcode(dns.rcode.NXDOMAIN)
        return None if self.is_silent else reply.to_wire()


@contextmanager
def running_nameserver() -> Iterator[Nameserver]:
    """One of its own, gone at the end."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("127.0.0.1", 0))
        server = Nameserver(link.getsockname()[1])

        def serve() -> None:
            while (got := link.recvfrom(4096))[0]:
                reply = server.answer(got[0])
                if reply is not None:
                    link.sendto(reply, got[1])

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield server
        finally:
            link.sendto(b"", link.getsockname())
            thread.join()
