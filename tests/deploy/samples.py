"""The samples in deploy/, and who a sample can be tried as."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PROGRAM = "/opt/pbmserv/bin/pbmserv"
"""Where the samples look for the program."""


def sample(name: str) -> str:
    """A sample's text."""
    return (DEPLOY / name).read_text()
