"""A sender that is killed in the middle of its work: few mails go out again, as they were, and none is lost."""

from collections import Counter
from pathlib import Path
from signal import SIGKILL

from sqlalchemy import update

from pbmserv.commands.letter import AT_ONCE
from pbmserv.services.app import App, utc_now
from pbmserv.services.deliver import MOST_IN_HAND
from pbmserv.services.views import list_outbox
from pbmserv.store.engine import writing
from pbmserv.store.tables import outbox
from tests.cli.processes import running, wait_for
from tests.roads.sending.letters import letter, queue
from tests.roads.sending.test_draining import counting_sink

MAILS = 120
KILLS = (7, 75)
"""How many mails have come when it is killed."""


def test_a_kill_repeats_few_mails(house: App, tmp_path: Path) -> None:
    letters = [letter(f"n{number}", f"p{number % 5}@example.org") for number in range(MAILS)]
    queue(house, letters)
    with counting_sink(pipelines=True) as sink:
        settings = {
            "PBMSERV_DATABASE": house.engine.url.render_as_string(hide_password=False),
            "PBMSERV_OUT": f"smtp://127.0.0.1:{sink.port}",
        }
        for kill in KILLS:
            with running(settings, tmp_path, "send") as sender:
                wait_for(lambda: len(sink.mails) >= kill)  # noqa: B023
                sender.stop(SIGKILL)
            rows = list_outbox(house, None, MAILS)
            assert len(rows) == MAILS
            in_hand = {row.message_id for row in rows if row.status == "waiting" and row.not_before > utc_now()}
            sent = {row.message_id for row in rows if row.status == "sent"}
            assert len(in_hand) <= MOST_IN_HAND
            assert {mail.message["Message-ID"] for mail in sink.mails} <= sent | in_hand
            with writing(house.engine) as connection:  # three minutes pass
                connection.execute(update(outbox).where(outbox.c.status == "waiting").values(not_before=AT_ONCE))
        with running(settings, tmp_path, "send"):
            wait_for(lambda: all(row.status == "sent" for row in list_outbox(house, None, MAILS)))
    came = Counter(mail.raw for mail in sink.mails)
    assert set(came) == {each.raw for each in letters}
    assert sum(came.values()) <= MAILS + len(KILLS) * MOST_IN_HAND
    first = dict.fromkeys(mail.raw for mail in sink.mails)
    for person in range(5):
        theirs = [each.raw for each in letters[person::5]]
        assert [raw for raw in first if raw in theirs] == theirs
