"""The settings that players notice, as a value."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Server:
    """The settings that players notice."""

    address: str
    """Where mail is sent to."""

    delimiter: str = "+"
    """What precedes a tag in the address: "+", "-", or "" for no tags."""

    confirm: Literal["ask", "from"] = "ask"
    """What a From address proves: "from" everything, "ask" nothing."""

    site_url: str = ""
    """The URL of the pages, without a slash at the end; empty if there are none."""

    authserv_id: str = ""
    """The mail server whose Authentication-Results are trusted; empty: none."""

    max_size: int = 1_048_576
    """The largest mail accepted, in bytes."""

    default_game: str = "cephalopod"
    """The game of a challenge that names none; empty: the player is asked."""

    games: tuple[str, ...] = ()
    """The games that can be started; empty: all."""

    variants: bool = False
    """Whether games can be started with options that their inventors did not publish."""

    club_name: str = "pbmserv"
    """What people call this server: in From, in Subjects without a board, on the pages."""

    club_contact: str = ""
    """How to reach the operator: a mail address, or a page's URL; empty: not shown."""

    accent: str = ""
    """The colour of links and buttons on the pages ("#rrggbb"); empty: the one of their style sheet."""

    signup: Literal["web", "mail"] = "web"
    """Where an account can be opened: on a page, too, or by mail alone."""

    @property
    def has_join_page(self) -> bool:
        """Whether an account can be opened on a page, whose mails lead back to the pages."""
        return bool(self.site_url) and self.signup == "web"

    @property
    def domain(self) -> str:
        """The domain of the address."""
        return self.address.rpartition("@")[2]

    @property
    def contact_link(self) -> str:
        """The link for the contact; empty if there is none."""
        return f"mailto:{self.club_contact}" if "@" in self.club_contact.partition("/")[0] else self.club_contact

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

    def takes(self, address: str) -> bool:
        """Whether mail to an address is accepted. Tags are checked later, so that nobody can probe them.

        >>> [Server("pbm@club.test").takes(each) for each in ("PBM-any.tag@Club.test", "bob@club.test")]
        [True, False]
        """
        return self.owns(address) or address.casefold() == "postmaster"  # RFC 5321 4.5.1

    def tagged(self, tag: str) -> str:
        """The address with a tag, or the plain one if tags are not supported.

        >>> Server("pbm@club.test").tagged("b.1")
        'pbm+b.1@club.test'
        """
        if not self.delimiter:
            return self.address
        local, _, domain = self.address.rpartition("@")
        return f"{local}{self.delimiter}{tag}@{domain}"
