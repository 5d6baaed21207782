"""Postfix in front of a whole server and behind it: a mail goes in, its answer comes out."""

from pathlib import Path

from tests.cli.processes import running
from tests.conftest import ADDRESS
from tests.roads.postfix.gate import Gate

CAROL = "carol@carol.test"
MAIL = b"From: carol@carol.test\r\nMessage-ID: <one@carol.test>\r\nSubject: signup carol sesame\r\n\r\n"


def test_a_mail_and_its_answer(gate: Gate, tmp_path: Path) -> None:
    settings = {
        "PBMSERV_ADDRESS": ADDRESS,
        "PBMSERV_LISTEN": f"lmtp://127.0.0.1:{gate.port}",
        "PBMSERV_OUT": f"smtp://127.0.0.1:{gate.postfix.port}",
        "PBMSERV_WEB": "",
    }
    with running(settings, tmp_path, "serve") as server:
        server.wait_for("it receives mail for")
        gate.postfix.send(MAIL, CAROL, ADDRESS)
        answer = gate.mail_to(CAROL)
        assert server.stop() == 0
    assert answer.message["In-Reply-To"] == "<one@carol.test>"
    assert answer.message["Auto-Submitted"] == "auto-replied"
    assert answer.sender.startswith("pbmserv")
