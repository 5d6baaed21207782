"""A real Dovecot that takes tokens alone and asks an authorization server about each; real processes."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from tests.cli.processes import running, wait_for
from tests.roads.imap.box import mail
from tests.servers.dovecot import Dovecot, running_dovecot

USER, TOKEN = "club", "Xy7zzy-right"


class _Introspection(BaseHTTPRequestHandler):
    """RFC 7662: whether a token is good, and whose it is."""

    def do_POST(self) -> None:
        """Answers Dovecot."""
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        body = json.dumps({"active": str(form["token"] == [TOKEN]).lower(), "username": USER}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def token_dovecot(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Dovecot]:
    """A Dovecot with one mechanism."""
    with HTTPServer(("127.0.0.1", 0), _Introspection) as authority:
        threading.Thread(target=authority.serve_forever, daemon=True).start()
        asking = tmp_path / "dovecot-oauth2.conf"
        asking.write_text(
            f"introspection_url = http://127.0.0.1:{authority.server_port}/\nintrospection_mode = post\n"
            "username_attribute = username\nactive_attribute = active\nactive_value = true\n"
        )
        more = f"auth_mechanisms = {request.param}\npassdb {{\n  driver = oauth2\n  args = {asking}\n"
        with running_dovecot(f"{more}  mechanisms = xoauth2 oauthbearer\n}}\n") as server:
            yield server
        authority.shutdown()


@pytest.mark.parametrize("token_dovecot", ["xoauth2", "oauthbearer"], indirect=True)
def test_a_command_that_fails_for_a_while(token_dovecot: Dovecot, tmp_path: Path) -> None:
    """The server says so, and goes on by itself when somebody has signed in."""
    kept = tmp_path / "token"
    settings = {
        "PBMSERV_DATA": str(tmp_path / "data"),
        "PBMSERV_LISTEN": "",
        "PBMSERV_WEB": "",
        "PBMSERV_IMAP": f"imap://{USER}@127.0.0.1:{token_dovecot.imap_port}",
        "PBMSERV_TOKEN_COMMAND": f"cat {kept}",
        "PBMSERV_PROCESSES": "1",
    }
    token_dovecot.deliver(USER, mail("signup alice Xy7zzy-R"))
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("the token command failed with exit code 1: cat: ")
        kept.write_text(f"{TOKEN}\n")
        wait_for(lambda: "Make your first move" in answers(tmp_path))
        assert server.stop() == 0
        assert "Xy7zzy" not in server.log
        assert "Traceback" not in server.log


def answers(folder: Path) -> str:
    """All that went out."""
    return "".join(file.read_text() for file in (folder / "data" / "outgoing").glob("new/*"))
