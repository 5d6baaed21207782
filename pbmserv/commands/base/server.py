"""What the server knows about itself and tells people: a value made from the settings."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Server:
    """`address` is where mail is sent to; `delimiter` stands before a tag in it ("+", "-", or "" for none).

    `confirm` is what a From address proves: "from" everything, "ask" nothing. `site_url` has no slash at its end
    and is empty where there is no site. `authserv_id` is the name of the mail server whose Authentication-Results
    are believed; empty: none is. `max_size` is how many bytes a mail may have. `default_game` is what a challenge
    without a game means; empty: it is asked. `games` are those that can be begun; empty: all. `variants`: whether
    games can be begun with options that their inventors did not publish.
    """

    address: str
    delimiter: str = "+"
    confirm: Literal["ask", "from"] = "ask"
    site_url: str = ""
    authserv_id: str = ""
    max_size: int = 1_048_576
    default_game: str = "cephalopod"
    games: tuple[str, ...] = ()
    variants: bool = False

    @property
    def domain(self) -> str:
        """What stands after the @ of the address."""
        return self.address.rpartition("@")[2]

    def owns(self, address: str) -> bool:
        """Whether mail to an address is mail to this server, whatever its tag.

        >>> [Server("pbm@club.test").owns(each) for each in ("PBM-any.tag@Club.test", "bob@club.test")]
        [True, False]
        """
        local, at, domain = address.casefold().rpartition("@")
        own_local, _, own_domain = self.address.casefold().rpartition("@")
        tagged = tuple(own_local + each for each in ("+", "-", self.delimiter or "+"))
        return (
            bool(at) and domain == own_domain and (local in (own_local, "postmaster") or local.startswith(tagged))
        )

    def tagged(self, tag: str) -> str:
        """The address with a tag, or the plain one where mailboxes know no tags.

        >>> Server("pbm@club.test").tagged("b.1")
        'pbm+b.1@club.test'
        """
        if not self.delimiter:
            return self.address
        local, _, domain = self.address.rpartition("@")
        return f"{local}{self.delimiter}{tag}@{domain}"
