"""Where the program `pbmserv` begins. It is started once a mail by MTAs, so starting must not take long."""

import gc
import sys


def main() -> None:
    """Runs the command line."""
    # Importing makes hundreds of thousands of objects that all stay: looking through them for garbage again and
    # again would take a sixth of the start. The group that imports a command switches it on again.
    gc.disable()
    if sys.argv[1:2] == ["receive"]:
        from pbmserv.cli.receive import run_plainly

        run_plainly(sys.argv[2:])
    from pbmserv.cli.main import cli

    cli(prog_name="pbmserv")


if __name__ == "__main__":
    main()
