"""Where the program `pbmserv` begins. It is started once a mail by MTAs, so starting must not take long."""

import gc


def main() -> None:
    """Runs the command line."""
    # Importing makes hundreds of thousands of objects that all stay: looking through them for garbage again and
    # again would take a sixth of the start.
    gc.disable()
    from pbmserv.cli.main import cli as app

    gc.freeze()
    gc.enable()
    app()


if __name__ == "__main__":
    main()
