"""A certificate that nobody vouches for but itself."""

import subprocess
from pathlib import Path

from tests.conftest import needed


def make_certificate(folder: Path) -> Path:
    """One for 127.0.0.1, in a folder that servers can read; its key is beside it."""
    folder.chmod(0o755)
    names = ("-subj", "/CN=mailbox.test", "-addext", "subjectAltName=IP:127.0.0.1")
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names)
    try:
        subprocess.run([*command, "-keyout", "key", "-out", "cert"], cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        needed("openssl")
    return folder / "cert"
