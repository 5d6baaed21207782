"""What `serve` says to its operator at the start."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from pbmserv.cli.config import Settings
from pbmserv.cli.terminal import err
from pbmserv.services.admin.pulse import KeptCopy


def greet(settings: Settings, listeners: Sequence[str], copies: Sequence[KeptCopy]) -> None:
    """Tells where mail is taken, where it goes, how to try it out, and what copies were left by updates."""
    server = settings.server()
    called = Path(sys.argv[0])
    # Print it as it was called, if it must be called with its folder.
    program = called.name if called.is_absolute() and not called.is_relative_to(Path.cwd()) else called
    places = escape(" ".join(listeners) or "-")
    lines = [
        f"pbmserv is running; it receives mail for [bold]{server.address}[/] at {places}",
        f"  data       {escape(str(settings.data.resolve()))}",
        f"  mail out   {escape(settings.way_out)}",
        f"  web pages  {escape(server.site_url or (settings.web and f'http://{settings.web}') or 'off')}",
    ]
    if settings.outgoing and settings.is_web_at_home:
        mailbox = f"http://{settings.web}/mailbox"
        lines.append(f"  mailbox    {mailbox}: read and answer all this mail in a browser on this machine")
    lines += [
        f"  copy       {escape(str(copy.place))}: from before an update, of schema {copy.schema}; yours to delete"
        for copy in copies
    ]
    if settings.confirm == "from":
        lines.append("  confirm    from: every From address is believed. For loopback and tests only!")
    if settings.is_open_to_strangers():
        lines.append("  [bold red]Mail is received from other machines, and anybody can forge a From address.[/]")
    if listeners and settings.way_out.startswith("maildir:"):
        lines += [
            "Try, in other terminals:",
            f'  {program} mail --from alice@example.org "signup alice"',
            f'  {program} mail --from bob@example.org "signup bob"',
            f'  {program} mail --from alice@example.org "cephalopod challenge alice bob"',
        ]
    else:
        lines.append(f'Try: mail "help" to {server.address} from any other address.')
    lines += [
        "Press Ctrl-C to stop it.",
    ]
    for line in lines:
        err.print(line, highlight=False, soft_wrap=True)
