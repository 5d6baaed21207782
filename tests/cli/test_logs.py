"""The log in its three forms: what a person reads, what a machine reads, and what systemd's journal takes."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from pbmserv.cli.logs import JournalForm, JsonForm, TextForm, start_logging
from pbmserv.mail.log_words import LONGEST_VALUE, Pairs, pairs
from tests.cli.terminal import Terminal

MOMENT = datetime(2026, 11, 23, 20, 14, 7, 250_000, UTC)


def record(text: str, told: Pairs | None = None, level: int = logging.INFO) -> logging.LogRecord:
    """A line, logged in the evening of 23 November 2026."""
    arguments = () if told is None else (told,)
    made = logging.LogRecord("pbmserv.x", level, __file__, 1, text, arguments, None)
    made.created, made.msecs = MOMENT.timestamp(), 250.0
    return made


def failed(text: str, told: Pairs) -> logging.LogRecord:
    """The same, of an exception."""
    made = record(text, told, logging.ERROR)
    try:
        raise LookupError("gone")
    except LookupError as error:
        made.exc_info = (LookupError, error, error.__traceback__)
    return made


HANDLED = pairs(mail=17, from_="alice@example.org", board=(101, 102), to="", queue="")


def test_text() -> None:
    assert TextForm("worker-1").format(record("handled %s", HANDLED)) == (
        "2026-11-23T20:14:07Z INFO    worker-1 pbmserv.x: handled mail=17 from=alice@example.org board=101,102"
    )
    assert TextForm().format(record("stopped")) == "2026-11-23T20:14:07Z INFO    pbmserv.x: stopped"


def test_json() -> None:
    """An object a line: numbers are numbers, several a list; what says nothing is left out."""

    def line(made: logging.LogRecord, process: str = "") -> Any:
        text = JsonForm(process).format(made)
        assert "\n" not in text
        return json.loads(text)

    assert line(record("handled %s", HANDLED), "worker-1") == {
        "time": "2026-11-23T20:14:07.250Z",
        "level": "info",
        "logger": "pbmserv.x",
        "process": "worker-1",
        "text": "handled",
        "mail": 17,
        "from": "alice@example.org",
        "board": [101, 102],
    }
    assert line(record("deferred %s", pairs(again=MOMENT)))["again"] == "2026-11-23T20:14:07Z"
    assert line(record("100 % sure"))["text"] == "100 % sure"
    told = line(failed("a job has failed %s", pairs(job="digests")))
    assert (told["text"], told["job"], told["level"]) == ("a job has failed", "digests", "error")
    assert told["traceback"].startswith("Traceback (most recent call last):\n")
    assert told["traceback"].endswith("LookupError: gone")


def test_journal() -> None:
    """Each line has its priority, also those of a traceback; the journal notes the time itself."""
    assert JournalForm("sender").format(record("sent %s", pairs(out=3))) == "<6>sender pbmserv.x: sent out=3"
    lines = JournalForm().format(failed("a job has failed %s", pairs(job="digests"))).split("\n")
    assert lines[0] == "<3>pbmserv.x: a job has failed job=digests"
    assert len(lines) > 3
    assert all(line.startswith("<3>") for line in lines)
    levels = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
    assert [JournalForm().format(record("x", level=level))[:3] for level in levels] == [
        *("<7>", "<6>", "<4>", "<3>", "<2>")
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("550 no", '"550 no"'),
        ("a=b", '"a=b"'),
        ('say "no"\\', r'"say \"no\"\\"'),
        ("one\n2026-11-23T20:14:07Z ERROR   forged mail=1", '"one?2026-11-23T20:14:07Z ERROR   forged mail=1"'),
        ("\x1b[2J", '"?[2J"'),
        ("\u2028", '"?"'),
        ("x" * 1000, "x" * LONGEST_VALUE),
    ],
)
def test_a_value_is_one_value(value: str, written: str) -> None:
    """Whatever a relay or a client says: it begins no line of its own, and no pair of its own."""
    assert str(pairs(error=value)) == f"error={written}"


def test_no_text_is_made_for_a_line_that_is_not_written() -> None:
    """A line below the level costs its pairs, and nothing else."""

    class Never:
        def __str__(self) -> str:
            raise AssertionError

    log = logging.getLogger("tests.never")
    log.setLevel(logging.INFO)
    log.debug("decided %s", Pairs({"error": Never()}))


def test_the_setting(
    terminal: Terminal, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reaches standard error; what is no form is refused, with those that are."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", [])
    monkeypatch.setattr(root, "level", root.level)
    start_logging("json", "listener")
    logging.getLogger("pbmserv.x").info("stored %s", pairs(mail=1))
    (line,) = capfd.readouterr().err.splitlines()
    assert json.loads(line)["mail"] == 1
    terminal.settings["PBMSERV_LOG"] = "xml"
    done = terminal.run("config")
    assert done.code == 78
    assert "PBMSERV_LOG" in done.sentence
    assert "'text', 'json' or 'journal'" in done.sentence


def test_no_line_of_the_log_holds_what_a_terminal_obeys() -> None:
    """An exception may quote what somebody wrote, in its message or in the text of a traceback."""
    unseen = "\x1b[2J\x9b\u202e"
    made = failed("failed %s", HANDLED)
    made.exc_info = (LookupError, LookupError(f"no {unseen}"), None)
    for form in (TextForm(), JournalForm(), JsonForm()):
        told = form.format(made)
        assert not {"\x1b", "\x9b", "\u202e"} & set(told)
        assert "\\u202e" in told
