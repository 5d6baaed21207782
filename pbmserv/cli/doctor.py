"""`pbmserv doctor`: whether all is well, and what mends it."""

from ipaddress import ip_address
from typing import Annotated, Final

import typer

from pbmserv.cli.terminal import Exit, Scripted, err, give_up, print_findings

DNS_PORT: Final = 53


def doctor(
    wait: Annotated[float, typer.Option(min=0, help="seconds that mail to itself has to come back")] = 60,
    no_mail: Annotated[bool, typer.Option("--no-mail", help="do not mail anything, not even to itself")] = False,
    nameserver: Annotated[str, typer.Option(help="HOST:PORT of the nameserver to ask")] = "",
    scripted: Scripted = None,
) -> None:
    """Look whether all is well: settings, database, mail both ways, DNS, pages, disk.

    Two mails go to the server itself and must come back, so it has to be running. Nothing else is changed.
    Exit codes: 0 all is well, 1 something needs attention, 2 something is broken.

    Examples:
        pbmserv doctor
        pbmserv doctor --no-mail --nameserver 127.0.0.1:53
    """
    # What it looks with takes long to import, and no other command needs it.
    from pbmserv.cli.examination import examine

    asked = _nameserver(nameserver)
    with err.status("settings") as status:

        def say(what: str) -> None:
            status.update(f"looking at {what}")

        findings = list(examine(None if no_mail else wait, asked, say))
    print_findings(findings, scripted)


def _nameserver(typed: str) -> tuple[str, int] | None:
    if not typed:
        return None
    host, _, port = typed.rpartition(":") if ":" in typed else (typed, "", str(DNS_PORT))
    try:
        return str(ip_address(host.strip("[]"))), int(port)
    except ValueError:
        give_up(f"--nameserver {typed} is not ADDRESS:PORT, such as 127.0.0.1:53", Exit.USAGE)
